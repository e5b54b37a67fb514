"""Large CSV files read with numpy: the same columns as `csv_table` makes of words, from a few passes over the bytes.

A block of lines is a buffer in which commas and line ends are found at once. The words of a column are then a start and an
end each; their first or last eight bytes come as one 64-bit number, in which digits are checked and added up together.

Only what is common is decided here: integers, plain decimal numbers (with the arithmetic of `csv_numbers`, so to the last
bit), and words that are no numbers. Columns with anything else are taken apart into words and left to `csv_table.column`,
files with quotes, carriage returns, blank or uneven lines to `csv_records`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from .array_column import ArrayColumn, together
from .column import NA, CsvColumn
from .csv_numbers import DIGITS, NUMBER, SAFE, floating, integer
from .csv_records import block_lines
from .lanes import Array, WordLanes, joined_words, np

_LANE = 8
_MARGIN = 24
_LONGEST = 64
_PIECE = 2**14
_MOST_DIGITS = 18
_PLAIN = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_FEW = 50
"""One in so many words may be written in an odd way, and is then read by itself."""

_U = np.uint64
_BYTE = _U(0xFF)
_ZEROS, _HIGH, _SIX = _U(0x3030303030303030), _U(0xF0F0F0F0F0F0F0F0), _U(0x0606060606060606)
_DOTS, _ONES, _TOPS = _U(0x2E2E2E2E2E2E2E2E), _U(0x0101010101010101), _U(0x8080808080808080)
_FIRST = np.array([(1 << 8 * count) - 1 for count in range(9)], np.uint64)
"""Masks of the first bytes of a lane."""
_POWERS = np.array([10.0**power for power in range(18)])
_WHOLE_POWERS = np.array([10**power for power in range(19)], np.uint64)
_MISSING = np.array([int.from_bytes(word, "little") for word in NA], np.uint64)


class Uneven(Exception):
    """Not all lines have as many fields as the header."""


class Span(NamedTuple):
    """The words of one column in a block."""

    block: bytes
    lanes: Array
    """The eight bytes from each place on."""
    starts: Array
    ends: Array

    def words(self) -> list[bytes]:
        pairs = zip(self.starts.tolist(), self.ends.tolist(), strict=True)
        return [self.block[start:end] for start, end in pairs]

    def pieces(self) -> list[Span]:
        """Of so few rows that arrays of them stay in the processor's cache."""
        cuts = [slice(row, row + _PIECE) for row in range(0, len(self.starts), _PIECE)]
        return [self._replace(starts=self.starts[cut], ends=self.ends[cut]) for cut in cuts]

    def word(self, row: int) -> bytes:
        return self.block[self.starts[row] : self.ends[row]]


def read(
    data: bytes, buffer: int, careful: Callable[[list[bytes]], CsvColumn], joined: Callable[[list[CsvColumn], Any], CsvColumn]
) -> tuple[list[bytes], list[CsvColumn]] | None:
    """The names and the columns, or None for a file that is not regular. `careful` gives the type of words that are not plain,
    and `joined` makes one column of blocks of several types."""
    try:
        cut = _cut(data, buffer)
        typed = [[_column(span, careful) for span in block] for block in cut[1]] if cut else []
    except Uneven:
        return None
    if not cut or not typed:
        return None
    columns = list(zip(*typed, strict=True))
    words = _words_of(data, buffer, [number for number, blocks in enumerate(columns) if _only_some_written(blocks)])
    return cut[0], [_joined(blocks, words.get(number), joined) for number, blocks in enumerate(columns)]


def _only_some_written(blocks: Sequence[CsvColumn]) -> bool:
    return len({block.written is None for block in blocks}) > 1


def _words_of(data: bytes, buffer: int, places: list[int]) -> dict[int, WordLanes | list[bytes]]:
    """The words of some columns, which not all their blocks have kept."""
    cut = _cut(data, buffer) if places else None
    parts = [[written(block[column]) or block[column].words() for column in places] for block in cut[1]] if cut else []
    return {column: _one(words) for column, words in zip(places, zip(*parts, strict=True), strict=True)}


def _one(parts: Sequence[WordLanes | list[bytes]]) -> WordLanes | list[bytes]:
    in_lanes = [part for part in parts if isinstance(part, WordLanes)]
    return joined_words(in_lanes) if len(in_lanes) == len(parts) else list(chain.from_iterable(parts))


def _joined(
    blocks: Sequence[CsvColumn], words: WordLanes | list[bytes] | None, joined: Callable[[list[CsvColumn], Any], CsvColumn]
) -> CsvColumn:
    in_arrays = [block for block in blocks if isinstance(block, ArrayColumn)]
    same_sort = len({block.kind == "words" for block in blocks}) == 1
    if len(in_arrays) == len(blocks) and same_sort and not isinstance(words, list):
        return together(in_arrays, words)
    return joined([block.listed for block in blocks], None if words is None else list(words))


