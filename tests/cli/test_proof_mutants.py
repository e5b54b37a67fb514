"""`touchstone audit bird --mutants`: how many slips of one step a task would notice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.cli.test_proof_suspects import club
from tests.support.worlds import World
from touchstone import distribution

__all__ = ["club"]


def test_mutants_are_counted_per_task_and_in_all(cli: Cli, tmp_path: Path, club: World) -> None:
    plain = cli("audit", "bird", *club.arguments, "--json", "plain.json")
    done = cli("audit", "bird", *club.arguments, "--mutants", "--json", "audit.json")
    assert (plain.code, done.code) == (0, 0)
    before, after = (json.loads((tmp_path / name).read_text()) for name in ("plain.json", "audit.json"))
    assert before["strength"] is None
    assert "Mutants:" not in plain.out
    strength = after.pop("strength")
    assert after == {name: value for name, value in before.items() if name != "strength"}
    assert list(strength["not_measured"]) == ["4"]
    tasks, total = strength["tasks"], strength["total"]
    assert sorted(tasks) == ["1", "2", "3"]
    # All in Reno are over 30: without that condition the gold gives the same on the club's own database.
    assert tasks["1"]["told_by_generated"] >= 1
    assert "the condition age > 30 is dropped" not in tasks["1"]["untold"]
    assert tasks["2"]["mutants"] == 0
    for name in ("mutants", "told_by_original", "told_by_generated"):
        assert total[name] == sum(task[name] for task in tasks.values())
    for task in tasks.values():
        assert task["mutants"] == task["told_by_original"] + task["told_by_generated"] + len(task["untold"])
    assert f"Mutants:          {total['mutants']} one-step mutants of 3 golds" in done.out
    assert f"{total['told_by_original']} (" in done.out
    assert "not measured: 1 tasks, the first is 4" in done.out


def test_it_needs_sqlglot(cli: Cli, club: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        assert name == "sqlglot"

    monkeypatch.setattr(distribution, "find_spec", absent)
    done = cli("audit", "bird", *club.arguments, "--mutants")
    assert (done.code, done.out) == (2, "")
    assert "[proof]'" in done.complaint
