"""`touchstone verify`, and what other commands say of a run that is not whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.runs.test_seals import lines, put
from tests.support.command import run_directory
from tests.support.worlds import World
from touchstone.runs.verification import verify


def test_the_command_says_what_is_right_and_what_is_wrong(cli: Cli, world: World, tmp_path: Path) -> None:
    assert cli("bird", *world.arguments, "--agent", "oracle", "-o", "out").code == 0
    run = run_directory(tmp_path / "out")
    done = cli("verify", run)
    seal = verify(run).seal
    assert (done.code, done.out.splitlines()) == (
        0,
        [
            "ok       runs.jsonl: 6 records, each once, none changed since",
            "ok       config.json, overall.json, summary.txt: as when the run was closed",
            "ok       overall.json and summary.txt follow from the records",
            f"seal     {seal}",
        ],
    )
    assert cli("verify", run, "--seal", str(seal)).code == 0
    put(run, lines(run)[:-1])
    done = cli("verify", run)
    assert done.code == 1
    assert "WRONG    runs.jsonl: the run was closed with 6 records and has 5" in done.out
    assert "WRONG    overall.json: total is 6, and 5 by the records" in done.out
    assert cli("verify", tmp_path).complaint == f"touchstone: {tmp_path}: not a run directory (it has no config.json)"


@pytest.mark.parametrize("command", ["summary", "compare", "view"])
def test_a_task_that_is_there_twice_is_refused_on_reading(cli: Cli, world: World, tmp_path: Path, command: str) -> None:
    assert cli("bird", *world.arguments, "--agent", "oracle", "-o", "out").code == 0
    run = run_directory(tmp_path / "out")
    put(run, [*lines(run), lines(run)[2]])
    words = {"summary": [run], "compare": [run, run], "view": [run, "--export", "pages"]}[command]
    done = cli(command, *words)
    if command == "view":
        assert "line 7" in done.err + "".join(page.read_text() for page in (tmp_path / "pages").rglob("*.html"))
    else:
        twice = "line 7 records task 12, epoch 0 again, after line 3"
        assert (done.code, done.complaint) == (2, f"touchstone: {run / 'runs.jsonl'}: {twice}")
