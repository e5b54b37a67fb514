"""`touchstone history`: runs in the order of time, a list for each benchmark, agent and model."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Cli
from tests.support.worlds import World


def test_scores_over_time(cli: Cli, tmp_path: Path, world: World) -> None:
    for agent, number in (("oracle", "2"), ("nothing", "2"), ("oracle", "3")):
        assert cli("bird", *world.arguments, "--agent", agent, "-n", number, "-o", "results").code == 0
    shown = cli("history", "--json", "history.json")
    assert shown.code == 0, shown.err
    lines = shown.out.splitlines()
    assert [line for line in lines if line and not line.startswith(" ")] == ["bird, oracle", "bird, nothing"]
    assert ["n = 2" in line for line in lines[1:3]] == [True, False]
    assert all("100.0%" in line for line in lines[1:3])
    rows = json.loads((tmp_path / "history.json").read_text())
    assert [(row["agent"], row["total"], row["accuracy"]) for row in rows] == [
        ("oracle", 2, 1.0),
        ("oracle", 3, 1.0),
        ("nothing", 2, 0.0),
    ]
    newest = Path(rows[1]["run"])
    assert cli("tag", newest, "nightly").code == 0
    assert len(cli("history", "results", "--tag", "nightly").out.splitlines()) == 2


def test_mistakes_are_told_in_one_line(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    for arguments, words in ((["none"], "no such directory"), ([], "no run with a counted task")):
        done = cli("history", *arguments)
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert words in done.err