def _cut(data: bytes, buffer: int) -> tuple[list[bytes], Iterator[list[Span]]] | None:
    """The header, and the columns block by block; None for a file that is not regular."""
    if b'"' in data or b"\r" in data or b"\0" in data:
        return None
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not data.endswith(b"\n"):
        data += b"\n"
    line_ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
    initials = np.frombuffer(data, np.uint8)[line_ends[:-1] + 1]
    if data[0] in b" \t\n" or any((initials == blank).any() for blank in b" \t\n"):
        return None
    names = data[: line_ends[0]].split(b",")
    return names, _blocks(data, line_ends, len(names), block_lines(len(names), buffer))


def _blocks(data: bytes, line_ends: Array, width: int, lines: int) -> Iterator[list[Span]]:
    for first in range(1, len(line_ends), lines):
        yield _spans(data, int(line_ends[first - 1]) + 1, line_ends[first : first + lines], width)


def _spans(data: bytes, start: int, ends: Array, width: int) -> list[Span]:
    block = b"".join((bytes(_MARGIN), memoryview(data)[start : int(ends[-1]) + 1], bytes(_LONGEST)))
    lanes = np.ndarray((len(block) - _LANE + 1,), np.uint64, block, strides=(1,))
    ends = ends - (start - _MARGIN)
    commas = np.flatnonzero(np.frombuffer(block, np.uint8) == ord(","))
    if len(commas) != len(ends) * (width - 1):
        raise Uneven
    edges = np.empty((width + 1, len(ends)), np.int64)
    edges[0, 0] = _MARGIN - 1
    edges[0, 1:] = ends[:-1]
    edges[1:-1] = commas.reshape(len(ends), width - 1).T
    edges[-1] = ends
    if not ((edges[0] < edges[1]).all() and (edges[-2] < edges[-1]).all()):
        raise Uneven
    return [Span(block, lanes, edges[column] + 1, edges[column + 1]) for column in range(width)]


def _column(span: Span, careful: Callable[[list[bytes]], CsvColumn]) -> CsvColumn:
    """The type and the values of one block of words, by `careful` where they are not plain."""
    first = next((word for row in range(len(span.starts)) if (word := span.word(row)) not in NA), b"")
    if NUMBER.match(first) and (_integer(first) is not None or floating(first) is not None):
        return _numbers(span) or _kept(span, careful(span.words()))
    is_word = first and (len(first) < DIGITS if NUMBER.match(first) else first.lower() not in (b"true", b"false"))
    words = written(span) if is_word else None
    return _kept(span, careful(span.words())) if words is None else _word_column(words)


def _kept(span: Span, column: CsvColumn) -> CsvColumn:
    """Words, at least, in lanes."""
    words = written(span) if column.kind == "words" else None
    return column if words is None else _word_column(words, some_missing=column.values is not column.written)


def _integer(word: bytes) -> int | None:
    try:
        return integer(word, range(-(10**18), 10**18))
    except OverflowError:
        return None


def _word_column(words: WordLanes, some_missing: bool = True) -> CsvColumn:
    missing = words.among(_MISSING) if some_missing else None
    return ArrayColumn("words", words, words, missing if missing is not None and missing.any() else None)


def written(span: Span) -> WordLanes | None:
    """The words as they stand, if none is long."""
    longest = int((span.ends - span.starts).max())
    if longest > _LONGEST:
        return None
    lanes = [[_head(piece, at) for piece in span.pieces()] for at in range(0, max(1, longest), _LANE)]
    return WordLanes([np.concatenate(lane) for lane in lanes])


def _head(span: Span, at: int) -> Array:
    """Eight bytes of each word, and zeros behind its end."""
    starts = span.starts + at
    return span.lanes[starts] & _FIRST[np.minimum(np.maximum(span.ends - starts, 0), _LANE)]


# --- numbers ---


class Numbers(NamedTuple):
    """The numbers that some words are, where gaps have 0 or nothing in particular."""

    values: Array
    gaps: Array
    zero_led: bool
    """One is written like 007."""


def _numbers(span: Span) -> CsvColumn | None:
    """Integers or floats, with gaps or without, or None where the words have to be looked at one by one."""
    pieces = span.pieces()
    parsed = [] if b"." in span.word(0) else [_integers(piece) for piece in pieces]
    whole = bool(parsed) and None not in parsed
    parsed = [part for part in (parsed if whole else map(_floats, pieces)) if part is not None]
    zero_led = any(part.zero_led for part in parsed)
    if len(parsed) < len(pieces) or (zero_led and not whole):
        return None
    values, gaps = (np.concatenate(part) for part in list(zip(*parsed, strict=True))[:2])
    if not gaps.any():
        return ArrayColumn("int" if whole else "float", values, written(span) if zero_led else None)
    values = values.astype(np.float64)
    values[gaps] = np.nan
    return ArrayColumn("float", values, written(span) if whole else None, whole=whole and not zero_led)


class Start(NamedTuple):
    firsts: Array
    """Where digits begin."""
    signs: Array
    zero_led: bool


