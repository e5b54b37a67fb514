"""Databases are made where a difference can be seen: on the boundary of a condition, in groups, in the first places."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest

from tests.support.rewrites import rewrites
from tests.support.spider_like import make_schema
from touchstone.proof import Budget, Subject, prove

SHORT = Budget(databases=120, informative=50, minimising=0)


@pytest.fixture(scope="module")
def exams(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    """Shares are quotients, and no row lies on a boundary; half of the marks are missing."""
    path = tmp_path_factory.mktemp("exams") / "exams.sqlite"
    connection = sqlite3.connect(path)
    connection.execute(
        "CREATE TABLE exam (id INTEGER PRIMARY KEY, town TEXT, passed INT, taken INT, share REAL, mark INT, rest INT)"
    )
    chance = random.Random(2)
    for number in range(1, 201):
        taken = chance.randint(11, 990)
        passed = chance.randint(1, taken)
        if passed * 10 == taken * 3:
            passed -= 1
        mark = chance.choice([None, chance.choice([n for n in range(200, 700) if n != 400])])
        town = f"Town {chance.randint(1, 60)}"
        row = (number, town, passed, taken, passed / taken, mark, None if mark is None else mark // 2)
        connection.execute("INSERT INTO exam VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    connection.commit()
    connection.close()
    return Subject(path)


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        (
            "SELECT id FROM exam WHERE CAST(passed AS REAL) / taken > 0.3",
            "SELECT id FROM exam WHERE CAST(passed AS REAL) / taken >= 0.3",
        ),
        ("SELECT id FROM exam WHERE passed * 100 < taken * 30", "SELECT id FROM exam WHERE passed * 100 <= taken * 30"),
        ("SELECT id FROM exam WHERE share > 0.5 AND passed < 400", "SELECT id FROM exam WHERE share > 0.5 AND passed <= 400"),
        (
            "SELECT town FROM exam GROUP BY town HAVING AVG(mark) > 400",
            "SELECT town FROM exam GROUP BY town HAVING AVG(mark) >= 400",
        ),
        (
            "SELECT id FROM (SELECT id, RANK() OVER (PARTITION BY town ORDER BY mark DESC) AS r FROM exam WHERE mark > 650)"
            " WHERE r <= 5",
            "SELECT id FROM exam WHERE mark > 650",
        ),
    ],
)
def test_what_differs_on_a_boundary_is_found(exams: Subject, gold: str, prediction: str) -> None:
    rows = [exams.source.run(sql) for sql in (gold, prediction)]
    assert set(rows[0]) == set(rows[1])
    assert prove(gold, prediction, exams).verdict == "refuted"


def test_a_share_that_follows_from_others_is_kept(exams: Subject) -> None:
    """The two say the same of every row in which the share is what it is."""
    gold = "SELECT id FROM exam WHERE share > 0.5"
    assert prove(gold, "SELECT id FROM exam WHERE CAST(passed AS REAL) / taken > 0.5", exams).verdict == "upheld"


@pytest.mark.parametrize("number", range(8))
def test_small_schemas_with_foreign_keys(tmp_path: Path, number: int) -> None:
    """As in Spider: a few tables of a few rows. Other writing is never refuted, and a dropped condition is seen in most."""
    path, queries = make_schema(tmp_path, number)
    subject = Subject(path)
    for gold in queries[:2]:
        for kind, sql in rewrites(gold, number):
            assert prove(gold, sql, subject, SHORT).verdict != "refuted", (kind, gold, sql)
    subject.close()


def test_dropped_conditions_on_small_schemas_are_seen(tmp_path: Path) -> None:
    told: list[str] = []
    for number in range(8):
        path, queries = make_schema(tmp_path, number)
        subject = Subject(path)
        told += [prove(gold, gold.partition(" WHERE ")[0] + _grouping(gold), subject, SHORT).verdict for gold in queries]
        subject.close()
    assert told.count("refuted") >= 0.8 * len(told), told


def _grouping(sql: str) -> str:
    _, mark, rest = sql.partition(" GROUP BY ")
    return mark + rest
