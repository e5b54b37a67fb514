"""Databases are made where a difference can be seen: on the boundary of a condition, in groups, in the first places."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest

from tests.support.rewrites import rewrites
from tests.support.spider_like import make_schema
from touchstone.proof import Budget, Subject, prove, violations
from touchstone.proof.judge import QueryPair, Search

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


@pytest.fixture(scope="module")
def hotel(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    """Few guests: their first names, last names and points happen to be unique; each bill repeats the town."""
    path = tmp_path_factory.mktemp("hotel") / "hotel.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(
        "CREATE TABLE guest (id INTEGER PRIMARY KEY, first TEXT, last TEXT, passport TEXT, points INTEGER, town TEXT);"
        "CREATE TABLE bill (id INTEGER PRIMARY KEY, guest_id INTEGER REFERENCES guest (id), guest_town TEXT, total INTEGER);"
    )
    first = "Ada Bea Cleo Dora Emma Fay Gwen Hana Ida Jane Kim Lea".split()
    last = "Moor Nash Orr Page Quinn Reed Shaw Todd Ure Vane West York".split()
    towns = ["Bonn", "Graz"] * 6
    for number in range(12):
        row = (number, first[number], last[number], f"X{number:03}", 100 + 7 * number, towns[number])
        connection.execute("INSERT INTO guest VALUES (?, ?, ?, ?, ?, ?)", row)
    for number in range(40):
        guest = number * 5 % 12
        connection.execute("INSERT INTO bill VALUES (?, ?, ?, ?)", (number, guest, towns[guest], 20 + number % 9))
    connection.commit()
    connection.close()
    return Subject(path)


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        (
            "SELECT town FROM guest WHERE first = 'Cleo' AND last = 'Orr'",
            "SELECT town FROM guest WHERE first = 'Cleo'",
        ),
        (
            "SELECT total FROM guest JOIN bill ON guest.id = guest_id WHERE first = 'Cleo' AND last = 'Orr' AND total > 25",
            "SELECT total FROM guest JOIN bill ON guest.id = guest_id WHERE last = 'Orr' AND total > 25",
        ),
        ("SELECT first FROM guest WHERE points > 140", "SELECT first FROM guest WHERE points >= 140"),
    ],
)
def test_values_that_are_unique_by_accident_are_exchanged(hotel: Subject, gold: str, prediction: str) -> None:
    assert prove(gold, prediction, hotel).verdict == "refuted"


def test_a_column_that_alone_says_which_thing_is_meant_is_not_exchanged(hotel: Subject) -> None:
    """Who asks for a guest by passport means the one whom others ask for by name."""
    gold, prediction = "SELECT town FROM guest WHERE passport = 'X002'", "SELECT town FROM guest WHERE last = 'Orr'"
    assert prove(gold, prediction, hotel).verdict != "refuted"


def test_exchanged_values_keep_every_law(hotel: Subject) -> None:
    gold = "SELECT total FROM guest JOIN bill ON guest.id = guest_id WHERE first = 'Cleo' AND last = 'Orr'"
    search = Search(QueryPair(gold, gold.partition(" AND ")[0], hotel), 0)
    exchanged = 0
    for number in range(60):
        content = search.generator.database(number)
        assert content is not None
        assert not list(violations(search.laws.all, content, search.laws.tables))
        exchanged += any((row[1], row[2]) not in hotel.source.run("SELECT first, last FROM guest") for row in content["guest"])
    search.close()
    assert exchanged > 5


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
