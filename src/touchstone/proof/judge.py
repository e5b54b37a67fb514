"""The verdict on a pair of queries that EX calls equal.

    same       the same statement, after parsing
    refuted    a small database tells them apart; it keeps every invariant, and the gold's result there is determined
    upheld     so many informative databases did not
    open       too few informative databases, for the reason given

A database is informative if the gold returns something there and a condition of each query decides something. `refuted` says
that the queries differ, not which of them is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cached_property, partial
from itertools import combinations
from pathlib import Path
from typing import Literal

from msgspec import Struct
from sqlglot import exp

from ..engines.cache import Cache
from .amendments import Amendments
from .arena import Arena, ArenaTable, Frozen, Rows, SqliteArena, both_results, canonical, differ, is_void
from .decides import what_decides
from .draft import Content, subset_keeps
from .generator import Generator
from .invariants import Invariant
from .laws import Laws
from .mining import mine
from .pool import RowPool
from .queries import COMPARISONS, Query, same_statement
from .source import Source, TableInfo

_PAIRS_BELOW = 16
"""Rows of a refutation of which also two are left out together."""
_FEW = 10
"""Rows of a refutation that need not be fewer."""
_BESIDE = 12
"""Further databases on which what is said to decide must do so, too."""
ENOUGH = 10
"""Informative databases below which nothing is said."""

RowNumber = tuple[str, int]
"""A row: its table, and its number there."""
Word = Literal["same", "refuted", "upheld", "open"]


class Budget(Struct, frozen=True):
    """How much is tried, in work and never in seconds."""

    databases: int = 1_600
    """At most so many are made."""
    informative: int = 500
    """The search ends after so many that could have told."""
    minimising: int = 600
    """Databases tried while a refutation is made smaller."""


class Refutation(Struct, frozen=True):
    """A database on which the two differ."""

    statements: tuple[str, ...]
    """CREATE and INSERT, to be pasted into sqlite3 (or psql, for a database of PostgreSQL's)."""
    columns: tuple[str, ...]
    gold: Rows
    prediction: Rows
    rows: int
    """In all tables."""
    decides: str
    """A sentence that says what makes the difference."""

    @property
    def script(self) -> str:
        return "\n".join(f"{statement};" for statement in self.statements)


class Proof(Struct, frozen=True):
    verdict: Word
    reason: str
    informative: int = 0
    databases: int = 0
    refutation: Refutation | None = None


class Subject:
    """A database with its invariants: what proofs are made on. Good for any number of pairs."""

    def __init__(
        self,
        database: Path | Source,
        *,
        arena: Callable[[Mapping[str, ArenaTable], Sequence[str]], Arena] = SqliteArena,
        cache: Cache | None = None,
        invariants: Sequence[Invariant] | None = None,
        amendments: Amendments | None = None,
    ) -> None:
        """Small databases are made from the rows of `database`, and queries run on them in an `arena`."""
        self.source = database if isinstance(database, Source) else Source(database)
        self.arena = arena
        mined = list(invariants) if invariants is not None else mine(self.source, cache)
        self.invariants = amendments.applied(mined, self.source) if amendments is not None else mined
        self._laws: dict[frozenset[str], Laws] = {}

    def laws(self, tables: frozenset[str]) -> Laws:
        if tables not in self._laws:
            self._laws[tables] = Laws(self.invariants, {name: self.source.tables[name] for name in sorted(tables)})
        return self._laws[tables]

    def close(self) -> None:
        self.source.close()


def prove(gold: str, prediction: str, database: Path | Subject, budget: Budget = Budget(), seed: int = 0) -> Proof:  # noqa: B008
    """Whether a prediction that gives the gold's rows on the original means the same as the gold."""
    if not isinstance(database, Subject):
        with closing(Subject(database)) as subject:
            return prove(gold, prediction, subject, budget, seed)
    pair = QueryPair(gold, prediction, database)
    if reason := pair.hopeless():
        return Proof(*reason)
    with closing(Search(pair, seed)) as search:
        return search.run(budget)


class QueryPair:
    """Gold and prediction on one database, made so that further queries can be run there, too."""

    def __init__(
        self, gold: str, prediction: str, subject: Subject, *, beside: Sequence[str] = (), whole: bool = False
    ) -> None:
        self.subject = subject
        self.gold = Query(gold, subject.source)
        self.prediction = Query(prediction, subject.source)
        self._queries = [self.gold, self.prediction, *(Query(sql, subject.source) for sql in beside)]
        self._whole = whole

    def hopeless(self) -> tuple[Word, str] | None:
        """What needs no search."""
        if self.gold.sql == self.prediction.sql:
            return "same", "the same statement"
        if not self.gold.single or not self.prediction.single:
            return "open", "it is not a single statement"
        if same_statement(self.gold, self.prediction):
            return "same", "the same statement"
        if self.gold.volatile or self.prediction.volatile:
            return "open", f"the {'gold' if self.gold.volatile else 'prediction'} asks the clock or chance"
        if not self.base_tables:
            return "open", "the queries read no table of the database"
        return None

    @cached_property
    def _named(self) -> dict[str, TableInfo]:
        return {name: table for query in self._queries for name, table in query.tables.items()}

    @cached_property
    def base_tables(self) -> frozenset[str]:
        return frozenset(name for name, table in self._named.items() if not table.is_view)

    @cached_property
    def tables(self) -> Mapping[str, ArenaTable]:
        """With the columns that a query may look at."""
        tables: dict[str, ArenaTable] = {}
        for name, table in self._named.items():
            mentions = [query.mentions(table) for query in self._queries]
            everything = self._whole or table.whole or table.is_view or any(columns is None for columns in mentions)
            wanted = set[str]().union(*(columns or () for columns in mentions))
            positions = tuple(
                position for position, column in enumerate(table.columns) if everything or column.lower() in wanted
            )
            tables[name] = ArenaTable(table, positions or (0,))
        return tables


class Search:
    """Databases are made and tried until one tells the two apart or enough did not."""

    def __init__(self, pair: QueryPair, seed: int) -> None:
        self.pair = pair
        self.laws = pair.subject.laws(pair.base_tables)
        tables = {name: pair.subject.source.tables[name] for name in sorted(pair.base_tables)}
        self.pool = RowPool(pair.subject.source, self.laws, tables, (pair.gold, pair.prediction), seed)
        self.generator = Generator(self.pool, self.laws, seed)
        gold, prediction = pair.gold, pair.prediction
        self._stripped = {query: query.stripped(partial(self._is_idle, query)) for query in (gold, prediction)}
        extras = [sql for query in (gold, prediction) for sql in (self._stripped[query], *query.decided) if sql is not None]
        self.arena = pair.subject.arena(pair.tables, [gold.sql, prediction.sql, *extras])
        self.informative = 0
        self.databases = 0
        self.refuting: Content | None = None
        """The database of the refutation."""
        self.undetermined = 0
        self.undecided = 0
        self.silent = 0

    def close(self) -> None:
        self.arena.close()

    def run(self, budget: Budget) -> Proof:
        if self.pair.gold.sql in self.arena.refused:
            return Proof("open", "the gold cannot be run on a copy of its tables")
        if self.pair.prediction.sql in self.arena.refused:
            return Proof("open", "the prediction cannot be run on a copy of the tables, or is not a query")
        while self.databases < budget.databases and self.informative < budget.informative:
            content = self.generator.database(self.databases)
            self.databases += 1
            if content is not None and self.tells(content):
                return Proof("refuted", "", self.informative, self.databases, minimised(self, content, budget.minimising))
        if self.informative >= min(ENOUGH, budget.informative):
            reason = f"equal on {self.informative} informative databases"
            return Proof("upheld", reason, self.informative, self.databases)
        return Proof("open", self._why_open(), self.informative, self.databases)

    def _why_open(self) -> str:
        if self.undetermined > self.databases // 4:
            return "where they differ, the gold leaves its result open (ties, or an order that it does not determine)"
        if self.silent > self.databases // 2:
            return "the gold returns nothing on most of the databases"
        if self.undecided > self.databases // 2:
            return "the conditions of one of the queries make no difference on most of the databases"
        return f"only {self.informative} of {self.databases} databases were informative"

    def tells(self, content: Content) -> bool:
        """Whether the two differ here, and it counts. Takes note of how much the database was worth."""
        results = self._results(content)
        if results is None:
            return False
        one, other = map(canonical, results)
        if not differ(one, other):
            if is_void(one):
                self.silent += 1
            elif all(map(self._decides, (self.pair.gold, self.pair.prediction), results)):
                self.informative += 1
            else:
                self.undecided += 1
            return False
        if not self._counts(content, one):
            self.undetermined += 1
            return False
        return True

    def _results(self, content: Content) -> tuple[Rows, Rows] | None:
        return both_results(self.arena, content, self.pair.gold.sql, self.pair.prediction.sql)

    def _decides(self, query: Query, result: Rows) -> bool:
        """Whether its conditions, taken together, make a difference here."""
        sql = self._stripped[query]
        if sql is None:
            return True
        bare = self.arena.run(sql)
        return bare is None or len(bare) != len(result) or canonical(bare) != canonical(result)

    def _is_idle(self, query: Query, condition: exp.Expr) -> bool:
        """Whether it can decide nothing: it holds wherever the laws hold."""
        inner = condition.this if isinstance(condition, exp.Not) else None
        if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
            owner = query.owner(inner.this) if isinstance(inner.this, exp.Column) else None
            table = self.laws.tables.get(owner[0]) if owner is not None else None
            return owner is not None and table is not None and not self.laws.nullable(owner[0], table.position(owner[1]))
        atom = query.atom(condition) if isinstance(condition, COMPARISONS) else None
        return atom is not None and self.pool.is_idle(atom)

    def _counts(self, content: Content, expected: Frozen) -> bool:
        """The gold has this result however its rows come, and the prediction has another, however they come."""
        if not self._settled(expected):
            return False
        self.arena.reverse(True)
        try:
            if not self._settled(expected):
                return False
        finally:
            self.arena.reverse(False)
        return self.arena.fill(content, backwards=True) and self._settled(expected)

    def _settled(self, expected: Frozen) -> bool:
        arena, gold, prediction = self.arena, self.pair.gold, self.pair.prediction
        for sql in (gold.sql, *gold.decided):
            rows = arena.run(sql)
            if rows is None or canonical(rows) != expected:
                return False
        for sql in (prediction.sql, *prediction.decided):
            rows = arena.run(sql)
            if rows is not None and canonical(rows) == expected:
                return False
        return True

    def determined(self, content: Content) -> Rows | None:
        """What the gold gives, if it gives it however its rows come."""
        if not self.arena.fill(content):
            return None
        rows = self.arena.run(self.pair.gold.sql)
        if rows is None:
            return None
        expected = canonical(rows)
        for backwards in (False, True):
            self.arena.fill(content, backwards=backwards)
            self.arena.reverse(backwards)
            try:
                results = [self.arena.run(sql) for sql in (self.pair.gold.sql, *self.pair.gold.decided)]
            finally:
                self.arena.reverse(False)
            if any(result is None or canonical(result) != expected for result in results):
                return None
        return rows

    def differs(self, content: Content) -> bool:
        """As `tells`, but without taking note."""
        results = self._results(content)
        if results is None:
            return False
        one, other = map(canonical, results)
        return differ(one, other) and self._counts(content, one)

    def without(self, content: Content, numbers: Iterable[RowNumber]) -> Content:
        """Less these rows, and those that need them."""
        gone = set(numbers)
        less = {name: [row for number, row in enumerate(rows) if (name, number) not in gone] for name, rows in content.items()}
        return subset_keeps(self.laws, less)

    def refutation(self, content: Content, first: Content) -> Refutation:
        """From the smallest database that was found, and the first."""
        arena, pair = self.arena, self.pair
        others = [self.generator.database(self.databases + number) for number in range(_BESIDE)]
        beside = [first, *(other for other in others if other is not None)]
        decides = what_decides(self.arena, pair.gold, pair.prediction, content, beside)
        results = self._results(content) or ([], [])
        return Refutation(tuple(arena.statements(content)), arena.names(pair.gold.sql), *results, _row_count(content), decides)


# A refutation made smaller: as few rows as still show it, each step keeping the invariants. Large parts are tried first, then
# single rows, then pairs of rows: a third of three is a difference that a third of four is not. Where that ends with more rows
# than a person likes to read, other databases that tell the two apart are made smaller in the same way.


def minimised(search: Search, content: Content, budget: int) -> Refutation:
    first = content
    content, left = _shrunk(search, content, budget)
    number = search.databases
    while left > 0 and _row_count(content) > _FEW:
        other = search.generator.database(number)
        number, left = number + 1, left - 1
        if other is not None and search.differs(other):
            other, left = _shrunk(search, other, left)
            content = min(content, other, key=_row_count)
    search.refuting = content
    return search.refutation(content, first)


def _shrunk(search: Search, content: Content, left: int) -> tuple[Content, int]:
    """What is left of a database when nothing more can be taken away, and of the budget."""
    shrinking = True
    while shrinking and left > 0:
        shrinking = False
        for part in _parts(content):
            left -= 1
            smaller = search.without(content, part)
            if search.differs(smaller):
                content, shrinking = smaller, True
                break
            if left <= 0:
                break
    return content, left


def _row_count(content: Content) -> int:
    return sum(map(len, content.values()))


def _parts(content: Content) -> Iterator[Iterable[RowNumber]]:
    numbers = [
        (name, number) for name in sorted(content, key=lambda name: -len(content[name])) for number in range(len(content[name]))
    ]
    size = len(numbers) // 2
    while size > 1:
        yield from (numbers[start : start + size] for start in range(0, len(numbers), size))
        size //= 2
    yield from ([number] for number in reversed(numbers))
    if len(numbers) <= _PAIRS_BELOW:
        yield from combinations(numbers, 2)
