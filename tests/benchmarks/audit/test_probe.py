"""A gold run in several ways: what each of them finds, and what a determined gold has to fear from them: nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from touchstone.benchmarks.audit.probe import ProbeRequest, ProbeResult, probe
from touchstone.benchmarks.audit.probes import from_probe
from touchstone.engines.sqlite.connection import SqliteConnection
from touchstone.engines.sqlite.database import SqliteJudgingConnection
from touchstone.protocols import Limits

LIMITS = Limits(seconds=5)
SCRIPT = """
    CREATE TABLE hero (id INTEGER PRIMARY KEY, name TEXT, strength INTEGER, team TEXT, weight REAL);
    INSERT INTO hero VALUES (1, 'Ant', 5, 'red', 0.1), (2, 'Bee', 9, 'red', 0.2), (3, 'Cat', 9, 'blue', 0.3),
                            (4, 'Dog', 1, 'blue', 1e16), (5, 'Elk', 3, 'red', -1e16), (6, 'Fox', NULL, 'blue', NULL);
    CREATE INDEX by_strength ON hero (strength);
    CREATE TABLE word (text TEXT COLLATE NOCASE);
    INSERT INTO word VALUES ('a'), ('A'), ('b');
"""


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[SqliteJudgingConnection]:
    with closing(sqlite3.connect(tmp_path / "heroes.sqlite")) as connection:
        connection.executescript(SCRIPT)
    with closing(SqliteConnection(tmp_path / "heroes.sqlite", private=True)) as connection:
        yield SqliteJudgingConnection(connection, LIMITS)


def kinds(bench: SqliteJudgingConnection, sql: str, *, in_order: bool = False) -> list[str]:
    result = probe(bench, ProbeRequest([sql]))
    return [finding.kind for finding in from_probe("1", sql, result, LIMITS, in_order=in_order, exact=True)]


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("SELECT name FROM hero ORDER BY strength DESC LIMIT 1", "ties_under_limit"),
        ("SELECT name FROM hero WHERE id = (SELECT id FROM hero ORDER BY strength DESC LIMIT 1)", "ties_under_limit"),
        ("SELECT name FROM hero LIMIT 2", "limit_without_order"),
        ("SELECT team, name FROM hero GROUP BY team", "storage_order"),
        ("SELECT group_concat(name) FROM hero", "storage_order"),
        ("SELECT name, row_number() OVER (ORDER BY team) FROM hero", "storage_order"),
        ("SELECT sum(weight) FROM (SELECT weight FROM hero WHERE id <= 3)", "last_digits"),
        ("SELECT name FROM hero WHERE strength > 100", "gold_empty"),
        ("SELECT max(strength) FROM hero WHERE id > 5", "gold_null"),
        ("SELECT name FROM hero WHERE strength < strftime('%Y', 'now')", "clock not_checked"),
        ("SELECT name FROM hero WHERE random() IS NOT NULL", "random not_checked"),
        ("SELECT nothing FROM hero", "gold_fails"),
        ("SELECT max(text) FROM word", "not_checked"),
    ],
)
def test_what_is_found(bench: SqliteJudgingConnection, sql: str, kind: str) -> None:
    assert kinds(bench, sql) == kind.split()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*), avg(strength) FROM hero",
        "SELECT name FROM hero ORDER BY strength DESC, name LIMIT 1",
        "SELECT strength FROM hero ORDER BY strength DESC LIMIT 1",  # tied, and the same
        "SELECT DISTINCT team FROM hero ORDER BY team LIMIT 1",
        "SELECT name FROM hero",
        "SELECT name FROM hero ORDER BY rowid LIMIT 2",
        "SELECT team, max(strength) FROM hero GROUP BY team ORDER BY 2 DESC",
    ],
)
def test_a_determined_gold_is_left_in_peace(bench: SqliteJudgingConnection, sql: str) -> None:
    assert kinds(bench, sql) == []


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("SELECT name FROM hero", ["row_order"]),
        ("SELECT name FROM hero ORDER BY team", ["row_order"]),
        ("SELECT name FROM hero ORDER BY team, name", []),
    ],
)
def test_order_matters_only_where_it_is_compared(bench: SqliteJudgingConnection, sql: str, kind: list[str]) -> None:
    result = probe(bench, ProbeRequest([sql]))
    for in_order, expected in ((True, kind), (False, [])):
        assert [each.kind for each in from_probe("1", sql, result, LIMITS, in_order=in_order)] == expected


def test_the_sentence_shows_a_row_that_comes_and_one_that_goes(bench: SqliteJudgingConnection) -> None:
    sql = "SELECT name FROM hero ORDER BY strength DESC LIMIT 1"
    (finding,) = from_probe("1", sql, probe(bench, ProbeRequest([sql])), LIMITS, in_order=False)
    assert finding.severity == "error"
    assert "('Bee',)" in finding.sentence
    assert "('Cat',)" in finding.sentence


def test_a_slow_gold_is_not_run_again(bench: SqliteJudgingConnection) -> None:
    result = probe(bench, ProbeRequest(["SELECT name FROM hero LIMIT 2"], patience=-1.0))
    assert result.reruns == []
    assert "seconds" in result.skipped
    slow = ProbeResult(seconds=4.0, columns=1, rows=1, distinct=1, skipped="one run takes 4.0 seconds")
    assert [each.kind for each in from_probe("1", "SELECT 1", slow, LIMITS, in_order=False)] == ["gold_slow", "not_checked"]


def test_what_a_gold_writes_is_not_run_twice(bench: SqliteJudgingConnection) -> None:
    result = probe(bench, ProbeRequest(["INSERT INTO hero (name) VALUES ('Gnu') RETURNING name"]))
    assert (result.fault, result.rows, result.reruns) == (None, 1, [])
