# ruff: noqa: E501 - SQL and test functions in one line each are easier to read
"""The grammar of the cases for differential_interact.py: queries and their variations, statements, and test functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

Case = dict[str, Any]

POSTGRES = """
CREATE TYPE shade AS ENUM ('red', 'green', 'blue');
CREATE TYPE spot AS (x int, y numeric);
CREATE TABLE m (
    id int PRIMARY KEY, small smallint, whole int, large bigint, exact numeric(12, 4), loose numeric, wide float8, narrow real,
    words text, fixed char(5), short varchar(9), day date, moment timestamp, instant timestamptz, hour time, zoned timetz,
    span interval, flag boolean, mark uuid, bytes bytea, cash money, address inet, net cidr, card macaddr, reach int4range,
    days daterange, amounts numrange, tone shade, ints int[], nums numeric[], reals float8[], texts text[], dates date[],
    marks uuid[], flags boolean[], tones shade[], doc json, docb jsonb, bits bit(3), place point, pair spot, many int4multirange);
INSERT INTO m VALUES
    (1, 3, 7, 9000000000, 2.5, 0.005, 0.1, 1.5, 'Ox', 'ab', 'q', '2023-05-06', '2023-05-06 07:08:09.123456',
     '2023-05-06 22:00:00+00', '07:08:09', '07:08:09+01', '2 days 3 hours', true, '5b0c7f7e-6a3d-4c1e-9d68-1f2a3b4c5d6e', '\\xcafe',
     3.21, '10.1.2.3/16', '10.1.0.0/16', '02:00:5e:10:00:00', '[2,9)', '[2023-01-01,2023-06-01)', '[0.5,1.25]', 'green',
     '{4,5}', '{0.125,2}', '{0.5,0.125}', '{x,"y z"}', '{2023-05-06}', '{5b0c7f7e-6a3d-4c1e-9d68-1f2a3b4c5d6e}', '{t}', '{red}',
     '{"k": 1.239, "l": [1, "a"]}', '{"k": 1.239, "l": [1, "a"]}', B'101', '(3,4)', '(5,6.789)', '{[1,3),[5,7)}'),
    (2, 3, 7, 9000000000, 2.5, 0.005, 0.1, 1.5, 'Ox', 'ab', 'q', '2023-05-06', '2023-05-06 17:08:09',
     '2023-05-06 22:00:00+00', '07:08:09', '07:08:09+01', '2 days 3 hours', true, '5b0c7f7e-6a3d-4c1e-9d68-1f2a3b4c5d6e', '\\xcafe',
     3.21, '10.1.2.3/16', '10.1.0.0/16', '02:00:5e:10:00:00', '[2,9)', '[2023-01-01,2023-06-01)', '[0.5,1.25]', 'green',
     '{4,5}', '{0.125,2}', '{0.5,0.125}', '{x,"y z"}', '{2023-05-06}', '{5b0c7f7e-6a3d-4c1e-9d68-1f2a3b4c5d6e}', '{t}', '{red}',
     '{"k": 1.239, "l": [1, "a"]}', '{"k": 1.239, "l": [1, "a"]}', B'101', '(3,4)', '(5,6.789)', '{[1,3),[5,7)}'),
    (3, -3, -7, -9000000000, -2.4999, 1.995, -0.125, -1.25, 'don''t -- ROUND(1, 2)', 'c', 'DISTINCT', '0101-02-03',
     '1970-01-01 00:00:00', '1969-12-31 23:59:59+09', '24:00', '23:59:59-12', '-1 year 2 months', false,
     '00000000-0000-0000-0000-000000000000', '\\x', -0.05, '::1/128', '::/8', '02:00:5e:10:00:01', 'empty', 'empty', '(,3.5)',
     'blue', '{}', '{NaN}', '{Infinity}', '{NULL,""}', '{infinity}', '{}', '{f,NULL}', '{blue,green}', 'null', '"s"', B'000',
     '(0,-0.5)', '(,)', '{}'),
    (4, NULL, NULL, NULL, NULL, 'NaN', 'NaN', 'Infinity', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
     NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
     NULL, NULL),
    (5, 0, 1, 1, 0, 99999999999999999999999999.995, 1e300, 1e-30, '', '', '', 'infinity', 'infinity', '-infinity', '00:00',
     '00:00+00', '0', true, 'ffffffff-ffff-ffff-ffff-ffffffffffff', '\\x00ff', 0, '1.2.3.4', '1.2.3.4/32', '02:00:5e:10:00:02',
     '[1,1]', '[2023-01-01,infinity)', '[0,)', 'red', '{{1,2},{3,4}}', '{1,NULL}', '{-0.0}', '{a}', '{2023-01-01,2022-01-01}',
     '{00000000-0000-0000-0000-000000000000}', '{t,f}', '{}', '[1.005, {"z": null}]', '[1.005, {"z": null}]', B'111',
     '(1e9,1e-9)', '(1,1)', '{(,1)}');
CREATE TABLE part (id serial PRIMARY KEY, name text UNIQUE, stock int CHECK (stock >= 0), price numeric(8, 2) DEFAULT 2.25);
INSERT INTO part (name, stock, price) SELECT 'p' || n, n, n * 1.37 FROM generate_series(1, 12) AS n;
CREATE TABLE many (id int);
INSERT INTO many SELECT generate_series(1, 10400);
"""
SQLITE = """
CREATE TABLE part (id INTEGER PRIMARY KEY, name TEXT UNIQUE, stock INT CHECK (stock >= 0), price REAL DEFAULT 2.25, note BLOB);
INSERT INTO part (name, stock, price, note) VALUES ('p1', 1, 1.37, x'01'), ('p2', 2, 2.745, NULL), ('p3', 2, 2.745, 'ROUND(1, 2)'),
    ('it''s', 0, -0.125, ''), ('p5', NULL, 1e300, '2024-01-02');
