"""`--metric ex-ties`: where the gold's ties leave several results open, each of them is right."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.support.command import records, run_directory
from tests.support.worlds import make_database, make_world, row

SCRIPT = "CREATE TABLE goods (name TEXT, price INT); INSERT INTO goods VALUES ('a', 5), ('b', 5), ('c', 5), ('d', 9), ('e', 1)"
CHEAPEST_TWO = "SELECT name FROM goods ORDER BY price LIMIT 2"
BY_ALIAS = "SELECT name, price AS p FROM goods ORDER BY p DESC, 2 LIMIT 2"
GROUPED = "SELECT price, COUNT(*) FROM goods GROUP BY price ORDER BY COUNT(*) LIMIT 1"
INNER = "SELECT price FROM goods WHERE name = (SELECT name FROM goods WHERE price < 9 ORDER BY price DESC LIMIT 1)"


@pytest.mark.parametrize(
    ("gold", "prediction", "ties"),
    [
        (CHEAPEST_TWO, "SELECT name FROM goods WHERE name IN ('e', 'a')", 1),
        (CHEAPEST_TWO, "SELECT name FROM goods WHERE name IN ('e', 'b')", 1),
        (CHEAPEST_TWO, "SELECT name FROM goods WHERE name IN ('e', 'c')", 1),
        (CHEAPEST_TWO, "SELECT name FROM goods WHERE name IN ('e', 'd')", 0),
        (CHEAPEST_TWO, "SELECT name FROM goods WHERE name IN ('a', 'b')", 0),
        (CHEAPEST_TWO, "SELECT name FROM goods WHERE name IN ('e', 'a', 'b')", 0),
        (CHEAPEST_TWO, "SELECT name FROM goods WHERE name = 'e'", 0),
        (BY_ALIAS, "SELECT name, price FROM goods WHERE name IN ('d', 'b')", 1),
        (BY_ALIAS, "SELECT name, price FROM goods WHERE name IN ('d', 'e')", 0),
        (GROUPED, "SELECT 1, 1", 1),
        (GROUPED, "SELECT 9, 1", 1),
        (GROUPED, "SELECT 5, 3", 0),
        (f"WITH x AS (SELECT * FROM goods) {CHEAPEST_TWO.replace('goods', 'x')}", "VALUES ('e'), ('c')", 1),
        ("SELECT name FROM goods WHERE price > 5", "SELECT 'a'", 0),
        (INNER.replace("SELECT price FROM", "SELECT name FROM"), "SELECT 'c'", 1),
    ],
)
def test_every_choice_among_ties_is_right(cli: Cli, tmp_path: Path, gold: str, prediction: str, ties: int) -> None:
    world = make_world(tmp_path / "data", [row(1, "store", "Which?", gold)])
    make_database(world.databases, "store", SCRIPT)
    (tmp_path / "p.jsonl").write_text(json.dumps({"question_id": 1, "sql": prediction}) + "\n")
    where = ("--data", world.tasks, "--databases", world.databases, "-o", "out", "--metric", "ex", "--metric", "ex-ties")
    done = cli("score", "bird", tmp_path / "p.jsonl", *where)
    assert done.code == 0, done.err
    (record,) = records(run_directory(tmp_path / "out"))
    assert record["metrics"]["ex_ties"] == ties
    assert record["metrics"]["ex"] <= ties
    assert record["outcome"] == ("passed" if record["metrics"]["ex"] else "failed")
