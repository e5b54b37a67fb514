"""Where an order can be refined, and that refining it changes nothing but what was left open."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.benchmarks.audit.probe import decided, spots


def refined(sql: str, columns: int = 1, dialect: str = "sqlite") -> str:
    return " ".join(decided(sql, spots(sql, dialect), columns, "ASC").split())


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT a FROM t ORDER BY b LIMIT 1", "SELECT a FROM t ORDER BY b, 1 ASC LIMIT 1"),
        ("SELECT a FROM t LIMIT 5;", "SELECT a FROM t ORDER BY 1 ASC LIMIT 5;"),
        ("SELECT a FROM t ORDER BY b", "SELECT a FROM t ORDER BY b, 1 ASC"),
        ("SELECT a FROM t ORDER BY b -- LIMIT 3", "SELECT a FROM t ORDER BY b, 1 ASC -- LIMIT 3"),
        ("SELECT a FROM t ORDER BY 'limit', \"limit\"; ", "SELECT a FROM t ORDER BY 'limit', \"limit\", 1 ASC ;"),
        (
            "SELECT a FROM t WHERE b = (SELECT b FROM t ORDER BY c LIMIT 1)",
            "SELECT a FROM t WHERE b = (SELECT b FROM t ORDER BY c, 1 ASC LIMIT 1)",
        ),
        (
            "WITH x AS (SELECT a FROM t LIMIT 2) SELECT a FROM x ORDER BY a DESC LIMIT 1 OFFSET 3",
            "WITH x AS (SELECT a FROM t ORDER BY 1 ASC LIMIT 2) SELECT a FROM x ORDER BY a DESC, 1 ASC LIMIT 1 OFFSET 3",
        ),
    ],
)
def test_where_keys_are_added(sql: str, expected: str) -> None:
    assert refined(sql) == expected


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM t",
        "SELECT row_number() OVER (ORDER BY a) FROM t",
        "SELECT 'ORDER BY a LIMIT 1' FROM t",
        "SELECT a FROM (SELECT a FROM t ORDER BY a)",
        "UPDATE t SET a = 1",
        "",
        ";;",
    ],
)
def test_queries_that_leave_nothing_open_here(sql: str) -> None:
    assert spots(sql, "sqlite") == []


def test_all_columns_count_outside() -> None:
    assert refined("SELECT a, b FROM t LIMIT 1", columns=2) == "SELECT a, b FROM t ORDER BY 1 ASC, 2 ASC LIMIT 1"


def test_postgres_cuts_in_other_words_too() -> None:
    sql = "SELECT a FROM t ORDER BY b OFFSET 2 FETCH FIRST 3 ROWS ONLY"
    assert refined(sql, dialect="postgres") == "SELECT a FROM t ORDER BY b, 1 ASC OFFSET 2 FETCH FIRST 3 ROWS ONLY"
    assert refined("SELECT $$ LIMIT 1 $$ FROM t ORDER BY b", dialect="postgres").endswith("ORDER BY b, 1 ASC")


def test_only_the_last_statement_counts() -> None:
    assert refined("SELECT a FROM t LIMIT 1; SELECT b FROM t") == "SELECT a FROM t LIMIT 1; SELECT b FROM t"


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12), st.integers(1, 6))
def test_either_way_is_one_that_the_query_allows(rows: list[tuple[int, int]], limit: int) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (k, v)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
    sql = f"SELECT k, v FROM t ORDER BY k LIMIT {limit}"
    up, down = (
        connection.execute(decided(sql, spots(sql, "sqlite"), 2, direction)).fetchall() for direction in ("ASC", "DESC")
    )
    kept = sorted(rows)[:limit]
    assert [key for key, _ in up] == [key for key, _ in down] == [key for key, _ in kept]
    last = kept[-1][0]
    inside = [value for key, value in rows if key == last]
    room = sum(key == last for key, _ in kept)
    open_ = sorted(inside)[:room] != sorted(inside, reverse=True)[:room][::-1]
    assert (sorted(up) != sorted(down)) == open_
