"""What the test functions of a dataset find in their namespace: the union of what the original evaluators offer.

Written for the signatures that published tests use. `execute_queries` and the functions built on it run texts on the connection
they are given, commit after each, and cut what a query returns at 10,000 rows, as the originals do.
"""

from __future__ import annotations

import json
import logging
import math
import re
import time
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from ...engines.sqlite.statements import statements
from ...values import Row
from ...verdicts.interact import normalise, official, remove_comments, remove_distinct, remove_round, rewritten
from ...verdicts.interact.official import round_numbers

MOST_ROWS = 10_000

_EXPLAINED = ("SELECT", "INSERT", "UPDATE", "DELETE")
_CANCELLED = "57014"


class Helpers:
    """The functions, for one kind of database."""

    def __init__(self, dialect: str, *, continue_after_error: bool) -> None:
        self._dialect = dialect
        self._continues = continue_after_error

    def names(self) -> dict[str, Any]:
        return {
            "execute_queries": self.execute_queries,
            "perform_query_on_postgresql_databases": self.perform_query,
            "perform_query_on_sqlite_databases": self.perform_query,
            "ex_base": self.ex_base,
            "test_case_default": self.test_case_default,
            "performance_compare_by_qep": self.performance_compare_by_qep,
            **_NAMES,
        }

    def perform_query(self, query: str, db_name: Any = None, conn: Any = None) -> tuple[list[Row] | None, Any]:
        """The rows, or None without a table, and the connection. Raises what the driver raises."""
        cursor = conn.cursor()
        try:
            rows = self._rows(cursor, query)
            conn.commit()
        except Exception:
            conn.rollback()
            raise
        finally:
            cursor.close()
        return rows, conn

    def execute_queries(
        self,
        queries: str | Sequence[str],
        db_name: Any,
        conn: Any,
        logger: Any = None,
        section_title: str = "",
        *_: Any,
        **__: Any,
    ) -> tuple[list[Row] | None, bool, bool]:
        """The last result, whether there was an error, and whether it was one of time."""
        result, failed, late = None, False, False
        for query in [queries] if isinstance(queries, str) else queries:
            try:
                result, _conn = self.perform_query(query, db_name, conn)
                failed = late = False
            except Exception as error:
                late = _is_late(error)
                failed = not late
                if not self._continues:
                    break
        return result, failed, late

    def ex_base(self, pred_sqls: Any, sol_sqls: Any, db_name: Any, conn: Any, conditions: Any = None, **_: Any) -> int:
        """1 if both return the same as the official comparison sees it, else 0."""
        if not pred_sqls or not sol_sqls:
            return 0
        predicted, *errors = self.execute_queries(pred_sqls, db_name, conn)
        gold, *more = self.execute_queries(sol_sqls, db_name, conn)
        if any((*errors, *more)) or predicted is None or gold is None:
            return 0
        order = isinstance(conditions, dict) and bool(conditions.get("order"))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        return int(official(gold, predicted, order=order))

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
            self._rows(cursor, sql)
            return 0.0
        if self._dialect == "sqlite":  # its plans have no costs; the original counts them
            return 1.0 if self._rows(cursor, f"EXPLAIN QUERY PLAN {sql}") else 0.0
        plan = (self._rows(cursor, f"EXPLAIN (FORMAT JSON) {sql}") or [([],)])[0][0]
        plans = json.loads(plan) if isinstance(plan, str) else plan
        return float(plans[0]["Plan"]["Total Cost"]) if plans else 0.0

    def _rows(self, cursor: Any, query: str) -> list[Row] | None:
        """The last statement's rows."""
        for statement in statements(query) if self._dialect == "sqlite" else [query]:
            cursor.execute(statement)
        while hasattr(cursor, "nextset") and cursor.nextset():
            pass
        if cursor.description is None:
            return None
        return cursor.fetchmany(MOST_ROWS) if query.strip().lower().startswith(("select", "with")) else cursor.fetchall()


def _is_late(error: Exception) -> bool:
    return getattr(error, "sqlstate", None) == _CANCELLED or str(error) == "interrupted"


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


_NAMES: dict[str, Any] = {
    "remove_comments": remove_comments,
    "remove_distinct": remove_distinct,
    "remove_round": remove_round,
    "preprocess_results": _preprocess_results,
    "process_decimals": _process_decimals,
    "process_decimals_recursive": _process_decimals_recursive,
    "check_sql_function_usage": _check_sql_function_usage,
    "date": date,
    "datetime": datetime,
    "timedelta": timedelta,
    "Decimal": Decimal,
    "ROUND_HALF_UP": ROUND_HALF_UP,
    "json": json,
    "logging": logging,
    "math": math,
    "re": re,
    "time": time,
}
