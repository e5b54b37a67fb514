"""How each published evaluator runs SQL, compares results, and what its test functions find: bug for bug, in our own words.

A dataset's tests were written for these functions, so their signatures, their return values and even their mistakes are a part
of the data. `batch` and `adk` give the text of an error and `conv` a flag; `batch` goes on after an error and keeps it; `conv`
walks through a plain text letter by letter; all of them commit after each text, in a transaction that has begun before it, and
cut what a query returns at 10,000 rows. On SQLite all are the mini edition's. `strict` is ours: the union of all names, and no
traps.

All of it runs in the confined process of the tests, on psycopg2 or sqlite3, which is what the originals use.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import io
import json
import logging
import math
import re
import sqlite3
import time
from collections.abc import Callable, Generator, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Literal

from ...engines.sqlite.guard import statements
from ...types import Limits, Row
from .official import (
    normalise,
    official,
    remove_comments,
    remove_distinct,
    remove_round,
    rewritten,
    round_numbers,
    same_rows,
)

EvaluatorName = Literal["strict", "batch", "adk", "conv"]
Outcome = tuple[list[Row] | None, Any, bool]

MOST_ROWS = 10_000
_SECONDS_FOR_RECURSION = 15.0
_STEPS_PER_CHECK = 10_000
_QUERIES = ("select", "with")
_EXPLAINED = ("SELECT", "INSERT", "UPDATE", "DELETE")
_CANCELLED = "57014"
_MINI_LATE = "Timeout/Skip error"


class Evaluator:
    """One evaluator on one connection. `seconds` is the limit of each statement."""

    def __init__(self, name: EvaluatorName, dialect: str, connection: Any, seconds: float) -> None:
        self._name: EvaluatorName = name
        self._dialect = dialect
        self._connection = connection
        self._seconds = seconds

    def names(self, pred_query_result: list[Row] | None) -> dict[str, Any]:
        """What a test finds besides Python's own."""
        known: dict[str, Any] = {"execute_queries": self.executor(), "pred_query_result": pred_query_result}
        if self._name == "strict":
            return known | self._everything()
        if self._name == "batch" or self._dialect == "sqlite":
            return known
        if self._name == "adk":
            rewriting = {"remove_distinct": remove_distinct, "remove_comments": remove_comments, "remove_round": remove_round}
            return known | rewriting | {"ex_base": self.ex_base}
        return known | _CONV_MODULES | {"test_case_default": self.test_case_default, "ensure_list": _listed}

    def run(self, texts: list[str], database: Any, connection: Any) -> Outcome:
        """The last result, what went wrong, and whether it was the time limit; with words where the original has them."""
        if self._dialect == "sqlite" and self._name != "strict":
            rows, _, late, message = self._mini(texts, database, connection, return_error=True)
            return rows, message.partition(": ")[2].strip(), late
        if self._name == "conv":
            return self._stopping(texts, connection, self._perform_conv)
        return self.executor()(texts, database, connection)

    def executor(self) -> Any:
        if self._dialect == "sqlite":
            return self._mini if self._name != "strict" else self._strict
        return {"batch": self._batch, "adk": self._adk, "conv": self._conv, "strict": self._strict}[self._name]

    # The four ways to run texts, each with its own signature.

    def _batch(
        self,
        queries: Any,
        db_name: Any,
        conn: Any = None,
        logger: Any = None,
        section_title: Any = "",
        is_solution: Any = True,
    ) -> Outcome:
        result: list[Row] | None = None
        failed: Any = False
        late = False
        queries = [queries] if isinstance(queries, str) else queries
        for query in queries:
            try:
                len(queries)  # for its log: what has no length is an error of the original's
                result = self._perform(query, conn)
            except Exception as error:
                late, failed = (True, failed) if _is_late(error) else (late, str(error))
        return (result, failed, late) if is_solution else (result, False, False)

    def _adk(self, queries: Any, db_name: Any, conn: Any = None) -> Outcome:
        result: list[Row] | None = None
        for query in [queries] if isinstance(queries, str) else queries or []:
            if not query or not query.strip():
                continue
            try:
                result = self._perform(query, conn)
            except Exception as error:
                return (None, None, True) if _is_late(error) else (None, str(error), False)
        return result, None, False

    def _conv(self, queries: Any, db_name: Any, conn: Any, logger: Any = None, section_title: Any = "") -> Outcome:
        def perform(query: str, conn: Any) -> list[Row] | None:
            len(queries)  # as in batch
            return self._perform_conv(query, conn)

        result, failed, late = self._stopping(queries, conn, perform)  # of a plain text, letter by letter
        return result, bool(failed), late

    def _mini(
        self,
        queries: Any,
        db_path: Any,
        conn: Any,
        logger: Any = None,
        section_title: Any = "",
        return_error: Any = False,
    ) -> Any:
        result, failed, late, message = None, False, False, ""
        queries = [queries] if isinstance(queries, str) else queries
        for number, query in enumerate(queries, 1):
            try:
                _ = len(queries), query[:100]  # for its log, as in batch
                result = self._perform_mini(query, conn)
            except Exception as error:
                kind = _mini_kind(error)
                late = kind == _MINI_LATE
                failed = not late
                message = f"{kind} executing query {number}: {error}\n"
                break
        return (result, failed, late, message) if return_error else (result, failed, late)

    def _strict(
        self,
        queries: Any,
        db_name: Any = None,
        conn: Any = None,
        logger: Any = None,
        section_title: Any = "",
        *_: Any,
        **__: Any,
    ) -> Outcome:
        return self._stopping([queries] if isinstance(queries, str) else queries, conn, self._perform_strict)

    def _stopping(self, queries: Any, conn: Any, perform: Callable[[str, Any], list[Row] | None]) -> Outcome:
        """At the first error."""
        result: list[Row] | None = None
        for query in queries:
            try:
                result = perform(query, conn)
            except Exception as error:
                return (result, False, True) if _is_late(error) else (result, str(error) or type(error).__name__, False)
        return result, False, False

    # One text.

    def _perform(self, query: str, conn: Any) -> list[Row] | None:
        connection = self._connection if conn is None else conn
        cursor = connection.cursor()
        self._limit(cursor, self._seconds)  # before the try: an aborted transaction stays as it is, as in the original
        try:
            return self._fetched(cursor, connection, query)
        except Exception:
            connection.rollback()
            raise
        finally:
            cursor.close()

    def _perform_conv(self, query: str, conn: Any) -> list[Row] | None:
        connection = self._connection if conn is None else conn
        cursor = connection.cursor()
        recursive = "WITH RECURSIVE" in query.upper()
        if recursive:  # the original first sets something that no server knows, which ends the transaction
            connection.rollback()
        self._limit(cursor, min(self._seconds, _SECONDS_FOR_RECURSION) if recursive else self._seconds)
        try:
            return self._fetched(cursor, connection, query)
        except Exception:
            connection.rollback()
            raise
        finally:
            with contextlib.suppress(Exception):
                self._limit(cursor, self._seconds)  # which begins another transaction
            cursor.close()

    def _perform_mini(self, query: str, conn: Any) -> list[Row] | None:
        conn.execute("PRAGMA synchronous = OFF")  # not possible within a transaction: an error of the original's, too
        cursor = conn.cursor()
        try:
            with self._stopped_in_time(conn):
                cursor.execute(query)
                if query.strip().lower().startswith(_QUERIES):
                    return cursor.fetchall()[:MOST_ROWS]
            conn.commit()
            return cursor.fetchall()
        except Exception:
            conn.rollback()
            raise
        finally:
            cursor.close()

    def _perform_strict(self, query: str, conn: Any) -> list[Row] | None:
        connection = self._connection if conn is None else conn
        cursor = connection.cursor()
        try:
            if self._dialect == "sqlite":
                with self._stopped_in_time(connection):
                    for statement in statements(query):
                        cursor.execute(statement)
                    rows = cursor.fetchall() if cursor.description else None
            else:
                self._limit(cursor, self._seconds)
                cursor.execute(query)
                rows = cursor.fetchall() if cursor.description else None
            connection.commit()
        except Exception:
            connection.rollback()
            raise
        finally:
            cursor.close()
        return rows[:MOST_ROWS] if rows is not None and query.strip().lower().startswith(_QUERIES) else rows

    def _fetched(self, cursor: Any, connection: Any, query: str) -> list[Row] | None:
        """A text that begins like a query must end with rows, or it is an error; one that does not, may."""
        cursor.execute(query)
        connection.commit()
        if query.strip().lower().startswith(_QUERIES):
            return cursor.fetchmany(MOST_ROWS + 1)[:MOST_ROWS]
        return None if cursor.description is None else cursor.fetchall()

    def _limit(self, cursor: Any, seconds: float) -> None:
        cursor.execute(f"SET statement_timeout = {max(1, round(seconds * 1000))}")

    @contextlib.contextmanager
    def _stopped_in_time(self, connection: sqlite3.Connection) -> Generator[None]:
        """Steps are counted, so that a busy machine does not change a verdict."""
        checks = iter(range(Limits(self._seconds).steps // _STEPS_PER_CHECK))
        connection.set_progress_handler(lambda: next(checks, None) is None, _STEPS_PER_CHECK)
        try:
            yield
        finally:
            connection.set_progress_handler(None, 0)

    # Comparisons.

    def ex_base(self, pred_sqls: Any, sol_sqls: Any, db_name: Any, conn: Any, conditions: Any = None) -> int:
        """1 if both return the same as the official comparison sees it, else 0."""
        if not pred_sqls or not sol_sqls:
            return 0
        execute = self.executor()
        predicted, *errors = execute(pred_sqls, db_name, conn)
        gold, *more = execute(sol_sqls, db_name, conn)
        if any((*errors, *more)):
            return 0
        order = isinstance(conditions, dict) and bool(conditions.get("order"))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        if self._name == "strict":
            return int(official(gold or [], predicted or [], order=order))
        if self._name == "adk" and (predicted is None or gold is None):
            return 0
        return int(same_rows(gold, predicted, order=order))

    def test_case_default(self, pred_sqls: Any, sol_sqls: Any, db_name: Any, conn: Any, conditions: Any = None) -> int:
        result = self.ex_base(rewritten(_listed(pred_sqls)), rewritten(_listed(sol_sqls)), db_name, conn, conditions)
        assert result == 1, f"ex_base returned {result} but expected 1."
        return result

    def performance_compare_by_qep(self, old_sqls: Any, sol_sqls: Any, db_name: Any, conn: Any) -> int:
        """1 if the second plans cost less than the first, else 0. Nothing is left of what they change."""
        if not old_sqls or not sol_sqls:
            return 0
        return int(self._cost(_listed(sol_sqls), conn) < self._cost(_listed(old_sqls), conn))

    def _cost(self, sqls: Sequence[str], conn: Any) -> float:
        conn.rollback()
        cursor = conn.cursor()
        try:
            if self._dialect == "sqlite":
                cursor.execute("BEGIN")
            return sum(self._cost_of(cursor, sql) for sql in sqls)
        finally:
            cursor.close()
            conn.rollback()

    def _cost_of(self, cursor: Any, sql: str) -> float:
        if not sql.strip().upper().startswith(_EXPLAINED):
            cursor.execute(sql)
            return 0.0
        if self._dialect == "sqlite":  # its plans have no costs; the original counts them
            return 1.0 if cursor.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall() else 0.0
        cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}")
        plans = cursor.fetchone()[0]
        return float(plans[0]["Plan"]["Total Cost"]) if plans else 0.0

    def _perform_query(self, query: str, db_name: Any = None, conn: Any = None) -> tuple[list[Row] | None, Any]:
        """The rows, or None without a table, and the connection. Raises what the driver raises."""
        return self._perform_strict(query, conn), self._connection if conn is None else conn

    def _everything(self) -> dict[str, Any]:
        return {
            "perform_query_on_postgresql_databases": self._perform_query,
            "perform_query_on_sqlite_databases": self._perform_query,
            "ex_base": self.ex_base,
            "test_case_default": self.test_case_default,
            "performance_compare_by_qep": self.performance_compare_by_qep,
            "date": datetime.date,  # which may be another than when this was loaded
            "datetime": datetime.datetime,
            **_UNION,
        }


def _mini_kind(error: Exception) -> str:
    """As its messages begin."""
    if isinstance(error, sqlite3.OperationalError):
        late = any(words in str(error).lower() for words in ("database is locked", "timeout", "interrupted"))
        return _MINI_LATE if late else "OperationalError"
    return "SQLite Error" if isinstance(error, sqlite3.Error) else "Generic error"


def _is_late(error: Exception) -> bool:
    return getattr(error, "pgcode", None) == _CANCELLED or str(error) == "interrupted"


def _listed(sqls: Any) -> list[str]:
    return [sqls] if isinstance(sqls, str) else list(sqls)


def _check_sql_function_usage(sqls: Any, required_keywords: Sequence[str]) -> int:
    """1 if every word occurs somewhere in the texts, else 0."""
    text = " ".join(_listed(sqls or [])).lower()
    return int(bool(sqls) and all(word.lower() in text for word in required_keywords))


def _process_decimals(results: Sequence[Row], decimal_places: int) -> list[Row]:
    return [
        tuple([round_numbers(cell, decimal_places) if isinstance(cell, float | Decimal) else cell for cell in row])
        for row in results
    ]


def _preprocess_results(results: Sequence[Row], decimal_places: int = 2) -> list[Row]:
    return normalise(results, decimal_places)


def _process_decimals_recursive(item: Any, decimal_places: int) -> Any:
    return round_numbers(item, decimal_places)


_CONV_MODULES: dict[str, Any] = {
    "argparse": argparse,
    "json": json,
    "StringIO": io.StringIO,
    "redirect_stdout": contextlib.redirect_stdout,
}
_UNION: dict[str, Any] = {
    "remove_comments": remove_comments,
    "remove_distinct": remove_distinct,
    "remove_round": remove_round,
    "preprocess_results": _preprocess_results,
    "process_decimals": _process_decimals,
    "process_decimals_recursive": _process_decimals_recursive,
    "check_sql_function_usage": _check_sql_function_usage,
    "timedelta": datetime.timedelta,
    "Decimal": Decimal,
    "ROUND_HALF_UP": ROUND_HALF_UP,
    "json": json,
    "logging": logging,
    "math": math,
    "re": re,
    "time": time,
}
