"""BIRD's metrics and ro-eval's comparison: whether two results are the same, by how many cells, and how fast."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import sqrt

from ..types import Row, Table

# R-VES of BIRD: a reward for a right query by how fast it is, from times somebody else has measured.
#
# The ratio of one measurement is gold's time by the prediction's, so more than 1 means faster than gold.
# Ratios three or more population standard deviations off their mean are dropped, and the mean of the rest is
# looked up in steps. A task scores the square root of its reward times 100: 111.80, 100, 86.60, 70.71 or 50.
# BIRD's published formula omits the root, its code has it. A wrong query scores 0.
#
# One thing differs from the original on purpose. When all ratios are equal, nothing is strictly inside a band
# of width zero: the original drops every measurement, fails, and rewards 0 for a query as fast as gold. Here
# the common ratio counts.


STEPS = ((2.0, 1.25), (1.0, 1.0), (0.5, 0.75), (0.25, 0.5), (0.0, 0.25))
"""From which mean ratio on which reward is given."""


def r_ves(ratios: Sequence[float]) -> float:
    """The score of one task. No ratios means that the query was wrong and nothing was timed."""
    if not ratios:
        return 0.0
    if not all(0 <= ratio < float("inf") for ratio in ratios):
        raise ValueError("a time ratio must be finite and not negative")
    from statistics import fmean  # slow to import, and few runs measure efficiency

    tau = fmean(_typical(ratios))
    return 100 * sqrt(next(reward for least, reward in STEPS if tau >= least))


def _typical(ratios: Sequence[float]) -> Sequence[float]:
    from statistics import fmean, pstdev

    mean, band = fmean(ratios), 3 * pstdev(ratios)
    return [ratio for ratio in ratios if mean - band < ratio < mean + band] or ratios


# EX, BIRD's execution accuracy: the same set of rows.
#
# Rows are compared as Python compares tuples. So the order of rows and their repetition do not count; the order
# and the number of columns do; 1 equals 1.0; text is never a number; no float is forgiven its last digit; NULL
# equals NULL; two empty results are equal; column names are not looked at. NaN, which SQLite cannot return,
# equals nothing.


def ex(gold: Table, predicted: Table) -> bool:
    # Equal lists are the usual case of a right answer, and need no hashing.
    return gold.rows == predicted.rows or set(gold.rows) == set(predicted.rows)


# The comparison of ro-eval: the same rows, each the same number of times, floats rounded to six decimals.
#
# The order of rows does not count; duplicates, the order of columns and their number do. Only floats are
# rounded, absolutely and to the nearest even on their binary value, so 0.12345649 and 0.12345651 differ while
# 0.0000004 is zero. 1 equals 1.0, text is never a number, NULL equals only NULL.
#
# The original sorts both results, and counts rows where mixed types cannot be sorted; counting alone means the
# same. Rows that are equal as they stand are taken out first, because rounding is slow and leaves them equal.


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


# Soft-F1 of BIRD: how many cells are right, row by row.
#
# Two empty results score 1. Otherwise duplicates are dropped, first occurrences stay, and rows are paired by
# position. In a pair, each predicted cell found anywhere in the gold row is a hit, each other one a false
# positive, each gold cell not found in the predicted row a false negative, all divided by the gold row's width.
# A row without a partner is one whole miss of its side.
#
# Kept to the letter, with what follows from it: the same rows in another order can score 0, swapped columns
# score 1, and a repeated value hits repeatedly, so (1, 1, 1) for gold's (1, 2, 3) scores 0.75.


def soft_f1(gold: Table, predicted: Table) -> float:
    if gold.rows == predicted.rows:
        return 1.0
    expected, got = list(dict.fromkeys(gold.rows)), list(dict.fromkeys(predicted.rows))
    paired = min(len(expected), len(got))
    hits, wrong, missed = 0.0, float(len(got) - paired), float(len(expected) - paired)
    for gold_row, row in zip(expected, got, strict=False):
        if gold_row == row:
            hits += 1.0
        else:
            row_hits, row_wrong, row_missed = _row(gold_row, row)
            hits, wrong, missed = hits + row_hits, wrong + row_wrong, missed + row_missed
    return _f1(hits, wrong, missed)


def _row(gold: Row, predicted: Row) -> tuple[float, float, float]:
    width = len(gold) or 1  # the original fails on a row without columns, and so scores 0
    gold_cells, cells = set(gold), set(predicted)
    hits = sum([cell in gold_cells for cell in predicted])
    missed = sum([cell not in cells for cell in gold])
    return hits / width, (len(predicted) - hits) / width, missed / width


def _f1(hits: float, wrong: float, missed: float) -> float:
    if not hits:
        return 0.0
    precision, recall = hits / (hits + wrong), hits / (hits + missed)
    return 2 * precision * recall / (precision + recall)
