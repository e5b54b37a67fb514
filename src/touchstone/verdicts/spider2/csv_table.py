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
    data = _checked(data)
    names, surplus, blocks, several = records(data, buffer)
    typed = [[column(words, exact=not several) for words in block[surplus:]] for block in blocks]
    columns = _joined(typed, data, buffer) if typed else [Column("words", [], [])] * len(names)
    return CsvTable(tuple(name.decode() for name in names), tuple(columns), len(columns[0].values))


def _joined(typed: list[list[Column]], data: bytes, buffer: int) -> list[Column]:
    columns = list(zip(*typed, strict=True))
    mixed = [place for place, blocks in enumerate(columns) if len({block.written is None for block in blocks}) > 1]
    words = _words(data, buffer, mixed) if mixed else {}
    return [joined(blocks, words.get(place)) for place, blocks in enumerate(columns)]


def _words(data: bytes, buffer: int, places: list[int]) -> dict[int, list[bytes]]:
    """The words of some columns, which not all their blocks have kept."""
    _, surplus, blocks, _ = records(data, buffer)
    words: dict[int, list[bytes]] = {place: [] for place in places}
    for block in blocks:
        for place in places:
            words[place] += block[surplus + place]
    return words


def _checked(data: bytes | str) -> bytes:
    try:
        if isinstance(data, str):
            return data.encode()
        if not data.isascii():
            data.decode()
    except UnicodeError as error:
        raise CsvError(str(error)) from None
    return data
