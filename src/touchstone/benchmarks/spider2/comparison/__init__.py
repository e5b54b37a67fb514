"""Comparing a predicted result with gold result files, as Spider2-lite does it and as it should be done.

- `read_csv` reads a result file with the types pandas would guess; `to_csv` writes a query result as the official
  suite does, for both sides of a comparison pass through such files;
- `official` and `official_any` reproduce the official comparison to the letter, its traps included;
- `strict` and `strict_any` compare rows as rows, and say in a sentence why a prediction is wrong.

As in the suite, the prediction comes first. Tables that have been read remember what comparisons found out about
them, so read each file once.
"""

from .conditions import ConditionError
from .csv_table import CsvError, CsvTable, read_csv, read_golds
from .csv_text import to_csv
from .official import Official, official, official_any
from .strict import MOST_SURPLUS, Strict, strict, strict_any

__all__ = [
    "MOST_SURPLUS",
    "ConditionError",
    "CsvError",
    "CsvTable",
    "Official",
    "Strict",
    "official",
    "official_any",
    "read_csv",
    "read_golds",
    "strict",
    "strict_any",
    "to_csv",
]
