"""EX, BIRD's execution accuracy: the same set of rows.

Rows are compared as Python compares tuples. So the order of rows and their repetition do not count; the order
and the number of columns do; 1 equals 1.0; text is never a number; no float is forgiven its last digit; NULL
equals NULL; two empty results are equal; column names are not looked at. NaN, which SQLite cannot return,
equals nothing.
"""

from __future__ import annotations

from ..types import Table


def ex(gold: Table, predicted: Table) -> bool:
    # Equal lists are the usual case of a right answer, and need no hashing.
    return gold.rows == predicted.rows or set(gold.rows) == set(predicted.rows)
