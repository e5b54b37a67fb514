"""A CSV file cut into header and columns of words, as pandas' tokenizer cuts it.

The file stays bytes: that is what pandas looks at, it is faster, and UTF-8 sorts like the text it encodes.

1. Each quoted field is replaced by a mark and kept aside, so that no comma or line end is left in a field. A
   quote is special only at the beginning of a field, and whatever follows the closing quote belongs to the field.
2. Line ends become one character and blank lines vanish; a line of blanks and tabs is blank.
3. What is left is split at commas in blocks of lines, and taken apart by position.

pandas guesses types per block of lines, so blocks have to end where its blocks end; see `block_lines`. A line may
have as many fields as the one before it. Missing fields are filled up; additional ones are an error, except in
the first line of each block. If that happens to the first line of all, the surplus columns in front become the
index of the frame, and are not among its columns.

Not reproduced: two faults of pandas where a lone carriage return ends a line and a comma or a blank follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

BUFFER = 2**20
"""Fields in a block, roughly. pandas' constant."""

_QUOTED = re.compile(rb'"(?<![^,\r\n]")(?:((?:[^"]++|"")*+)"([^,\r\n]*+))?')
_CUT_SHORT = re.compile(rb"([^,\r\n]*)(\0[^,\r\n]*)")
_BLANK = re.compile(rb"(?m)^[ \t]*\n")
_MAYBE_BLANK = re.compile(rb"\n[ \t\n]")


class CsvError(Exception):
    """The file cannot be read. The text is what pandas says, as far as it can be known."""


class Records(NamedTuple):
    names: list[bytes]
    surplus: int
    """How many columns in front have no name, and are no columns for pandas."""
    blocks: Iterator[list[list[bytes]]]
    """Columns of words, block after block."""


def records(data: bytes, buffer: int = BUFFER) -> Records:
    marked, quoted = _marked(data.removeprefix(b"\xef\xbb\xbf"))
    header, _, body = _lines(marked).partition(b"\n")
    if not header:
        raise CsvError("No columns to parse from file")
    names = header.split(b",")
    width = max(len(names), body.count(b",", 0, max(0, body.find(b"\n"))) + 1)
    lines = block_lines(width, buffer)
    several = body.count(b"\n") > lines
    blocks = _blocks(_cut(body, lines) if several else filter(None, [body]), width, len(names))
    words = ([_restored(column, quoted) for column in block] for block in blocks)
    return Records(_restored(names, quoted), width - len(names), words)


def block_lines(width: int, buffer: int = BUFFER) -> int:
    """Lines that pandas guesses types for at once: the largest power of two below `buffer` fields."""
    lines = 1
    while lines * 2 < buffer // width:
        lines *= 2
    return lines


def _marked(data: bytes) -> tuple[bytes, list[bytes]]:
    """The data with a mark for each quoted field, and what the marks stand for. A field ends at a NUL, as in C."""
    kept: list[bytes] = []

    def mark(field: re.Match[bytes]) -> bytes:
        content, rest = field.groups()
        if content is None:
            raise CsvError(f"Error tokenizing data. C error: EOF inside string starting at quoted field {len(kept) + 1}")
        kept.append((content.replace(b'""', b'"') + rest).partition(b"\0")[0])
        return b'"%d' % (len(kept) - 1)

    if b'"' in data:
        data = _QUOTED.sub(mark, data)
    if b"\0" in data:
        data = _CUT_SHORT.sub(mark, data)
    return data, kept


def _restored(words: list[bytes], kept: list[bytes]) -> list[bytes]:
    """The words with what their marks stand for."""
    if not kept or b'"' not in b"".join(words):
        return words
    return [kept[int(word[1:])] if word.startswith(b'"') else word for word in words]


def _lines(data: bytes) -> bytes:
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not data.endswith(b"\n"):
        data += b"\n"
    blank = data.startswith((b" ", b"\t", b"\n")) or _MAYBE_BLANK.search(data)
    return _BLANK.sub(b"", data) if blank else data


def _cut(body: bytes, lines: int) -> Iterator[bytes]:
    start = 0
    for end in islice(re.finditer(b"\n", body), lines - 1, None, lines):
        yield body[start : end.end()]
        start = end.end()
    if start < len(body):
        yield body[start:]


def _blocks(blocks: Iterable[bytes], width: int, named: int) -> Iterator[list[list[bytes]]]:
    fields, done = named, 0
    for block in blocks:
        columns = _regular(block, width)
        if columns is None:
            columns, fields = _irregular(block, width, fields, done)
        fields = max(fields, width)
        done += len(columns[0])
        yield columns


def _regular(block: bytes, width: int) -> list[list[bytes]] | None:
    """The columns, if every line has `width` fields: then a field of its own for each line end falls into one column."""
    lines, step = block.count(b"\n"), width + 1
    fields = block.replace(b"\n", b",\n,").split(b",")
    if len(fields) != lines * step + 1 or fields[width::step].count(b"\n") != lines:
        return None
    fields.pop()
    return [fields[column::step] for column in range(width)]


def _irregular(block: bytes, width: int, fields: int, done: int) -> tuple[list[list[bytes]], int]:
    """The columns, and how many fields the next line may have."""
    rows: list[list[bytes]] = []
    for line in block.split(b"\n")[:-1]:
        row = line.split(b",")
        if rows and len(row) > fields:
            line = done + len(rows) + 2
            raise CsvError(f"Error tokenizing data. C error: Expected {fields} fields in line {line}, saw {len(row)}")
        fields = max(fields, len(row))
        rows.append(row + [b""] * (fields - len(row)))
    return [[row[column] for row in rows] for column in range(width)], fields
