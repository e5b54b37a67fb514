"""Cutting dumps into statements: whatever is in a statement, it comes out whole, with the right line and the right words."""

from __future__ import annotations

import contextlib
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.engines.postgres import dumpfile
from touchstone.engines.postgres.dumpfile import CopyBlock, DumpError, Statement, read

pytestmark = pytest.mark.long


def cut(text: str | bytes) -> list[Statement | CopyBlock]:
    return list(read(io.BytesIO(text if isinstance(text, bytes) else text.encode())))


def texts(text: str) -> list[str]:
    return [item.text.decode().strip() for item in cut(text)]


ANY = st.text(alphabet="ab e;E'\"$\\\n-/*()x€", max_size=12)
PIECES = st.one_of(
    ANY.map(lambda text: "'" + text.replace("'", "''") + "'"),
    ANY.map(lambda text: "E'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"),
    ANY.map(lambda text: "e'" + text.replace("\\", "\\\\").replace("'", "''") + "'"),
    ANY.map(lambda text: '"' + text.replace('"', '""') + '"'),
    ANY.map(lambda text: "$$" + text.replace("$", "") + "$$"),
    ANY.map(lambda text: "$a_1$" + text.replace("$a", "") + "$a_1$"),
    ANY.map(lambda text: "-- " + text.replace("\n", "") + "\n"),
    ANY.map(lambda text: "/* " + text.replace("*", "").replace("/", "") + " /* ; ' */ \" */"),
    st.sampled_from(["type", "e", "a$b$c", "1.5", "=", "-", "/", "é$", "\n", "(a; b)", "(1, (';'), 2)", "x::text", "$1"]),
)
STATEMENTS = st.lists(PIECES, max_size=8).map(lambda pieces: " ".join(["SELECT", *pieces, "\n;"]))


@given(statements=st.lists(STATEMENTS, max_size=4), gap=st.sampled_from(["", " ", "\n", "\n-- it's; a (comment\n\n", "\r\n"]))
def test_statements_come_out_as_they_went_in(statements: list[str], gap: str) -> None:
    assert texts(gap.join(statements)) == statements


@given(statements=st.lists(STATEMENTS, min_size=1, max_size=4), cut_at=st.integers(1, 400))
def test_a_file_that_is_cut_off_never_gives_a_wrong_statement(statements: list[str], cut_at: int) -> None:
    whole = "\n".join(statements)
    seen: list[str] = []
    with contextlib.suppress(DumpError):
        seen.extend(item.text.decode().strip() for item in read(io.BytesIO(whole[:cut_at].encode())))
    assert statements[: len(seen)] == seen


CELLS = st.text(alphabet="ab\\N;.'\t", max_size=8).map(lambda text: text.replace("\\", "\\\\"))


@given(rows=st.lists(CELLS, max_size=30), after=STATEMENTS, ending=st.sampled_from(["\n", "\r\n"]))
def test_copy_blocks_are_streamed_whole_and_counted(rows: list[str], after: str, ending: str) -> None:
    before, small = dumpfile.BLOCK, 16
    dumpfile.BLOCK = small  # so that a block is read in several pieces
    try:
        text = ending.join(["COPY public.t (a, b) FROM stdin;", *rows, "\\.", "", after])
        found: list[bytes] = []
        for item in read(io.BytesIO(text.encode())):
            if isinstance(item, CopyBlock):
                found.append(b"".join(item.blocks()))
                assert item.rows == len(rows)
            else:
                assert item.text.decode().strip() == after
                assert item.line == 1 + len(rows) + 1 + 1 + 1
                found.append(b"after")
    finally:
        dumpfile.BLOCK = before
    assert found == ["".join(row + ending for row in rows).encode(), b"after"]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT E'a''\n\\';b';",
        "SELECT (E'a''b\\';c');",
        "SELECT (1, 'a''b', e'\\''''), (';');",
        "SELECT date'\\';",
        "SELECT (date'\\');",
        "SELECT a$b$;",
        "SELECT (a$b$);",
        "SELECT ($b$;$c$)$b$, '$b$');",
        "SELECT 1 -- it's\n, (2 -- it's)\n);",
        "SELECT 1 - -1, (4 / 2 - -1), '--', (';--');",
        "SELECT /* /* ; */ ; */ 1;",
        "SELECT 'a'\n'b;';",
        "SELECT \"a'\" , 'b\"';",
        "SELECT U&'\\0041', X'1F';",
    ],
)
def test_traps(statement: str) -> None:
    assert texts(f"{statement}\n{statement} SELECT 1;") == [statement, statement, "SELECT 1;"]


