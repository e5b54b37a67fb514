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
from typing import Any, Literal

from msgspec import Struct

from ...engines.bench import Bench, Result
from ...engines.sqlite.statements import is_volatile
from ...failures import SqlError, SqlFault
from ...verdicts.interact import Conditions, strict
from .ties import decided, spots

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


class Probe(Struct, frozen=True):
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


def probe(bench: Bench, request: ProbeRequest) -> Probe:
    started = _clock(bench)
    try:
        gold = _run(bench, request.gold)
    except SqlError as error:
        return Probe(error.kind, error.message, _clock(bench) - started)
    seconds = _clock(bench) - started
    keys = [repr(row) for row in gold.rows]
    again = request.again and bool(gold.columns) and len(request.gold) == 1 and _QUERY.match(request.gold[0]) is not None
    skipped = _why_not(request, seconds) if again else ""
    return Probe(
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


def _reruns(bench: Bench, sql: str, gold: Result, keys: list[str]) -> Iterator[Rerun]:
    places = spots(sql, bench.dialect)
    unordered = any(spot.limited and not spot.ordered for spot in places)
    for direction in ("ASC", "DESC") if places else ():
        other = decided(sql, places, len(gold.columns), direction)
        yield _rerun(bench, "ties", other, gold, keys, unordered)
    if bench.dialect == "sqlite":
        bench.run("PRAGMA reverse_unordered_selects = ON")
        yield _rerun(bench, "reverse", sql, gold, keys)
        bench.run("PRAGMA reverse_unordered_selects = OFF")
    if not _ROWID.search(sql):
        try:
            _turn_round(bench, sql)
        except SqlError as error:
            yield Rerun("storage", error=error.message)
        else:
            yield _rerun(bench, "storage", sql, gold, keys)


def _rerun(bench: Bench, how: How, sql: str, gold: Result, keys: list[str], unordered_limit: bool = False) -> Rerun:
    try:
        other = bench.run(sql)
    except SqlError as error:
        return Rerun(how, unordered_limit=unordered_limit, error=error.message)
    others = [repr(row) for row in other.rows]
    if others == keys:
        return Rerun(how, unordered_limit=unordered_limit)
    if Counter(others) == Counter(keys):
        return Rerun(how, same_order=False, unordered_limit=unordered_limit)
    if strict(gold, other, Conditions()).matched:
        in_order = strict(gold, other, Conditions(order=True)).matched
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


def _turn_round(bench: Bench, sql: str) -> None:
    """Hides the tables that the query may name behind copies. A collation would be lost in a copy, so it is refused."""
    text = sql.casefold()
    for name, ddl in bench.run(_TABLES[bench.dialect]).rows:
        if name.casefold() not in text:
            continue
        if "collate" in str(ddl).casefold():
            raise SqlError("refused", f"the table {name} has a collation of its own")
        quoted = '"' + name.replace('"', '""') + '"'
        bench.run(_COPIES[bench.dialect].format(quoted))


def _run(bench: Bench, texts: list[str]) -> Result:
    result = Result((), [])
    for text in texts:
        result = bench.run(text)
    return result


def _clock(bench: Bench) -> float:
    """SQLite works in this process; a server elsewhere."""
    return time.process_time() if bench.dialect == "sqlite" else time.perf_counter()


def _shown(rows: list[Any]) -> str:
    if not rows:
        return ""
    return rows[0] if len(rows[0]) <= _SHOWN else f"{rows[0][:_SHOWN]}…"
