"""Probing golds from the event loop, and what a probe means for a task."""

from __future__ import annotations

import asyncio
import hashlib
import re
import sqlite3
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TypeVar

import msgspec

from ...engines.cache import key
from ...engines.judging_connection import wall_clock
from ...engines.sqlite.database import SqliteEpisodeDatabase
from ...engines.sqlite.engine import SqliteEngine
from ...engines.sqlite.guard import is_volatile, without_comments
from ...errors import SqlError
from ...phrases import plural
from ...protocols import EpisodeDatabase
from ...types import Limits
from ..task_file import Q
from .findings import AuditFinding, audit_finding
from .probe import ProbeRequest, ProbeResult, Rerun, probe

_RUNS = 8
"""Statements of a probe that may take long: the gold in its four ways, and the copies of tables."""
_RANDOM = re.compile(r"\brandom(?:blob)?\s*\(|\bgen_random_uuid\s*\(|\btablesample\b", re.IGNORECASE)
_TOO_LONG = ("time", "cpu", "rows", "bytes", "memory", "crash")


async def probed(world: EpisodeDatabase, gold: list[str], limits: Limits) -> ProbeResult:
    """If running it in other ways kills the worker, that says nothing of the gold."""
    request = ProbeRequest(gold, patience=limits.seconds / 2)
    wall = wall_clock(limits) * _RUNS
    try:
        return await world.judge(probe, request, limits, writes=True, wall=wall)
    except SqlError as error:
        died = error.message
    try:
        alone = await world.judge(probe, ProbeRequest(gold, again=False), limits, writes=True, wall=wall_clock(limits) * 2)
    except SqlError as error:
        return ProbeResult(error.kind, error.message)
    return msgspec.structs.replace(alone, skipped=died)


async def probed_file(engine: SqliteEngine, database: Path, gold: str, limits: Limits) -> ProbeResult:
    """On a SQLite file; remembered by content. Raises Unscorable if there is no such database."""
    world = SqliteEpisodeDatabase(engine, database)
    digest = await engine.digest(database)
    known_as = key("probe", _code(), digest, gold, limits, sqlite3.sqlite_version)
    volatile = is_volatile(gold)
    if not volatile and (known := engine.cache.get(known_as)):
        return msgspec.msgpack.decode(known, type=ProbeResult)
    result = await probed(world, [gold], limits)
    if not volatile and result.fault not in _TOO_LONG:  # how long it takes is another question each time
        engine.cache.put(known_as, msgspec.msgpack.encode(result))
    return result


def from_probe(
    task: str, sql: str, result: ProbeResult, limits: Limits, *, in_order: bool, exact: bool = False, what: str = "the gold"
) -> Iterator[AuditFinding]:
    """What every benchmark wants to know of a gold. `in_order`: rows are compared in order; `exact`: to the last digit."""
    if result.fault is not None:
        kind = "gold_times_out" if result.fault in _TOO_LONG else "gold_fails"
        yield audit_finding(task, kind, f"{what} cannot be run: {result.message}", sql=sql)
        return
    if result.seconds > limits.seconds / 2:
        yield audit_finding(task, "gold_slow", f"{what} took {result.seconds:.1f} of {limits.seconds:g} seconds")
    if result.rows == 0:
        yield audit_finding(task, "gold_empty", f"{what} returns no rows", sql=sql)
    elif result.all_null:
        yield audit_finding(task, "gold_null", f"{what} returns nothing but NULL ({plural(result.rows, 'row')})", sql=sql)
    yield from _clocks(task, sql, what)
    yield from _determined(task, sql, result, in_order, exact, what)


def _clocks(task: str, sql: str, what: str) -> Iterator[AuditFinding]:
    text = without_comments(sql)
    if _RANDOM.search(text):
        yield audit_finding(task, "random", f"{what} asks for random numbers", sql=sql)
    elif is_volatile(text):
        yield audit_finding(task, "clock", f"{what} asks for the date, and another day may give another result", sql=sql)


