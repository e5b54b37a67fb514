"""A result is shown as the table that the record has, and as text where it has none."""

from __future__ import annotations

from typing import Any

import pytest

from touchstone.engines.tables import observation_of
from touchstone.reports.web import grids
from touchstone.reports.web.dialogue import dialogue
from touchstone.reports.web.episodes import ShownEpisode, without_gold
from touchstone.types import Outcome, Table

SEEN = observation_of(Table(("name", "legs"), [("a | b", 4), (None, 2)]))


def page(text: str, details: dict[str, Any]) -> str:
    call = {"id": "c", "name": "execute_sql", "arguments": "{}"}
    step = {"type": "tool", "call": call, "observation": {"text": text, "details": details}, "seconds": 0.1}
    return str(dialogue(ShownEpisode(task="1", outcome=Outcome.failed, steps=[step]), ""))


def test_a_cell_that_looks_like_a_border_is_one_cell() -> None:
    html = page(SEEN.text, SEEN.details)
    assert "<td>a | b</td>" in html
    assert '<td class="number">4</td>' in html
    assert '<td class="null">NULL</td>' in html
    assert "<figcaption>(2 rows)</figcaption>" in html


def test_what_follows_a_table_is_kept_apart() -> None:
    html = page(f"{SEEN.text}\n[14 of 16 bird-coins left]", {**SEEN.details, "charge": {"price": 1, "after": 14}})
    assert '<p class="dim prose">[14 of 16 bird-coins left]</p>' in html


def test_the_table_stays_where_references_are_hidden() -> None:
    step = {"type": "tool", "call": {}, "observation": {"text": SEEN.text, "details": SEEN.details}}
    hidden = without_gold(ShownEpisode(task="1", outcome=Outcome.failed, steps=[step]), "tools", "bird")
    assert "<td>a | b</td>" in str(dialogue(hidden, ""))


@pytest.mark.parametrize(
    "details", [{}, {"table": None}, {"table": "cut"}, {"table": {"columns": ["x"], "count": 3}}, {"cut": "{…"}]
)
def test_a_record_without_a_table_is_shown_as_text(details: dict[str, Any]) -> None:
    html = page(SEEN.text, details)
    assert "<table" not in html
    assert "a | b | 4" in html


def test_nulls_and_numbers_can_be_told() -> None:
    html = grids.table(["a"], [[None], [1.5], ["NULL"]])
    assert '<td class="null">NULL</td>' in html
    assert '<td class="number">1.5</td>' in html
    assert "<td>NULL</td>" in html
