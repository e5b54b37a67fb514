"""One table as pg_dump writes it: settings, definition, sequence, data, keys, indexes, foreign keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from demo_interact.model import Row, Table
from demo_interact.postgres import copy_line, shown

HEAD = """\
--
-- PostgreSQL database dump
--

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;
"""
TAIL = """\
--
-- PostgreSQL database dump complete
--
"""


def dump(table: Table, rows: Sequence[Row]) -> str:
    parts = [HEAD, *definition(table), data(table, rows), *numbering(table, rows), *keys(table), *indexes(table)]
    return "\n".join([*parts, *foreign_keys(table), TAIL])


def titled(name: str, kind: str, sql: str) -> str:
    return f"--\n-- Name: {name}; Type: {kind}; Schema: public; Owner: root\n--\n\n{sql}\n"


def definition(table: Table) -> Iterator[str]:
    columns = [f"    {column.name} {column.type}{'' if column.null else ' NOT NULL'}" for column in table.columns]
    yield titled(table.name, "TABLE", f"CREATE TABLE public.{table.name} (\n" + ",\n".join(columns) + "\n);\n")
    yield f"ALTER TABLE public.{table.name} OWNER TO root;\n"
    if table.serial:
        yield from sequence(table, f"{table.name}_{table.key[0]}_seq")


def sequence(table: Table, name: str) -> Iterator[str]:
    rest = "    AS integer\n    START WITH 1\n    INCREMENT BY 1\n    NO MINVALUE\n    NO MAXVALUE\n    CACHE 1;\n"
    yield titled(name, "SEQUENCE", f"CREATE SEQUENCE public.{name}\n{rest}")
    yield f"ALTER TABLE public.{name} OWNER TO root;\n"
    owned = f"ALTER SEQUENCE public.{name} OWNED BY public.{table.name}.{table.key[0]};\n"
    yield titled(name, "SEQUENCE OWNED BY", owned)
    start = f"ALTER COLUMN {table.key[0]} SET DEFAULT nextval('public.{name}'::regclass);\n"
    yield titled(f"{table.name} {table.key[0]}", "DEFAULT", f"ALTER TABLE ONLY public.{table.name} {start}")


def data(table: Table, rows: Sequence[Row]) -> str:
    names = ", ".join(column.name for column in table.columns)
    lines = (copy_line(shown(cell, c.type) for cell, c in zip(row, table.columns, strict=True)) for row in rows)
    copy = "\n".join([f"COPY public.{table.name} ({names}) FROM stdin;", *lines, "\\.\n"])
    return titled(table.name, "TABLE DATA", copy)


def numbering(table: Table, rows: Sequence[Row]) -> Iterator[str]:
    if table.serial:
        name = f"{table.name}_{table.key[0]}_seq"
        last = max(row[0] for row in rows)
        yield titled(name, "SEQUENCE SET", f"SELECT pg_catalog.setval('public.{name}', {last}, true);\n")


def keys(table: Table) -> Iterator[str]:
    yield constraint(table, f"{table.name}_pkey", f"PRIMARY KEY ({', '.join(table.key)})", "CONSTRAINT")
    for column in table.unique:
        yield constraint(table, f"{table.name}_{column}_key", f"UNIQUE ({column})", "CONSTRAINT")


def indexes(table: Table) -> Iterator[str]:
    for index in table.indexes:
        method, _, column = index.rpartition(" ")
        name = f"{table.name}_{column}_idx"
        sql = f"CREATE INDEX {name} ON public.{table.name} USING {method or 'btree'} ({column});\n"
        yield titled(name, "INDEX", sql)


def foreign_keys(table: Table) -> Iterator[str]:
    for column, target in table.foreign.items():
        rule = f"FOREIGN KEY ({column}) REFERENCES public.{target}"
        yield constraint(table, f"{table.name}_{column}_fkey", rule, "FK CONSTRAINT")


def constraint(table: Table, name: str, rule: str, kind: str) -> str:
    sql = f"ALTER TABLE ONLY public.{table.name}\n    ADD CONSTRAINT {name} {rule};\n"
    return titled(f"{table.name} {name}", kind, sql)
