"""Small query pairs with the verdicts of the original evaluators, where those surprise or disagree with each other.

The queries run on a plain SQLite database, so that only the comparisons are under test.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from touchstone.types import Table
from touchstone.verdicts.explain import explain
from touchstone.verdicts.metrics import ex, multiset, soft_f1

DATA = Path(os.environ.get("TOUCHSTONE_DATA") or Path(__file__).parents[3] / "shared" / "data")
PAIRS = DATA / "conformance" / "sql_pairs.json"

# Predictions that Touchstone refuses before anything is compared. The originals run them, and pass some of them: a DELETE
# empties the table that gold is then read from, and a blank equals any empty gold.
REFUSED = {
    "empty gold, blank pred",
    "empty gold, comment pred",
    "gold rows, blank pred",
    "DELETE exploit",
    "UPDATE exploit",
    "multi statement",
    "PRAGMA as pred",
}

Case = dict[str, Any]


def load() -> dict[str, Any]:
    return json.loads(PAIRS.read_text()) if PAIRS.exists() else {"fixture": [], "cases": []}


CASES: list[Case] = [case for case in load()["cases"] if case["name"] not in REFUSED]

pytestmark = pytest.mark.skipif(not PAIRS.exists(), reason="conformance/sql_pairs.json is not below TOUCHSTONE_DATA")


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in load()["fixture"]:
            connection.execute(statement)
        yield connection


def run(database: sqlite3.Connection, sql: str) -> Table:
    cursor = database.execute(sql)
    return Table(tuple(column[0] for column in cursor.description), cursor.fetchall())


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_verdicts_equal_the_original_evaluators(case: Case, database: sqlite3.Connection) -> None:
    gold, predicted = run(database, case["gold"]), run(database, case["prediction"])
    ours = {
        "bird_ex": ex(gold, predicted),
        "bird_soft_f1": round(soft_f1(gold, predicted), 3),
        "multiset": multiset(gold, predicted),
    }
    assert ours == {name: case["verdicts"][name] for name in ours}


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_explanation_agrees_with_ex(case: Case, database: sqlite3.Connection) -> None:
    difference = explain(run(database, case["gold"]), run(database, case["prediction"]))
    assert (difference.kind in ("identical", "row_order", "duplicates")) == bool(case["verdicts"]["bird_ex"])


def test_every_case_is_either_run_or_refused_by_name() -> None:
    names = [case["name"] for case in load()["cases"]]
    assert set(names) >= REFUSED
    assert len(CASES) + len(REFUSED) == len(names)
