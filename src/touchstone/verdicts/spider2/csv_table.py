"""A query result in a CSV file, read as pandas.read_csv reads it without further arguments.

The official suite passes predicted and golden results through CSV files and this function, so that all types are
guessed, on both sides. `_records` cuts the file into words, `_inference` guesses the types.
"""

from __future__ import annotations

from dataclasses import dataclass

from ._inference import column, joined
from ._records import BUFFER, CsvError, records
from .column import Column

__all__ = ["CsvError", "CsvTable", "read_csv"]


@dataclass(frozen=True, eq=False)
class CsvTable:
    names: tuple[str, ...]
    """As they are written; nothing here depends on them."""
    columns: tuple[Column, ...]
    rows: int


def read_csv(data: bytes | str, buffer: int = BUFFER) -> CsvTable:
    """Raises CsvError where pandas fails. `buffer` is for tests."""
    names, surplus, blocks, several = records(_checked(data), buffer)
    typed = [[column(words, exact=not several) for words in block[surplus:]] for block in blocks]
    columns = [joined(parts) for parts in zip(*typed, strict=True)] if typed else [Column("words", [], [])] * len(names)
    return CsvTable(tuple(name.decode() for name in names), tuple(columns), len(columns[0].values))


def _checked(data: bytes | str) -> bytes:
    try:
        if isinstance(data, str):
            return data.encode()
        if not data.isascii():
            data.decode()
    except UnicodeError as error:
        raise CsvError(str(error)) from None
    return data
