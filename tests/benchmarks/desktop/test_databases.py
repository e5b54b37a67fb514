from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from touchstone.benchmarks.desktop.metrics import databases
from touchstone.benchmarks.desktop.metrics.databases import check_local_database
from touchstone.benchmarks.desktop.untrusted import Unreadable

BASE = ["CREATE TABLE t (a INTEGER, b VARCHAR)", "INSERT INTO t VALUES (1, 'x'), (2, 'y')", "CREATE VIEW v AS SELECT a FROM t"]


def make(kind: str, path: Path, *statements: str) -> Path:
    if kind == "sqlite3":
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(";".join(statements))
    else:
        duckdb: Any = pytest.importorskip("duckdb")
        with closing(duckdb.connect(str(path))) as connection:
            connection.execute(";".join(statements))
    return path


@pytest.mark.parametrize("kind", ["sqlite3", "duckdb"])
@pytest.mark.parametrize(
    ("more", "check_type", "expected"),
    [
        ([], ["table-schema-content", "view-schema-content"], 1),
        (["CREATE TABLE u (a INTEGER)"], ["table"], 0),
        (["CREATE TABLE u (a INTEGER)"], ["view"], 1),
        (["DROP VIEW v"], ["table", "view"], 0),
        (["DROP VIEW v"], ["table-schema-content"], 1),
        (["ALTER TABLE t ADD COLUMN c INTEGER"], ["table"], 1),
        (["DROP VIEW v", "ALTER TABLE t ADD COLUMN c INTEGER"], ["table-schema"], 0),
        (["INSERT INTO t VALUES (3, 'z')"], ["table-schema"], 1),
        (["INSERT INTO t VALUES (3, 'z')"], ["table-schema-content"], 0),
        (["INSERT INTO t VALUES (3, 'z')"], ["view-schema-content"], 0),
        (["UPDATE t SET b = 'q' WHERE a = 1"], ["view-schema-content"], 1),
    ],
)
def test_aspects(tmp_path: Path, kind: Any, more: list[str], check_type: Any, expected: float) -> None:
    gold, mine = make(kind, tmp_path / "gold.db", *BASE), make(kind, tmp_path / "mine.db", *BASE, *more)
    judged = check_local_database(mine, gold, db_type=kind, check_type=check_type)
    assert judged.score == expected, judged.reason


def test_targets_and_schemas(tmp_path: Path) -> None:
    extra = ["CREATE SCHEMA staging", "CREATE TABLE staging.s (a INTEGER)"]
    gold = make("duckdb", tmp_path / "gold.db", *BASE, *extra)
    mine = make("duckdb", tmp_path / "mine.db", *BASE, *extra, "CREATE TABLE more (a INTEGER)")
    bare = make("duckdb", tmp_path / "bare.db", *BASE)
    assert check_local_database(mine, gold, check_type=["table"]).score == 0
    assert check_local_database(mine, gold, check_type=["table"], table_targets=["t", "s"]).score == 1
    options: Any = {"check_type": ["table-schema-content"], "schema_name": "staging", "table_targets": ["s"]}
    assert check_local_database(mine, gold, **options).score == 1
    assert check_local_database(bare, gold, **options).reason == "there is no schema staging"


def test_odd_names_are_names(tmp_path: Path) -> None:
    statements = ['CREATE TABLE "order; DROP" (a)', 'INSERT INTO "order; DROP" VALUES (1)']
    gold, mine = make("sqlite3", tmp_path / "gold.db", *statements), make("sqlite3", tmp_path / "mine.db", *statements)
    assert check_local_database(mine, gold, db_type="sqlite3", check_type=["table-schema-content"]).score == 1


@pytest.mark.parametrize("kind", ["sqlite3", "duckdb"])
def test_files_that_are_no_databases(tmp_path: Path, kind: Any) -> None:
    gold = make(kind, tmp_path / "gold.db", *BASE)
    (tmp_path / "mine.db").write_bytes(b"no database at all" * 400)
    with pytest.raises(Unreadable, match=r"mine.db"):
        check_local_database(tmp_path / "mine.db", gold, db_type=kind)


@pytest.mark.parametrize("kind", ["sqlite3", "duckdb"])
def test_a_view_that_never_ends_is_stopped(tmp_path: Path, kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "SECONDS", 0.5)
    endless = "WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n) SELECT count(*) AS a FROM n"
    gold = make(kind, tmp_path / "gold.db", "CREATE VIEW v AS SELECT count(*) AS a FROM (SELECT 1)")
    mine = make(kind, tmp_path / "mine.db", f"CREATE VIEW v AS {endless}")
    with pytest.raises(Unreadable, match=r"mine.db: cannot be queried"):
        check_local_database(mine, gold, db_type=kind, check_type=["view-schema-content"])


def test_a_database_cannot_read_other_files(tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("a\n1\n")
    reading = f"CREATE VIEW v AS SELECT * FROM read_csv('{tmp_path}/secret.csv')"
    gold = make("duckdb", tmp_path / "gold.db", "CREATE VIEW v AS SELECT 1::BIGINT AS a")
    mine = make("duckdb", tmp_path / "mine.db", reading)
    with pytest.raises(Unreadable, match=r"mine.db: cannot be queried: Permission"):
        check_local_database(mine, gold, check_type=["view-schema-content"])
