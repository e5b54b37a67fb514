"""The comparison of ro-eval: the same rows, each the same number of times, floats rounded to six decimals.

The order of rows does not count; duplicates, the order of columns and their number do. Only floats are
rounded, absolutely and to the nearest even on their binary value, so 0.12345649 and 0.12345651 differ while
0.0000004 is zero. 1 equals 1.0, text is never a number, NULL equals only NULL.

The original sorts both results, and counts rows where mixed types cannot be sorted; counting alone means the
same. Rows that are equal as they stand are taken out first, because rounding is slow and leaves them equal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ..types import Row, Table

DECIMALS = 6


def multiset(gold: Table, predicted: Table) -> bool:
    if len(gold.rows) != len(predicted.rows):
        return False
    # What differs from its counterpart, then what has no equal anywhere, then what has none after rounding.
    pairs = zip(gold.rows, predicted.rows, strict=True)
    apart = [pair for pair in pairs if pair[0] != pair[1]]
    expected, got = _unmatched([row for row, _ in apart], [row for _, row in apart])
    counts = Counter(map(_rounded, expected))
    return all(_take(counts, row) for row in map(_rounded, got))


def _unmatched(gold: list[Row], predicted: list[Row]) -> tuple[Iterable[Row], list[Row]]:
    """The rows of each side that are left when equal rows of both sides cancel out."""
    counts = Counter(gold)
    left = [row for row in predicted if not _take(counts, row)]
    return counts.elements(), left


def _take(counts: Counter[Row], row: Row) -> bool:
    """Take one `row` out, if one is there."""
    there = counts.get(row, 0)
    if there:
        counts[row] = there - 1
    return there > 0


def _rounded(row: Row) -> Row:
    return tuple([round(cell, DECIMALS) if isinstance(cell, float) else cell for cell in row])
