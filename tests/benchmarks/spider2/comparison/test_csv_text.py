"""Writing results as the official suite writes them."""

from __future__ import annotations

from typing import Any

import pytest

from touchstone.benchmarks.spider2.comparison import to_csv
from touchstone.types import Table


@pytest.mark.parametrize(
    ("values", "lines"),
    [
        ([1, 2], ["1", "2"]),
        ([1, None], ["1.0", '""']),
        ([1, 2.5], ["1.0", "2.5"]),
        ([2**53 + 1, None], ["9007199254740992.0", '""']),
        ([10**16, 0.5], ["1e+16", "0.5"]),
        ([1, "x", None, 0.1], ["1", "x", '""', "0.1"]),
        ([b"abc", 1], ["b'abc'", "1"]),
        (["a,b", 'say "no"', "two\nlines"], ['"a,b"', '"say ""no"""', '"two\nlines"']),
        ([float("inf"), 1e-5], ["inf", "1e-05"]),
        (["", None], ['""', '""']),
    ],
)
def test_values(values: list[Any], lines: list[str]) -> None:
    assert to_csv(Table(("a",), [(value,) for value in values])) == "\n".join(["a", *lines, ""])


def test_no_rows_and_names_that_need_quotes() -> None:
    assert to_csv(Table(("a", "count(a, b)"), [])) == 'a,"count(a, b)"\n'


def test_null_is_nothing_beside_another_column() -> None:
    assert to_csv(Table(("a", "b"), [(None, "x"), ("", None)])) == "a,b\n,x\n,\n"
