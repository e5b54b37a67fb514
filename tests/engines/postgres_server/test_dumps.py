"""Loading dumps into a real server: what is in the files is in the database, and what is wrong with them is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.engines.postgres_server.conftest import Dump, ask
from touchstone.engines.postgres.dumps import LoadedDatabase, find, load
from touchstone.engines.postgres.messages import PostgresServer
from touchstone.errors import DatabaseFailure, InputError

pytestmark = pytest.mark.long

HEAD = """--
-- PostgreSQL database dump
--

\\restrict hZ2cVb

SET statement_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET default_tablespace = '';
SET default_table_access_method = heap;

"""
CUSTOMERS = (
    HEAD
    + """CREATE TABLE public.customers (
    id integer NOT NULL,
    name text DEFAULT 'a;b'::text,
    note text
);

ALTER TABLE public.customers OWNER TO root;
CREATE SEQUENCE public.customers_id_seq AS integer START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1;
ALTER TABLE public.customers_id_seq OWNER TO root;
ALTER SEQUENCE public.customers_id_seq OWNED BY public.customers.id;
ALTER TABLE ONLY public.customers ALTER COLUMN id SET DEFAULT nextval('public.customers_id_seq'::regclass);

COPY public.customers (id, name, note) FROM stdin;
1\tAda\t\\N
2\tGräce; DROP\ttab\\there\\nnew line \\\\.
3\t'quoted'\t
\\.

SELECT pg_catalog.setval('public.customers_id_seq', 41, true);
ALTER TABLE ONLY public.customers ADD CONSTRAINT customers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.customers
    ADD CONSTRAINT favourite FOREIGN KEY (id) REFERENCES public.orders(id) NOT VALID;
CREATE INDEX customers_by_name ON public.customers USING btree (name);
GRANT SELECT ON TABLE public.customers TO somebody;
REVOKE ALL ON TABLE public.customers FROM PUBLIC;

\\unrestrict hZ2cVb
"""
)
ORDERS = (
    HEAD
    + """CREATE TABLE public.orders (id integer PRIMARY KEY, customer integer, what text);
