from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.data import shared_data
from tests.support.rewrites import KINDS, rewrites
from touchstone.proof import Budget, Proof, Subject, prove, violations
from touchstone.proof.judge import QueryPair, Search

GOLDS = [
    "SELECT T1.name FROM customer AS T1 INNER JOIN orders AS T2 ON T1.id = T2.customer_id "
    "WHERE T1.city = 'Reno' AND T2.gross > 100",
    "SELECT COUNT(*) FROM orders AS T1 INNER JOIN item AS T2 ON T1.number = T2.order_number WHERE T2.count BETWEEN 5 AND 20",
    "SELECT DISTINCT T1.city FROM customer AS T1 WHERE T1.status = 'active' AND T1.joined > '2015-01-01'",
    "SELECT T1.state, SUM(CASE WHEN T2.note = 'gift' THEN 1 ELSE 0 END) FROM customer AS T1 "
    "INNER JOIN orders AS T2 ON T1.id = T2.customer_id GROUP BY T1.state",
    "SELECT T1.name FROM customer AS T1 WHERE T1.id IN "
    "(SELECT T2.customer_id FROM orders AS T2 WHERE T2.note IN ('gift', 'rush'))",
    "SELECT T1.customer_id FROM orders AS T1 GROUP BY T1.customer_id HAVING COUNT(T1.number) > 4",
    "SELECT T2.name FROM item AS T1 INNER JOIN colour AS T2 ON T1.colour_id = T2.id ORDER BY T1.count DESC LIMIT 1",
    "SELECT AVG(gross) FROM orders WHERE day LIKE '2021-03%' OR note IS NULL",
    "SELECT CAST(COUNT(T1.number) AS REAL) / COUNT(DISTINCT T1.customer_id) FROM orders AS T1 "
    "WHERE strftime('%Y', T1.day) = '2021' AND T1.gross > 50",
    "SELECT city FROM customer WHERE status = 'closed' OR joined < '2012-01-01'",
]
DIFFERENT = [
    ("SELECT name FROM customer WHERE city = 'Reno' AND status = 'active'", "SELECT name FROM customer WHERE city = 'Reno'"),
    ("SELECT COUNT(*) FROM orders WHERE gross > 100", "SELECT COUNT(*) FROM orders WHERE net > 100"),
    ("SELECT COUNT(name) FROM customer", "SELECT COUNT(DISTINCT name) FROM customer"),
    ("SELECT number FROM orders WHERE day >= '2021-06-01'", "SELECT number FROM orders WHERE day > '2021-06-01'"),
    (
        "SELECT number FROM orders ORDER BY gross DESC LIMIT 1",
        "SELECT number FROM orders WHERE note = 'gift' ORDER BY gross DESC LIMIT 1",
    ),
    ("SELECT SUM(net) FROM orders WHERE note = 'rush'", "SELECT AVG(net) FROM orders WHERE note = 'rush'"),
]
EQUAL_BY_LAW = [
    ("SELECT number FROM orders WHERE customer_status = 'closed'",
     "SELECT number FROM orders JOIN customer ON customer.id = customer_id WHERE status = 'closed'"),
    ("SELECT SUM(gross) FROM orders", "SELECT SUM(net + tax) FROM orders"),
    ("SELECT COUNT(*) FROM orders", "SELECT COUNT(*) FROM orders JOIN customer ON customer.id = orders.customer_id"),
    ("SELECT one FROM friends", "SELECT other FROM friends"),
    ("SELECT number FROM orders JOIN item ON number = order_number JOIN colour ON id = colour_id WHERE name = 'Red'",
     "SELECT order_number FROM item WHERE colour_id = 1"),
    ("SELECT COUNT(DISTINCT number) FROM orders JOIN item ON number = order_number", "SELECT COUNT(*) FROM orders"),
]  # fmt: skip


@pytest.mark.parametrize(("gold", "prediction"), DIFFERENT)
def test_a_difference_is_refuted_by_a_small_database(shop: Subject, gold: str, prediction: str) -> None:
    proof = prove(gold, prediction, shop)
    assert proof.verdict == "refuted"
    assert proof.refutation is not None
    assert proof.refutation.rows <= 10
    assert set(proof.refutation.gold) != set(proof.refutation.prediction)
    assert proof.refutation.decides.endswith(".")


@pytest.mark.parametrize(("gold", "prediction"), DIFFERENT)
def test_a_refutation_reproduces_in_plain_sqlite(shop: Subject, gold: str, prediction: str) -> None:
    refutation = prove(gold, prediction, shop).refutation
    assert refutation is not None
    plain = sqlite3.connect(":memory:")
    plain.executescript(refutation.script)
    assert plain.execute(gold).fetchall() == refutation.gold
    assert plain.execute(prediction).fetchall() == refutation.prediction
    assert set(refutation.gold) != set(refutation.prediction)


