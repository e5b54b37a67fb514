"""Running one file of a dump in one transaction.

Statements travel in large batches, COPY blocks as streams. What has no meaning here is left out: owners, rights, transactions
of the file's own, and time limits, of which older servers do not know all. Foreign keys are set aside for the caller.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from psycopg import sql

from .dumpfile import CopyBlock, DumpError, Statement, read

BATCH = 2**18

_NAME = rb'(?:"(?:[^"]|"")+"|[A-Za-z_\x80-\xff][0-9A-Za-z_$\x80-\xff]*)'
_BLANK = rb"(?:\s|--[^\n]*\n|/\*.*?\*/)*+"
_TABLE = rb"(" + _NAME + rb"(?:\s*\.\s*" + _NAME + rb")?)"
_CREATES = re.compile(
    _BLANK + rb"CREATE\s+(?:UNLOGGED\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?" + _TABLE, re.IGNORECASE | re.DOTALL
)
_FILLS = re.compile(_BLANK + rb"(?:COPY|INSERT\s+INTO)\s+" + _TABLE, re.IGNORECASE | re.DOTALL)
_NAMES = re.compile(_NAME)
_COPY_LINE = re.compile(r"COPY .*, line (\d+)")

_LEFT_OUT = {
    (b"grant",),
    (b"revoke",),
    (b"begin",),
    (b"start", b"transaction"),
    (b"commit",),
    (b"end",),
    (b"set", b"role"),
    (b"set", b"session", b"authorization"),
    (b"alter", b"default", b"privileges"),
    (b"comment", b"on", b"extension"),
}
_NOT_THERE_YET = {"42P01", "42704", "42883", "3F000", "23503"}
_SERVER_FAILS = {"53", "57", "58"}


class TableName(NamedTuple):
    schema: str
    table: str

    @property
    def quoted(self) -> sql.Identifier:
        return sql.Identifier(self.schema, self.table)

    @property
    def shown(self) -> str:
        return self.table if self.schema == "public" else f"{self.schema}.{self.table}"


@dataclass
class Filled:
    """What is known of a file once it is in."""

    path: Path
    statements: int = 0
    rows: dict[TableName, int] = field(default_factory=dict[TableName, int])
    """How many the file holds, for each table that it creates or fills."""
    uncounted: set[TableName] = field(default_factory=set[TableName])
    """Tables that it fills with the result of a query."""
    keys: list[Statement] = field(default_factory=list[Statement])
    """Foreign keys, to be added when all tables are there."""

    def note(self, item: Statement | CopyBlock) -> None:
        self.statements += 1
        if isinstance(item, CopyBlock):
            self._count(_FILLS, item, item.rows)
        elif item.words[:1] == (b"insert",):
            self._count(_FILLS, item, item.rows, uncounted=b"values" not in item.words)
        elif item.words[:1] == (b"create",):
            self._count(_CREATES, item, 0, uncounted=b"as" in item.words)

    def _count(self, pattern: re.Pattern[bytes], item: Statement | CopyBlock, rows: int, *, uncounted: bool = False) -> None:
        if match := pattern.match(item.text):
            name = _table_name(match[1])
            self.rows[name] = self.rows.get(name, 0) + rows
            if uncounted:
                self.uncounted.add(name)


class BrokenFile(Exception):
    """A file cannot be loaded. `early` if that may change when others are in."""

    def __init__(self, line: int, text: str, *, early: bool = False) -> None:
        super().__init__(f"line {line}: {text}")
        self.early = early


def fill(conninfo: str, path: Path, batch: int = BATCH) -> Filled:
    """Runs a file. Raises Broken; a psycopg error if the server fails."""
    try:
        with psycopg.connect(conninfo, prepare_threshold=None) as connection, path.open("rb") as source:
            sender = _Sender(connection, batch)
            filled = Filled(path)
            for item in read(source):
                _take(item, filled, sender)
            sender.finish()
            return filled
    except DumpError as error:
        raise BrokenFile(error.line, str(error)) from error


def add_key(conninfo: str, key: Statement) -> list[str]:
    """Adds a foreign key; gives the error, if any."""
    try:
        with psycopg.connect(conninfo) as connection:
            _Sender(connection, 0).add(key)
    except BrokenFile as broken:
        return [str(broken)]
    return []


def message(error: psycopg.Error) -> str:
    """In one line."""
    parts = [error.diag.message_primary, error.diag.message_detail]
    return ": ".join(part.rstrip(".") for part in parts if part) or " ".join(str(error).split())


def _take(item: Statement | CopyBlock, filled: Filled, sender: _Sender) -> None:
    if isinstance(item, CopyBlock):
        sender.copy(item)
    elif _is_left_out(item.words):
        return
    elif item.words[:2] == (b"alter", b"table") and b"foreign" in item.words:
        filled.keys.append(item)
    else:
        sender.add(item)
    filled.note(item)


def _is_left_out(words: tuple[bytes, ...]) -> bool:
    if words[:1] == (b"insert",):
        return False
    if any(words[:length] in _LEFT_OUT for length in (1, 2, 3)):
        return True
    if words[:1] == (b"alter",):
        return (b"owner", b"to") in (words[-3:-1], words[-2:]) and b"rename" not in words
    return words[:1] == (b"set",) and any(word.endswith(b"_timeout") for word in words)


class _Sender:
    """Collects statements and sends them together."""

    def __init__(self, connection: psycopg.Connection[Any], batch: int) -> None:
        self._connection = connection
        self._batch = batch
        self._waiting: list[Statement] = []
        self._size = 0
        self._line = 1

    def add(self, statement: Statement) -> None:
        self._line = statement.line
        self._waiting.append(statement)
        self._size += len(statement.text)
        if self._size >= self._batch:
            self.flush()

    def finish(self) -> None:
        """What is deferred to the end is checked here, where its failure is the file's."""
        self.add(Statement(self._line, b"SET CONSTRAINTS ALL IMMEDIATE;", ()))
        self.flush()

    def flush(self) -> None:
        if not self._waiting:
            return
        text, line = b"\n".join(statement.text for statement in self._waiting), self._waiting[0].line
        self._waiting, self._size = [], 0
        try:
            self._connection.execute(text)
        except psycopg.Error as error:
            position = int(error.diag.statement_position or 1)
            before = text.decode(errors="replace")[: position - 1]
            raise _broken(error, line + before.count("\n")) from error

    def copy(self, block: CopyBlock) -> None:
        self.flush()
        try:
            with self._connection.cursor() as cursor, cursor.copy(block.text) as stream:
                for data in block.blocks():
                    stream.write(data)
        except psycopg.Error as error:
            match = _COPY_LINE.match(error.diag.context or "")
            raise _broken(error, block.line + (int(match[1]) if match else 0)) from error


def _broken(error: psycopg.Error, line: int) -> Exception:
    """What an error means: the file is at fault, or the server."""
    if error.sqlstate is None or error.sqlstate[:2] in _SERVER_FAILS:
        return error
    return BrokenFile(line, message(error), early=error.sqlstate in _NOT_THERE_YET)


def _table_name(text: bytes) -> TableName:
    parts = [_plain(part.decode(errors="replace")) for part in _NAMES.findall(text)]
    return TableName(parts[0], parts[1]) if len(parts) > 1 else TableName("public", parts[0])


def _plain(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name.lower()
