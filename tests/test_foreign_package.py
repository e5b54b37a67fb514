"""A package of somebody else's with a benchmark, an agent, a model and an engine: installed by pip, it has every command."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.support.command import Done, environment, overall, records, run_directory

PACKAGE = Path(__file__).parent / "foreign_package"
QUESTIONS = [
    {"id": "fr", "country": "France", "sql": "SELECT capital FROM world WHERE country = 'France'"},
    {"id": "pe", "country": "Peru", "sql": "SELECT capital FROM world WHERE country = 'Peru'"},
    {"id": "all", "country": "all", "sql": "SELECT * FROM world"},
]

pytestmark = pytest.mark.long


class Foreign:
    """The commands of an environment that has the package."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.bin = root / "env" / "bin"
        self.questions = root / "data" / "questions.json"

    def __call__(self, *arguments: str | Path, script: str = "touchstone", input: str = "") -> Done:
        """Output goes to files: a cluster's daemons may hold on to a pipe when the command has ended."""
        out, err = self.root / "out.txt", self.root / "err.txt"
        with out.open("w") as stdout, err.open("w") as stderr:
            code = subprocess.run(
                [self.bin / script, *map(str, arguments)],
                cwd=self.root,
                env=environment(self.root / "cache"),
                stdout=stdout,
                stderr=stderr,
                input=input,
                text=True,
                timeout=300,
                check=False,
            ).returncode
        return Done(code, out.read_text(), err.read_text())


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Foreign:
    """A fresh environment that sees what is installed here; only the package itself is installed into it, by pip."""
    made = Foreign(tmp_path_factory.mktemp("foreign"))
    venv.create(made.root / "env", symlinks=True)
    (library,) = (made.root / "env").glob("lib/python*/site-packages")
    here = sysconfig.get_path("purelib")
    (library / "here.pth").write_text(f"import site; site.addsitedir({here!r})\n")
    copy = made.root / "package"  # a build writes beside its sources
    subprocess.run(["cp", "-r", PACKAGE, copy], check=True)
    pip = [sys.executable, "-m", "pip", "--python", made.bin / "python", "install", "-q", "--no-deps", copy]
    installed = subprocess.run(pip, capture_output=True, text=True, check=False)
    if "No matching distribution found" in installed.stderr:
        pytest.skip("what builds the package cannot be fetched")
    assert installed.returncode == 0, installed.stderr
    script = made.bin / "touchstone"
    script.write_text(f"#!{made.bin / 'python'}\nimport sys\nfrom touchstone.cli import main\nsys.exit(main())\n")
    script.chmod(0o755)
    made.questions.parent.mkdir()
    made.questions.write_text(json.dumps(QUESTIONS))
    (made.questions.parent / "world.csv").write_text("country,capital\nFrance,Paris\nPeru,Lima\n")
    return made


def test_it_is_a_command_with_its_own_options(foreign: Foreign) -> None:
    assert "Ask for capitals, in SQL over CSV files." in foreign("--help").out
    shown = foreign("capitals", "--help").out
    assert "The query, with {country} where the country goes." in shown
    assert "count" in shown
    assert "--tries" not in foreign("capitals", "--agent", "oracle", "--help").out
    doctor = foreign("doctor").out
    assert all(name in doctor for name in ("capitals", "guesser", "parrot", "csv"))


def test_a_command_of_its_own_takes_its_structs(foreign: Foreign) -> None:
    assert foreign("capitals", "count", foreign.questions, "-n", "2", "--twice").out == "4\n"


def test_it_is_run_resumed_and_run_again_from_a_file(foreign: Foreign) -> None:
    assert foreign("run", "capitals", foreign.questions, "-n", "1", "-t", "2", "-o", "one").code == 0
    run = run_directory(foreign.root / "one")
    (record,) = records(run)
    assert (record["outcome"], record["usage"]["calls"]) == ("passed", 2)
    config = json.loads((run / "config.json").read_text())
    assert config["agent"] == {"name": "guesser", "query": config["agent"]["query"], "tries": 2}
    assert config["versions"]["csv"]
    assert foreign("capitals", "--resume", run, "-n", "3").code == 0
    assert overall(run)["overall"] == {**overall(run)["overall"], "passed": 2, "not_passed": 1}
    assert foreign("capitals", "--config", run / "config.toml", "-o", "again").code == 0
    assert overall(run_directory(foreign.root / "again"))["overall"]["passed"] == 2
    refused = foreign("capitals", foreign.questions, "--tries", "0")
    assert (refused.code, refused.complaint) == (2, "touchstone: --tries 0: expected a positive whole number")


def test_it_is_scored_audited_viewed_and_compared(foreign: Foreign) -> None:
    answers = {question["id"]: question["sql"] for question in QUESTIONS}
    (foreign.root / "good.json").write_text(json.dumps(answers))
    (foreign.root / "bad.json").write_text(json.dumps({**answers, "fr": "SELECT nowhere FROM world"}))
    for name, passed in (("good", 3), ("bad", 2)):
        done = foreign("score", "capitals", f"{name}.json", "--questions", foreign.questions, "--json", f"{name}.verdicts")
        assert done.code == 0, done.err
        run = run_directory(foreign.root / "results" / f"{name}-capitals")
        assert overall(run)["overall"]["passed"] == passed
    verdict = json.loads((foreign.root / "bad.verdicts").read_text())["fr"]
    assert verdict == {"score": 0.0, "outcome": "failed", "reason": "no such column: nowhere"}
    audit = foreign("audit", "capitals", foreign.questions)
    assert (audit.code, "the gold selects everything" in audit.out) == (0, True)
    good, bad = (run_directory(foreign.root / "results" / f"{name}-capitals") for name in ("good", "bad"))
    compared = foreign("compare", good, bad)
    assert compared.code == 0, compared.err
    assert foreign("view", "results", "--export", "pages").code == 0
    assert (foreign.root / "pages" / "index.html").is_file()


def test_a_client_plays_it_over_mcp(foreign: Foreign) -> None:
    pytest.importorskip("mcp")
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    call = {"name": "submit", "arguments": {"sql": QUESTIONS[1]["sql"]}}
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
    ]
    done = foreign(
        *("mcp", foreign.questions, "--benchmark", "capitals", "--task", "pe", "-o", "mcp"),
        input="".join(json.dumps(line) + "\n" for line in lines),
    )
    assert done.code == 0, done.err
    assert "passed after 1 calls" in done.err


def test_a_cluster_plays_it(foreign: Foreign) -> None:
    pytest.importorskip("ray")
    done = foreign("capitals", foreign.questions, "--executor", "ray", "-o", "ray")
    assert done.code == 0, done.err
    assert overall(run_directory(foreign.root / "ray"))["overall"]["passed"] == 2


def test_python_has_it_too(foreign: Foreign) -> None:
    code = (
        "import touchstone, sys; "
        "print(touchstone.run(touchstone.capitals(questions=sys.argv[1]), 'oracle').passed, "
        "touchstone.run(touchstone.benchmark('capitals', questions=sys.argv[1]), 'guesser', model='parrot').passed)"
    )
    assert foreign("-c", code, foreign.questions, script="python").out == "3 2\n"