ALTER TABLE public.orders OWNER TO root;
INSERT INTO public.orders VALUES (1, 1, 'semi;colon');
INSERT INTO public.orders VALUES (2, 2, 'it''s -- no comment');
INSERT INTO public.orders VALUES (3, NULL, E'back\\\\slash\\'; $$');
INSERT INTO public.orders VALUES (4, 3, 'two
lines; here'), (5, 3, '(');
ALTER TABLE ONLY public.orders ADD CONSTRAINT buyer FOREIGN KEY (customer) REFERENCES public.customers(id);
"""
)
ODD = """CREATE TABLE public."Odd; Name" ("a""b" int, "select" text);
COPY public."Odd; Name" ("a""b", "select") FROM stdin;
7\tx
\\.
"""


def comment(server: PostgresServer, database: str) -> dict[str, Any]:
    query = f"SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = '{database}_template'"
    return json.loads(ask(server, "postgres", query)[0][0])


def load_one(server: PostgresServer, dumps: Path, database: str) -> LoadedDatabase:
    (loaded,) = load(server, dumps, [database])
    return loaded


def test_published_dumps_load_whole(server: PostgresServer, dump: Dump) -> None:
    said: list[str] = []
    dumps = dump("shop", customers=CUSTOMERS, orders=ORDERS, odd=ODD, empty="CREATE TABLE empty (id int);")
    (loaded,) = load(server, dumps, None, said.append)
    assert loaded.errors == []
    assert loaded.tables == {"customers": 3, "orders": 5, "Odd; Name": 1, "empty": 0}
    assert ask(server, "shop_template", "SELECT name, note FROM customers ORDER BY id") == [
        ("Ada", None),
        ("Gräce; DROP", "tab\there\nnew line \\."),
        ("'quoted'", ""),
    ]
    found = [row[0] for row in ask(server, "shop_template", "SELECT what FROM orders ORDER BY id")]
    assert found == ["semi;colon", "it's -- no comment", "back\\slash'; $$", "two\nlines; here", "("]
    assert ask(server, "shop_template", "SELECT nextval('customers_id_seq')") == [(42,)]
    assert ask(server, "shop_template", "SELECT conname FROM pg_constraint WHERE contype = 'f' ORDER BY 1") == [
        ("buyer",),
        ("favourite",),
    ]
    query = "SELECT count(*) FROM pg_stats WHERE schemaname = 'public' AND tablename = 'orders'"
    assert ask(server, "shop_template", query) == [(3,)]  # the planner knows the tables
    noted = comment(server, "shop")
    assert noted["tables"] == loaded.tables
    assert "broken" not in noted
    assert len(said) == 1
    assert "shop: 4 tables, 9 rows" in said[0]


def test_all_belongs_to_the_administrator_and_no_role_is_left(server: PostgresServer, dump: Dump) -> None:
    load(server, dump("owned", customers=CUSTOMERS, orders=ORDERS))
    assert ask(server, "owned_template", "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'") == [
        ("postgres",)
    ]
    assert ask(server, "postgres", "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'owned_template'") == [
        ("postgres",)
    ]
    assert ask(server, "postgres", "SELECT rolname FROM pg_roles WHERE rolname LIKE 'touchstone%'") == []


def test_a_dump_has_no_power_over_the_server(server: PostgresServer, dump: Dump, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    reads = "CREATE TABLE r AS SELECT pg_read_file('/etc/passwd') AS a;"
    runs = f"DO $do$ BEGIN EXECUTE 'COPY (SELECT 1) TO PROGRAM ''touch {trace}'''; END $do$; CREATE TABLE p (a int);"
    rises = "RESET SESSION AUTHORIZATION; CREATE TABLE s (a int); CREATE ROLE king SUPERUSER;"
    loaded = load_one(server, dump("evil", reads=reads, rises=rises, runs=runs, shell=f"\\! touch {trace}\n"), "evil")
    assert loaded.tables == {}
    assert ["/".join(error.split("/")[1:]).split(":")[0] for error in loaded.errors] == [
        "reads.sql",
        "rises.sql",
        "runs.sql",
        "shell.sql",
    ]
    assert not trace.exists()


def test_windows_line_ends(server: PostgresServer, dump: Dump) -> None:
    text = "CREATE TABLE crlf (a int, b text);\nCOPY crlf (a, b) FROM stdin;\n1\tx\n2\t\\N\n\\.\n"
    loaded = load_one(server, dump("crlf", crlf=text.replace("\n", "\r\n")), "crlf")
    assert (loaded.errors, loaded.tables) == ([], {"crlf": 2})
    assert ask(server, "crlf_template", "SELECT a, b FROM crlf ORDER BY a") == [(1, "x"), (2, None)]


def test_files_in_an_unlucky_order(server: PostgresServer, dump: Dump) -> None:
    """a needs b, b needs c: in the table definitions, and in a view."""
    dumps = dump(
        "chain",
        a="CREATE TABLE a (id int REFERENCES b (id)); INSERT INTO a VALUES (1);\nCREATE VIEW seen AS SELECT * FROM b;",
        b="CREATE TABLE b (id int PRIMARY KEY REFERENCES c (id)); INSERT INTO b VALUES (1);",
        c="CREATE TABLE c (id int PRIMARY KEY); INSERT INTO c VALUES (1);",
    )
    loaded = load_one(server, dumps, "chain")
    assert (loaded.errors, loaded.tables) == ([], {"a": 1, "b": 1, "c": 1})


def test_partitions_and_other_schemas_are_counted(server: PostgresServer, dump: Dump) -> None:
    text = """CREATE SCHEMA sales;
        CREATE TABLE sales.t (id int) PARTITION BY RANGE (id);
        CREATE TABLE sales.t1 PARTITION OF sales.t FOR VALUES FROM (0) TO (10);
        INSERT INTO sales.t1 VALUES (1), (2);
        CREATE TABLE whole (id int) PARTITION BY RANGE (id);
        CREATE TABLE part PARTITION OF whole DEFAULT;
        INSERT INTO whole VALUES (1), (2);
        CREATE TABLE made AS SELECT 1 AS x;"""
    loaded = load_one(server, dump("parts", t=text), "parts")
    assert loaded.errors == []
    assert loaded.tables == {"sales.t": 0, "sales.t1": 2, "whole": 2, "part": 2, "made": 1}


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("CREATE TABLE t (a int);\n\nCREATE TABEL u (b int);\n", 'line 3: syntax error at or near "TABEL"'),
        ("CREATE TABLE t (a int);\nCOPY t FROM stdin;\n1\n2\n", "line 2: the COPY block that begins here has no end"),
        ("CREATE TABLE t (a int);\nCOPY t FROM stdin;\n1\nx\n\\.\n", 'line 4: invalid input syntax for type integer: "x"'),
        ("CREATE TABLE t (a int);\nINSERT INTO t VALUES (1);\nINSERT INTO t VALUES ('y');\n", "line 3: invalid input syntax"),
        (
            "CREATE TABLE t (a int PRIMARY KEY);\nINSERT INTO t VALUES (1);\nINSERT INTO t VALUES (1);\n",
            "line 3: duplicate key",
        ),
        ("INSERT INTO t VALUES (1);\n", 'line 1: relation "t" does not exist'),
        ("CREATE TABLE t (a int REFERENCES nowhere (id));\n", 'line 1: relation "nowhere" does not exist'),
        ("CREATE TABLE t (a int);\n\\! id\n", "line 2: backslash commands are not run"),
        ("CREATE TABLE t (a text);\nINSERT INTO t VALUES ('cut o", "line 2: the file ends in the middle"),
        ("-- nothing\n", "it holds no statement"),
        ("CREATE TABLE t (a int);\nDROP TABLE t;\n", "table t was not created"),
        (
            "CREATE TABLE t (a int);\nINSERT INTO t VALUES (1), (2);\nDELETE FROM t WHERE a = 2;\n",
            "table t has 1 rows, its file holds 2",
        ),
        (
            "CREATE TABLE t (a int);\nCREATE RULE r AS ON INSERT TO t WHERE new.a > 1 DO INSTEAD NOTHING;\n"
            "INSERT INTO t VALUES (1), (2);\n",
            "table t has 1 rows, its file holds 2",
        ),
        (
            "CREATE TABLE t (a int);\n"
            "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;\n"
            "CREATE TRIGGER r BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f();\nCOPY t (a) FROM stdin;\n1\n\\.\n",
            "table t has 0 rows, its file holds 1",
        ),
        (
            "CREATE TABLE t (a int);\nINSERT INTO t VALUES (9);\n"
            "ALTER TABLE t ADD CONSTRAINT k FOREIGN KEY (a) REFERENCES good (a);\n",
            "line 3: insert or update on table",
        ),
    ],
)
def test_a_broken_file_is_named_and_the_others_load(server: PostgresServer, dump: Dump, text: str, error: str) -> None:
    good = "CREATE TABLE good (a int PRIMARY KEY); INSERT INTO good VALUES (1);"
    loaded = load_one(server, dump("bad", t=text, good=good), "bad")
    assert loaded.tables["good"] == 1
    assert len(loaded.errors) == 1
    assert loaded.errors[0].startswith(f"bad/t.sql: {error}")
    assert comment(server, "bad")["broken"] == loaded.errors[0]


def test_deferred_constraints_belong_to_the_file(server: PostgresServer, dump: Dump) -> None:
    text = (
        "CREATE TABLE t (a int PRIMARY KEY, b int REFERENCES t DEFERRABLE INITIALLY DEFERRED);\nINSERT INTO t VALUES (1, 2);\n"
    )
    loaded = load_one(server, dump("late", t=text), "late")
    assert "violates foreign key constraint" in loaded.reason


def test_a_file_that_fails_leaves_nothing_of_itself(server: PostgresServer, dump: Dump) -> None:
    load(server, dump("half", t="BEGIN; CREATE TABLE t (a int); COMMIT; CREATE TABLE u (a int);\nNONSENSE;"))
    assert ask(server, "half_template", "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == [(0,)]


def test_loading_again_replaces(server: PostgresServer, dump: Dump) -> None:
    load(server, dump("again", t="CREATE TABLE t (a int);", u="CREATE TABLE u (a int);"))
    first = comment(server, "again")["digest"]
    ask(server, "postgres", "ALTER DATABASE again_template IS_TEMPLATE true")
    dumps = dump("again", t="CREATE TABLE t (a int); INSERT INTO t VALUES (1);")
    loaded = load_one(server, dumps, "again")
    assert loaded.tables == {"t": 1, "u": 0}
    assert comment(server, "again")["digest"] != first


def test_several_databases_and_one_that_is_not_there(server: PostgresServer, dump: Dump) -> None:
    for name in ("one", "two", "three"):
        dumps = dump(name, t=f"CREATE TABLE t AS SELECT '{name}' AS name;")
    loaded = load(server, dumps, ["three", "absent", "one"])
    assert [item.database for item in loaded] == ["three", "one", "absent"]
    assert [len(item.errors) for item in loaded] == [0, 0, 1], loaded
    assert "absent_template" in loaded[-1].reason
    assert ask(server, "postgres", "SELECT count(*) FROM pg_database WHERE datname IN ('two_template', 'absent_template')") == [
        (0,)
    ]


def test_a_server_that_is_gone_is_no_fault_of_the_dump(dump: Dump, tmp_path: Path) -> None:
    with pytest.raises(DatabaseFailure):
        load(PostgresServer(host=str(tmp_path), port=1, user="postgres"), dump("x", t="SELECT 1;"))


def test_the_parent_of_the_dumps_will_do(dump: Dump) -> None:
    dumps = dump("x", t="SELECT 1;")
    parent = dumps.with_name("data")
    parent.mkdir()
    dumps.rename(parent / "postgre_table_dumps")
    assert [path.name for path in find(parent)["x"]] == ["t.sql"]


def test_bad_places_are_told(tmp_path: Path, dump: Dump) -> None:
    with pytest.raises(InputError, match="absent is not a directory"):
        find(tmp_path / "absent")
    with pytest.raises(InputError, match="has no folder <database>_template"):
        find(tmp_path)
    with pytest.raises(InputError, match="has no folder for y, z"):
        find(dump("x", t="SELECT 1;"), ["y", "z"])
    with pytest.raises(InputError, match=r"empty_template has no \.sql file"):
        find(dump("empty"))
