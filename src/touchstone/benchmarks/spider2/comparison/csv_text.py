"""A query result as a CSV file, as the official suite writes what SQLite returned.

It fetches 500 rows at a time into a pandas frame and appends that to the file. So types are guessed here too, once
per 500 rows: where floats or NULL stand among the numbers of a column, all its integers become floats, and the
same integer can be written as 1 and as 1.0 in one file. NULL is nothing, bytes are written as Python shows them.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from io import StringIO
from typing import Any

from ....types import Row, Table

_ROWS = 500


def to_csv(table: Table) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    for start in range(0, len(table.rows), _ROWS):
        writer.writerows(_written(table.rows[start : start + _ROWS]))
    return text.getvalue()


def _written(rows: Sequence[Row]) -> Iterator[Row]:
    """The rows with numbers of one type per column; the csv module writes the rest as it should be."""
    columns = [_of_one_type(column) for column in zip(*rows, strict=True)]
    return zip(*columns, strict=True)


def _of_one_type(column: Sequence[Any]) -> Sequence[Any]:
    types = set(map(type, column))
    if int in types and len(types) > 1 and types <= {int, float, type(None)}:
        return [None if value is None else float(value) for value in column]
    return column
