"""A prediction that is a gold file to the byte is read once, and that changes nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.benchmarks.spider2.comparison import CsvError, official, read_csv, read_golds, strict

from .strategies import csv_files, wild_words


@given(
    data=csv_files(wild_words).map(str.encode),
    conditions=st.sampled_from([[], [0], [1], [0, 1], [5], None]),
    ignore_order=st.booleans(),
)
def test_a_table_is_to_itself_what_the_same_file_is(data: bytes, conditions: Any, ignore_order: bool) -> None:
    try:
        (gold,), same = read_golds([data], data)
    except CsvError:
        return
    assert same is gold
    again = read_csv(data)
    for compare in (official, strict):
        assert compare(gold, gold, conditions, ignore_order) == compare(again, gold, conditions, ignore_order)


def test_another_file_is_read_itself() -> None:
    files = [b"a\n1\n", b"a\n2\n", b"a\n3\n"]
    golds, same = read_golds(iter(files), b"a\n2\n")
    assert same is golds[1]
    assert read_golds(files, b"a\n2.0\n")[1] is None


def test_a_gold_file_that_cannot_be_read_is_said_to_be() -> None:
    with pytest.raises(CsvError):
        read_golds([b"a\n1\n", b""], b"a\n1\n")
