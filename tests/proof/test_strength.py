from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from touchstone.errors import InputError
from touchstone.proof import Budget, Subject, Suite, build_task, load, mutants, ranked, strength, suspect
from touchstone.proof.mutants import KINDS
from touchstone.proof.queries import Query

GOLD = (
    "SELECT T1.city, MAX(T2.gross) FROM customer AS T1 INNER JOIN orders AS T2 ON T1.id = T2.customer_id "
    "INNER JOIN item AS T3 ON T3.order_number = T2.number "
    "WHERE T1.status = 'active' AND T2.gross > 100 GROUP BY T1.city HAVING COUNT(T2.number) > 1 ORDER BY T1.city DESC LIMIT 3"
)


def test_every_kind_of_mutant_is_made(shop: Subject) -> None:
    made = mutants(Query(GOLD, shop.source))
    kinds = {mutant.kind for mutant in made}
    assert kinds == set(KINDS)
    assert len({mutant.sql for mutant in made}) == len(made)
    assert "the condition T1.status = 'active' is dropped" in {mutant.what for mutant in made}
    assert all(shop.source.ask(mutant.sql) is not None for mutant in made)


def test_what_ex_cannot_see_is_no_mutant(shop: Subject) -> None:
    made = mutants(Query("SELECT DISTINCT name FROM customer ORDER BY name", shop.source))
    assert {mutant.kind for mutant in made} == {"other column"}


def test_strength_counts_what_the_original_misses(shop: Subject) -> None:
    gold = "SELECT COUNT(*) FROM customer WHERE city = 'Reno' AND state = 'NV'"
    result = strength(gold, shop, Budget(databases=200))
    untold = {mutant.what for mutant in result.untold}
    assert "the condition state = 'NV' is dropped" in untold  # the city determines the state: no database can tell
    assert result.told_by_original > 0
    assert result.mutants == result.told_by_original + result.told_by_generated + len(result.untold)


def test_a_mutant_that_the_original_misses_is_told_by_a_generated_database(shop: Subject) -> None:
    customer = shop.source.run("SELECT id FROM customer WHERE status = 'active' LIMIT 1")[0][0]
    result = strength(f"SELECT name FROM customer WHERE id = {customer} AND status = 'active'", shop)
    assert result.by_kind["dropped condition"] == (2, 1, 1)


def test_a_suite_tells_wrong_predictions_and_keeps_right_ones(shop: Subject, tmp_path: Path) -> None:
    gold = "SELECT name FROM customer WHERE city = 'Reno' AND status = 'active'"
    wrong = "SELECT name FROM customer WHERE city = 'Reno'"
    suite = Suite({"1": build_task(gold, shop, [wrong])})
    assert 0 < len(suite.tasks["1"].databases) <= 5
    path = suite.save(tmp_path)
    again = load(path)
    assert again == suite
    assert again.digest == suite.digest
    assert path.name == f"suite-{suite.digest[:16]}.bin"
    assert suite.told_apart("1", wrong + ";") is not None
    assert suite.told_apart("1", "SELECT c.name FROM customer c WHERE c.status = 'active' AND 'Reno' = c.city") is None
    assert suite.told_apart("1", "SELECT name FROM customer WHERE city = 'Elko' AND status = 'active'") is not None
    assert suite.told_apart("1", "DROP TABLE customer") is None
    assert suite.told_apart("no such task", wrong) is None


def test_a_suite_is_built_the_same_twice(shop: Subject) -> None:
    gold = "SELECT COUNT(*) FROM orders WHERE note = 'gift'"
    assert build_task(gold, shop) == build_task(gold, shop)


@pytest.mark.parametrize(("content", "said"), [(b"nothing", "not a suite"), (b"touchstone suite 1\nxyz", "damaged")])
def test_a_damaged_suite_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "suite-0.bin"
    path.write_bytes(content)
    with pytest.raises(InputError, match=said):
        load(path)


def test_a_changed_suite_is_refused(shop: Subject, tmp_path: Path) -> None:
    path = Suite({}).save(tmp_path)
    other = path.rename(tmp_path / "suite-0123456789abcdef.bin")
    with pytest.raises(InputError, match="digest"):
        load(other)


def test_a_gold_that_no_database_refutes_is_no_suspect(shop: Subject) -> None:
    asked = "SELECT MAX(gross) FROM orders"
    gold = "SELECT gross FROM orders ORDER BY gross DESC LIMIT 1"
    assert suspect("7", gold, {"a": asked, "b": asked}, shop) is None


def test_suspects_are_ranked_by_who_stands_against_them(shop: Subject) -> None:
    customer = shop.source.run("SELECT id FROM customer WHERE status = 'active' LIMIT 1")[0][0]
    gold = f"SELECT name FROM customer WHERE id = {customer} AND status = 'active'"
    asked = f"SELECT name FROM customer WHERE id = {customer}"
    predictions = {"a": asked, "b": asked + ";", "c": gold, "d": "SELECT name FROM nowhere"}
    case = suspect("9", gold, predictions, shop)
    assert case is not None
    assert (set(case.against), set(case.beside), set(case.refuted)) == ({"a", "b"}, {"c"}, {"a", "b"})
    alone = suspect("10", gold, {"a": asked, "c": gold}, shop)
    assert alone is None
    stronger = suspect("11", gold, {"a": asked, "b": asked, "e": asked}, shop)
    assert stronger is not None
    assert [one.task for one in ranked([case, stronger])] == ["11", "9"]
    divided = replace(stronger, task="10", elsewhere=("f", "g"))
    assert [one.task for one in ranked([divided, stronger])] == ["11", "10"]


def test_a_suite_has_databases_on_which_the_gold_finds_nothing(shop: Subject) -> None:
    """Where the two differ, the largest order of all is no gift, so that the gold counts none."""
    gold = "SELECT COUNT(*) FROM orders WHERE note = 'gift' AND gross = (SELECT MAX(gross) FROM orders)"
    other = gold.replace("FROM orders)", "FROM orders WHERE note = 'gift')")
    suite = Suite({"1": build_task(gold, shop, [other])})
    assert suite.told_apart("1", other) is not None
    assert suite.told_apart("1", gold) is None
