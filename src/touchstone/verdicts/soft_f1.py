"""Soft-F1 of BIRD: how many cells are right, row by row.

Two empty results score 1. Otherwise duplicates are dropped, first occurrences stay, and rows are paired by
position. In a pair, each predicted cell found anywhere in the gold row is a hit, each other one a false
positive, each gold cell not found in the predicted row a false negative, all divided by the gold row's width.
A row without a partner is one whole miss of its side.

Kept to the letter, with what follows from it: the same rows in another order can score 0, swapped columns
score 1, and a repeated value hits repeatedly, so (1, 1, 1) for gold's (1, 2, 3) scores 0.75.
"""

from __future__ import annotations

from ..types import Row, Table


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
