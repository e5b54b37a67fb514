"""A SQL benchmark is added by one folder and one line of entry points: every command has it, and nothing else changes."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.command import Done, overall, run_directory, touchstone

FOLDER = Path(__file__).parent / "fifth_benchmark"
ENTRY_POINT = "rivers = rivers:RiversConfig"
QUESTIONS = [
    {"id": "long", "text": "Which is the longest?", "sql": "SELECT name FROM river ORDER BY length DESC LIMIT 1"},
    {"id": "count", "text": "How many are there?", "sql": "SELECT count(*) FROM river"},
]


class Installed:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.questions = root / "data" / "questions.json"

    def __call__(self, *arguments: str | Path) -> Done:
        return touchstone(*map(str, arguments), cwd=self.root, env={"PYTHONPATH": f"{FOLDER}:{self.root / 'installed'}"})


@pytest.fixture
def installed(tmp_path: Path) -> Installed:
    """As pip leaves a package that has this line in its pyproject.toml."""
    metadata = tmp_path / "installed" / "rivers-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: rivers\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[touchstone.benchmarks]\n{ENTRY_POINT}\n")
    made = Installed(tmp_path)
    made.questions.parent.mkdir()
    made.questions.write_text(json.dumps(QUESTIONS))
    with closing(sqlite3.connect(made.questions.parent / "rivers.sqlite")) as connection:
        connection.executescript("CREATE TABLE river (name, length); INSERT INTO river VALUES ('Rhine', 1233), ('Elbe', 1094);")
    return made


def test_it_is_run_scored_audited_and_compared(installed: Installed) -> None:
    assert "Ask about rivers, in SQL." in installed("--help").out
    for agent, passed in (("oracle", 2), ("nothing", 0)):
        done = installed("rivers", installed.questions, "--agent", agent, "-o", agent)
        assert done.code == 0, done.err
        assert overall(run_directory(installed.root / agent))["overall"]["passed"] == passed
    (installed.root / "answers.json").write_text(json.dumps({"long": "SELECT 'Elbe'", "count": "SELECT 2"}))
    assert installed("score", "rivers", "answers.json", "--questions", installed.questions, "-o", "scored").code == 0
    scored = run_directory(installed.root / "scored")
    assert overall(scored)["overall"]["passed"] == 1
    compared = installed("compare", run_directory(installed.root / "oracle"), scored)
    assert (compared.code, "Rivers" in compared.out) == (0, True)
    audit = installed("audit", "rivers", installed.questions)
    assert (audit.code, "2 of 2" in audit.out) == (0, True), audit
    assert json.loads(installed("schema", "rivers").out)["properties"]["questions"]


def test_what_its_struct_can_do_is_found_by_asking(installed: Installed) -> None:
    assert "river gauges           all of them answer" in installed("doctor").out
    listed = installed("audit", "lengths", "30", "--questions", installed.questions)
    assert listed.out == f"{len(QUESTIONS[0]['sql'])}\n", listed
    assert "List the lengths of the golds." in installed("audit", "--help").out
    for name in ("there", "back"):
        (installed.root / name).mkdir()
        (installed.root / name / "voyage.txt").write_text(f"{name}\n")
    assert installed("compare", "there", "back").out == "there\nback\n"
    (installed.root / "answers.json").write_text(json.dumps({each["id"]: each["sql"] for each in QUESTIONS}))
    assert installed("score", "rivers", "answers.json", "--questions", installed.questions, "-o", "out").code == 0
    assert installed("view", "out", "--export", "pages", "--hide-gold").code == 0
    (run,) = (installed.root / "pages" / "runs").iterdir()
    page = (run / "index.html").read_text()
    assert "<h2>The rivers</h2>" in page
    assert 'class="line dotted"' in page
    assert "north" in (run / "t-long~0.html").read_text(), "its struct says that this gives nothing away"


def test_a_page_shows_runs_of_a_benchmark_that_is_not_installed(installed: Installed, tmp_path: Path) -> None:
    assert installed("rivers", installed.questions, "-o", "out").code == 0
    done = touchstone("view", "out", "--export", "pages", "--hide-gold", cwd=tmp_path)
    assert done.code == 0, done.err
    (run,) = (tmp_path / "pages" / "runs").iterdir()
    assert "The rivers" not in (run / "index.html").read_text()
