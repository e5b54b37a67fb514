"""`touchstone cache check`: what is remembered is made again, and a lie in the cache is found."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from tests.cli.conftest import Cli
from tests.support.worlds import ROWS, World
from touchstone.benchmarks.bird.judge import BirdJudgement

FILE = "results-2.sqlite"


@pytest.fixture
def remembered(cli: Cli, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with the judgements and tables of one scored file."""
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path / "cache"))
    predictions = {str(row["question_id"]): row["SQL"] for row in ROWS}
    (tmp_path / "p.json").write_text(json.dumps(predictions))
    assert cli("score", "bird", "p.json", "--data", world.tasks, "--databases", world.databases, "-o", "out").code == 0
    return tmp_path / "cache" / FILE


def test_what_is_true_stays_so(cli: Cli, remembered: Path) -> None:
    done = cli("cache", "check", "--all")
    assert done.code == 0, done.out
    assert "12 results of this code, 0 of other versions" in done.out
    assert done.out.endswith("run again: 12; same 12, different 0, gone 0\n")
    assert cli("cache", "check", "--sample", "5").out.endswith("run again: 5; same 5, different 0, gone 0\n")


def test_a_lie_is_found(cli: Cli, remembered: Path) -> None:
    with closing(sqlite3.connect(remembered, isolation_level=None)) as cache:
        (changed,) = (
            (key, value)
            for key, value, origin in cache.execute("SELECT key, value, origin FROM entries WHERE origin IS NOT NULL")
            if b":judge" in origin and b"COUNT(*)" in origin
        )
        lie = msgspec.structs.replace(msgspec.msgpack.decode(changed[1], type=BirdJudgement), metrics={"ex": 0.0})
        cache.execute("UPDATE entries SET value = ? WHERE key = ?", (msgspec.msgpack.encode(lie), changed[0]))
    done = cli("cache", "check", "--all")
    assert done.code == 1
    assert done.out.endswith("run again: 12; same 11, different 1, gone 0\n")
    (line,) = (line for line in done.out.splitlines() if line.startswith("different"))
    assert "shop.sqlite: judge " in line
    assert "COUNT(*)" in line


def test_a_database_that_is_gone_or_another_is_told_apart(cli: Cli, remembered: Path, world: World) -> None:
    (world.databases / "zoo" / "zoo.sqlite").unlink()
    with closing(sqlite3.connect(world.databases / "shop" / "shop.sqlite")) as shop:
        shop.execute("DELETE FROM item WHERE id = 1")
        shop.commit()
    done = cli("cache", "check", "--all")
    assert (done.code, done.out.splitlines()[-1]) == (0, "run again: 12; same 0, different 0, gone 12")
    assert "the database has changed" in done.out
    assert "the database cannot be read: No such file or directory" in done.out


def test_an_empty_cache_is_no_error(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path / "none"))
    assert cli("cache", "check").out.endswith("run again: 0; same 0, different 0, gone 0\n")


def test_a_sample_of_none_is_refused(cli: Cli) -> None:
    done = cli("cache", "check", "--sample", "0")
    assert (done.code, done.complaint) == (2, "touchstone: --sample 0: expected a positive number")
