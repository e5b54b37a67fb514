from __future__ import annotations

from pathlib import Path

import pytest

from touchstone.engines.cache import Cache
from touchstone.errors import InputError
from touchstone.proof import Subject, amended, mine, violations
from touchstone.proof.invariants import Unique


def test_the_laws_of_the_shop_are_found(shop: Subject) -> None:
    laws = {str(law) for law in shop.invariants}
    assert {
        "customer.id is unique",
        "colour.name is unique",
        "item.order_number, item.colour_id are unique",
        "orders.number is never NULL",
        "customer.city determines state",
        "orders.customer_id occurs in customer.id",
        "orders.number occurs in item.order_number",
        "orders.customer_status equals customer.status of the row customer_id points at",
        "orders.gross is net + tax",
        "orders.net is at most gross",
        "customer.status is one of 'active', 'closed'",
        "customer.joined looks like 9999-99-99",
        "every row of friends is there with one and other exchanged, too",
    } <= laws
    assert "orders.note is never NULL" not in laws


def test_the_original_keeps_what_was_mined(shop: Subject) -> None:
    content = {name: shop.source.run(f'SELECT * FROM "{table.name}"') for name, table in shop.source.tables.items()}
    assert [str(law) for law in violations(shop.invariants, content, shop.source.tables)] == []


@pytest.mark.parametrize(
    ("statement", "broken"),
    [
        ("customer", "customer.city determines state"),
        ("orders", "orders.gross is net + tax"),
        ("friends", "every row of friends is there with one and other exchanged, too"),
    ],
)
def test_a_changed_row_is_seen(shop: Subject, statement: str, broken: str) -> None:
    content = {name: [list(row) for row in shop.source.run(f'SELECT * FROM "{name}"')] for name in shop.source.tables}
    row = content[statement][0]
    match statement:
        case "customer":
            row[3] = "OR" if row[3] != "OR" else "CA"
        case "orders":
            row[6] += 1
        case _:
            content["friends"].pop()
    assert broken in {str(law) for law in violations(shop.invariants, content, shop.source.tables)}


def test_mining_is_remembered_by_the_digest(shop: Subject, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache.sqlite")
    first = mine(shop.source, cache)
    again = mine(shop.source, cache)
    cache.close()
    assert first == again == shop.invariants


def test_a_file_adds_and_forbids(shop: Subject, tmp_path: Path) -> None:
    path = tmp_path / "laws.toml"
    path.write_text(
        '[[add]]\nkind = "unique"\ntable = "orders"\ncolumns = ["number", "customer_id"]\n'
        '[[forbid]]\nkind = "determines"\ntable = "customer"\n'
    )
    laws = amended(shop.invariants, path, shop.source)
    assert Unique("orders", ("number", "customer_id")) in laws
    assert "customer.city determines state" not in {str(law) for law in laws}
    assert "orders.gross is net + tax" in {str(law) for law in laws}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[add]]\nkind = "unique"\ntable = "orders"\ncolumns = ["nothing"]', "the database has no orders.nothing"),
        ('[[add]]\nkind = "magic"', "kind is one of"),
        ('[[add]]\nkind = "unique"\ntable = "orders"', "columns"),
        ('[[forbid]]\nkind = "unique"\ncolour = 1', "no field 'colour'"),
        ('[more]\nkind = "unique"', "'more'"),
        ("[[add", "cannot read"),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(shop: Subject, tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "laws.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=said) as caught:
        amended(shop.invariants, path, shop.source)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