def test_data_that_nobody_reads_is_passed_over() -> None:
    first, second = cut("COPY t FROM stdin;\n'; \\.\n$$\n\\.\nSELECT 1;\n")
    assert isinstance(first, CopyBlock)
    assert (second.text.strip(), second.line) == (b"SELECT 1;", 5)


def test_the_line_is_where_a_statement_begins() -> None:
    text = "-- a\n\nSELECT\n1; SELECT 2;\n/* c\n */ SELECT 3;\nINSERT INTO t VALUES (1);\n"
    assert [item.line for item in cut(text)] == [3, 4, 5, 7]


@pytest.mark.parametrize(
    ("statement", "rows"),
    [
        ("INSERT INTO t VALUES (1, ';', 'it''s', '(');", 1),
        ('INSERT INTO "odd (name" ("a", b) VALUES (1, (2), f(3));', 1),
        ("INSERT INTO t (a, b) OVERRIDING SYSTEM VALUE VALUES\n\t(1, '(2)'),\n\t(3, E'\\'),('),\n\t(4, NULL);", 3),
        ("INSERT INTO t VALUES (1), (2) ON CONFLICT (a) DO NOTHING;", 2),
        ("INSERT INTO t DEFAULT VALUES;", 1),
        ("INSERT INTO t SELECT 1;", 0),
        ("SELECT (1), (2);", 0),
    ],
)
def test_rows_of_inserts_are_counted(statement: str, rows: int) -> None:
    (found,) = cut(statement + "\n")
    assert found.rows == rows


def test_bodies_of_sql_functions_are_not_cut() -> None:
    function = "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END;"
    assert texts(f"{function}\nBEGIN;\nSELECT 1;") == [function, "BEGIN;", "SELECT 1;"]


def test_old_strings_where_a_backslash_escapes() -> None:
    off, on = (f"SET standard_conforming_strings = {value};\n" for value in ("off", "on"))
    text = f"{off}SELECT 'a\\';b';\n{on}SELECT 'a\\'; SELECT 1;"
    assert [statement for statement in texts(text) if not statement.startswith("SET")] == [
        "SELECT 'a\\';b';",
        "SELECT 'a\\';",
        "SELECT 1;",
    ]


def test_marks_of_newer_dumps_and_of_windows_are_passed_over() -> None:
    text = b"\xef\xbb\xbf-- dump\r\n\\restrict a0B1\r\n\r\nSELECT 1;\r\n\\unrestrict a0B1\r\n"
    assert [item.text for item in cut(text)] == [b"SELECT 1;"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("SELECT 1;\n\\! touch /tmp/x\n", 2, "backslash"),
        ("SELECT 1 \\gexec\n", 1, "backslash"),
        ("\\restrict a; \\! id\n", 1, "backslash"),
        ("\\connect other\n", 1, "backslash"),
        ("COPY t FROM PROGRAM 'id';\n", 1, "COPY"),
        ("COPY t FROM '/etc/passwd';\n", 1, "COPY"),
        ("COPY t TO stdout;\n", 1, "COPY"),
        ("COPY t FROM stdin CSV;\n1\n\\.\n", 1, "COPY"),
        ("COPY t FROM stdin; SELECT 1;\n1\n\\.\n", 1, "new line"),
        ("SELECT 1;\nCOPY t FROM stdin;\n1\n2\n", 2, "no end"),
        ("SELECT 1;\nSELECT\n2", 2, "middle"),
        ("SELECT 'a;\nb", 1, "middle"),
        ("SELECT 1; /* never closed", 1, "middle"),
    ],
)
def test_what_cannot_be_loaded_is_refused_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(DumpError, match=message) as caught:
        cut(text)
    assert caught.value.line == line


@pytest.mark.parametrize(
    "text", ["", "\n\n", "-- only a comment", "/* only a comment */\n", "SELECT 1;\n-- the end", "SELECT 1; /* x */\n"]
)
def test_comments_and_blanks_at_the_end_are_fine(text: str) -> None:
    assert len(cut(text)) == text.count("SELECT")
