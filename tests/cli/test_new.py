"""`touchstone new`, and the page docs/your-own.md: its commands work as they are typed."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import environment
from touchstone.benchmarks.sql.config import DEMO
from touchstone.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "your-own.md"


def test_the_page_is_typed(tmp_path: Path) -> None:
    """Everything but the model, which needs a key, and the viewer, which does not end."""
    text = PAGE.read_text()
    questions = re.search(r"```csv\n(.*?)```", text, re.DOTALL)
    assert questions is not None
    (tmp_path / "questions.csv").write_text(questions[1])
    shutil.copyfile(DEMO / "shop.sqlite", tmp_path / "shop.sqlite")
    (tmp_path / "predictions.json").write_text('{"london": "SELECT 2", "dearest": "SELECT 1", "average": "SELECT 83.52"}')
    typed = [line for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]
    played = [line for line in typed if "--model" not in line and "view" not in line]
    assert len(played) == len(typed) - 2 == 3
    script = "\n".join(["set -e", 'touchstone() { "$PYTHON" -m touchstone "$@"; }', *played])
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=environment(tmp_path / "cache") | {"PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    assert "my-eval: 3 questions. Go on with:" in done.stdout
    assert re.search(r"agent oracle.*Passed:\s+3.*predictions.json.*Passed:\s+2", done.stdout, re.DOTALL), done.stdout
    assert sorted(path.name for path in (tmp_path / "my-eval").iterdir()) == [
        "README.md", "eval.toml", "questions.csv", "results"
    ]  # fmt: skip


def test_files_of_expected_rows_come_along(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "right").mkdir()
    (tmp_path / "right" / "one.csv").write_text("n\n2\n")
    (tmp_path / "q.csv").write_text("question,expected\nHow many live in London?,right/one.csv\n")
    made = tmp_path / "eval"
    assert main(["new", str(made), "--questions", str(tmp_path / "q.csv"), "--database", str(DEMO / "shop.sqlite")]) == 0
    assert (made / "right" / "one.csv").read_text() == "n\n2\n"
    assert "1 question. Go on" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("questions", "database", "complaint"),
    [
        ("question,sql\n,SELECT 1\n", "shop.sqlite", "row 2: the question"),
        ("question,sql\nq,SELECT 1\n", "nowhere.duckdb", "there is no such database"),
        ("question,sql\nq,SELECT 1\n", "q.csv", "neither a SQLite nor a DuckDB database"),
    ],
)
def test_nothing_is_written_for_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], questions: str, database: str, complaint: str
) -> None:
    shutil.copyfile(DEMO / "shop.sqlite", tmp_path / "shop.sqlite")
    (tmp_path / "q.csv").write_text(questions)
    words = ["new", str(tmp_path / "eval"), "--questions", str(tmp_path / "q.csv"), "--database", str(tmp_path / database)]
    assert main(words) == 2
    assert complaint in capsys.readouterr().err
    assert not (tmp_path / "eval").exists()


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    words = ["--questions", str(DEMO / "questions.csv"), "--database", str(DEMO / "shop.sqlite")]
    assert main(["new", str(tmp_path), *words]) == 2
    assert "it exists already" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
