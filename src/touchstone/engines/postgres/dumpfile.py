"""Reading a plain-text dump: SQL statements and COPY blocks, one after the other, without holding the file in memory.

`psql` would do it, but a dump can tell psql to run programs. Here a backslash command is an error, except for the two harmless
ones that newer versions of pg_dump write. A statement ends at a semicolon outside of strings, quoted names, dollar quotes,
comments, parentheses and the bodies of SQL functions. The rows that a file holds are counted on the way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from os import SEEK_CUR
from typing import BinaryIO

BLOCK = 2**18
MOST_WORDS = 64

_ENDS = (b"\\.\n", b"\\.\r\n", b"\\.")
_WORD = rb"[0-9A-Za-z_$\x80-\xff]"
_TAG = rb"[A-Za-z_\x80-\xff][0-9A-Za-z_\x80-\xff]*"
_COMMON = rb"(?P<mark>[;()'\"\\])|(?P<line>--)|(?P<block>/\*)|(?P<dollar>(?<!" + _WORD + rb")\$(?:" + _TAG + rb")?\$)"
_INSIDE = re.compile(_COMMON)  # words within parentheses are of no interest
_VALUE = rb"""(?:[^'"();$\\/-]++|'(?:[^'\\]++|'')*+'|"[^"]*+"|-(?!-)|/(?!\*))*+"""
_VALUES = re.compile(_VALUE)  # most of what is within parentheses
_NAMES = rb"""(?:[^'"();$\\/-]|"[^"]*+")+?"""
_ONE_ROW = re.compile(rb"INSERT INTO " + _NAMES + rb"(?:\(" + _NAMES + rb"\) )?VALUES \(" + _VALUE + rb"\);\r?\n\Z")
# Most lines of a dump in the form of INSERT statements; whatever else there is, the cutter knows.
_OUTSIDE = re.compile(_COMMON + rb"|(?P<word>[0-9A-Za-z_\x80-\xff]" + _WORD + rb"*)")
_ESCAPED_END = re.compile(rb"(?:[^'\\]++|\\.|'')*+'", re.DOTALL)
_ESCAPES = re.compile(rb"(?<!" + _WORD + rb")[eE]'")
_COMMENTS = re.compile(rb"(?:\s|--[^\n]*(?:\n|\Z)|/\*.*?\*/)*+", re.DOTALL)
_HARMLESS = re.compile(rb"\\(?:un)?restrict(?:\s+\w+)?\s*\Z")
_PLAIN_STRINGS = re.compile(rb"\s*SET\s+standard_conforming_strings\s*(?:=|\sTO\s)\s*'?(on|off)\b", re.IGNORECASE)


class DumpError(Exception):
    """What is wrong with a dump, and in which line."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class Statement:
    line: int
    text: bytes
    words: tuple[bytes, ...]
    """In lower case; those outside of quotes, parentheses and comments, and only the first ones."""
    rows: int = 0
    """How many the statement lists after VALUES."""


@dataclass
class CopyBlock:
    """A COPY statement with its data, which is read while `blocks` is."""

    line: int
    text: bytes
    file: BinaryIO = field(repr=False)
    rows: int = 0
    _ended: bool = False

    def blocks(self) -> Iterator[bytes]:
        while not self._ended:
            lines = self.file.readlines(BLOCK)
            if not lines:
                raise DumpError(self.line, "the COPY block that begins here has no end: the file is cut off")
            ends = [lines.index(end) for end in _ENDS if end in lines]
            if ends:
                self._ended = True
                self.file.seek(-sum(map(len, lines[min(ends) + 1 :])), SEEK_CUR)
                del lines[min(ends) :]
            self.rows += len(lines)
            yield b"".join(lines)


def read(file: BinaryIO) -> Iterator[Statement | CopyBlock]:
    """The statements of a file that can be sought in. Raises DumpError."""
    cutter = _Cutter()
    if file.read(3) != b"\xef\xbb\xbf":
        file.seek(0)
    while line := file.readline():
        for statement in cutter.feed(line):
            if statement.words[:1] != (b"copy",):
                yield statement
                continue
            block = CopyBlock(statement.line, _only_from_here(statement), file)
            yield block
            for _ in block.blocks():  # what the reader did not want
                pass
            cutter.line += block.rows + 1
    cutter.finish()


def _only_from_here(statement: Statement) -> bytes:
    """Other forms of COPY read the server's files and run its programs."""
    if statement.words[-2:] != (b"from", b"stdin"):
        raise DumpError(statement.line, "only COPY … FROM stdin, without options, can be loaded")
    return statement.text


class _Cutter:
    """Takes lines and gives the statements that they complete."""

    def __init__(self) -> None:
        self.line = 0
        self._inside = b""  # what ends the string, name, quote or comment that we are in
        self._nesting = 0  # of comments
        self._escapes = False  # whether a backslash has a meaning in every string
        self._begin()

    def _begin(self) -> None:
        self._parts: list[bytes] = []
        self._first = 0
        self._words: list[bytes] = []
        self._depth = 0  # of parentheses
        self._body = 0  # of BEGIN ATOMIC … END and CASE … END
        self._listing = False
        self._rows = 0

    def feed(self, line: bytes) -> Iterator[Statement]:
        self.line += 1
        if not self._parts and not self._inside:
            if _ONE_ROW.match(line):
                yield Statement(self.line, line, (b"insert", b"into", b"values"), rows=1)
                return
            if self._is_between(line):
                return
        start = at = 0
        while at < len(line):
            if self._inside:
                at = self._skip(line, at)
                continue
            token = self._next(line, at)
            if token is None:
                break
            at = token.end()
            if token[0] == b";" and not self._depth and not self._body:
                yield self._complete(line[start:at], line[at:])
                start = at
            elif token.lastgroup == "line":
                at = len(line)
            else:
                self._take(token, line)
        self._collect(line[start:])

    def _next(self, line: bytes, at: int) -> re.Match[bytes] | None:
        if not self._depth:
            return _OUTSIDE.search(line, at)
        values = _VALUES.match(line, at)
        return _INSIDE.search(line, values.end() if values else at)

    def _is_between(self, line: bytes) -> bool:
        """Whether the line belongs to no statement."""
        text = line.strip()
        return not text or text.startswith(b"--") or _HARMLESS.match(text) is not None

    def _take(self, token: re.Match[bytes], line: bytes) -> None:
        text = token[0]
        if token.lastgroup == "word":
            self._take_word(text.lower())
        elif token.lastgroup == "dollar" or text == b'"':
            self._inside = text
        elif token.lastgroup == "block":
            self._inside, self._nesting = b"*/", 1
        elif text == b"'":
            self._inside = b"\\'" if self._escapes or _ESCAPES.match(line, max(0, token.start() - 1)) else b"'"
        elif text == b"(":
            self._rows += self._listing and not self._depth
            self._depth += 1
        elif text == b")":
            self._depth = max(0, self._depth - 1)
        elif text == b"\\":
            raise DumpError(self.line, f"backslash commands are not run: {_shown(line[token.start() :])}")

    def _take_word(self, word: bytes) -> None:
        if len(self._words) < MOST_WORDS:
            self._words.append(word)
        if word == b"values":
            self._listing = True
        elif word in (b"on", b"returning"):
            self._listing = False
        elif word == b"atomic" and self._words[-2:-1] == [b"begin"]:
            self._body = 1
        elif self._body:
            self._body += (word == b"case") - (word == b"end")

    def _skip(self, line: bytes, at: int) -> int:
        """The position behind what we are in, or the line's end."""
        if self._inside == b"*/":
            return self._skip_comment(line, at)
        if self._inside == b"\\'":
            ended = _ESCAPED_END.match(line, at)
            end = ended.end() if ended else 0
        else:
            end = line.find(self._inside, at) + 1
            end += len(self._inside) - 1 if end else 0
        if end:
            self._inside = b""
        return end or len(line)

    def _skip_comment(self, line: bytes, at: int) -> int:
        opening, closing = line.find(b"/*", at), line.find(b"*/", at)
        if opening < 0 and closing < 0:
            return len(line)
        opens = closing < 0 or 0 <= opening < closing
        self._nesting += 1 if opens else -1
        if not self._nesting:
            self._inside = b""
        return (opening if opens else closing) + 2

    def _collect(self, text: bytes) -> None:
        if self._parts or text.strip():
            self._first = self._first or self.line
            self._parts.append(text)

    def _complete(self, text: bytes, rest: bytes) -> Statement:
        self._collect(text)
        rows = self._rows or self._listing
        statement = Statement(self._first, b"".join(self._parts), tuple(self._words), int(rows))
        self._begin()
        if statement.words[:1] == (b"copy",) and rest.strip():
            raise DumpError(self.line, "the data of a COPY statement must begin on a new line")
        setting = _PLAIN_STRINGS.match(statement.text)
        if setting:
            self._escapes = setting[1].lower() == b"off"
        return statement

    def finish(self) -> None:
        rest = b"".join(self._parts)
        if self._inside or _COMMENTS.fullmatch(rest) is None:
            raise DumpError(self._first or self.line, f"the file ends in the middle of a statement: {_shown(rest)}")


def _shown(text: bytes) -> str:
    words = " ".join(text.decode(errors="replace").split())
    return words if len(words) <= 60 else f"{words[:60]}…"
