"""Segments lose nothing, cut where clauses begin, and only there."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from tests.support.data import shared_data
from touchstone.benchmarks.interact.user.clauses import Dialect, lex
from touchstone.benchmarks.interact.user.segments import DEEPEST, Segment, segments


def cut(sql: str, dialect: Dialect = "postgres", depth: int = 0) -> list[tuple[str, str]]:
    return [(each.clause, each.text) for each in segments(sql, dialect) if each.depth == depth]


def squeezed(text: str) -> str:
    return "".join(text.split())


def covered(found: list[Segment], depth: int = 0) -> str:
    return squeezed("".join(each.text for each in found if each.depth == depth))


def test_a_query() -> None:
    sql = (
        "SELECT a,\n       b\nFROM t AS x\nLEFT  OUTER JOIN u USING (id) WHERE a > 1 "
        "GROUP BY a HAVING count(*) > 2 ORDER BY b LIMIT 3 OFFSET 4"
    )
    assert cut(sql) == [
        ("SELECT", "SELECT a,\n       b"),
        ("FROM", "FROM t AS x"),
        ("LEFT OUTER JOIN", "LEFT  OUTER JOIN u USING (id)"),
        ("WHERE", "WHERE a > 1"),
        ("GROUP BY", "GROUP BY a"),
        ("HAVING", "HAVING count(*) > 2"),
        ("ORDER BY", "ORDER BY b"),
        ("LIMIT", "LIMIT 3"),
        ("OFFSET", "OFFSET 4"),
    ]


def test_table_expressions_are_kept_by_name_and_their_clauses_follow() -> None:
    sql = 'WITH RECURSIVE a(n) AS (SELECT 1 FROM x WHERE y), "b c" AS NOT MATERIALIZED (SELECT 2) SELECT n FROM a'
    assert [(each.label, each.depth) for each in segments(sql, "postgres")] == [
        ("WITH a", 0),
        ("WITH a > SELECT", 1),
        ("WITH a > FROM", 1),
        ("WITH a > WHERE", 1),
        ('WITH "b c"', 0),
        ('WITH "b c" > SELECT', 1),
        ("SELECT", 0),
        ("FROM", 0),
    ]
    assert cut(sql)[0][1] == "WITH RECURSIVE a(n) AS (SELECT 1 FROM x WHERE y),"


@pytest.mark.parametrize(
    "whole",
    [
        "SELECT EXTRACT(YEAR FROM d), substring(a FROM 2 FOR 3), trim(BOTH 'x' FROM y)",
        "SELECT row_number() OVER (PARTITION BY a ORDER BY b), string_agg(x, ',' ORDER BY y)",
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x), count(*) FILTER (WHERE z)",
        "SELECT a IS NOT DISTINCT FROM b, CASE WHEN x THEN y END",
        "SELECT \"from\", 'where', t.limit, offset, left(a, 1)",
        "SELECT $$ FROM here $$, 'it''s FROM', E'it\\'s FROM'",
        "GRANT SELECT ON t TO somebody",
        "ALTER TABLE t ALTER COLUMN c SET DEFAULT 1",
        "CREATE TABLE t (a int REFERENCES u ON DELETE SET NULL, b timestamp with time zone)",
    ],
)
def test_what_is_no_clause_is_not_cut(whole: str) -> None:
    assert [text for _, text in cut(whole)] == [whole]


@pytest.mark.parametrize(
    ("sql", "clauses"),
    [
        ("UPDATE t SET a = 1, b = 2 FROM u WHERE t.c = u.c RETURNING *", ["UPDATE", "SET", "FROM", "WHERE", "RETURNING"]),
        ("DELETE FROM t USING u WHERE t.a = u.a", ["DELETE FROM", "USING", "WHERE"]),
        ("INSERT INTO t (a) VALUES (1), (2) ON CONFLICT (a) DO UPDATE SET b = 1", ["INSERT INTO", "VALUES", "ON CONFLICT"]),
        ("INSERT INTO t SELECT 1 UNION ALL SELECT 2", ["INSERT INTO", "SELECT", "UNION ALL SELECT"]),
        ("REPLACE INTO t VALUES (1)", ["REPLACE INTO", "VALUES"]),
        (
            "MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN UPDATE SET b = CASE WHEN x THEN 1 END "
            "WHEN NOT MATCHED THEN INSERT (a) VALUES (s.a)",
            ["MERGE INTO", "USING", "WHEN", "WHEN"],
        ),
        ("CREATE OR REPLACE VIEW v AS SELECT a FROM t", ["CREATE VIEW", "SELECT", "FROM"]),
        ("CREATE TEMP TABLE t AS WITH c AS (SELECT 1) SELECT * FROM c", ["CREATE TABLE", "WITH c", "SELECT", "FROM"]),
        (
            "WITH gone AS (DELETE FROM t RETURNING *) INSERT INTO u SELECT * FROM gone",
            ["WITH gone", "INSERT INTO", "SELECT", "FROM"],
        ),
        ("EXPLAIN ANALYZE SELECT 1 FROM t", ["EXPLAIN", "SELECT", "FROM"]),
        ("REFRESH MATERIALIZED VIEW v", ["STATEMENT"]),
        ("(SELECT 1) UNION (SELECT 2) ORDER BY 1", ["QUERY", "UNION", "ORDER BY"]),
        (
            "SELECT 1 FROM t WINDOW w AS (ORDER BY a) FETCH FIRST 3 ROWS ONLY FOR UPDATE",
            "SELECT|FROM|WINDOW|FETCH|FOR UPDATE".split("|"),
        ),
        ("SELECT 1; UPDATE t SET a = 2;; DROP TABLE t;", ["SELECT", "UPDATE", "SET", "DROP TABLE"]),
        ("GROUP /* by hand */ BY a", ["GROUP BY"]),
        ("x := 1", ["STATEMENT"]),
    ],
)
def test_statements(sql: str, clauses: list[str]) -> None:
    assert [clause for clause, _ in cut(sql)] == clauses


def test_a_function_is_kept_and_its_body_is_cut_too() -> None:
    sql = (
        "CREATE FUNCTION f(a int) RETURNS int AS $fn$ BEGIN IF a > 1 THEN UPDATE t SET b = 2 WHERE c; END IF; "
        "RETURN QUERY SELECT d FROM e; END $fn$ LANGUAGE plpgsql"
    )
    assert [clause for clause, _ in cut(sql)] == ["CREATE FUNCTION", "AS"]
    inner = cut(sql, depth=1)
    assert ("SET", "SET b = 2") in inner
    assert ("FROM", "FROM e;") in inner
    assert covered(segments(sql, "postgres"), 1) == squeezed(sql.split("$fn$")[1])


def test_comments_go_and_their_lines_stay() -> None:
    sql = "SELECT a, -- FROM nowhere\n b /* WHERE /* nested */ */ FROM t"
    assert cut(sql) == [("SELECT", "SELECT a,\n b"), ("FROM", "FROM t")]


def test_sqlite_quotes_names_in_three_ways() -> None:
    sql = 'SELECT `from`, [where x], "limit" FROM [group by] -- ; SELECT\n'
    assert [text for _, text in cut(sql, "sqlite")] == ['SELECT `from`, [where x], "limit"', "FROM [group by]"]


def test_broken_text_is_kept() -> None:
    assert cut("SELECT 'never closed FROM t") == [("SELECT", "SELECT 'never closed"), ("FROM", "FROM t")]
    assert cut("SELECT (a FROM t") == [("SELECT", "SELECT (a"), ("FROM", "FROM t")]
    assert cut("SELECT a) FROM t /* never closed")[0] == ("SELECT", "SELECT a)")
    assert cut("") == cut(" -- nothing\n") == []


def test_sub_queries_without_end() -> None:
    sql = "SELECT (" * 3_000 + "1" + ")" * 3_000
    found = segments(sql, "postgres")
    assert covered(found) == squeezed(sql)
    assert max(each.depth for each in found) == DEEPEST


_WORDS = """SELECT FROM WHERE GROUP BY ORDER LIMIT OFFSET JOIN LEFT UNION ALL WITH AS SET UPDATE INSERT INTO VALUES DELETE
    MERGE USING WHEN CASE END CREATE FUNCTION RETURNING ON CONFLICT DISTINCT DO BEGIN THEN WINDOW FOR a t.b "x" 'y;(' 1.5
    >= :: * ( ) ( ) , ; = $$a;b$$ SELECT(1) EXTRACT(YEAR""".split()
_PIECES = st.one_of(
    st.sampled_from(_WORDS).map(lambda word: (word, word)),
    st.sampled_from(["-- c '\n", "/* (; */", "/* a /* b */ c */"]).map(lambda comment: (comment, "")),
)


@given(st.lists(_PIECES, max_size=60))
def test_the_outermost_segments_have_all_that_is_no_comment_once(pieces: list[tuple[str, str]]) -> None:
    text = " ".join(piece for piece, _ in pieces)
    assert covered(segments(text, "postgres")) == squeezed("".join(kept for _, kept in pieces))


@given(st.text(st.sampled_from("abSELECT'\"$`[](){};:.,*+#@\\\n\t é😀0"), max_size=80), st.sampled_from(["postgres", "sqlite"]))
def test_any_text_is_covered(text: str, dialect: Dialect) -> None:
    assert covered(segments(text, dialect)) == squeezed(text)


@st.composite
def queries(draw: st.DrawFn, depth: int = 0) -> tuple[str, dict[int, str]]:
    """A query, and for each depth what is within the parentheses of its sub-queries."""
    inside: dict[int, str] = {}

    def part(template: str) -> str:
        text, deeper = draw(queries(depth + 1)) if depth < 3 and draw(st.booleans()) else ("SELECT 1", {})
        for level, content in {0: squeezed(text), **deeper}.items():
            inside[level + 1] = inside.get(level + 1, "") + content
        return template.format(f"({text})")

    first = draw(st.sampled_from(["", "WITH c AS {} ", "INSERT INTO t ", "CREATE VIEW v AS "]))
    more = draw(st.lists(st.sampled_from(["JOIN {} AS j ON true ", "WHERE x IN {} ", "UNION SELECT max(a, {}) "]), max_size=2))
    wanted = [first if depth == 0 else "", "SELECT coalesce(a, b) ", "FROM t ", *more]
    text = "".join(part(each) if "{}" in each else each for each in wanted)
    return text, inside


@given(queries())
def test_the_deeper_segments_have_all_that_is_within_the_parentheses(made: tuple[str, dict[int, str]]) -> None:
    text, inside = made
    found = segments(text, "postgres")
    assert covered(found) == squeezed(text)
    assert {depth: covered(found, depth) for depth in range(1, 9) if covered(found, depth)} == inside


_KINDS: dict[str, type[exp.Expression]] = {
    "SELECT": exp.Select,
    "FROM": exp.From,
    "WHERE": exp.Where,
    "GROUP BY": exp.Group,
    "HAVING": exp.Having,
    "LIMIT": exp.Limit,
    "WITH": exp.CTE,
}


def _by_parsing(sql: str, dialect: str) -> Counter[str]:
    """The clauses that a real parser sees. A filter of an aggregate has a WHERE that is none of the query's."""
    nodes = (node for tree in sqlglot.parse(sql, dialect=dialect) if tree for node in tree.walk())
    return Counter(
        clause
        for node in nodes
        for clause, kind in _KINDS.items()
        if isinstance(node, kind) and not isinstance(node.parent, exp.Filter)
    )


def _by_cutting(sql: str, dialect: Dialect) -> Counter[str]:
    names = ("WITH" if each.clause.startswith("WITH ") else each.clause.split("ALL ")[-1] for each in segments(sql, dialect))
    return Counter(name.removeprefix("UNION ").removeprefix("EXCEPT ").removeprefix("INTERSECT ") for name in names)


def _real() -> Iterator[tuple[str, Dialect]]:
    for task in json.loads((shared_data("bird") / "tasks" / "dev.json").read_text())[::2]:
        yield task["SQL"], "sqlite"
    for name in ("a", "c"):
        samples: list[dict[str, Any]] = json.loads((shared_data("adk-samples") / f"{name}_interact_samples.json").read_text())[
            "samples"
        ]
        for step in (step for sample in samples for step in sample["tool_trajectory"]):
            if "sql" in step["args"]:
                yield step["args"]["sql"], "postgres"


def test_real_queries_are_cut_where_a_parser_sees_clauses() -> None:
    for sql, dialect in _real():
        there = _by_cutting(sql, dialect)
        assert {name: there[name] for name in _KINDS if there[name]} == _by_parsing(sql, dialect), sql
        assert covered(segments(sql, dialect)) == squeezed("".join(token.text for token in lex(sql, dialect)))
