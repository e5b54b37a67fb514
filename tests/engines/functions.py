"""What the tests apply to databases inside worker processes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from msgspec import Struct

from touchstone.engines.sqlite.worker import Reader
from touchstone.errors import SqlError


class Work(Struct, frozen=True):
    sql: str
    log: str = ""
    """Where every execution leaves a mark."""
    note: str = ""


class Found(Struct, frozen=True):
    rows: list[Any] = []
    fault: str = ""
    message: str = ""


def mark(work: Work) -> None:
    if work.log:
        with Path(work.log).open("a") as file:
            file.write("x")


def look(reader: Reader, work: Work) -> Found:
    mark(work)
    try:
        return Found([list(row) for row in reader.run(work.sql).rows])
    except SqlError as error:
        return Found(fault=error.kind, message=error.message)


def busy(reader: Reader, work: Work) -> Found:
    """Leaves a mark when it begins and when it ends."""
    with Path(work.log).open("a") as file:
        file.write("+")
    try:
        return look(reader, Work(work.sql))
    finally:
        with Path(work.log).open("a") as file:
            file.write("-")


def look_twice(reader: Reader, work: Work) -> Found:
    return Found([look(reader, work).rows, look(reader, work).rows])


def spoil(reader: Reader, work: Work) -> Found:
    """Does with a table what its reader may do with it."""
    rows = reader.run(work.sql).rows
    seen = list(map(list, rows))
    rows.clear()
    return Found(seen)


def measure(reader: Reader, work: Work) -> float:
    mark(work)
    return reader.time(work.sql)


def die(reader: Reader, work: Work) -> Found:
    mark(work)
    os._exit(9)


def die_once(reader: Reader, work: Work) -> Found:
    if not Path(work.log).exists():
        die(reader, work)
    return look(reader, work)


def fail(reader: Reader, work: Work) -> Found:
    raise ValueError(work.note)
