"""What runs inside worker processes: three functions, and the connections they keep open.

`query` reads an original through a shared connection. `query_private` serves the one session that leases the worker.
`apply` runs a function of a benchmark's beside the data, so that large results are compared where they are made.
"""

from __future__ import annotations

import math
import sqlite3
from collections import OrderedDict
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Protocol

import msgspec
from msgspec import Struct

from ...errors import SqlError
from ...sandbox.later import later
from ...types import Limits, Table
from ...workers.limits import held_to
from ..cache import Cache, Origin, key
from ..judging_connection import name_of, named_function
from ..messages import SECONDS_TO_COMPARE, Fault, ShownTable, SqlRows, answer_of, checked, encoded
from ..today import day
from .connection import SqliteConnection
from .guard import is_volatile

_OPEN_AT_ONCE = 8
_BYTES_AT_HAND = 4 * 2**20
"""As they are sent. In memory they take several times as much."""
_OF_THE_MACHINE = ("cpu", "memory", "crash")
"""Ends that another machine or another hour may not see, so they are not remembered."""


class SqliteQuery(Struct, frozen=True):
    path: str
    sql: str
    limits: Limits
    shown: bool = False
    """Only what an agent sees of the table is wanted."""


class Application(Struct, frozen=True):
    """A function `(Reader, Request) -> Response` by name, and its encoded request."""

    function: str
    request: msgspec.Raw
    path: str
    digest: str
    limits: Limits
    statements: int
    cache: str | None
    code: str
    """Digest of Touchstone's own, for the keys of what is remembered."""
    database: str
    """The original, of which `path` may be a copy with its write-ahead log worked in."""


class AppliedFunction(Struct, frozen=True):
    response: msgspec.Raw
    repeatable: bool


class Reader(Protocol):
    """How a function that is applied to a database reads it."""

    @property
    def path(self) -> Path:
        """The file, for a function that opens it on its own, only to read."""
        ...

    @property
    def cache(self) -> Cache: ...

    def run(self, sql: str, *, remember: bool = True) -> Table:
        """The table of exactly one statement, `remember`ed if another judgement may ask for it too. Raises SqlError."""
        ...

    def time(self, sql: str) -> float:
        """Wall-clock seconds of one execution."""
        ...

    def steps(self, sql: str) -> int:
        """Steps of one execution, the same each time."""
        ...


def query(request: SqliteQuery) -> SqlRows | ShownTable | Fault:
    return _answer(request, lambda: _shared(request.path).run(request.sql, request.limits))


def query_private(request: SqliteQuery) -> SqlRows | ShownTable | Fault:
    return _answer(request, lambda: _private(request.path).run(request.sql, request.limits))


def end_private(_: SqliteQuery) -> None:
    global _own
    if _own is not None:
        _own.close()
        _own = None


def apply(request: Application) -> AppliedFunction:
    reader = CachedReader(request)
    function, kind = named_function(request.function)
    with held_to(cpu=request.limits.cpu_seconds * request.statements + SECONDS_TO_COMPARE):
        response = function(reader, msgspec.msgpack.decode(request.request, type=kind))
    return AppliedFunction(encoded(response), reader.repeatable)


