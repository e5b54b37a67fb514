"""What the audit reads from a gold's own text: each pattern where it has consequences, and not where it has none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli, cli
from tests.support.worlds import make_database, make_world, row

__all__ = ["cli"]

SCRIPT = """
    CREATE TABLE race (name TEXT, seconds INT, laps INT, place TEXT, code TEXT);
    INSERT INTO race VALUES ('a', NULL, 3, '9', '009'), ('b', 61, 4, '10', '010'), ('c', 70, 2, '11', '011');
"""
WATCHED = {"null_first", "text_numbers", "integer_quotient", "evidence_literal"}


@pytest.mark.parametrize(
    ("gold", "evidence", "kinds"),
    [
        ("SELECT name FROM race ORDER BY seconds LIMIT 1", "", {"null_first"}),
        ("SELECT name FROM race WHERE seconds IS NOT NULL ORDER BY seconds LIMIT 1", "", set[str]()),
        ("SELECT name FROM race ORDER BY seconds DESC LIMIT 1", "", set[str]()),
        ("SELECT name FROM race ORDER BY place LIMIT 1", "", {"text_numbers"}),
        ("SELECT name FROM race WHERE place > '9'", "", {"text_numbers"}),
        ("SELECT MAX(place) FROM race", "", {"text_numbers"}),
        ("SELECT name FROM race ORDER BY CAST(place AS INT) LIMIT 1", "", set[str]()),
        ("SELECT name FROM race ORDER BY code LIMIT 1", "", set[str]()),
        ("SELECT SUM(T1.seconds) / COUNT(T1.name) FROM race AS T1", "", {"integer_quotient"}),
        ("SELECT SUM(CASE WHEN laps > 2 THEN 1 ELSE 0 END) * 100 / COUNT(*) FROM race", "", {"integer_quotient"}),
        ("SELECT CAST(SUM(seconds) AS REAL) / COUNT(name) FROM race", "", set[str]()),
        ("SELECT SUM(laps) / 3 FROM race", "", set[str]()),
        ("SELECT laps FROM race WHERE name = 'a'", "the winner refers to name = 'b'", {"evidence_literal"}),
        ("SELECT laps FROM race WHERE name = 'a'", "the winner refers to name = 'A'", set[str]()),
        ("SELECT laps FROM race WHERE seconds = 61", "the winner refers to name = 'b'", set[str]()),
        ("SELECT COUNT(*) FROM race WHERE name = (SELECT name FROM race ORDER BY seconds LIMIT 1)", "", {"null_first"}),
        ("SELECT name FROM race WHERE seconds > 65", "slow means seconds > 100", {"evidence_literal"}),
        ("SELECT name FROM race WHERE seconds >= 66", "slow means seconds > 65", set[str]()),
        ("SELECT name FROM race WHERE seconds > 65", "slow: seconds > 65 for men, seconds > 100 for women", set[str]()),
    ],
)
def test_patterns(cli: Cli, tmp_path: Path, gold: str, evidence: str, kinds: set[str]) -> None:
    world = make_world(tmp_path / "data", [{**row(1, "track", "Which?", gold), "evidence": evidence}])
    make_database(world.databases, "track", SCRIPT)
    done = cli("audit", "bird", world.tasks, world.databases, "--json", "a.json")
    assert done.code in (0, 1), done.err
    findings = json.loads((tmp_path / "a.json").read_text())["findings"]
    assert {finding["kind"] for finding in findings} & WATCHED == kinds