@pytest.mark.parametrize(("gold", "prediction"), EQUAL_BY_LAW)
def test_what_hangs_on_an_invariant_is_upheld(shop: Subject, gold: str, prediction: str) -> None:
    assert prove(gold, prediction, shop).verdict == "upheld"


def test_without_the_law_the_same_pair_is_refuted(shop: Subject, shop_path: Path) -> None:
    gold, prediction = EQUAL_BY_LAW[0]
    kept = [law for law in shop.invariants if "points at" not in str(law)]
    subject = Subject(shop_path, invariants=kept)
    try:
        assert prove(gold, prediction, subject).verdict == "refuted"
    finally:
        subject.close()


def test_text_in_double_quotes_is_read_as_sqlite_does(shop: Subject) -> None:
    gold = 'SELECT name FROM customer WHERE city = "Reno" AND "status" = "active"'
    assert prove(gold, "SELECT name FROM customer WHERE city = 'Reno' AND status = 'active'", shop).verdict == "same"
    proof = prove(gold, 'SELECT name FROM customer WHERE city = "Reno"', shop)
    assert proof.refutation is not None
    assert "status is not 'active'" in proof.refutation.decides


def test_a_condition_that_a_law_makes_idle_is_not_waited_for(shop: Subject) -> None:
    gold = "SELECT customer_id, COUNT(*) FROM orders GROUP BY customer_id"
    same = "SELECT customer_id, COUNT(number) FROM orders WHERE customer_id IS NOT NULL GROUP BY customer_id"
    assert prove(gold, same, shop, Budget(databases=150, informative=60)).verdict == "upheld"
    gold = "SELECT name FROM customer WHERE status IN ('active', 'closed')"
    assert (
        prove(gold, "SELECT name FROM customer GROUP BY name", shop, Budget(databases=150, informative=60)).verdict == "upheld"
    )


def test_conditions_that_never_matter_leave_it_open(shop: Subject) -> None:
    gold = "SELECT CAST(COUNT(number) AS REAL) / COUNT(customer_id) FROM orders WHERE gross > 100"
    proof = prove(gold, "SELECT COUNT(number) / COUNT(*) FROM orders WHERE gross > 100", shop, Budget(databases=150))
    assert proof.verdict == "open"
    assert proof.reason == "the conditions of one of the queries make no difference on most of the databases"


def test_rows_are_found_through_exists_and_case(shop: Subject) -> None:
    budget = Budget(databases=200, informative=60)
    gold = (
        "SELECT name FROM customer AS c WHERE EXISTS (SELECT 1 FROM orders AS o JOIN item AS i ON o.number = i.order_number "
        "WHERE o.customer_id = c.id AND i.count = 30 AND o.note = 'rush')"
    )
    same = (
        "SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders AS o JOIN item AS i ON number = order_number "
        "WHERE count = 30 AND note = 'rush')"
    )
    assert prove(gold, same, shop, budget).informative > 30
    gold = "SELECT SUM(CASE WHEN count = 30 THEN 1 ELSE 0 END) * 1.0 / SUM(CASE WHEN count = 29 THEN 1 ELSE 0 END) FROM item"
    same = "SELECT COUNT(CASE WHEN count = 30 THEN 1 END) * 1.0 / COUNT(CASE WHEN count = 29 THEN 1 END) FROM item"
    assert prove(gold, same, shop, budget).informative > 30


