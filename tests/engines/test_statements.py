"""Cutting scripts: examples, laws, and SQLite's own opinion."""

from __future__ import annotations

import re
import sqlite3
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.engines.sqlite.guard import is_volatile, statements, without_comments

WORDS = "SELECT 1 x , ( ) + create trigger temp begin end on t - / * . é \n \t".split(" ")
QUOTED = ["'a;b'", "'it''s'", '"c;--d"', '"e""f"', "`g;h`", "[i;j]", "'/*'", "'*/'", "''", "x'00'"]
COMMENTS = ["-- k;l'\n", "/* m;n */", "/**/", "/* ' */", "--\n"]
END = ";"

tokens = st.sampled_from([*WORDS, *QUOTED, *COMMENTS, END])
plain = st.lists(
    st.sampled_from([*(word for word in WORDS if word not in ("create", "\n", "\t")), *QUOTED, *COMMENTS]), min_size=1
)
pieces = plain.map(lambda words: " SELECT " + " ".join(words) + " ;")
anything = st.text(st.characters(exclude_categories=[]))


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("", []),
        (" ;; \n; ", []),
        ("-- nothing", []),
        ("/* nothing", []),
        ("SELECT 1", ["SELECT 1"]),
        ("SELECT 1;", ["SELECT 1;"]),
        ("SELECT 1;SELECT 2", ["SELECT 1;", "SELECT 2"]),
        ("SELECT ';';SELECT 2;", ["SELECT ';';", "SELECT 2;"]),
        ("SELECT 1 -- ;\n;SELECT 2", ["SELECT 1 -- ;\n;", "SELECT 2"]),
        ("-- first\nSELECT 1; -- last", ["-- first\nSELECT 1;"]),
        ("SELECT 'open; SELECT 2", ["SELECT 'open; SELECT 2"]),
        ("SELECT '--'; SELECT 2", ["SELECT '--';", " SELECT 2"]),
        ("SELECT 4 - -1; SELECT 2", ["SELECT 4 - -1;", " SELECT 2"]),
        ("SELECT 'a''; b'; SELECT 2", ["SELECT 'a''; b';", " SELECT 2"]),
        ("BEGIN; SELECT 1; END;", ["BEGIN;", " SELECT 1;", " END;"]),
        ("SELECT CASE 1 WHEN 1 THEN 2 END; SELECT 3", ["SELECT CASE 1 WHEN 1 THEN 2 END;", " SELECT 3"]),
        ("CREATE TABLE triggers (x); SELECT 1", ["CREATE TABLE triggers (x);", " SELECT 1"]),
        ("SELECT 'create trigger'; SELECT 1", ["SELECT 'create trigger';", " SELECT 1"]),
    ],
)
def test_examples(script: str, expected: list[str]) -> None:
    assert statements(script) == expected


@pytest.mark.parametrize(
    "head",
    [
        "CREATE TRIGGER t",
        "create temp trigger t",
        "CREATE\n/* ; */TEMPORARY -- ;\n TRIGGER IF NOT EXISTS t",
        "-- why;\n CREATE TRIGGER [end;]",
        "EXPLAIN CREATE TRIGGER t",
        "\ufeffCREATE TRIGGER t",
    ],
)
@pytest.mark.parametrize(
    "body",
    ["SELECT 1;", "SELECT CASE WHEN 1 THEN 2 END; DELETE FROM a;", "SELECT 'end;'; /* end; */ SELECT \"END\";", ";;", ""],
)
def test_a_trigger_is_kept_whole(head: str, body: str) -> None:
    trigger = f"{head} AFTER INSERT ON a BEGIN SELECT 0; {body} end /* of it */ ;"
    assert statements(f"SELECT 1;{trigger}SELECT 2;") == ["SELECT 1;", trigger, "SELECT 2;"]


@given(st.lists(pieces))
def test_joined_pieces_are_cut_where_they_were_joined(parts: list[str]) -> None:
    assert statements("".join(parts)) == parts


@given(st.lists(pieces, min_size=1))
def test_the_last_semicolon_is_optional(parts: list[str]) -> None:
    parts[-1] = parts[-1][:-1]
    assert statements("".join(parts)) == parts


@given(st.lists(tokens).map(" ".join))
def test_sqlite_agrees_that_every_piece_is_complete(script: str) -> None:
    found = statements(script)
    for piece in found[:-1]:
        assert sqlite3.complete_statement(piece)
    if found and not found[-1].endswith(";"):
        assert not sqlite3.complete_statement(found[-1])


@given(anything)
def test_nothing_raises_and_nothing_but_blanks_is_lost(script: str) -> None:
    rest = script
    for piece in statements(script):
        before, found, rest = rest.partition(piece)
        assert found
        assert not statements(before)
    assert not statements(rest)
    is_volatile(script)


@given(st.lists(tokens).map(" ".join))
def test_comments_become_blanks_and_the_rest_stays(script: str) -> None:
    bare = without_comments(script)
    assert without_comments(bare) == bare
    assert re.sub(r"\s+", "", without_comments(f"/* a */{script}")) == re.sub(r"\s+", "", bare)


@pytest.mark.parametrize(
    "script",
    [
        f"SELECT '{';' * 900_000}'",
        f"SELECT '{';' * 900_000}",
        f"SELECT {'(' * 900_000}",
        ";" * 300_000,
        "SELECT 1;" * 100_000,
        "--;\n" * 200_000,
        "/*;*/;" * 50_000,
        "/*" * 450_000,
        "'" * 900_001,
        "'\"`[" * 225_000,
        f"CREATE TRIGGER t BEGIN {';' * 300_000}",
        "CREATE TRIGGER t BEGIN " + "SELECT 1; --\n" * 20_000,
        f"CREATE {' ' * 900_000} TRIGGER",
        "strftime('" * 90_000,
        "date(" * 180_000,
        f"date{' ' * 900_000}",
    ],
    ids=lambda script: script[:24],
)
def test_long_scripts_take_no_more_than_linear_time(script: str) -> None:
    started = time.process_time()
    statements(script)
    is_volatile(script)
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT random()",
        "SELECT abs( RANDOM ( ) )",
        'SELECT "random"()',
        "SELECT [randomblob] (4)",
        "SELECT randomblob(4)",
        "SELECT date('now')",
        "SELECT datetime('NOW', 'localtime')",
        'SELECT julianday("now") - julianday(born) FROM people',
        "SELECT strftime('%Y', 'now')",
        "SELECT strftime('%Y')",
        'SELECT strftime ( "%Y" )',
        "SELECT date()",
        "SELECT time /* now */ ( )",
        "SELECT unixepoch()",
        "SELECT CURRENT_DATE",
        "SELECT current_timestamp",
        "SELECT * FROM t WHERE day < current_time",
    ],
)
def test_the_clock_and_chance_are_recognised(sql: str) -> None:
    assert is_volatile(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1",
        "SELECT date(born), strftime('%Y', born) FROM people",
        "SELECT randomness, known, date, time FROM people",
        "SELECT 1 -- not random() and not 'now'",
        "SELECT /* date('now') */ 1",
        "SELECT strftime('%Y', born, '+1 year')",
        "SELECT date(born, 'start of month')",
        "SELECT snow FROM weather WHERE know = 1",
    ],
)
def test_what_depends_on_the_database_alone_may_be_remembered(sql: str) -> None:
    assert not is_volatile(sql)