CREATE TABLE many (id INTEGER PRIMARY KEY);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10400) INSERT INTO many SELECT i FROM n;
"""

_COLUMNS = (
    "small whole large exact loose wide narrow words fixed short day moment instant hour zoned span flag mark bytes cash address net"
    " card reach days amounts tone ints nums reals texts dates marks flags tones doc docb bits place pair many"
).split()
_NUMBERS = ("small", "whole", "large", "exact", "loose", "wide", "narrow")
_WRAPPED = (
    "{c}",
    "{c}::text",
    "({c})",
    "coalesce({c}, {c})",
    "array_agg({c}) OVER ()",
    "ARRAY[{c}]",
    "ROW({c}, 1)",
    "to_json({c})",
    "jsonb_build_object('v', {c})",
    "{c} IS NULL",
    "{c}, {c} IS DISTINCT FROM NULL",
    "CASE WHEN id > 2 THEN {c} END",
    "(SELECT {c})",
    "NULLIF({c}::text, '')",
    "quote_nullable({c}::text)",
    "json_build_array({c})",
)
_OF_NUMBERS = (
    "ROUND({c}::numeric, 1)",
    "round({c}::numeric)",
    "10 * ROUND({c}::numeric + 1, 0)",
    "ROUND(ROUND({c}::numeric, 3), 1)",
    "{c}::float8",
    "{c}::numeric",
    "{c} + 0.004",
    "{c} * 1.0",
    "-{c}",
    "abs({c})",
    "Round ({c}::numeric, 2)",
    "COALESCE(ROUND({c}::numeric, 2), 0)",
    "background({c})",
    "to_char({c}, '999.99')",
)
_ANALYSES = (
    "SELECT stock % 3 AS k, count(*), ROUND(avg(price), 1) FROM part GROUP BY 1 HAVING count(*) > 1 ORDER BY 1",
    "SELECT name, rank() OVER (ORDER BY price DESC) FROM part ORDER BY 2, 1 LIMIT 3",
    "SELECT name, sum(price) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM part ORDER BY id",
    "SELECT p.name, q.name FROM part p LEFT JOIN part q ON q.id = p.id + 10 ORDER BY p.id",
    "SELECT count(*) FILTER (WHERE stock > 4), count(DISTINCT stock / 2), avg(price) FROM part",
    "SELECT docb ->> 'k', docb -> 'l', (docb ->> 'k')::numeric FROM m WHERE id <= 2",
    "SELECT jsonb_array_elements(docb -> 'l') FROM m WHERE id = 1",
    "SELECT date_trunc('month', moment), EXTRACT(YEAR FROM moment), to_char(moment, 'YYYY-MM') FROM m WHERE id <= 3",
    "SELECT age(moment, '2020-01-01'), moment - '2020-01-01'::timestamp FROM m WHERE id IN (1, 3)",
    "SELECT ROUND(CAST(avg(price) AS numeric), 2) FROM (SELECT DISTINCT price FROM part) AS d",
    "WITH a AS (SELECT DISTINCT stock FROM part), b AS (SELECT ROUND(avg(stock), 1) AS v FROM a) SELECT v, (SELECT count(*) FROM a) FROM b",
    "SELECT CASE WHEN ROUND(price, 0) > 5 THEN 'dear' ELSE 'cheap' END, count(*) FROM part GROUP BY 1 ORDER BY 1",
    "SELECT stock % 2, stock % 3, count(*) FROM part GROUP BY GROUPING SETS ((1), (2), ()) ORDER BY 1, 2, 3",
    "SELECT string_agg(name, ', ' ORDER BY name DESC), array_agg(stock ORDER BY stock) FROM part WHERE id < 4",
    "SELECT p.name, l.n FROM part p CROSS JOIN LATERAL (SELECT generate_series(1, p.stock) AS n) l WHERE p.id < 3 ORDER BY 1, 2",
    "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY price), mode() WITHIN GROUP (ORDER BY stock % 2) FROM part",
    "SELECT corr(stock, price), stddev(price), variance(price), regr_slope(price, stock) FROM part",
    "SELECT unnest(ints), unnest(texts) FROM m WHERE id = 1",
    "SELECT name FROM part WHERE price > (SELECT ROUND(avg(price), 2) FROM part) EXCEPT SELECT 'p12' ORDER BY 1",
    "SELECT to_jsonb(part) FROM part WHERE id = 1",
    "SELECT json_agg(json_build_object('n', name, 'p', ROUND(price, 1)) ORDER BY id) FROM part WHERE id < 3",
    "SELECT row_to_json(t) FROM (SELECT id, price FROM part WHERE id = 2) t",
    "SELECT COALESCE(SUM(CASE WHEN stock > 5 THEN price END), 0)::float8 / NULLIF(COUNT(*), 0) FROM part",
    "SELECT ntile(3) OVER (ORDER BY id), lag(price, 1, 0) OVER (ORDER BY id) FROM part ORDER BY id",
    "SELECT ROUND((price / 3)::numeric, 3) AS r FROM part GROUP BY ROUND((price / 3)::numeric, 3) ORDER BY r",
)
"""Queries as the datasets have them."""
_AGGREGATES = (
    "count({d}{c})",
    "min({c}::text)",
    "array_agg({d}{c}::text)",
    "json_agg({c})",
    "string_agg({d}{c}::text, ',')",
    "bool_or({c} IS NULL)",
    "array_agg({c})",
)


def generate(chance: Random, evaluator: str, count: int) -> list[Case]:
    sqlite = evaluator == "mini"
    cases: list[Case] = []
    for number in range(count):
        managed = chance.random() < 0.4
        made = _managed(chance, sqlite=sqlite) if managed else _query(chance, sqlite=sqlite)
        key = f"g_{'M_' if managed else ''}{number}"
        cases.append({"id": key, "evaluator": evaluator, "tests": [], "conditions": None, "reads": False, **made})
    return cases


def named_difference(case: Case) -> str | None:
    """Of those that docs/interact.md names, the one that explains a disagreement about the case."""
    return (
        "the gold is run on data that the submission has not touched"
        if case["category"] == "Query" and not case["reads"]
        else None
    )


# Queries.


def _query(chance: Random, *, sqlite: bool) -> Case:
    if chance.random() < 0.12:
        return _odd_pair(chance, sqlite=sqlite)
    gold = _select_sqlite(chance) if sqlite else _select(chance)
    conditions: dict[str, Any] | None = chance.choice(
        [
            None,
            {},
            {"order": True},
            {"order": False, "distinct": True},
            {"decimal": chance.randint(-1, 4), "order": chance.random() < 0.5},
        ]
    )
    predicted = chance.choice(_VARIATIONS)(gold, chance)
    several = [gold] if chance.random() < 0.95 else chance.choice([["SELECT 1", gold], [gold, "SELECT 1"], [gold + ";"]])
    return {"predicted": predicted, "gold": several, "conditions": conditions, "category": "Query", "reads": True}


def _select(chance: Random) -> str:
    where = chance.choice(
        ("", " WHERE id <= 2", " WHERE id = 3", " WHERE id IN (1, 5)", " WHERE id <= 3", " WHERE flag", " WHERE id > 99")
    )
    order = chance.choice(("", " ORDER BY id", " ORDER BY id DESC", " ORDER BY 1, id"))
    if chance.random() < 0.25:
        return chance.choice(_ANALYSES)
    if chance.random() < 0.2:
        column = chance.choice(_COLUMNS)
        distinct = chance.choice(("", "", "DISTINCT "))
        return f"SELECT {chance.choice(_AGGREGATES).format(c=column, d=distinct)} FROM m{where}"
    cells = ", ".join(_cell(chance) for _ in range(chance.randint(1, 3)))
    distinct = chance.choice(("", "", "", "DISTINCT ", "distinct\n", "DISTINCT ON (id) "))
    if distinct == "DISTINCT ON (id) ":
        order = " ORDER BY id"
    elif distinct and order:
        order = " ORDER BY 1"
    return f"SELECT {distinct}{cells} FROM m{where}{order}"


def _cell(chance: Random) -> str:
    if chance.random() < 0.4:
        return chance.choice(_OF_NUMBERS).format(c=chance.choice(_NUMBERS))
    return chance.choice(_WRAPPED).format(c=chance.choice(_COLUMNS))


def _select_sqlite(chance: Random) -> str:
    columns = ("id", "name", "stock", "price", "note")
    wrapped = (
        "{c}",
        "ROUND({c}, 1)",
        "CAST({c} AS TEXT)",
        "{c} + 0",
        "10*ROUND({c}+1, 0)",
        "max({c}) OVER ()",
        "typeof({c})",
        "{c} || ''",
    )
    cells = ", ".join(chance.choice(wrapped).format(c=chance.choice(columns)) for _ in range(chance.randint(1, 3)))
    where = chance.choice(("", " WHERE id <= 2", " WHERE stock = 2", " WHERE id > 99"))
    return f"SELECT {chance.choice(('', '', 'DISTINCT '))}{cells} FROM part{where}{chance.choice(('', ' ORDER BY id', ' ORDER BY 1 DESC'))}"


_VARIATIONS: tuple[Callable[[str, Random], str], ...] = (
    lambda sql, _: sql,
    lambda sql, _: sql,
    lambda sql, _: sql + ";",
    lambda sql, _: sql + " -- why",
    lambda sql, _: "-- first\n" + sql,
    lambda sql, _: "/* a */ " + sql.replace(" FROM ", " /* b\n c */ FROM "),
    lambda sql, _: sql.split(" ORDER BY")[0],
    lambda sql, _: sql.split(" ORDER BY")[0] + " ORDER BY 1 DESC",
    lambda sql, _: f"SELECT * FROM ({sql}) AS s",
    lambda sql, _: f"WITH s AS ({sql}) SELECT * FROM s",
    lambda sql, _: f"({sql.split(' ORDER BY')[0]}) UNION ALL ({sql.split(' ORDER BY')[0]})",
    lambda sql, _: f"{sql.split(' ORDER BY')[0]} UNION {sql.split(' ORDER BY')[0]}",
    lambda sql, _: sql.replace("SELECT ", "SELECT DISTINCT ", 1) if "DISTINCT" not in sql else sql.replace("DISTINCT ", "", 1),
    lambda sql, _: sql.replace("ROUND(", "(", 1),
    lambda sql, _: sql.replace("SELECT ", "SELECT 1, ", 1),
    lambda sql, _: sql.replace("id <= 2", "id = 1"),
    lambda sql, _: sql.replace("::numeric", "::float8"),
    lambda sql, _: sql + " LIMIT 1",
    lambda sql, _: sql.lower(),
    lambda sql, _: "SELECT 1; " + sql,
    lambda sql, _: sql + "; SELECT 2",
    lambda sql, _: sql.replace("FROM", "FRM", 1),
    lambda sql, chance: sql.replace("whole", chance.choice(("large", "exact", "wide"))),
    lambda sql, _: sql.replace("moment", "day").replace("::text", ""),
    lambda sql, _: sql.replace("price", "price + 0.001"),
    lambda sql, _: sql.replace("price", "price::float8"),
    lambda sql, _: sql.replace("ROUND(avg(price), 1)", "avg(price)").replace("count(DISTINCT ", "count("),
    lambda sql, _: sql.replace("SELECT ", "SELECT ALL ", 1),
    lambda sql, _: sql.replace(" ORDER BY 1", " ORDER BY 1 NULLS FIRST"),
    lambda sql, _: sql.replace("'", "''", 1),
    lambda sql, _: "\ufeff" + sql,
    lambda sql, _: sql.replace(" ", "\n\t", 3) + "\n;;",
    lambda sql, _: "EXPLAIN " + sql,
    lambda sql, _: f"SELECT s.* FROM ({sql}) AS s LIMIT 3 OFFSET 1",
    lambda sql, _: sql.replace("SELECT ", "SELECT NULL, ", 1),
)


def _odd_pair(chance: Random, *, sqlite: bool) -> Case:
    common: Sequence[tuple[str, str, bool]] = (
        ("SELECT id FROM many", "SELECT id FROM many ORDER BY id", True),
        ("SELECT id FROM many ORDER BY id", "SELECT id FROM many WHERE id <= 10000 ORDER BY id", True),
        ("SELECT id FROM many ORDER BY id DESC", "SELECT id FROM many ORDER BY id", True),
        ("VALUES (1), (2)", "SELECT 1 UNION SELECT 2", True),
        ("", "SELECT 1", True),
        ("   ", "SELECT 1", True),
        ("-- nothing", "SELECT 1", True),
        ("UPDATE part SET stock = 1", "SELECT 1", False),
        ("INSERT INTO part (name, stock) VALUES ('n', 1) RETURNING stock", "SELECT 1", False),
        ("SELECT 1 WHERE false", "SELECT 1 WHERE false", True),
        ("EXPLAIN SELECT 1", "EXPLAIN SELECT 1", True),
        ("SELECT count(*) FROM part WHERE name LIKE 'p%'", "SELECT count(*) FROM part", True),
    )
    postgres: Sequence[tuple[str, str, bool]] = (
        ("SELECT 1; CREATE TABLE fresh (a int)", "SELECT 1", False),
        ("CREATE TABLE fresh (a int); SELECT 1", "SELECT 1", False),
        ("CREATE TABLE IF NOT EXISTS fresh (a int); SELECT 1", "SELECT 1", False),
        ("SET search_path TO public; SELECT 1", "SELECT 1", False),
        ("BEGIN; SELECT 1", "SELECT 1", False),
        ("BEGIN; SELECT 1; COMMIT", "SELECT 1", False),
        ("SELECT 1; ROLLBACK; SELECT 1", "SELECT 1", False),
        ("VACUUM", "SELECT 1", False),
        ("TABLE part", "SELECT * FROM part", True),
        ("SHOW transaction_isolation", "SELECT 'read committed'", True),
        ("SELECT '9999-12-31'::date + 1", "SELECT '9999-12-31'::date + 1", True),
        ("SELECT '0044-03-15 BC'::date", "SELECT '0044-03-15 BC'::date", True),
        ("SELECT 'infinity'::date", "SELECT '9999-12-31'::date", True),
        ("SELECT 'infinity'::timestamp", "SELECT '-infinity'::timestamp", True),
        ("SELECT 'é' COLLATE \"C\"", "SELECT U&'\\00e9'", True),
        ("COPY part TO STDOUT", "SELECT 1", False),
        ("DO $$ BEGIN PERFORM 1; END $$", "SELECT 1", False),
        ("DECLARE c CURSOR FOR SELECT 1; FETCH c", "SELECT 1", False),
        ("SELECT nextval('part_id_seq')", "SELECT 13", False),
        ("CALL nothing()", "SELECT 1", False),
        ("SELECT stock::int8 FROM part", "SELECT stock FROM part", True),
        ("SELECT 0.1::float4", "SELECT 0.1::float8", True),
        ("SELECT 1 AS a, 2 AS a", "SELECT 1, 2", True),
        ("SELECT", "SELECT", True),
        ("SELECT FROM part", "SELECT FROM part", True),
        ("SELECT '2024-01-02 23:00-05'::timestamptz", "SELECT '2024-01-03'::date", True),
        ("SELECT '1 mon'::interval", "SELECT '30 days'::interval", True),
        ("SELECT '0999-01-01'::date", "SELECT '999-01-01'", True),
        ('SELECT \'{"a": 1.239, "b": [true]}\'::jsonb', 'SELECT \'{"b": [true], "a": 1.24}\'::json', True),
        ("SELECT ARRAY[1.239::float8]", "SELECT '[1.24]'::json", True),
        ("SELECT 'NaN'::numeric", "SELECT 'NaN'::numeric", True),
        ("SELECT 'Infinity'::numeric", "SELECT 'Infinity'::float8", True),
        ("SELECT 2.665::float8", "SELECT 2.67", True),
        ("SELECT 1e26::numeric", "SELECT 1e26::numeric", True),
        ("SELECT 1 WHERE 1 IS DISTINCT FROM 2", "SELECT 1", True),
        ("SELECT $$a -- b\nc$$", "SELECT 'a c'", True),
        ("SELECT 1 /* a /* nested */ b */", "SELECT 1", True),
        ("SELECT 1 -- x\r + 1", "SELECT 1", True),
        ("SELECT ROUND(2.5::float8)", "SELECT 2.5", True),
        ("SELECT pg_catalog.round(1.234, 1)", "SELECT 1.234", True),
        ("(SELECT id FROM many)", "TABLE many", True),
        ("SELECT '%s', 5 % 3", "SELECT '%s', 2", True),
        ("SELECT 1\u00a0", "SELECT 1", True),
        ("SELECT part FROM part WHERE id = 1", "SELECT '(1,p1,1,1.37)'", True),
    )
    sqlite_only: Sequence[tuple[str, str, bool]] = (
        ("PRAGMA user_version", "SELECT 0", True),
        ("WITH x AS (SELECT 1) SELECT * FROM x", "SELECT 1", True),
        ("CREATE TABLE fresh (a); SELECT 1", "SELECT 1", False),
        ("SELECT x'01'", "SELECT note FROM part WHERE id = 1", True),
        ("UPDATE part SET stock = 1 WHERE id > 99 RETURNING id", "SELECT 1", False),
        ("SELECT 2.665", "SELECT 2.67", True),
        ("SELECT 9e999", "SELECT 9e999", True),
        ("SELECT 2;;", "SELECT 2", True),
        ("SELECT 2; -- x", "SELECT 2", True),
        ("SELECT true", "SELECT 1.0", True),
        ("SELECT ?", "SELECT NULL", True),
    )
    predicted, gold, reads = chance.choice((*common, *(sqlite_only if sqlite else postgres)))
    return {
        "predicted": predicted,
        "gold": [gold],
        "conditions": chance.choice([None, {"order": True}]),
        "category": "Query",
        "reads": reads,
    }


# Statements and test functions.

_STATEMENTS = (
    "UPDATE part SET stock = 50 WHERE id = 1",
    "INSERT INTO part (name, stock) VALUES ('new', 5)",
    "INSERT INTO part (name, stock) VALUES ('new', 5) RETURNING name, stock",
    "DELETE FROM part WHERE stock > 9",
    "CREATE TEMP TABLE aside AS SELECT id FROM part WHERE id <= 3",
    "CREATE TABLE fresh (a int); INSERT INTO fresh VALUES (1), (2)",
    "CREATE VIEW seen AS SELECT id, stock FROM part WHERE stock > 5",
    "SELECT id, name FROM part ORDER BY id LIMIT 2",
    "SELECT set_config('my.note', 'kept', false)",
    "SET my.note TO 'kept'",
    "PREPARE later AS SELECT 7",
    "BEGIN; UPDATE part SET stock = 50 WHERE id = 1",
    "BEGIN; UPDATE part SET stock = 50 WHERE id = 1; ROLLBACK",
    "UPDATE part SET stock = 50 WHERE id = 1; COMMIT; SELECT 3",
    "CREATE FUNCTION twice(int) RETURNS int LANGUAGE sql AS 'SELECT 2 * $1'",
    "ALTER TABLE part ADD COLUMN extra int DEFAULT 4",
    "CREATE INDEX CONCURRENTLY later_index ON part (stock)",
    "VACUUM part",
    "SELECT 1; CREATE TABLE fresh (a int)",
    "CREATE MATERIALIZED VIEW seen AS SELECT id FROM part",
    "UPDATE part SET stock = -1",
    "UPDATE nowhere SET a = 1",
    "SET statement_timeout = 5000",
    "SET LOCAL my.note TO 'kept'",
    "DO $$ BEGIN UPDATE part SET stock = 50 WHERE id = 1; END $$",
    "DECLARE held CURSOR WITH HOLD FOR SELECT id FROM part ORDER BY id",
    "CREATE EXTENSION IF NOT EXISTS pg_trgm",
    "LISTEN news; NOTIFY news, 'x'",
    "EXPLAIN SELECT 1",
    "INSERT INTO part (id, name, stock) VALUES (1, 'p1', 50) ON CONFLICT (id) DO UPDATE SET stock = EXCLUDED.stock",
    "WITH gone AS (DELETE FROM part WHERE stock > 9 RETURNING id) SELECT count(*) FROM gone",
    "CREATE OR REPLACE FUNCTION twice(n int) RETURNS int AS $$ BEGIN RETURN 2 * n; END; $$ LANGUAGE plpgsql",
    "CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.stock > 40 THEN RAISE EXCEPTION 'too many: %', NEW.stock; END IF; RETURN NEW; END $$; CREATE TRIGGER guarded BEFORE INSERT OR UPDATE ON part FOR EACH ROW EXECUTE FUNCTION guard()",
    "CREATE PROCEDURE fill(n int) LANGUAGE plpgsql AS $$ BEGIN UPDATE part SET stock = n WHERE id = 1; END $$; CALL fill(50)",
    "ALTER TABLE part ADD CONSTRAINT dear CHECK (price < 100)",
    "ALTER TABLE part ADD CONSTRAINT cheap CHECK (price < 1)",
    "CREATE TYPE mood AS ENUM ('sad', 'glad'); ALTER TABLE part ADD COLUMN feels mood DEFAULT 'glad'",
    "CREATE TABLE fresh (a int PRIMARY KEY, b int REFERENCES part (id) ON DELETE CASCADE); INSERT INTO fresh VALUES (1, 1)",
    "CREATE TABLE fresh (a int, b date) PARTITION BY RANGE (b); CREATE TABLE fresh_1 PARTITION OF fresh DEFAULT; INSERT INTO fresh VALUES (1, '2024-01-01')",
    "CREATE UNIQUE INDEX part_price ON part (price) WHERE stock > 3",
    "MERGE INTO part p USING (VALUES (1, 50)) v (id, s) ON p.id = v.id WHEN MATCHED THEN UPDATE SET stock = v.s",
    "TRUNCATE many",
    "COMMENT ON TABLE part IS 'checked'",
    "GRANT SELECT ON part TO PUBLIC",
    "CREATE SEQUENCE counter START 7; SELECT nextval('counter')",
    "CREATE SCHEMA other; CREATE TABLE other.fresh AS SELECT 1 AS a",
    "UPDATE m SET docb = jsonb_set(docb, '{k}', '5') WHERE id = 1",
    "ALTER TABLE part RENAME COLUMN stock TO held",
    "DROP TABLE many",
    "SELECT twice(3)",
    "CREATE RECURSIVE VIEW seen (n) AS SELECT 1 UNION ALL SELECT n + 1 FROM seen WHERE n < 3",
    "-- only a note",
    "UPDATE part SET stock = 50 WHERE id = 1;;",
    "UPDATE part SET stock = stock / 0",
    "CREATE TEMP VIEW seen AS SELECT id FROM part",
    "SELECT pg_catalog.set_config('search_path', '', false)",
    "CREATE TEMP TABLE aside (a int) ON COMMIT DELETE ROWS; INSERT INTO aside VALUES (1)",
    "ALTER TABLE part ADD COLUMN total numeric GENERATED ALWAYS AS (stock * price) STORED",
    "SET TIME ZONE 'Asia/Tokyo'; SET bytea_output = 'escape'",
    "DO $$ BEGIN RAISE NOTICE 'seen'; END $$",
    "CREATE PROCEDURE fill(n int) LANGUAGE plpgsql AS $$ BEGIN UPDATE part SET stock = n; COMMIT; END $$",
    "CREATE DOMAIN few AS int CHECK (VALUE < 9); CREATE TABLE fresh (a few)",
    "SELECT pg_advisory_lock(7)",
    "SELECT 'a\\x00b'",
)
_STATEMENTS_SQLITE = (
    "UPDATE part SET stock = 50 WHERE id = 1",
    "INSERT INTO part (name, stock) VALUES ('new', 5)",
    "INSERT INTO part (name, stock) VALUES ('new', 5) RETURNING name",
    "DELETE FROM part WHERE stock > 1",
    "CREATE TEMP TABLE aside AS SELECT id FROM part WHERE id <= 3",
    "CREATE TABLE fresh (a int)",
    "CREATE TABLE fresh (a int); INSERT INTO fresh VALUES (1)",
    "CREATE VIEW seen AS SELECT id, stock FROM part WHERE stock > 1",
    "SELECT id, name FROM part ORDER BY id LIMIT 2",
    "UPDATE nowhere SET a = 1",
    "UPDATE part SET stock = -1",
    "PRAGMA user_version = 7",
    "INSERT INTO part (id, name, stock) VALUES (1, 'p1', 50) ON CONFLICT (id) DO UPDATE SET stock = excluded.stock",
    "CREATE TRIGGER guarded BEFORE UPDATE ON part BEGIN SELECT RAISE(ABORT, 'no'); END",
    "CREATE UNIQUE INDEX by_name ON part (name)",
    "ALTER TABLE part ADD COLUMN extra int DEFAULT 4",
    "ALTER TABLE part RENAME COLUMN stock TO held",
    "REPLACE INTO part (id, name) VALUES (1, 'again')",
    "WITH old AS (SELECT id FROM part WHERE stock > 1) DELETE FROM part WHERE id IN (SELECT id FROM old)",
    "DROP TABLE many",
    "BEGIN; UPDATE part SET stock = 50 WHERE id = 1; COMMIT",
    "-- only a note",
)
_ASKED = (
    "SELECT stock FROM part WHERE id = 1",
    "SELECT count(*) FROM part",
    "SELECT count(*) FROM aside",
    "SELECT count(*) FROM fresh",
    "SELECT count(*) FROM seen",
    "SELECT extra FROM part",
    "SELECT nothing FROM part",
    "INSERT INTO part (name, stock) VALUES ('p1', 1)",
    "INSERT INTO part (name, stock) VALUES ('other', -1)",
    "INSERT INTO part (name, stock) VALUES ('other', 1)",
    "UPDATE part SET stock = 8 WHERE id = 2",
    "SELECT name FROM part WHERE name LIKE 'p1%' ORDER BY id",
    "SELECT id FROM many",
    "",
)
_ASKED_POSTGRES = (
    "EXECUTE later",
    "SELECT current_setting('my.note', true)",
    "SELECT twice(4)",
    "FETCH held",
    "SELECT 1; SELECT 2",
    "SELECT mark, address, pair, cash, many FROM m WHERE id = 1",
    "SELECT day, moment, instant, span FROM m WHERE id = 1",
    "SELECT day FROM m WHERE id = 5",
    "SELECT ints, nums, texts, tones, docb FROM m WHERE id = 1",
    "SELECT '10000-01-01'::date",
    "SELECT similarity('a', 'a')",
    "SHOW statement_timeout",
    "VACUUM part",
    "COMMIT",
    "ROLLBACK",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4) SELECT sum(i) FROM n",
    "SELECT pg_sleep(0.01)",
    "TABLE part",
    "SELECT; SELECT 1",
    "UPDATE part SET stock = 45 WHERE id = 2",
    "SELECT count(*) FROM information_schema.tables WHERE table_name IN ('fresh', 'seen', 'aside')",
    "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'part' ORDER BY ordinal_position",
    "SELECT proname FROM pg_proc WHERE proname IN ('twice', 'guard', 'fill')",
    "SELECT indexdef FROM pg_indexes WHERE indexname = 'part_price'",
    "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal",
    "SELECT conname FROM pg_constraint WHERE conname IN ('dear', 'part_pkey') ORDER BY 1",
    "SELECT enumlabel FROM pg_enum JOIN pg_type t ON t.oid = enumtypid WHERE typname = 'mood' ORDER BY enumsortorder",
    "SELECT obj_description('part'::regclass)",
    "SELECT nextval('counter')",
    "SELECT a FROM other.fresh",
    "SELECT pg_get_viewdef('seen'::regclass)",
    "REFRESH MATERIALIZED VIEW seen",
    "DELETE FROM part WHERE id = 1",
    "SELECT held FROM part WHERE id = 1",
    "CALL fill(3)",
    "SELECT avg(price), sum(price), min(name) FROM part",
    "EXPLAIN SELECT 1",
    "DROP TABLE IF EXISTS fresh",
)
_CHECKS = (
    "assert not {e}",
    "assert {e}",
    "assert {e} is False",
    "assert {e} is None",
    "assert {e} is True",
    "assert isinstance({e}, str)",
    "assert not {e} or 'does not exist' in str({e}).lower()",
    "assert {e} and ('unique' in {e}.lower() or 'duplicate' in {e}.lower())",
    "assert {r} is None",
    "assert {r}",
    "assert isinstance({r}, list) and isinstance({r}[0], tuple)",
    "assert len({r}) == 1",
    "assert {r}[0][0] in (50, 12, 3, 2, 6, 5, 7, 8, 'kept', 'p1')",
    "assert {t} is False",
    "assert str({r}[0][0]) in ('50', '12', '5b0c7f7e-6a3d-4c1e-9d68-1f2a3b4c5d6e', '2023-05-06', '[4, 5]', '1', '30s', '60s')",
    "assert len({r} or []) <= 10000",
    "assert ({r}, {e}) != (None, None)",
)
_BLOCKS = (
    "assert pred_query_result == [(1, 'p1'), (2, 'p2')]",
    "assert pred_query_result is None",
    "assert pred_query_result in (None, [('new', 5)], [('new',)])",
    "assert isinstance(pred_sqls, list) and isinstance(pred_sqls[0], str)",
    "assert sol_sqls == ['SELECT 1']",
    "assert isinstance(db_name, str) and db_name",
    "execute_queries(pred_sqls, db_name, conn)",
    "execute_queries(sol_sqls, db_name, conn)",
    "r, e, t = execute_queries(pred_sqls, db_name, conn)\nassert not e",
    "return 0",
    "return False",
    "raise ValueError('no')",
    "conn.rollback()",
    "conn.commit()",
    "r, e, t = execute_queries(['SELECT 1', 'SELECT 2'], db_name, conn)\nassert r == [(2,)]",
    "r, e, t = execute_queries(['SELECT 7', 'SELEC'], db_name, conn)\nassert r == [(7,)]",
    "r, e, t = execute_queries(['SELEC', 'SELECT 7'], db_name, conn)\nassert r == [(7,)] and e",
    "r, e, t = execute_queries([], db_name, conn)\nassert (r, bool(e), t) == (None, False, False)",
    "r, e, t = execute_queries(['SELECT 1'], db_name, conn, None, 'title')\nassert r == [(1,)]",
    "assert helper(1) == 2",
    "assert LIMIT == 3",
    "assert math.floor(1.5) == 1",
    "assert Decimal('1') == 1",
    "assert json.dumps([1]) == '[1]'",
    "assert ex_base(['SELECT 1'], ['SELECT 1'], db_name, conn) == 1",
    "assert ex_base(['SELECT 1'], ['SELECT 2'], db_name, conn) == 0",
    "assert ex_base(['UPDATE part SET stock = 1'], ['SELECT 2'], db_name, conn) == 0",
    "assert remove_distinct(['SELECT DISTINCT a']) == ['SELECT a']",
    "assert remove_round(['ROUND(a, 1)']) == ['a'] and remove_comments(['a -- b\\n']) == ['a']",
    "test_case_default(['SELECT 1'], ['SELECT 1'], db_name, conn)",
    "assert preprocess_results([(1.005,)]) == [(1.0,)]",
    "import re, decimal\nassert re.sub('a', 'b', 'a') == 'b' and decimal.Decimal(1) == 1",
    "pred_result, pred_err, pred_timeout = execute_queries(pred_sqls, db_name, conn)\n"
    "sol_result, sol_err, sol_timeout = execute_queries(sol_sqls, db_name, conn)\n"
    "assert not pred_err and not pred_timeout, f'failed: {pred_err}'\nassert preprocess_results(pred_result) == preprocess_results(sol_result)",
    "pred_sqls = remove_comments(pred_sqls)\npred_sqls = remove_distinct(pred_sqls)\npred_sqls = remove_round(pred_sqls)\n"
    "assert ex_base(pred_sqls, sol_sqls, db_name, conn) == 1, 'differs'",
    "result = ex_base(pred_sqls, sol_sqls, db_name, conn, {'order': True})\nassert result in (0, 1)",
    "assert any('part' in sql.lower() for sql in pred_sqls), 'must use part'",
    "assert 'update' in pred_sqls[0].lower()",
    "assert check_sql_function_usage(pred_sqls, ['COUNT']) in (0, 1)",
    "assert process_decimals_recursive([(1.239, [2.345])], 2)",
    "assert abs(float(execute_queries(['SELECT avg(price) FROM part'], db_name, conn)[0][0][0]) - 8.9) < 1",
    "rows = execute_queries('SELECT name, stock FROM part ORDER BY id', db_name, conn)[0]\nassert dict(rows)['p2'] == 2",
    "for sql in pred_sqls:\n    result, error, timeout = execute_queries(sql, db_name, conn)\n    assert error is None or not error",
    "try:\n    execute_queries(['SELEC'], db_name, conn)\nexcept Exception as error:\n    raise AssertionError(str(error))",
    "assert [type(v).__name__ for v in execute_queries(['SELECT 1, 1.5, NULL'], db_name, conn)[0][0]][2] == 'NoneType'",
    "from datetime import date, datetime\nassert date(2024, 1, 2) < date(2024, 1, 3)",
    "import random, collections, itertools\nassert collections.Counter('aab')['a'] == 2",
    "print('looking', pred_sqls)",
    "assert len(set(pred_sqls)) == len(pred_sqls)",
    "from decimal import Decimal\nr, e, t = execute_queries(['SELECT price FROM part WHERE id = 2'], db_name, conn)\n"
    "assert r in ([(Decimal('2.74'),)], [(2.745,)])",
)
_BLOCKS_POSTGRES = (
    "import psycopg2\nassert issubclass(psycopg2.errors.UniqueViolation, psycopg2.Error)",
    "import psycopg2.extras\ncur = conn.cursor(cursor_factory=psycopg2.extras.RealDictCursor)\ncur.execute('SELECT 1 AS one')\n"
    "assert cur.fetchone()['one'] == 1",
    "with conn.cursor() as cur:\n    cur.execute('SELECT stock FROM part WHERE id IN %s', ((1, 2),))\n    assert len(cur.fetchall()) == 2",
    "cur = conn.cursor()\ncur.execute('SELECT %s IS NULL, %s', (None, 'x'))\nassert cur.fetchone() == (True, 'x')",
    "cur = conn.cursor()\ncur.execute('SELECT interval %s', ('1 day',))\nassert cur.fetchone()[0].days == 1",
    "cur = conn.cursor()\ncur.execute('SELECT 1; SELECT 2')\nassert cur.fetchall() == [(2,)]",
    "cur = conn.cursor()\nassert cur.mogrify('%s', (\"a'b\",)) == b\"'a''b'\"",
    "cur = conn.cursor()\ntry:\n    cur.execute('SELECT nothing')\nexcept Exception as error:\n    assert error.pgcode == '42703'\n    conn.rollback()",
    "cur = conn.cursor()\ntry:\n    cur.execute('SELECT nothing')\nexcept Exception:\n    pass",
    "conn.cursor().execute('UPDATE part SET stock = 50 WHERE id = 1')",
    "cur = conn.cursor()\ncur.execute('SELECT upper(%s), concat(%s, %s)', ('a', 'b', 'c'))\nassert cur.fetchone() == ('A', 'bc')",
    "assert conn.get_transaction_status() in (0, 2)",
    "assert conn.get_transaction_status() == 0",
    "assert conn.info.dbname == db_name and conn.closed == 0",
    "cur = conn.cursor()\ncur.execute('SELECT current_database()')\nassert cur.fetchone() == (db_name,)",
    "conn.set_isolation_level(0)\ncur = conn.cursor()\ncur.execute('VACUUM part')",
    "conn.rollback()\nconn.autocommit = True\nconn.cursor().execute('UPDATE part SET stock = 8 WHERE id = 2')",
    "import io\ncur = conn.cursor()\nout = io.StringIO()\ncur.copy_expert('COPY part TO STDOUT', out)\nassert out.getvalue()",
    "cur = conn.cursor('named')\ncur.execute('SELECT id FROM part')\nassert len(cur.fetchmany(3)) == 3",
    "cur = conn.cursor()\ncur.executemany('INSERT INTO many VALUES (%s)', [(20000,), (20001,)])\nassert cur.rowcount == 1",
    "cur = conn.cursor()\ncur.execute('SELECT id AS a FROM part')\nassert cur.description[0].name == 'a'",
    "conn.notices.clear()\nexecute_queries([\"DO $$ BEGIN RAISE NOTICE 'hi'; END $$\"], db_name, conn)\nassert 'hi' in conn.notices[0]",
    "cur = conn.cursor()\ncur.execute(\"SELECT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_name = 'fresh')\")\nassert cur.fetchone()[0] is True\ncur.close()",
    "cur = conn.cursor()\ncur.execute('SELECT twice(4)')\nassert cur.fetchone()[0] == 8",
    "import psycopg2\ntry:\n    cur = conn.cursor()\n    cur.execute('UPDATE part SET stock = 45 WHERE id = 2')\n    conn.commit()\n    raise AssertionError('not refused')\n"
    "except psycopg2.Error as error:\n    conn.rollback()\n    assert 'too many' in str(error)",
    "import psycopg2\ntry:\n    with conn.cursor() as cur:\n        cur.execute('INSERT INTO part (id, name) VALUES (1, %s)', ('p1',))\n"
    "except psycopg2.errors.UniqueViolation as error:\n    assert error.diag.constraint_name == 'part_pkey'\n    conn.rollback()",
    "cur = conn.cursor()\ncur.execute('SELECT docb, doc, ints, span, cash FROM m WHERE id = 1')\nrow = cur.fetchone()\nassert row[0]['l'] == [1, 'a'] and row[2] == [4, 5]",
    "from psycopg2.extras import execute_values, Json\ncur = conn.cursor()\nexecute_values(cur, 'INSERT INTO many VALUES %s', [(1,), (2,)])\ncur.execute('SELECT %s::jsonb', (Json({'a': 1}),))\nassert cur.fetchone()[0] == {'a': 1}",
    "from psycopg2 import sql\ncur = conn.cursor()\ncur.execute(sql.SQL('SELECT count(*) FROM {}').format(sql.Identifier('part')))\nassert cur.fetchone()[0] >= 0",
    "cur = conn.cursor()\ncur.execute('SAVEPOINT here')\ntry:\n    cur.execute('SELECT nothing')\nexcept Exception:\n    cur.execute('ROLLBACK TO SAVEPOINT here')\ncur.execute('SELECT 1')",
    "cur = conn.cursor()\ncur.execute('SELECT * FROM part WHERE name LIKE %s', ('p1%',))\nassert [d[0] for d in cur.description][:2] == ['id', 'name']",
    "cur = conn.cursor()\ncur.callproc('twice', (4,))\nassert cur.fetchone() == (8,)",
    "assert conn.encoding.upper().replace('-', '') == 'UTF8' and conn.server_version >= 140000",
    "with conn:\n    with conn.cursor() as cur:\n        cur.execute('UPDATE part SET stock = 8 WHERE id = 2')",
    "import psycopg2.extras\ncur = conn.cursor(cursor_factory=psycopg2.extras.NamedTupleCursor)\ncur.execute('SELECT id, name FROM part')\nassert cur.fetchone()._fields == ('id', 'name')",
    "cur = conn.cursor('far', withhold=True)\ncur.execute('SELECT id FROM part ORDER BY id')\nconn.commit()\nassert [row[0] for row in cur][:2] == [1, 2]",
    "import io\ncur = conn.cursor()\ncur.copy_from(io.StringIO('20002\\n'), 'many')\nassert cur.rowcount == 1",
    "assert conn.notices and 'seen' in conn.notices[-1]",
    "conn.rollback()\nconn.set_session(readonly=True)\nr, e, t = execute_queries(['UPDATE part SET stock = 1'], db_name, conn)\nassert e and 'read-only' in str(e)",
    "conn.rollback()\nconn.autocommit = True\nconn.cursor().execute('CALL fill(3)')\nconn.autocommit = False",
    "conn.close()\nassert conn.closed",
    "from psycopg2 import errors\nassert errors.lookup('23505') is errors.UniqueViolation",
    "import psycopg2.extensions as ext\next.register_type(ext.new_type(ext.DECIMAL.values, 'F', lambda v, c: v and float(v)), conn)\n"
    "assert isinstance(execute_queries(['SELECT 1.5'], db_name, conn)[0][0][0], float)",
    "conn.cursor().execute('LISTEN news')\nconn.commit()\nconn.cursor().execute(\"NOTIFY news, 'x'\")\nconn.commit()\nconn.poll()\nassert conn.notifies[-1].payload == 'x'",
    "lo = conn.lobject(0, 'rw')\nlo.write('x')\nlo.seek(0)\nassert lo.read() == 'x'",
    "conn.set_client_encoding('LATIN1')\nassert execute_queries([\"SELECT 'é'\"], db_name, conn)[0] == [('é',)]",
    "r, e, t = execute_queries(iter(['SELECT 1']), db_name, conn)\nassert e",
    "r, e, t = execute_queries(['SET statement_timeout = 1; SELECT pg_sleep(1)', 'SELECT 6'], db_name, conn)\nassert t and r == [(6,)]",
    "import numpy\nassert numpy.mean([1, 2, 3]) == 2",
    "pred_sqls.append('SELECT 2')",
    "assert len(pred_sqls) == 2",
    "def deeper(n):\n    return deeper(n + 1)\ndeeper(0)",
    "r, e, t = execute_queries(['SELECT total, bytes FROM part, m WHERE part.id = m.id'], db_name, conn)\nassert not e and bytes(r[0][1]) == b'\\xca\\xfe'",
)
_BLOCKS_SQLITE = (
    "cur = conn.cursor()\ncur.execute('SELECT count(*) FROM part WHERE id = ?', (1,))\nassert cur.fetchone() == (1,)",
    "conn.execute('UPDATE part SET stock = 50 WHERE id = 1')",
    "assert conn.in_transaction in (True, False)",
    "assert conn.total_changes >= 0",
    "assert not conn.in_transaction",
    "import sqlite3\ntry:\n    conn.execute(\"INSERT INTO part (name, stock) VALUES ('p1', 1)\")\n    raise AssertionError('not refused')\nexcept sqlite3.IntegrityError:\n    pass",
    "names = [row[0] for row in conn.execute(\"SELECT name FROM sqlite_master WHERE type = 'table'\")]\nassert 'fresh' in names",
    "conn.row_factory = None\nassert conn.execute('PRAGMA table_info(part)').fetchall()[1][1] == 'name'",
    "with conn:\n    conn.execute('UPDATE part SET stock = 8 WHERE id = 2')",
    "r, e, t, m = execute_queries(\"INSERT INTO part (name) VALUES ('p1')\", db_name, conn, return_error=True)\nassert m.startswith('SQLite Error executing query 1: UNIQUE')",
    "r, e, t, m = execute_queries([None], db_name, conn, return_error=True)\nassert m.startswith('Generic error')",
    "import sqlite3\nconn.row_factory = sqlite3.Row\nassert execute_queries('SELECT id AS a FROM part', db_name, conn)[0][0]['a'] == 1",
    "conn.create_function('dbl', 1, lambda x: x * 2)\nassert execute_queries('SELECT dbl(4)', db_name, conn)[0] == [(8,)]",
    "conn.executescript('CREATE TABLE scripted (a); INSERT INTO scripted VALUES (1)')\nassert conn.execute('SELECT a FROM scripted').fetchone() == (1,)",
)
_TOPS = (
    "",
    "",
    "",
    "import math\n",
    "from decimal import Decimal\n",
    "def helper(x):\n    return x + 1\n\n",
    "LIMIT = 3\n",
    "import json\n",
)
_HEADS = (
    *["def test_case(pred_sqls, sol_sqls, db_name, conn):\n"] * 12,
    "def test_case(pred_sqls, sol_sqls, db_name, conn, conditions=None):\n",
    "def test_case(*args):\n    pred_sqls, sol_sqls, db_name, conn = args\n",
    "def test_other(pred_sqls, sol_sqls, db_name, conn):\n",
    "def test_case(pred_sqls, sol_sqls):\n",
    "def test_case(pred_sqls, sol_sqls, db_name, conn, needed):\n",
)


def _managed(chance: Random, *, sqlite: bool) -> Case:
    statements = _STATEMENTS_SQLITE if sqlite else _STATEMENTS
    tests = [_test(chance, sqlite=sqlite) for _ in range(chance.choice((0, 1, 1, 1, 1, 2, 2, 3)))]
    gold = chance.choice((["SELECT 1"], ["SELECT 1"], ["SELECT 1"], [chance.choice(statements)], ["SELECT 1", "SELECT 2"]))
    conditions: dict[str, Any] | None = chance.choice([None, None, {"order": True}, {"decimal": 2, "distinct": True}])
    made = {"predicted": chance.choice(statements), "gold": gold, "tests": tests, "conditions": conditions}
    return {**made, "category": "Management"}


def _test(chance: Random, *, sqlite: bool) -> str:
    if chance.random() < 0.03:
        return chance.choice(("def test_case(", "x = 1", "", "1 / 0\n", "test_case = 5\n", "import not_there_at_all\n"))
    lines: list[str] = []
    for number in range(chance.randint(1, 3)):
        lines += _block(chance, number, sqlite=sqlite).splitlines()
    text = chance.choice(_TOPS) + chance.choice(_HEADS)
    return text + "".join(f"    {line}\n" for line in lines)


def _block(chance: Random, number: int, *, sqlite: bool) -> str:
    own = _BLOCKS_SQLITE if sqlite else _BLOCKS_POSTGRES
    if chance.random() < 0.55:
        return chance.choice((*_BLOCKS, *own))
    names = {"r": f"r{number}", "e": f"e{number}", "t": f"t{number}"}
    asked = repr(chance.choice(_ASKED if sqlite else (*_ASKED, *_ASKED_POSTGRES)))
    if chance.random() < 0.6:
        asked = f"[{asked}]"
    call = f"{names['r']}, {names['e']}, {names['t']} = execute_queries({asked}, db_name, conn)"
    return "\n".join([call, *(chance.choice(_CHECKS).format(**names) for _ in range(chance.randint(1, 2)))])
