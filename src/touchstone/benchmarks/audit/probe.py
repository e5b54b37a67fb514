"""Running a gold several times beside its data, each time as the database might just as well have run it.

ties       whatever the query leaves open is decided by the columns of its result, upwards and downwards (see `ties`)
reverse    SQLite scans tables and indexes backwards where no order is asked for
storage    the tables that the query names are read from copies that hold the same rows in the reverse order

If a run gives other rows, the gold has no determined result. That all runs agree proves nothing, but it is good evidence.
The copies are temporary tables, which hide the original ones; they have no indexes, so a run may take too long and is then
left out. A function for a worker process, on a private copy of the database.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from msgspec import Struct

from ...engines.judging_connection import JudgingConnection, Result
from ...engines.sqlite.guard import is_volatile
from ...errors import SqlError, SqlFault
from ...verdicts.by_value import StrictConditions, strict

# What a query leaves open, decided one way and the other.
#
# ORDER BY determines the order of rows only as far as its keys differ, and LIMIT without it determines nothing. To break ties
# by the columns of the result, `ORDER BY price LIMIT 1` becomes `ORDER BY price, 1 LIMIT 1`, or `…, 1 DESC …`. Either is a
# way in which any database may execute the original, so if their results differ, the original has no determined result.
#
# No parser is needed for this: it is enough to know strings and comments, parentheses, and a few words that are reserved.


Direction = Literal["ASC", "DESC"]

_TOKEN = re.compile(
    r"""
      (?:'(?:[^']|'')*' | "(?:[^"]|"")*" | `[^`]*` | \[[^\]]*\] | \$(?P<tag>\w*)\$.*?\$(?P=tag)\$)
    | (?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))
    | (?P<word>[^\W\d]\w*)
    | (?P<mark>[();])
    | \S
    """,
    re.VERBOSE | re.DOTALL,
)
_CUTS = {"sqlite": {"limit"}, "postgres": {"limit", "offset", "fetch"}, "duckdb": {"limit", "offset"}}
_OTHER_CUTS = {"limit", "offset"}
_MOST_COLUMNS = 100


@dataclass(frozen=True)
class Spot:
    """Where the keys of an order can be added to."""

    position: int
    ordered: bool
    """There is an ORDER BY to add to."""
    limited: bool
    """Only some of the rows are kept."""
    outermost: bool


@dataclass
class _Select:
    """What has been seen of one query, inside its parentheses."""

    is_query: bool = False
    ordered: bool = False
    cut: int | None = None

    def spot(self, end: int, *, outermost: bool) -> Iterator[Spot]:
        if self.is_query and (self.cut is not None or (self.ordered and outermost)):
            yield Spot(end if self.cut is None else self.cut, self.ordered, self.cut is not None, outermost)


def spots(sql: str, dialect: str) -> list[Spot]:
    """Of the last statement and all queries inside of it."""
    collected: list[Spot] = []
    last: list[Spot] = []
    open_: list[_Select] = [_Select()]
    before, end, is_empty = "", 0, True
    for token in _TOKEN.finditer(sql):
        if token["comment"]:
            continue
        word = (token["word"] or token["mark"] or "").lower()
        if word == ";" and len(open_) == 1:
            last = last if is_empty else [*collected, *open_[0].spot(end, outermost=True)]
            collected, open_, before, is_empty = [], [_Select()], "", True
            continue
        if word == "(":
            open_.append(_Select())
        elif word == ")" and len(open_) > 1:
            collected += open_.pop().spot(token.start(), outermost=False)
        else:
            _see(open_[-1], word, before, token.start(), _CUTS.get(dialect, _OTHER_CUTS))
        before, end, is_empty = word, token.end(), False
    return last if is_empty else [*collected, *open_[0].spot(end, outermost=True)]


def decided(sql: str, places: list[Spot], columns: int, direction: Direction) -> str:
    """The query with its ties broken by its columns: all of them outside, the first one inside, where they are not known."""
    for spot in sorted(places, key=lambda spot: -spot.position):
        keys = range(1, min(columns, _MOST_COLUMNS) + 1) if spot.outermost else (1,)
        added = ", ".join(f"{key} {direction}" for key in keys)
        lead = ", " if spot.ordered else " ORDER BY "
        sql = f"{sql[: spot.position].rstrip()}{lead}{added} {sql[spot.position :]}"
    return sql


def _see(query: _Select, word: str, before: str, start: int, cuts: set[str]) -> None:
    if word in ("select", "values"):
        query.is_query = True
    elif word == "by" and before == "order":
        query.ordered = True
    elif word in cuts and query.is_query and query.cut is None:
        query.cut = start


How = Literal["ties", "reverse", "storage"]

_SHOWN = 200  # characters of a row
_QUERY = re.compile(r"(?:\s|\(|--[^\n]*\n|/\*.*?\*/)*(?:select|with|values)\b", re.IGNORECASE | re.DOTALL)
_ROWID = re.compile(r"\b(?:rowid|_rowid_|oid|ctid)\b", re.IGNORECASE)
_TABLES = {
    "sqlite": "SELECT name, sql FROM sqlite_master "
    "WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite!_%' ESCAPE '!'",
    "postgres": "SELECT table_name, '' FROM information_schema.tables "
    "WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
    "duckdb": "SELECT table_name, '' FROM duckdb_tables() WHERE NOT internal AND NOT temporary AND schema_name = 'main'",
}
_COPIES = {
    "sqlite": "CREATE TEMP TABLE {0} AS SELECT * FROM main.{0} ORDER BY rowid DESC",
    "postgres": "CREATE TEMP TABLE {0} AS SELECT * FROM public.{0} ORDER BY ctid DESC",
    "duckdb": "CREATE TEMP TABLE {0} AS SELECT * FROM main.{0} ORDER BY rowid DESC",
}


class ProbeRequest(Struct, frozen=True):
    gold: list[str]
    """Texts that are run one after the other; the result of the last one counts."""
    again: bool = True
    """Run it in other ways too."""
    patience: float = 15.0
    """A gold that takes longer than so many seconds is not run again."""


class Rerun(Struct, frozen=True):
    """What came of running it in another way."""

    how: How
    same_rows: bool = True
    """As often each, floats rounded."""
    same_set: bool = True
    same_digits: bool = True
    same_order: bool = True
    unordered_limit: bool = False
    """It was a LIMIT without ORDER BY that was decided."""
    missing: str = ""
    extra: str = ""
    error: str | None = None


class ProbeResult(Struct, frozen=True):
    fault: SqlFault | None = None
    message: str = ""
    seconds: float = 0.0
    columns: int = 0
    rows: int = 0
    distinct: int = 0
    all_null: bool = False
    reruns: list[Rerun] = []
    skipped: str = ""
    """Why it was not run again, if it should have been."""


def probe(bench: JudgingConnection, request: ProbeRequest) -> ProbeResult:
    started = _clock(bench)
    try:
        gold = _run(bench, request.gold)
    except SqlError as error:
        return ProbeResult(error.kind, error.message, _clock(bench) - started)
    seconds = _clock(bench) - started
    keys = [repr(row) for row in gold.rows]
    again = request.again and bool(gold.columns) and len(request.gold) == 1 and _QUERY.match(request.gold[0]) is not None
    skipped = _why_not(request, seconds) if again else ""
    return ProbeResult(
        seconds=seconds,
        columns=len(gold.columns),
        rows=len(gold.rows),
        distinct=len(set(keys)),
        all_null=bool(gold.rows) and all(cell is None for row in gold.rows for cell in row),
        reruns=list(_reruns(bench, request.gold[0], gold, keys)) if again and not skipped else [],
        skipped=skipped,
    )


def _why_not(request: ProbeRequest, seconds: float) -> str:
    """A result that changes by itself would be taken for one that changes with the way it is run."""
    if is_volatile(request.gold[0]):
        return "its result depends on the clock or on chance"
    return f"one run takes {seconds:.1f} seconds" if seconds > request.patience else ""


def _reruns(bench: JudgingConnection, sql: str, gold: Result, keys: list[str]) -> Iterator[Rerun]:
    places = spots(sql, bench.dialect)
    unordered = any(spot.limited and not spot.ordered for spot in places)
    for direction in ("ASC", "DESC") if places else ():
        other = decided(sql, places, len(gold.columns), direction)
        yield _rerun(bench, "ties", other, gold, keys, unordered)
    if bench.dialect == "sqlite":
        bench.run("PRAGMA reverse_unordered_selects = ON")
        yield _rerun(bench, "reverse", sql, gold, keys)
        bench.run("PRAGMA reverse_unordered_selects = OFF")
    if bench.dialect in _COPIES and not _ROWID.search(sql):
        try:
            _turn_round(bench, sql)
        except SqlError as error:
            yield Rerun("storage", error=error.message)
        else:
            yield _rerun(bench, "storage", sql, gold, keys)


def _rerun(bench: JudgingConnection, how: How, sql: str, gold: Result, keys: list[str], unordered_limit: bool = False) -> Rerun:
    try:
        other = bench.run(sql)
    except SqlError as error:
        return Rerun(how, unordered_limit=unordered_limit, error=error.message)
    others = [repr(row) for row in other.rows]
    if others == keys:
        return Rerun(how, unordered_limit=unordered_limit)
    if Counter(others) == Counter(keys):
        return Rerun(how, same_order=False, unordered_limit=unordered_limit)
    if strict(gold, other, StrictConditions()).matched:
        in_order = strict(gold, other, StrictConditions(order=True)).matched
        return Rerun(how, same_digits=False, same_order=in_order, unordered_limit=unordered_limit)
    missing, extra = list((Counter(keys) - Counter(others)).elements()), list((Counter(others) - Counter(keys)).elements())
    return Rerun(
        how,
        same_rows=False,
        same_set=set(others) == set(keys),
        same_order=False,
        unordered_limit=unordered_limit,
        missing=_shown(missing),
        extra=_shown(extra),
    )


def _turn_round(bench: JudgingConnection, sql: str) -> None:
    """Hides the tables that the query may name behind copies. A collation would be lost in a copy, so it is refused."""
    text = sql.casefold()
    for name, ddl in bench.run(_TABLES[bench.dialect]).rows:
        if name.casefold() not in text:
            continue
        if "collate" in str(ddl).casefold():
            raise SqlError("refused", f"the table {name} has a collation of its own")
        quoted = '"' + name.replace('"', '""') + '"'
        bench.run(_COPIES[bench.dialect].format(quoted))


def _run(bench: JudgingConnection, texts: list[str]) -> Result:
    result = Result((), [])
    for text in texts:
        result = bench.run(text)
    return result


def _clock(bench: JudgingConnection) -> float:
    """SQLite works in this process; a server elsewhere."""
    return time.process_time() if bench.dialect == "sqlite" else time.perf_counter()


def _shown(rows: list[Any]) -> str:
    if not rows:
        return ""
    return rows[0] if len(rows[0]) <= _SHOWN else f"{rows[0][:_SHOWN]}…"