@pytest.fixture(scope="module")
def halls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Subject]:
    """A key that is text in one table and a number in the other, and titles that keep no law."""
    path = tmp_path_factory.mktemp("halls") / "halls.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE hall (id INTEGER PRIMARY KEY, name TEXT)")
    connection.execute(
        "CREATE TABLE concert (id INTEGER PRIMARY KEY, hall TEXT REFERENCES hall (id), year INTEGER, title TEXT)"
    )
    connection.executemany("INSERT INTO hall VALUES (?, ?)", [(n, f"Hall {'ABC'[n % 3]}") for n in range(1, 13)])
    words = "Blue, train! 4 U 'n' me (again) & so/what? No. x-ray; ABBA".split()
    concerts = [(n, str(n * 5 % 12 + 1), 2010 + n // 9, " ".join(words[n % 7 : n % 7 + 1 + n % 5])) for n in range(1, 61)]
    connection.executemany("INSERT INTO concert VALUES (?, ?, ?, ?)", concerts)
    connection.commit()
    connection.close()
    subject = Subject(path)
    yield subject
    subject.close()


def test_a_key_may_be_text_here_and_a_number_there(halls: Subject) -> None:
    gold = "SELECT h.name, COUNT(*) FROM concert AS c JOIN hall AS h ON c.hall = h.id GROUP BY h.id"
    same = "SELECT (SELECT name FROM hall WHERE id = hall), COUNT(id) FROM concert GROUP BY hall"
    assert prove(gold, same, halls, Budget(databases=150, informative=60)).verdict == "upheld"
    assert prove(gold, gold.replace("GROUP", "WHERE c.year > 2010 GROUP"), halls).verdict == "refuted"


def test_text_that_the_gold_asks_for_may_be_there_and_no_other(halls: Subject) -> None:
    gold = "SELECT id FROM concert WHERE title = 'The Lost Chord' AND year > 2012"
    assert prove(gold, "SELECT id FROM concert WHERE title = 'The Lost Chord'", halls).verdict == "refuted"
    gold = "SELECT COUNT(*) FROM concert WHERE year = 2012"
    assert prove(gold, "SELECT COUNT(*) FROM concert WHERE year = 2012 OR title = 'The Lost Chord'", halls).verdict == "upheld"


@pytest.mark.parametrize("gold", GOLDS)
def test_no_equivalent_rewrite_is_refuted(shop: Subject, gold: str) -> None:
    verdicts: dict[str, Proof] = {}
    for kind, rewritten in rewrites(gold, 3):
        verdicts[kind] = prove(gold, rewritten, shop, Budget(databases=150, informative=60))
    assert {kind: proof.verdict for kind, proof in verdicts.items() if proof.verdict not in ("same", "upheld")} == {}


def test_every_kind_of_rewrite_applies_somewhere() -> None:
    applied = {kind for gold in GOLDS for kind, _ in rewrites(gold, 3)}
    assert set(KINDS) <= applied


@given(number=st.integers(0, 5_000), seed=st.integers(0, 50), which=st.integers(0, len(GOLDS) - 1))
@settings(max_examples=150, deadline=None)
def test_generated_databases_keep_every_invariant(shop: Subject, number: int, seed: int, which: int) -> None:
    search = Search(QueryPair(GOLDS[which], GOLDS[which - 1], shop), seed)
    try:
        content = search.generator.database(number)
    finally:
        search.close()
    if content is not None:
        assert [str(law) for law in violations(shop.invariants, content, shop.source.tables)] == []


def test_the_same_seed_gives_the_same_proof(shop: Subject, shop_path: Path) -> None:
    gold, prediction = DIFFERENT[0]
    assert prove(gold, prediction, shop, seed=4) == prove(gold, prediction, shop_path, seed=4)


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT name FROM customer", "select  NAME from customer -- the same"),
        ("SELECT T1.name FROM customer AS T1 WHERE T1.city = 'Reno'", "SELECT c.name FROM customer c WHERE c.city = 'Reno';"),
        ("SELECT date('now') FROM customer", "SELECT date('now') FROM customer"),
    ],
)
def test_the_same_statement_needs_no_search(shop: Subject, gold: str, prediction: str) -> None:
    proof = prove(gold, prediction, shop)
    assert (proof.verdict, proof.databases) == ("same", 0)


def test_another_literal_is_not_the_same_statement(shop: Subject) -> None:
    one, other = "SELECT name FROM customer WHERE city = 'Reno'", "SELECT name FROM customer WHERE city = 'RENO'"
    assert prove(one, other, shop).verdict == "refuted"


@pytest.mark.parametrize(
    ("gold", "prediction", "reason"),
    [
        ("SELECT name FROM customer WHERE joined < date('now')", "SELECT name FROM customer", "the gold asks the clock"),
        ("SELECT name FROM customer", "SELECT name FROM customer ORDER BY random()", "the prediction asks the clock or chance"),
        ("SELECT 1", "SELECT 2 - 1", "no table"),
        ("SELECT name FROM customer", "SELECT 1; SELECT name FROM customer", "not a single statement"),
        ("SELECT name FROM customer", "DELETE FROM customer", "is not a query"),
    ],
)
def test_what_cannot_be_said_is_open_with_a_reason(shop: Subject, gold: str, prediction: str, reason: str) -> None:
    proof = prove(gold, prediction, shop)
    assert proof.verdict == "open"
    assert reason in proof.reason