class CachedReader:
    """Reads an original, and remembers what each statement gave."""

    def __init__(self, request: Application) -> None:
        self._request = request
        self.cache = _open_cache(request.cache)
        self.repeatable = True

    @property
    def path(self) -> Path:
        return Path(self._request.path)

    def run(self, sql: str, *, remember: bool = True) -> Table:
        request = self._request
        known_as = key("table", request.code, request.digest, sql, request.limits, sqlite3.sqlite_version, day())
        volatile = is_volatile(sql)
        if not volatile and (known := self._known(known_as, remember=remember)):
            return known
        repeatable, self.repeatable = self.repeatable, False
        connection = _shared(self._request.path)  # that it cannot be opened is not remembered
        answer = _attempt(lambda: connection.run(sql, self._request.limits, single=True))
        if not volatile and not (isinstance(answer, Fault) and answer.kind in _OF_THE_MACHINE):
            self.repeatable = repeatable
            if remember and self._request.cache:
                value = msgspec.msgpack.encode(answer)
                self.cache.put(known_as, value, self._origin(sql))
                later(self.cache.flush)
                _at_hand.put(known_as, answer, len(value))
        return _own_table(answer)

    def _known(self, key: bytes, *, remember: bool) -> Table | None:
        """What others may have remembered is looked for only where this would be remembered, too."""
        answer = _at_hand.get(key)
        if answer is None and remember and (value := self.cache.get(key)):
            answer = msgspec.msgpack.decode(value, type=SqlRows | Fault)
            _at_hand.put(key, answer, len(value))
        return None if answer is None else _own_table(answer)

    def _origin(self, sql: str) -> Origin:
        request = self._request
        encoded = msgspec.msgpack.encode(sql)
        return Origin(name_of(statement), encoded, request.database, request.digest, request.limits, request.code, request.code)

    def time(self, sql: str) -> float:
        self.repeatable = False
        return _shared(self._request.path).time(sql, self._request.limits)

    def steps(self, sql: str) -> int:
        self.repeatable &= not is_volatile(sql)
        with closing(_opened(self._request.path, private=False, counting=True)) as connection:
            return connection.steps(sql, self._request.limits)


def _own_table(answer: SqlRows | Fault) -> Table:
    """Its reader may do with it what it likes."""
    table = checked(answer).table
    return Table(table.columns, list(table.rows), table.truncated, table.changed)


class _AtHand:
    """The tables that were asked for lately, as far as there is room: golds are asked for again and again."""

    def __init__(self, most: int) -> None:
        self._most = self._room = most
        self._kept: OrderedDict[bytes, tuple[SqlRows | Fault, int]] = OrderedDict()

    def get(self, key: bytes) -> SqlRows | Fault | None:
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key][0]

    def put(self, key: bytes, answer: SqlRows | Fault, size: int) -> None:
        if size > self._most or key in self._kept:
            return
        self._room -= size
        self._kept[key] = answer, size
        while self._room < 0:
            self._room += self._kept.popitem(last=False)[1][1]


_at_hand = _AtHand(_BYTES_AT_HAND)


def _answer(request: SqliteQuery, run: Callable[[], Table]) -> SqlRows | ShownTable | Fault:
    try:
        return answer_of(run(), shown=request.shown)
    except SqlError as error:
        return Fault(error.kind, error.message)


def statement(reader: Reader, sql: str) -> SqlRows | Fault:
    """One statement as a function to apply: makes a remembered table again."""
    return _attempt(lambda: reader.run(sql))


def _attempt(run: Callable[[], Table]) -> SqlRows | Fault:
    try:
        return SqlRows(run())
    except SqlError as error:
        return Fault(error.kind, error.message)


_connections: OrderedDict[str, SqliteConnection] = OrderedDict()
_own: SqliteConnection | None = None


def _shared(path: str) -> SqliteConnection:
    connection = _connections.get(path)
    if connection is None:
        connection = _connections[path] = _opened(path, private=False)
        if len(_connections) > _OPEN_AT_ONCE:
            _connections.popitem(last=False)[1].close()
    else:
        _connections.move_to_end(path)
    return connection


def _private(path: str) -> SqliteConnection:
    global _own
    if _own is None:
        _own = _opened(path, private=True)
    return _own


def _opened(path: str, *, private: bool, counting: bool = False) -> SqliteConnection:
    try:
        return SqliteConnection(Path(path), private=private, counting=counting)
    except (sqlite3.Error, OSError, MemoryError) as error:
        raise SqlError("sql", f"cannot open the database: {error}") from None


@cache
def _open_cache(path: str | None) -> Cache:
    return Cache(Path(path) if path else None, gather=math.inf)
