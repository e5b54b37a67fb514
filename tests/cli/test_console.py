"""The commands as installed: help, version, doctor, and the old name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import overall, run_directory, start, touchstone
from tests.support.worlds import World
from touchstone.addresses import without_secrets
from touchstone.cli import COMMANDS
from touchstone.cli.doctor import openai_sdk
from touchstone.plugins import available


@pytest.mark.parametrize("script", ["touchstone", "ro-eval"])
def test_both_names_play_bird(script: str, tmp_path: Path, world: World) -> None:
    done = touchstone("bird", *world.arguments, "--agent", "oracle", "-o", "out", "-n", "2", cwd=tmp_path, script=script)
    assert done.code == 0
    assert overall(run_directory(tmp_path / "out"))["overall"]["passed"] == 2


@pytest.mark.parametrize("asked", [["--help"], ["-h"], ["help"], []])
def test_help_names_the_commands(asked: list[str], tmp_path: Path) -> None:
    done = touchstone(*asked, cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    shown = {line.split()[0]: line for line in done.out.splitlines() if line.startswith("  ") and line[2] != " "}
    assert {*COMMANDS, *available("benchmarks")} == shown.keys()
    assert "Play BIRD text-to-SQL" in shown["bird"]


def test_help_and_version_are_quick_because_they_import_little() -> None:
    code = "import sys; from touchstone.cli import main; main([sys.argv[1]]); print(*sys.modules)"
    for asked, heavy in (("--version", {"importlib.metadata", "msgspec"}), ("--help", {"msgspec", "asyncio"})):
        done = subprocess.run([sys.executable, "-c", code, asked], check=True, capture_output=True, text=True)
        assert not ({"cyclopts", "rich", "touchstone.benchmarks"} | heavy) & set(done.stdout.split())


def test_a_run_without_a_model_starts_quickly_because_it_imports_little(tmp_path: Path) -> None:
    code = "import sys; from touchstone.cli import main\ntry: main(sys.argv[1:])\nfinally: print(*sys.modules)"
    asked = ["bird", "demo", "--agent", "nothing", "--limit", "1"]
    done = subprocess.run([sys.executable, "-c", code, *asked], capture_output=True, text=True, cwd=tmp_path, check=False)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "touchstone.benchmarks.bird.benchmark" in loaded
    heavy = {"aiohttp", "httpx", "rich", "statistics", "xml.sax", "urllib.request", "http.client", "numpy", "sqlglot"}
    assert not (heavy | {"touchstone.models.transport", "touchstone.runs.executors.node"}) & loaded
    assert len(loaded) < 410


def test_an_option_of_another_agent_is_explained_without_the_package_mcp(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('mcp', 'mcp_types', 'uvicorn')))\n"
        "from touchstone.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    asked = ["bird", "demo", "--agent", "oracle", "--command-timeout", "3"]
    done = subprocess.run([sys.executable, "-c", code, *asked], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.stderr == "touchstone: --command-timeout is for --agent command, not oracle\n"


def test_help_of_a_command_in_two_spellings_and_of_none(tmp_path: Path) -> None:
    assert touchstone("help", "score", cwd=tmp_path).out == touchstone("score", "--help", cwd=tmp_path).out
    wrong = touchstone("brid", cwd=tmp_path)
    assert (wrong.code, wrong.err.strip()) == (2, "touchstone: there is no command 'brid'; did you mean bird?")


@pytest.mark.parametrize("command", [["bird"], ["score", "bird"], ["score"], ["summary"], ["demo"], ["doctor"]])
def test_every_command_explains_itself(command: list[str], tmp_path: Path) -> None:
    done = touchstone(*command, "--help", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: touchstone {' '.join(command)}")


def test_a_help_text_is_one_text_and_tells_no_empty_default(tmp_path: Path) -> None:
    lines = touchstone("bird", "--help", cwd=tmp_path).out.splitlines()
    assert lines[0].startswith("Usage: touchstone bird")
    shown = " ".join(" ".join(lines).replace("│", " ").split())
    assert "own options: --agent NAME --help. [default: tools]" in shown
    for empty in ("()", "False", "None"):
        assert f"[default: {empty}]" not in shown


def test_the_version(tmp_path: Path) -> None:
    assert touchstone("--version", cwd=tmp_path).out.strip() == "0.1.0"


def test_doctor_says_what_works(tmp_path: Path) -> None:
    done = touchstone("doctor", cwd=tmp_path, env={"OPENAI_API_KEY": "sk-very-secret"})
    assert (done.code, done.err) == (0, "")
    for words in (
        "ok       SQL workers",
        "SQLite 3.",
        "result cache",
        "OPENAI_API_KEY is set",
        "oracle, react, repair, replay",
    ):
        assert words in done.out
    assert "sk-very-secret" not in done.out


def test_the_demo_checks_the_pipeline_without_a_key(tmp_path: Path) -> None:
    done = touchstone("demo", "--no-local", "-o", "out", cwd=tmp_path)
    assert done.code == 0
    numbers = overall(run_directory(tmp_path / "out" / "oracle"))
    assert numbers["overall"]["passed"] == numbers["total"] >= 30


def test_a_reader_that_goes_away_is_no_trouble(tmp_path: Path, world: World) -> None:
    """As in `touchstone … | head -1`."""
    process = start("bird", *world.arguments, "--agent", "oracle", "-o", "out", cwd=tmp_path)
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    errors = process.stderr.read()
    process.wait(30)
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("http://user:secret@host:1/infer", "http://host:1/infer"),
        ("http://host/infer?a=1&api_key=secret&b=2", "http://host/infer?a=1&b=2"),
        ("https://host/infer?token=secret", "https://host/infer?"),
        ("gpt-5-mini", "gpt-5-mini"),
    ],
)
def test_addresses_are_kept_without_their_secrets(given: str, kept: str) -> None:
    assert without_secrets(given) == kept


@pytest.mark.parametrize(
    ("installed", "litellm", "inspect", "problem"),
    [
        ("2.54.0", True, False, ""),
        ("3.49.0", False, True, ""),
        ("3.49.0", True, False, "LiteLLM needs 2.x"),
        ("2.54.0", True, True, "Inspect's openai/ models need 3.4 or newer"),
        ("2.54.0", False, False, ""),
    ],
)
def test_doctor_tells_of_an_openai_sdk_that_an_extra_cannot_use(
    installed: str, litellm: bool, inspect: bool, problem: str
) -> None:
    check = openai_sdk(installed, litellm=litellm, inspect=inspect)
    advice = ": install the extras litellm and inspect in separate environments"
    assert (check.good, check.detail) == (not problem, f"{installed}; {problem}{advice}" if problem else installed)