def _start(span: Span) -> Start:
    heads = span.lanes[span.starts]
    signs = (heads & _BYTE) == ord("-")
    firsts = span.starts
    if signs.any():
        firsts = firsts + signs
        heads = span.lanes[firsts]
    zeros = (heads & _BYTE) == ord("0")
    zeros &= ((heads >> _U(8)) & _BYTE) - _U(ord("0")) < 10
    return Start(firsts, signs, bool(zeros.any()) and bool((zeros & (span.ends - firsts > 1)).any()))


def _integers(span: Span) -> Numbers | None:
    firsts, signs, zero_led = _start(span)
    if int((span.ends - firsts).max()) > _MOST_DIGITS:
        return None
    numbers, plain = _digits(span.lanes, firsts, span.ends)
    gaps = span.starts == span.ends
    if not (plain | gaps).all():
        return None
    values = numbers.view(np.int64)
    return Numbers(np.where(signs, -values, values), gaps, zero_led)


def _digits(lanes: Array, starts: Array, ends: Array) -> tuple[Array, Array]:
    """The numbers that words of up to 18 digits are, and which of them are digits only."""
    lengths = ends - starts
    total = np.zeros(len(starts), np.uint64)
    plain = lengths > 0
    for at in range(int(lengths.max() - 1) // _LANE * _LANE, -1, -_LANE):
        value, fine = _eight(_tail(lanes, ends - at, np.minimum(np.maximum(lengths - at, 0), _LANE)))
        total = total * _U(10**8) + value
        plain &= fine
    return total, plain


def _tail(lanes: Array, ends: Array, counts: Array) -> Array:
    """The last bytes of words, so many of each, and the digit 0 before them."""
    kept = ~_FIRST[_LANE - counts]
    return (lanes[ends - _LANE] & kept) | (_ZEROS & ~kept)


def _eight(lane: Array) -> tuple[Array, Array]:
    """The numbers that lanes of eight digits are, and which of them are."""
    fine = ((lane & _HIGH) == _ZEROS) & (((lane + _SIX) & _HIGH) == _ZEROS)
    pairs = lane - _ZEROS
    pairs = pairs * _U(10) + (pairs >> _U(8))
    low, high = pairs & _U(0x000000FF000000FF), (pairs >> _U(16)) & _U(0x000000FF000000FF)
    return (low * _U(0x000F424000000064) + high * _U(0x0000271000000001)) >> _U(32), fine


def _floats(span: Span) -> Numbers | None:
    firsts, signs, zero_led = _start(span)
    ends = span.ends
    dots = _dots(span.lanes, firsts, ends)
    before, behind = dots - firsts, np.maximum(ends - dots - 1, 0)
    kept = np.minimum(behind, np.maximum(DIGITS - before, 0))
    whole, plain = _digits(span.lanes, firsts, np.minimum(dots, firsts + DIGITS))
    part, fine = _digits(span.lanes, dots + 1, dots + 1 + kept)
    plain &= (before <= DIGITS) & (fine | (kept == 0)) & ((behind > 0) | (dots == ends))
    longer = np.flatnonzero(behind > kept)
    if len(longer):
        rest = dots[longer] + 1 + kept[longer]
        tail = np.minimum(ends[longer], rest + _MOST_DIGITS)
        plain[longer] &= _digits(span.lanes, rest, tail)[1] & (tail == ends[longer])
    values = _mantissas(whole * _WHOLE_POWERS[kept] + part, before + kept) / _POWERS[kept]
    values = np.where(signs, -values, values)
    gaps = span.starts == ends
    return Numbers(values, gaps, zero_led) if _read_odd(span, values, np.flatnonzero(~plain & ~gaps)) else None


def _dots(lanes: Array, starts: Array, ends: Array) -> Array:
    """Where the first dot of each word is, or its end."""
    dots = ends
    for at in range(0, DIGITS, _LANE):
        apart = lanes[np.minimum(starts + at, ends)] ^ _DOTS
        marks = (apart - _ONES) & ~apart & _TOPS
        first = starts + at + (np.bitwise_count((marks & (~marks + _U(1))) - _U(1)) >> 3)
        dots = np.where(marks != 0, np.minimum(first, dots), dots)
        if ((dots < ends) | (ends <= starts + at + _LANE)).all():
            break
    return dots


def _mantissas(numbers: Array, digits: Array) -> Array:
    """As floats, digit after digit from the sixteenth on, as pandas does it."""
    values = numbers.astype(np.float64)
    for more in range(1, DIGITS - SAFE + 1):
        rows = np.flatnonzero(digits == SAFE + more)
        if len(rows):
            some = numbers[rows]
            exact = (some // _U(10**more)).astype(np.float64)
            for digit in reversed(range(more)):
                exact = exact * 10.0 + (some // _U(10**digit) % _U(10)).astype(np.float64)
            values[rows] = exact
    return values


def _read_odd(span: Span, values: Array, rows: Array) -> bool:
    """Reads words with an exponent or very many digits one by one, if they are few."""
    if len(rows) * _FEW > len(values) + _FEW * 10:
        return False
    for row in rows.tolist():
        word = span.word(row)
        number = floating(word) if _PLAIN.fullmatch(word) else None
        if number is None or abs(number) >= 1e18:
            return False
        values[row] = number
    return True
