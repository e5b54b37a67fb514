"""The comparison of ro-eval: the same rows, each the same number of times, floats rounded to six decimals.

The order of rows does not count; duplicates, the order of columns and their number do. Only floats are
rounded, absolutely and to the nearest even on their binary value, so 0.12345649 and 0.12345651 differ while
0.0000004 is zero. 1 equals 1.0, text is never a number, NULL equals only NULL.

The original sorts both results, and counts rows where mixed types cannot be sorted; counting alone means the
same. Rows that are equal as they stand cancel out first, because rounding is slow and equal rows stay equal.
"""

from __future__ import annotations

from collections import Counter

from touchstone.values import Row, Table

DECIMALS = 6


def multiset(gold: Table, predicted: Table) -> bool:
    if len(gold.rows) != len(predicted.rows):
        return False
    balance: Counter[Row] = Counter()
    for row, surplus in _surplus(gold.rows, predicted.rows).items():
        if surplus:
            balance[_rounded(row)] += surplus
    return not any(balance.values())


def _surplus(gold: list[Row], predicted: list[Row]) -> Counter[Row]:
    """How much more often each row is in gold. Rows equal to their counterpart never enter the count."""
    apart = [pair for pair in zip(gold, predicted, strict=True) if pair[0] != pair[1]]
    surplus = Counter([row for row, _ in apart])
    surplus.subtract([row for _, row in apart])
    return surplus


def _rounded(row: Row) -> Row:
    return tuple([round(cell, DECIMALS) if isinstance(cell, float) else cell for cell in row])
