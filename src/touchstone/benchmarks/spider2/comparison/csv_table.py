"""A query result in a CSV file, read as pandas.read_csv reads it without further arguments.

The official suite passes predicted and gold results through CSV files and this function, so that all types are
guessed, on both sides. `csv_records` cuts the file into words, for which a type is guessed here.

pandas tries, on all words of a block at once: 64-bit integers, floats, truth values; else they remain words. What is
in `NA` is missing, and turns integers into floats and truth values into a mixture. The traps on the way:

- integers beyond 64 bits are noticed before anything else that is wrong, so whether a column becomes words or
  floats can depend on which word comes first;
- between 2**63 and 2**64 a column is unsigned; with a negative or a missing value beside it, all remain words, even
  the missing ones;
- among missing values, the smallest 64-bit integer is missing too;
- blocks of different types are joined to floats if all are numbers, else each block keeps its own type.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain
from typing import Any

from .column import NA, CsvColumn, Kind
from .csv_numbers import INT64, NUMBER, UINT64, floating, integer, numbers
from .csv_records import BUFFER, CsvError, records

_NAN = float("nan")
_TRUTH = {b"true": True, b"false": False}
_CODES: dict[Kind, str] = {"int": "q", "uint": "Q", "float": "d"}
_SAMPLE = 1000
LARGE = 2**20
"""Bytes from which on numpy is worth its import."""


def column(words: list[bytes]) -> CsvColumn:
    """The type and the values of one block of words."""
    first = next((word for word in words if word not in NA), None)
    if first is None:
        return CsvColumn("float", array("d", [_NAN]) * len(words), words if any(words) else None)
    if NUMBER.match(first):
        return _plain(words) or _careful(words)
    return (_truths(words) if first.lower() in _TRUTH else None) or _words(words)


def _plain(words: list[bytes]) -> CsvColumn | None:
    """Numbers without peculiarities, which are most columns."""
    parsed = numbers(words)
    if not parsed:
        return _plain_with_gaps(words) if b"" in words else None
    try:
        return CsvColumn("int", array("q", parsed)) if isinstance(parsed[0], int) else CsvColumn("float", array("d", parsed))
    except OverflowError:
        return None


def _plain_with_gaps(words: list[bytes]) -> CsvColumn | None:
    parsed = numbers([word for word in words if word])
    if not parsed or (isinstance(parsed[0], int) and not all(INT64.start < number < INT64.stop for number in parsed)):
        return None
    rest = iter(parsed)
    values = array("d", [next(rest) if word else _NAN for word in words])
    return CsvColumn("float", values, words if isinstance(parsed[0], int) else None)


def _careful(words: list[bytes]) -> CsvColumn:
    try:
        column = _signed(words)
    except OverflowError:
        try:
            column = _unsigned(words)
        except OverflowError:
            return _words(words)
        except ValueError:
            return CsvColumn("words", words, words)
    return column or _floats(words) or _words(words)


def _signed(words: list[bytes]) -> CsvColumn | None:
    missing = INT64.start  # as in pandas, which therefore takes this number for missing
    numbers_read: list[int] = []
    for word in words:
        number = missing if word in NA else integer(word, INT64)
        if number is None:
            return None
        numbers_read.append(number)
    if NA.isdisjoint(words):
        return CsvColumn("int", array("q", numbers_read), words)
    return CsvColumn("float", array("d", [_NAN if number == missing else number for number in numbers_read]), words)


def _unsigned(words: list[bytes]) -> CsvColumn | None:
    numbers_read: list[int] = []
    missing = negative = False
    for word in words:
        if word in NA:
            missing = True
        elif word.lstrip().startswith(b"-"):
            negative = True
        elif (number := integer(word, UINT64)) is None:
            return None
        else:
            numbers_read.append(number)
    if (missing or negative) and any(number not in INT64 for number in numbers_read):
        raise ValueError
    if negative:
        raise OverflowError
    return CsvColumn("uint", array("Q", numbers_read), words)


def _floats(words: list[bytes]) -> CsvColumn | None:
    numbers_read = array("d")
    for word in words:
        number = _NAN if word in NA else floating(word)
        if number is None:
            return None
        numbers_read.append(number)
    return CsvColumn("float", numbers_read, words)


def _truths(words: list[bytes]) -> CsvColumn | None:
    values = [None if word in NA else _TRUTH.get(word.lower(), word) for word in words]
    if any(isinstance(value, bytes) for value in values):
        return None
    return CsvColumn("mixed" if None in values else "bool", values, words)


def _words(words: list[bytes]) -> CsvColumn:
    if len(set(words[:_SAMPLE])) * 2 < _SAMPLE < len(words):
        kept: dict[bytes, bytes] = {}
        words = list(map(kept.setdefault, words, words))
    return CsvColumn("words", words if NA.isdisjoint(words) else [None if word in NA else word for word in words], words)


def joined(blocks: Sequence[CsvColumn], words: list[bytes] | None) -> CsvColumn:
    """The blocks of one column as one. Its words are given if some blocks, but not all, still have theirs."""
    if len(blocks) == 1:
        return blocks[0]
    written = words or _joined_words(blocks)
    if written and all(block.values is block.written for block in blocks):
        return CsvColumn("words", written, written)
    kinds: set[Kind] = {block.kind for block in blocks}
    if kinds <= _CODES.keys():
        return CsvColumn(kind := _common(kinds), _together(kind, blocks), written)
    return CsvColumn(next(iter(kinds)) if len(kinds) == 1 else "mixed", _mixture(blocks, kinds), written)


def _joined_words(blocks: Sequence[CsvColumn]) -> list[bytes] | None:
    words = [block.written for block in blocks if block.written is not None]
    return list(chain.from_iterable(words)) if words else None


def _mixture(blocks: Sequence[CsvColumn], kinds: AbstractSet[Kind]) -> list[Any]:
    """Each block as it is, except that truth values beside numbers alone become numbers."""
    if "words" in kinds or "mixed" in kinds or kinds == {"bool"}:
        return list(chain.from_iterable(map(_objects, blocks)))
    kind = _common({kind for kind in kinds if kind != "bool"})
    return _objects(CsvColumn(kind, _together(kind, blocks)))


def _common(kinds: AbstractSet[Kind]) -> Kind:
    return next(iter(kinds)) if len(kinds) == 1 else "float"


def _together(kind: Kind, blocks: Sequence[CsvColumn]) -> array[Any]:
    values: array[Any] = array(_CODES[kind])
    for block in blocks:
        values.extend(block.values if block.kind == kind else array(_CODES[kind], block.values))
    return values


def _objects(block: CsvColumn) -> list[Any]:
    return [None if value != value else value for value in block.values]


__all__ = ["CsvError", "CsvTable", "read_csv", "read_golds"]


@dataclass(frozen=True, eq=False)
class CsvTable:
    names: tuple[str, ...]
    """As they are written; nothing here depends on them."""
    columns: tuple[CsvColumn, ...]
    rows: int


def read_csv(data: bytes | str, buffer: int = BUFFER) -> CsvTable:
    """Raises CsvError where pandas fails. `buffer` is for tests."""
    data = _checked(data)
    if len(data) >= LARGE and (read := _by_arrays(data, buffer)) is not None:
        names, columns = read
        return CsvTable(tuple(name.decode() for name in names), tuple(columns), len(columns[0].values))
    names, surplus, blocks = records(data, buffer)
    typed = [[column(words) for words in block[surplus:]] for block in blocks]
    columns = _joined(typed, data, buffer) if typed else [CsvColumn("words", [], [])] * len(names)
    return CsvTable(tuple(name.decode() for name in names), tuple(columns), len(columns[0].values))


def read_golds(files: Iterable[bytes], predicted: bytes) -> tuple[list[CsvTable], CsvTable | None]:
    """The gold results, and the one among them that the prediction is to the byte. Files are let go of one by one."""
    golds: list[CsvTable] = []
    same: CsvTable | None = None
    for data in files:
        golds.append(read_csv(data))
        if data == predicted:
            same = golds[-1]
    return golds, same


def _by_arrays(data: bytes, buffer: int) -> tuple[list[bytes], list[CsvColumn]] | None:
    """The same, where numpy is installed and the file is regular."""
    try:
        from . import csv_arrays
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        return None
    return csv_arrays.read(data, buffer, column, joined)


def _joined(typed: list[list[CsvColumn]], data: bytes, buffer: int) -> list[CsvColumn]:
    columns = list(zip(*typed, strict=True))
    mixed = [column for column, blocks in enumerate(columns) if len({block.written is None for block in blocks}) > 1]
    words = _written(data, buffer, mixed) if mixed else {}
    return [joined(blocks, words.get(column)) for column, blocks in enumerate(columns)]


def _written(data: bytes, buffer: int, places: list[int]) -> dict[int, list[bytes]]:
    """The words of some columns, which not all their blocks have kept."""
    _, surplus, blocks = records(data, buffer)
    words: dict[int, list[bytes]] = {column: [] for column in places}
    for block in blocks:
        for column in places:
            words[column] += block[surplus + column]
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
