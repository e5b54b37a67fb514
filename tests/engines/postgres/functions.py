"""Judgements, as benchmarks write them: they run inside workers."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from msgspec import Struct

from touchstone.engines.judging_connection import JudgingConnection
from touchstone.errors import SqlError


class Work(Struct, frozen=True):
    texts: list[str] = []
    log: str = ""
    """Where every execution leaves a mark."""


class Found(Struct, frozen=True):
    results: list[Any] = []
    """Per text the rows, or the kind of the error."""
    columns: list[list[str]] = []
    changed: list[int | None] = []
    messages: list[str] = []


def mark(work: Work) -> None:
    if work.log:
        with Path(work.log).open("a") as file:
            file.write("x")


def run_all(bench: JudgingConnection, work: Work) -> Found:
    mark(work)
    found = Found([], [], [], [])
    for text in work.texts:
        try:
            result = bench.run(text)
        except SqlError as error:
            found.results.append(error.kind)
            found.messages.append(error.message)
        else:
            found.results.append([[repr(cell) for cell in row] for row in result.rows])
            found.columns.append(list(result.columns))
            found.changed.append(result.changed)
    return found


def slow_at_first(bench: JudgingConnection, work: Work) -> Found:
    """As if others had taken the cores away the first time."""
    first = not Path(work.log).exists()
    mark(work)
    return run_all(bench, Work([f"SELECT pg_sleep({60 if first else 0})", *work.texts]))


def swallow_everything(bench: JudgingConnection, work: Work) -> Found:
    """A function that catches whatever it can."""
    results: list[Any] = []
    for text in work.texts:
        try:
            results.append(len(bench.run(text).rows))
        except Exception:
            results.append("failed")
    return Found(results)


def by_own_connection(bench: JudgingConnection, work: Work) -> Found:
    """What test code does: psycopg2's way, with commits of its own."""
    connection, other = bench.session(), bench.session()
    cursor, looking = connection.cursor(), other.cursor()
    seen: list[Any] = []

    def look() -> None:
        looking.execute("SELECT count(*) FROM items")
        seen.append(looking.fetchone()[0])
        other.rollback()

    for text in work.texts:
        cursor.execute(text)
        look()
        connection.commit()
        look()
    cursor.execute("SHOW statement_timeout")
    return Found([*seen, len(bench.run("TABLE items").rows), cursor.fetchone()[0]])


def dialect(bench: JudgingConnection, work: Work) -> str:
    return bench.dialect


def die(bench: JudgingConnection, work: Work) -> Found:
    mark(work)
    bench.run("SELECT 1")
    os._exit(9)


def die_once(bench: JudgingConnection, work: Work) -> Found:
    if not Path(work.log).exists():
        die(bench, work)
    return run_all(bench, work)


def sleep(bench: JudgingConnection, work: Work) -> Found:
    time.sleep(60)
    return Found()


def fail(bench: JudgingConnection, work: Work) -> Found:
    raise ValueError("a mistake in the benchmark")


def dialect_of(work: Work) -> str:
    """No judgement: any other call of a worker."""
    return "postgres"


def process_of_session(bench: JudgingConnection, work: Work) -> int:
    """The server's process behind the session, which does what a hidden test would."""
    with bench.session() as connection, connection.cursor() as cursor:
        for text in work.texts:
            cursor.execute(text)
        cursor.execute("SELECT current_setting('statement_timeout')")
        assert cursor.fetchone() == ("5s",)
        return connection.info.backend_pid


def memberships(bench: JudgingConnection, work: Work) -> list[bool]:
    """What a query says in the session of hidden tests."""
    with bench.session() as connection, connection.cursor() as cursor:
        cursor.execute(work.texts[0])
        return [row[0] for row in cursor.fetchall()]
