"""A dataset's test functions, run for real: on SQLite files and on a PostgreSQL server."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import dedent
from typing import Any

import psycopg
import psycopg2
import pytest

from touchstone.benchmarks.interact.hidden_tests import TestReport, TestRequest, run_tests
from touchstone.engines.judging_connection import JudgingConnection, Result
from touchstone.engines.postgres.messages import PostgresServer
from touchstone.engines.postgres.private_server import started
from touchstone.engines.sqlite.guard import statements
from touchstone.errors import InputError, SqlError
from touchstone.sandbox import landlock, seccomp
from touchstone.sandbox.sandboxed_call import confinement

pytestmark = pytest.mark.skipif(bool(confinement()), reason="this kernel cannot confine fully")

MAKE = """
    CREATE TABLE items (id integer PRIMARY KEY, name varchar(20), price numeric(8, 2));
    INSERT INTO items VALUES (1, 'bowl', 12.50), (2, 'cup', 7.25), (3, 'dish', NULL);
"""


class Looking:
    """What a test of ours does on the database that was judged."""

    timed_out = False

    def official_rows(self, sql: str, result: Result) -> list[tuple[Any, ...]]:
        return result.rows

    def trial(self, statements: Sequence[str]) -> Result:
        raise NotImplementedError

    def shown(self, text: str) -> str:
        return text


class SqliteBench(Looking):
    dialect = "sqlite"
    writes = True

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = sqlite3.connect(path, isolation_level=None)

    def run(self, sql: str) -> Result:
        result = Result((), [])
        try:
            for statement in statements(sql):
                cursor = self._connection.execute(statement)
                columns = tuple(column[0] for column in cursor.description or ())
                result = Result(columns, cursor.fetchall())
        except sqlite3.Error as error:
            raise SqlError("sql", str(error)) from None
        return result

    def session(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path)


class PostgresBench(Looking):
    dialect = "postgres"
    writes = True

    def __init__(self, server: PostgresServer, database: str) -> None:
        self._conninfo = server.conninfo(database)

    def run(self, sql: str) -> Result:
        with psycopg.connect(self._conninfo, autocommit=True) as connection:
            try:
                cursor = connection.execute(sql.encode())
                while cursor.nextset():
                    pass
            except psycopg.Error as error:
                raise SqlError("sql", str(error)) from None
            columns = tuple(column.name for column in cursor.description or ())
            return Result(columns, cursor.fetchall() if columns else [])

    def session(self) -> Any:
        return psycopg2.connect(self._conninfo)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    try:
        starting = started()
        running = starting.__enter__()
    except InputError as error:
        pytest.skip(str(error))
    try:
        yield running
    finally:
        starting.__exit__(None, None, None)


@pytest.fixture
def sqlite(tmp_path: Path) -> SqliteBench:
    bench = SqliteBench(tmp_path / "copy.sqlite")
    bench.run(MAKE)
    return bench


@pytest.fixture
def postgres(server: PostgresServer) -> Iterator[PostgresBench]:
    with psycopg.connect(server.conninfo("postgres"), autocommit=True) as connection:
        connection.execute("CREATE DATABASE judged")
        bench = PostgresBench(server, "judged")
        bench.run(MAKE)
        yield bench
        connection.execute("DROP DATABASE judged WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgres"])
def bench(request: pytest.FixtureRequest) -> JudgingConnection:
    return request.getfixturevalue(request.param)


HEAD = "def test_case(pred_sqls, sol_sqls, db_name, conn):\n"


def body(text: str) -> str:
    """A test of these statements."""
    return HEAD + "".join(f"    {line}\n" for line in dedent(text).strip().splitlines())


def judged(bench: JudgingConnection, *tests: str, predicted: tuple[str, ...] = ("SELECT 1",), **options: Any) -> TestReport:
    return run_tests(bench, TestRequest(list(tests), list(predicted), ["SELECT 2"], **options))


def test_a_test_looks_at_what_the_submission_did(bench: JudgingConnection) -> None:
    look = body("""
        rows, error, timeout = execute_queries("SELECT name FROM items WHERE price IS NULL", db_name, conn)
        assert (rows, error, timeout) == ([], False, False), f"left: {rows}"
    """)
    right = judged(bench, look, predicted=("UPDATE items SET price = 1 WHERE id = 3",))
    assert right == TestReport(True, "passed", None, "")
    bench.run("UPDATE items SET price = NULL WHERE id = 3")
    assert judged(bench, look) == TestReport(False, "assertion", 0, "left: [('dish',)]")


def test_the_result_and_the_arguments_reach_the_test(bench: JudgingConnection) -> None:
    test = body("""
        assert pred_query_result == [(1, "bowl"), (2, "cup")]
        assert pred_sqls == ["SELECT 3", "SELECT id, name FROM items WHERE id < 3 ORDER BY id"], pred_sqls
        assert sol_sqls == ["SELECT 2"]
    """)
    predicted = ("SELECT 3", "SELECT id, name FROM items WHERE id < 3 ORDER BY id")
    assert judged(bench, test, predicted=predicted).passed
    no_table = body("assert pred_query_result is None")
    assert judged(bench, no_table, predicted=("UPDATE items SET price = 2",)).passed


def test_a_submission_that_cannot_be_run(bench: JudgingConnection) -> None:
    report = judged(bench, body("pass"), predicted=("SELECT * FROM nowhere",))
    assert (report.passed, report.kind, report.test) == (False, "sql", None)
    assert "nowhere" in report.detail
    texts = ("SELECT * FROM nowhere", "SELECT 1")
    for evaluator in ("strict", "batch", "adk", "conv"):
        assert judged(bench, body("pass"), predicted=texts, evaluator=evaluator).kind == "sql"
        assert judged(bench, body("pass"), predicted=texts[::-1], evaluator=evaluator).kind == "sql"


def test_queries_of_a_test(bench: JudgingConnection) -> None:
    test = body("""
        assert execute_queries(["SELECT 1", "SELECT 2"], db_name, conn, None, "title") == ([(2,)], False, False)
        assert execute_queries("UPDATE items SET price = 3 WHERE id = 3", db_name, conn)[0] is None
        rows, error, timeout = execute_queries(["SELECT wrong FROM items", "SELECT 1"], db_name, conn)
        assert rows is None and "wrong" in error and timeout is False
        assert execute_queries("SELECT 4; SELECT 5", db_name, conn)[0] == [(5,)]
        rows, same = perform_query_on_postgresql_databases("SELECT count(*) FROM items WHERE price = 3", db_name, conn=conn)
        assert rows == [(1,)] and same is conn
        assert perform_query_on_sqlite_databases("SELECT 1", db_name, conn)[0] == [(1,)]
        cursor = conn.cursor()
        cursor.execute("SELECT name FROM items ORDER BY id")
        assert [name for (name,) in cursor.fetchall()] == ["bowl", "cup", "dish"]
        many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10500) SELECT i FROM n"
        assert len(execute_queries(many, db_name, conn)[0]) == 10000
    """)
    assert judged(bench, test) == TestReport(True, "passed", None, "")
    assert bench.run("SELECT price FROM items WHERE id = 3").rows == [(3,)]  # committed


def test_comparisons_of_a_test(bench: JudgingConnection) -> None:
    test = body("""
        assert ex_base(["SELECT id FROM items"], ["SELECT id FROM items ORDER BY id DESC"], db_name, conn) == 1
        assert ex_base(["SELECT id FROM items"], ["SELECT 1"], db_name, conn) == 0
        both = ["SELECT id FROM items ORDER BY id"], ["SELECT id FROM items ORDER BY id DESC"]
        assert ex_base(*both, db_name, conn, {"order": True}) == 0
        assert ex_base(["SELECT wrong FROM items"], ["SELECT 1"], db_name, conn) == 0
        assert ex_base([], ["SELECT 1"], db_name, conn) == 0
        assert test_case_default(["SELECT DISTINCT 1 -- x\\n"], ["SELECT 1"], db_name, conn, {}) == 1
        assert remove_distinct(["SELECT DISTINCT a"]) == ["SELECT a"]
        assert remove_round(remove_comments(["/* x */ ROUND(a, 1)"])) == ["a"]
        assert preprocess_results([(date(2024, 1, 2), Decimal("1.005"), [1])]) == [("2024-01-02", Decimal("1.01"), "[1]")]
        assert process_decimals([(1.2345, "x")], 1) == [(1.2, "x")]
        assert check_sql_function_usage(["SELECT Sum(a)"], ["sum", "SELECT"]) == 1
        assert check_sql_function_usage(["SELECT a"], ["sum"]) == check_sql_function_usage([], []) == 0
        assert (json.loads("1"), re.sub("a", "b", "a"), math.pi > 3, datetime(2024, 1, 1).year) == (1, "b", True, 2024)
    """)
    assert judged(bench, test) == TestReport(True, "passed", None, "")


def test_plans_are_compared_and_leave_nothing_behind(postgres: PostgresBench) -> None:
    test = body("""
        slow, quick = ["SELECT * FROM items, items AS more, items AS most"], ["SELECT 1"]
        assert performance_compare_by_qep(slow, quick, db_name, conn) == 1
        assert performance_compare_by_qep(quick, slow, db_name, conn) == 0
        with_index = ["CREATE TABLE extra (a int)", "SELECT 1"]
        assert performance_compare_by_qep(slow, with_index, db_name, conn) == 1
        assert performance_compare_by_qep([], quick, db_name, conn) == 0
        assert execute_queries("SELECT to_regclass('extra') IS NULL", db_name, conn)[0] == [(True,)]
    """)
    assert judged(postgres, test) == TestReport(True, "passed", None, "")


def test_plans_of_sqlite_are_counted(sqlite: SqliteBench) -> None:
    test = body("""
        old, new = ["SELECT 1", "SELECT id FROM items"], ["DROP TABLE items", "SELECT 1"]
        assert performance_compare_by_qep(old, new, db_name, conn) == 1
        assert performance_compare_by_qep(["SELECT 1"], ["SELECT 1"], db_name, conn) == 0
    """)
    assert judged(sqlite, test) == TestReport(True, "passed", None, "")
    assert sqlite.run("SELECT count(*) FROM items").rows == [(3,)]


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        ("import math as m\nLIMIT = 4\ndef helper(x):\n    return m.floor(x) < LIMIT\n" + body("assert helper(3.5)"), True),
        ("def test_case(pred_sqls, sol_sqls):\n    assert sol_sqls", True),
        ("def test_case():\n    pass", True),
        ("def test_case(pred_sqls, sol_sqls, db_name, conn, conditions):\n    assert conditions == {}", True),
        ("def test_case(pred_sqls, sol_sqls, db_name, conn, places=2):\n    assert places == 2", True),
        ("def test_case(*all, **more):\n    assert len(all) == 4 and not more", True),
        ("def test_case(pred_sqls, *, conditions):\n    assert conditions == {}", True),
        ("def test_one(a, b, c, d):\n    pass\ndef test_two(a, b, c, d):\n    assert False", False),
        ("def helper(): assert False\ndef test_it(a, b, c, d):\n    pass", True),
        ("def test_old(a, b, c, d):\n    assert False\n" + body("pass"), True),
        ("test_case = lambda a, b, c, d: 1 / 0", False),
    ],
)
def test_ways_to_write_a_test(sqlite: SqliteBench, text: str, passed: bool) -> None:
    assert judged(sqlite, text).passed is passed


@pytest.mark.parametrize(
    "text",
    ["", "def test_case(", "x = 1", "def helper(): pass", "test_case = 5", "\0", "import nowhere_to_be_found\n" + body("pass")],
)
def test_a_text_that_is_no_test(sqlite: SqliteBench, text: str) -> None:
    report = judged(sqlite, body("pass"), text)
    assert (report.passed, report.kind, report.test) == (False, "no_test", 1)


@pytest.mark.parametrize("evaluator", ["strict", "batch", "adk", "conv"])
def test_a_missing_module_that_the_published_environments_have_is_no_agents_fault(sqlite: SqliteBench, evaluator: Any) -> None:
    missing = "import sys\nsys.modules['pandas'] = None\nimport pandas\n" + body("pass")
    assert judged(sqlite, missing, evaluator=evaluator).kind == "no_test"
    nobody_has = judged(sqlite, body("import nowhere_to_be_found"), evaluator=evaluator)
    assert nobody_has.kind == ("no_test" if evaluator == "strict" else "error")


def test_messages_of_the_mini_edition(sqlite: SqliteBench) -> None:
    test = body("""
        def message(queries):
            return execute_queries(queries, db_name, conn, return_error=True)[3]
        assert message("SELEC").startswith('OperationalError executing query 1: near "SELEC"')
        assert message(["SELECT 1", "INSERT INTO items (id) VALUES (1)"]).startswith("SQLite Error executing query 2: UNIQUE")
        assert message([None]).startswith("Generic error executing query 1: ")
        assert message(iter(["SELECT 1"])).startswith("Generic error executing query 1: ")
    """)
    assert judged(sqlite, test, evaluator="batch") == TestReport(True, "passed", None, "")


def test_what_has_no_length_is_an_error_where_the_original_counts(postgres: PostgresBench) -> None:
    test = body("""
        rows, error, timeout = execute_queries(iter(["SELECT 1"]), db_name, conn)
        assert rows is None and error
    """)
    passed = {name: judged(postgres, test, evaluator=name).passed for name in ("strict", "batch", "adk", "conv")}
    assert passed == {"strict": False, "batch": True, "adk": False, "conv": True}


def test_the_first_failure_ends_it(sqlite: SqliteBench) -> None:
    count = body("execute_queries('UPDATE items SET price = coalesce(price, 0) + 1 WHERE id = 3', db_name, conn)")
    report = judged(sqlite, count, body("raise KeyError('x')"), count)
    assert report == TestReport(False, "error", 1, "KeyError: 'x'")
    assert sqlite.run("SELECT price FROM items WHERE id = 3").rows == [(1,)]


def test_without_tests_nothing_fails(sqlite: SqliteBench) -> None:
    assert judged(sqlite).passed


HOSTILE = {
    "exit": "import sys; sys.exit(0)",
    "leave": "import os; os._exit(0)",
    "fork": "import os\nwhile True: os.fork()",
    "kill": "import os; os.kill(os.getppid(), 9)",
    "read": "open('/etc/passwd')",
    "write": "open('/tmp/touchstone-hidden-test', 'w')",
    "database": "open('{path}', 'rb')",
    "run": "import subprocess; subprocess.run(['true'], check=True)",
    "tcp": "import socket; socket.create_connection(('127.0.0.1', 1))",
    "udp": "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
    "unix": "import socket; socket.socket(socket.AF_UNIX)",
    "memory": "x = bytearray(2**33)",
    "recursion": "f = lambda f: f(f); f(f)",
    "close": "import os; os.closerange(0, 1000)",
    "garbage": "import os\nfor fd in range(3, 100):\n    try: os.write(fd, b'passed' * 1000)\n    except OSError: pass",
    "builtins": "import builtins; builtins.AssertionError = builtins.BaseException = None; assert False",
    "raise": "raise BaseException('x')",
    "quiet": "import msgspec; msgspec.msgpack.encode = None; assert False",
    "surrogate": "assert False, '\\ud800'",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_test_fails_alone(sqlite: SqliteBench, tmp_path: Path, name: str) -> None:
    code = HOSTILE[name].replace("{path}", str(tmp_path / "copy.sqlite"))
    report = judged(sqlite, body(code), memory=2**28)
    assert (report.passed, report.test) == (False, 0)
    assert report.kind in ("assertion", "error", "crash")
    after = SqliteBench(tmp_path / "other.sqlite")  # the first may be damaged: it is the test's to write
    after.run(MAKE)
    assert judged(after, body("assert execute_queries('SELECT count(*) FROM items', db_name, conn)[0] == [(3,)]")).passed


def test_a_database_that_a_test_has_damaged(sqlite: SqliteBench) -> None:
    report = judged(sqlite, body(HOSTILE["garbage"] + "\nos._exit(0)"))
    assert report.kind == "crash"
    report = judged(sqlite, body("pass"))
    assert (report.kind, report.detail) == ("crash", "The database cannot be used any more: file is not a database")


@pytest.mark.parametrize("code", ["while True: pass", "while True: print('x' * 10000)", "import time; time.sleep(60)"])
def test_a_test_that_does_not_end(bench: JudgingConnection, code: str) -> None:
    start = time.monotonic()
    report = judged(bench, body(code), seconds=0.5)
    assert (report.passed, report.kind, report.test) == (False, "time", 0)
    assert time.monotonic() - start < 40  # it would sleep for a minute
    assert judged(bench, body("pass")).passed


def test_a_query_that_does_not_end_is_cancelled(postgres: PostgresBench) -> None:
    assert judged(postgres, body("execute_queries('SELECT pg_sleep(60)', db_name, conn)"), seconds=0.5).kind == "time"
    others = "SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    busy = f"{others} AND state = 'active' AND query LIKE '%pg_sleep(60)%'"
    until = time.monotonic() + 40
    while postgres.run(busy).rows != [(0,)] and time.monotonic() < until:
        time.sleep(0.05)
    assert postgres.run(busy).rows == [(0,)]


def test_a_late_query_is_told_apart_from_a_wrong_one(postgres: PostgresBench) -> None:
    for evaluator, late in (("strict", "(None, False, True)"), ("batch", "(None, False, True)"), ("adk", "(None, None, True)")):
        test = body(f'assert execute_queries("SELECT pg_sleep(60)", db_name, conn) == {late}')
        assert judged(postgres, test, evaluator=evaluator, sql_seconds=0.2).passed
    test = body('assert execute_queries(["SELECT pg_sleep(60)"], db_name, conn) == (None, False, True)')
    assert judged(postgres, test, evaluator="conv", sql_seconds=0.2).passed


def test_a_test_may_close_its_connection(bench: JudgingConnection) -> None:
    assert judged(bench, body("conn.close()")).passed
    closed = judged(bench, body("conn.close()"), body("assert execute_queries('SELECT 1', db_name, conn)[0] == [(1,)]"))
    assert (closed.kind, closed.test) == ("assertion", 1)  # as in the originals: there is one connection


def test_databases_with_a_write_ahead_log(tmp_path: Path) -> None:
    bench = SqliteBench(tmp_path / "wal.sqlite")
    bench.run("PRAGMA journal_mode = WAL")
    bench.run(MAKE)
    change = body("""
        values = ", ".join(f"({number}, 'new', 1)" for number in range(100, 5000))
        assert not execute_queries(f"INSERT INTO items VALUES {values}", db_name, conn)[1]
        assert execute_queries("SELECT count(*) FROM items", db_name, conn)[0] == [(4903,)]
    """)
    assert judged(
        bench, change, body("assert execute_queries('SELECT count(*) FROM items', db_name, conn)[0] == [(4903,)]")
    ).passed
    assert bench.run("PRAGMA integrity_check").rows == [("ok",)]


def test_where_nothing_confines_nothing_is_run(sqlite: SqliteBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "version", lambda: 0)
    monkeypatch.setattr(seccomp, "available", lambda: False)
    report = judged(sqlite, body("pass"))
    assert (report.passed, report.kind) == (False, "no_test")
    assert "cannot be confined" in report.detail


def test_databases_in_memory() -> None:
    class Memory(SqliteBench):
        def session(self) -> Any:
            return self._connection

    bench = Memory(Path(":memory:"))
    bench.run(MAKE)
    assert judged(bench, body("assert execute_queries('SELECT count(*) FROM items', db_name, conn)[0] == [(3,)]")).passed
