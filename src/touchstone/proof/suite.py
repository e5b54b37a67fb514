"""A distilled suite: per task the few databases that tell the most mutants and wrong predictions from the gold.

It is built once by searching and then only read: scoring a prediction runs it on a handful of databases of a few rows. The file
is compressed, and its digest is that of what it holds, so two suites with one digest judge alike everywhere.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import msgspec
from msgspec import Struct

from ..errors import InputError, os_errors_as
from .arena import Frozen, GuardedDatabase, Rows, canonical, differ
from .draft import Content
from .judge import Budget, QueryPair, Refutation, Search, Subject
from .mutants import mutants
from .source import STEPS_OF_A_QUERY, quoted

FORMAT = 1
_MAGIC = b"touchstone suite 1\n"
_BY_DIGEST = re.compile(r"suite-([0-9a-f]{16})\.bin")
_TRIED = 120
_MOST_DATABASES = 5


class SuiteDatabase(Struct, frozen=True):
    statements: tuple[str, ...]
    gold: Rows
    """What the gold gives there, however its rows come."""


class SuiteTask(Struct, frozen=True):
    gold: str
    databases: tuple[SuiteDatabase, ...]
    targets: int
    """Mutants and wrong predictions that it was built against: those that can be run."""
    told: int
    """Of these, told from the gold by one of the databases."""


class Suite(Struct, frozen=True):
    tasks: dict[str, SuiteTask]
    format: int = FORMAT

    def encoded(self) -> bytes:
        return msgspec.msgpack.Encoder(order="deterministic").encode(self)

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.encoded()).hexdigest()

    def save(self, directory: Path) -> Path:
        """Under a name that holds its digest."""
        path = directory / f"suite-{self.digest[:16]}.bin"
        path.write_bytes(self.file_content())
        return path

    def file_content(self) -> bytes:
        return _MAGIC + zlib.compress(self.encoded(), 9)

    def told_apart(self, task: str, prediction: str) -> SuiteDatabase | None:
        """The first database on which a prediction differs from the gold, if there is one."""
        known = self.tasks.get(task)
        first = first_told(known.databases, prediction) if known is not None else None
        return first[1] if first is not None else None


def first_told(databases: Sequence[SuiteDatabase], prediction: str) -> tuple[int, SuiteDatabase, Rows] | None:
    """The first database that tells a prediction from the gold, if there is one: its number from 1, and what the prediction
    gives there."""
    for number, database in enumerate(databases, 1):
        rows = _other_rows(database, prediction)
        if rows is not None:
            return number, database, rows
    return None


def refutation_on(database: SuiteDatabase, gold: str, prediction: Rows) -> Refutation:
    """What a database of a suite shows, where it tells a prediction from the gold."""
    sql = gold.strip().rstrip(";")
    with closing(GuardedDatabase(database.statements, [sql])) as copy:
        tables = copy.run("SELECT name FROM sqlite_master WHERE type = 'table'") or []
        counts = [copy.run(f"SELECT COUNT(*) FROM {quoted(name)}") or [(0,)] for (name,) in tables]
        rows = sum(count[0][0] for count in counts)
        return Refutation(database.statements, copy.names(sql), database.gold, prediction, rows, "")


def load(path: Path) -> Suite:
    with os_errors_as(InputError, f"{path}: cannot read the suite"):
        content = path.read_bytes()
    if not content.startswith(_MAGIC):
        raise InputError(f"{path}: this is not a suite of Touchstone")
    try:
        suite = msgspec.msgpack.decode(zlib.decompress(content[len(_MAGIC) :]), type=Suite)
    except (zlib.error, msgspec.DecodeError) as error:
        raise InputError(f"{path}: the suite is damaged: {error}") from None
    if (named := _BY_DIGEST.fullmatch(path.name)) and named[1] != suite.digest[:16]:
        raise InputError(f"{path}: the suite's content does not have the digest in its name")
    return suite


def build(tasks: Mapping[str, tuple[str, Subject]], predictions: Mapping[str, Iterable[str]], seed: int = 0) -> Suite:
    """From golds with their databases, and what systems predicted (any of it; what is right tells nothing)."""
    return Suite(
        {key: build_task(gold, subject, predictions.get(key, ()), seed) for key, (gold, subject) in tasks.items()},
    )


def build_task(gold: str, subject: Subject, predictions: Iterable[str] = (), seed: int = 0) -> SuiteTask:
    wanted = list(dict.fromkeys(predictions))
    pair = QueryPair(gold, gold, subject, beside=wanted, whole=True)
    if pair.gold.volatile or not pair.gold.single or not pair.base_tables:
        return SuiteTask(gold, (), 0, 0)
    targets = [*(mutant.sql for mutant in mutants(pair.gold)), *(sql.strip().rstrip(";") for sql in wanted)]
    targets = [sql for sql in targets if subject.source.ask(sql, steps=STEPS_OF_A_QUERY) is not None]
    candidates = _candidates(pair, targets, subject, seed)
    chosen: list[SuiteDatabase] = []
    told_apart: set[str] = set()
    while candidates and len(chosen) < _MOST_DATABASES:
        best = max(candidates, key=lambda candidate: (len(candidate[1] - told_apart), -len(str(candidate[0].statements))))
        if not best[1] - told_apart:
            break
        told_apart |= best[1]
        chosen.append(best[0])
        candidates.remove(best)
    return SuiteTask(gold, tuple(chosen), len(targets), len(told_apart))


def _candidates(pair: QueryPair, targets: list[str], subject: Subject, seed: int) -> list[tuple[SuiteDatabase, set[str]]]:
    """Databases on which the gold is determined, with the targets that they tell from it."""
    with closing(Search(pair, seed)) as search:
        contents = [content for number in range(_TRIED) if (content := search.generator.database(number)) is not None]
        candidates = [candidate for content in contents if (candidate := _candidate(search, content, targets)) is not None]
    reached = set[str]().union(*(apart for _, apart in candidates))
    for target in targets:
        if target in reached:
            continue
        own = QueryPair(pair.gold.sql, target, subject, beside=[pair.prediction.sql, *targets], whole=True)
        if own.hopeless():
            continue
        with closing(Search(own, seed)) as search:
            search.run(Budget())
            candidate = _candidate(search, search.refuting, targets) if search.refuting is not None else None
        if candidate is not None:
            candidates.append(candidate)
            reached |= candidate[1]
    return candidates


def _candidate(search: Search, content: Content, targets: list[str]) -> tuple[SuiteDatabase, set[str]] | None:
    rows = search.determined(content)
    if rows is None:
        return None
    database = SuiteDatabase(tuple(search.arena.statements(content)), rows)
    search.arena.fill(content)
    forwards = {sql: search.arena.run(sql) for sql in targets}
    search.arena.reverse(True)
    told_apart: set[str] = set()
    expected = canonical(rows)
    for sql, first in forwards.items():
        second = search.arena.run(sql)
        if first is not None and second is not None and _tells(expected, first) and _tells(expected, second):
            told_apart.add(sql)
    search.arena.reverse(False)
    return database, told_apart


def _tells(expected: Frozen, rows: Rows) -> bool:
    return differ(expected, canonical(rows))


def _other_rows(database: SuiteDatabase, prediction: str) -> Rows | None:
    """What a prediction gives, if it differs from the gold however its rows come; one that fails is not held against it."""
    sql = prediction.strip().rstrip(";")
    with closing(GuardedDatabase(database.statements, [sql])) as copy:
        expected = canonical(database.gold)
        first = copy.run(sql)
        if first is None or not _tells(expected, first):
            return None
        copy.reverse(True)
        second = copy.run(sql)
        return first if second is not None and _tells(expected, second) else None