def _determined(task: str, sql: str, result: ProbeResult, in_order: bool, exact: bool, what: str) -> Iterator[AuditFinding]:
    apart = [run for run in result.reruns if not run.same_rows]
    if apart:
        yield _apart(task, sql, apart, what)
    elif in_order and (moved := [run for run in result.reruns if not run.same_order]):
        sentence = f"{what} returns its rows in another order when {_WAYS[moved[0].how]}, and the order is compared"
        yield audit_finding(task, "row_order", sentence, sql=sql)
    elif exact and any(not run.same_digits for run in result.reruns):
        yield audit_finding(
            task, "last_digits", f"{what} returns floats whose last digits depend on the order of rows", sql=sql
        )
    unchecked = result.skipped or "; ".join(f"{run.how}: {run.error}" for run in result.reruns if run.error)
    if unchecked and not apart:
        yield audit_finding(task, "not_checked", f"{what} was not run in every other way: {unchecked}")


_WAYS = {
    "ties": "ties are broken otherwise",
    "reverse": "tables are read backwards",
    "storage": "the same rows are stored in the reverse order",
}


def _apart(task: str, sql: str, apart: list[Rerun], what: str) -> AuditFinding:
    """Ties are the most telling reason."""
    first = apart[0]
    kind = "storage_order"
    if any(run.how == "ties" for run in apart):
        kind = "limit_without_order" if first.unordered_limit else "ties_under_limit"
    shown = [f"{word} {row}" for word, row in (("without", first.missing), ("with", first.extra)) if row]
    sentence = f"{what} gives another result when {_WAYS[first.how]}: {', '.join(shown)}"
    severity = None if any(not run.same_set for run in apart) else "warning"  # only how often rows are repeated
    return audit_finding(task, kind, sentence, severity, sql=sql, ways=sorted({run.how for run in apart}))


@cache
def _code() -> str:
    """Of what a probe does, so that what an older one found is not taken for it."""
    return hashlib.sha256(Path(__file__).with_name("probe.py").read_bytes()).hexdigest()


# Many tasks looked at at once.


G = TypeVar("G")

Watch = Callable[[int, int], None]
"""Told how many of how many are done."""


async def each(work: Sequence[Callable[[], Awaitable[G]]], parallel: int, watch: Watch) -> list[G]:
    """The results in their order. The first failure ends it."""
    slots = asyncio.Semaphore(parallel)
    done = 0

    async def one(job: Callable[[], Awaitable[G]]) -> G:
        nonlocal done
        async with slots:
            result = await job()
        done += 1
        watch(done, len(work))
        return result

    tasks = [asyncio.create_task(one(job)) for job in work]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


async def looked_at(
    tasks: Sequence[Q],
    look: Callable[[Q], Awaitable[Sequence[AuditFinding]]],
    same: Callable[[Q, Q], Awaitable[AuditFinding]],
    *,
    parallel: int,
    watch: Watch,
) -> list[AuditFinding]:
    """What is found of each task; and of those that ask the same question, each beside another of them."""
    results = await each([partial(look, task) for task in tasks], parallel, watch)
    findings = [finding for several in results for finding in several]
    for group in repeated((task, task.database, task.question) for task in tasks):
        findings += [await same(task, next(other for other in group if other is not task)) for task in group]
    return findings


# Questions that occur more than once in a dataset.


T = TypeVar("T")


def repeated(questions: Iterable[tuple[T, str, str]]) -> list[Sequence[T]]:
    """Groups of two or more that ask the same of the same database: (task, database, question)."""
    groups: defaultdict[tuple[str, str], list[T]] = defaultdict(list)
    for task, database, question in questions:
        groups[database, normal(question)].append(task)
    return [group for group in groups.values() if len(group) > 1]


def normal(text: str) -> str:
    """Case, blanks and the punctuation at the end make no other question."""
    return " ".join(text.casefold().split()).rstrip(" .?!")