@pytest.mark.parametrize(
    ("gold", "is_determined"),
    [
        ("SELECT name, COUNT(*) FROM customer GROUP BY city", False),
        ("SELECT name FROM customer GROUP BY city ORDER BY COUNT(*) DESC LIMIT 1", False),
        ("SELECT COUNT(*), SUBSTR(name, 1, 1) FROM customer", False),
        ("SELECT name, MAX(id) FROM customer GROUP BY city", True),
        ("SELECT city AS place, COUNT(*) FROM customer GROUP BY place", True),
        ("SELECT SUBSTR(city, 1, 1), COUNT(*) FROM customer GROUP BY 1", True),
        ("SELECT state, COUNT(*) FROM customer GROUP BY city", True),
    ],
)
def test_a_column_of_any_row_of_a_group_never_counts(shop: Subject, gold: str, is_determined: bool) -> None:
    """SQLite takes it from the first or the last row: here both say the same, and a join in another order may say otherwise."""
    names = ("Ada", "Bo", "Ada")
    rows = [[number, name, "Reno", "NV", "2020-01-01", "active"] for number, name in enumerate(names, 1)]
    search = Search(QueryPair(gold, GOLDS[9], shop), 0)
    try:
        assert (search.determined({"customer": rows}) is not None) == is_determined
    finally:
        search.close()


def test_a_tie_of_the_gold_never_counts(shop: Subject) -> None:
    gold = "SELECT state FROM customer GROUP BY state ORDER BY COUNT(*) > 0 LIMIT 1"
    prediction = "SELECT state FROM customer GROUP BY state ORDER BY COUNT(*) > 0, state DESC LIMIT 1"
    assert prove(gold, prediction, shop).verdict != "refuted"


@pytest.mark.parametrize(
    "hostile",
    [
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n",
        "SELECT group_concat(hex(zeroblob(900000))) FROM customer, orders",
        "ATTACH 'stolen.sqlite' AS stolen",
        "PRAGMA query_only = 0",
        'DELETE FROM "customer"',
        "SELECT load_extension('x')",
        "SELECT " + "(" * 500 + "1" + ")" * 500,
    ],
)
def test_a_hostile_prediction_ends_as_open(shop: Subject, hostile: str) -> None:
    assert prove("SELECT name FROM customer", hostile, shop, Budget(databases=5)).verdict == "open"


def test_a_query_that_sqlglot_cannot_parse_is_tried_by_execution(shop: Subject) -> None:
    gold = "SELECT number FROM orders WHERE note IS NOT NULL AND gross NOT NULL"
    proof = prove(gold, "SELECT number FROM orders WHERE gross NOTNULL", shop)
    assert proof.verdict == "refuted"


@pytest.mark.parametrize("seed", [5, 7])
def test_a_refutation_that_stays_large_gives_way_to_a_smaller_one(shop: Subject, seed: int) -> None:
    """Four friends have eight rows of friends where they come from four pairs, and fewer where one has them all."""
    gold = "SELECT city FROM customer JOIN friends ON one = customer.id GROUP BY city HAVING COUNT(*) > 3"
    proof = prove(gold, gold.replace("> 3", ">= 3"), shop, seed=seed)
    assert proof.refutation is not None
    assert proof.refutation.rows <= 10


@pytest.mark.parametrize(
    ("model", "task"),
    [("gpt-4o-ta", "1403"), ("gpt-4", "801"), ("gpt-4", "773"), ("gpt-4", "800"), ("gpt-4o-ta", "206"), ("gpt-4o-ta", "282")],
)
def test_refutations_that_hang_on_invariants_are_gone(model: str, task: str) -> None:
    gold, prediction, database = _bird(model, task)
    assert prove(gold, prediction, database).verdict == "upheld"


@pytest.mark.parametrize(("model", "task"), [("gpt-4", "1426"), ("gpt-4", "786"), ("gpt-4", "1392"), ("gpt-4", "212")])
def test_real_differences_are_found(model: str, task: str) -> None:
    gold, prediction, database = _bird(model, task)
    proof = prove(gold, prediction, database)
    assert proof.refutation is not None
    assert proof.refutation.rows <= 12
    if task == "1426":
        assert proof.refutation.decides == "The prediction keeps rows whose position is not 'Member'."


def _bird(model: str, task: str) -> tuple[str, str, Path]:
    root = shared_data("bird")
    tasks = json.loads((root / "tasks" / "mini_dev_sqlite.json").read_text())
    predictions = json.loads((root / "predictions" / f"{model}.json").read_text())
    place, entry = next((place, entry) for place, entry in enumerate(tasks) if str(entry["question_id"]) == task)
    name = entry["db_id"]
    prediction = predictions[str(place)].split("\t----- bird -----\t")[0]
    return entry["SQL"], prediction, root / "dev_databases" / name / f"{name}.sqlite"
