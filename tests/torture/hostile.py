"""Statements that try to change an original, reach outside it, or stop the harness: as many as are asked for, by a grammar.

Deterministic by seed. Each is a kind, a form and a disguise; all of them are different.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

_TABLES = ("people", "log", "main.people", "temp.people", "sqlite_master", "sqlite_schema", "sqlite_sequence", '"people"')
_WRITES = (
    "DELETE FROM {table}",
    "UPDATE {table} SET name = 'x{number}'",
    "INSERT INTO {table} SELECT * FROM people",
    "REPLACE INTO {table} VALUES ({number}, 'x', 1, 'y')",
    "DROP TABLE {table}",
    "ALTER TABLE {table} RENAME TO t{number}",
    "ALTER TABLE {table} ADD COLUMN c{number}",
    "ALTER TABLE {table} DROP COLUMN age",
    "CREATE TABLE t{number} AS SELECT * FROM {table}",
    "CREATE TRIGGER g{number} AFTER INSERT ON log BEGIN DELETE FROM people; END; INSERT INTO log VALUES ('x')",
    "CREATE VIEW v{number} AS SELECT load_extension('x'); SELECT * FROM v{number}",
    "CREATE INDEX i{number} ON {table} (city)",
    "DROP INDEX people_by_city",
    "DROP VIEW adults",
    "REINDEX {table}",
    "ANALYZE {table}",
    "WITH old AS (SELECT id FROM people) DELETE FROM people WHERE id IN old",
    "INSERT INTO people (id, name) VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET name = 'taken{number}'",
    "UPDATE people SET age = age + {number} RETURNING *",
)
_OUTSIDE = (
    "ATTACH '{path}' AS a{number}",
    "ATTACH DATABASE 'file:{path}?mode=rwc' AS a{number}",
    "ATTACH ('{path}' || '{number}') AS other",
    "VACUUM INTO '{path}{number}'",
    "VACUUM main INTO '{path}{number}'",
    "SELECT writefile('{path}', 'x{number}')",
    "SELECT readfile('/etc/passwd'), {number}",
    "SELECT edit('x{number}', 'sh')",
    "SELECT load_extension('{path}{number}')",
    "SELECT load_extension('libm.so.6', 'entry{number}')",
    "SELECT fts3_tokenizer('t{number}', x'0000000000000000')",
    "CREATE VIRTUAL TABLE c{number} USING csv(filename='/etc/passwd')",
    "CREATE VIRTUAL TABLE z{number} USING zipfile('{path}')",
    "CREATE VIRTUAL TABLE d{number} USING dbstat(main)",
    "CREATE VIRTUAL TABLE f{number} USING fsdir('/')",
    "SELECT * FROM fsdir('/', {number})",
    "SELECT * FROM pragma_database_list WHERE {number}",
    "SELECT * FROM sqlite_dbpage WHERE pgno = {number}",
    "INSERT INTO sqlite_dbpage (pgno, data) VALUES ({number}, zeroblob(4096))",
    "DETACH main /* {number} */",
)
_PRAGMAS = (
    "writable_schema = {number}",
    "journal_mode = {mode}",
    "temp_store_directory = '{path}'",
    "mmap_size = {number}000000",
    "hard_heap_limit = {number}",
    "max_page_count = {number}",
    "locking_mode = EXCLUSIVE /* {number} */",
    "wal_checkpoint(TRUNCATE) /* {number} */",
    "schema_version = {number}",
    "user_version = {number}",
    "application_id = {number}",
    "encoding = 'UTF-16' /* {number} */",
    "page_size = {number}",
    "trusted_schema = {number}",
    "key = 'k{number}'",
)
_GREEDY = (
    "WITH RECURSIVE n(i) AS (SELECT {number} UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
    "SELECT zeroblob({number}000000000)",
    "SELECT hex(zeroblob({number}00000000))",
    "SELECT replace(hex(zeroblob(100000)), '0', hex(zeroblob({number}0000)))",
    "SELECT printf('%{number}0000000d', 1)",
    "SELECT group_concat(a.name || b.name || {number}) FROM people a, people b, people c, people d, people e, people f",
    "SELECT randomblob({number}00000000)",
    "SELECT 'a' LIKE '{percents}' || 'b{number}'",
    "SELECT json_extract('{brackets}', '$') /* {number} */",
    "SELECT {parentheses} + {number}",
    "WITH RECURSIVE s(x) AS (SELECT 'x{number}' UNION ALL SELECT x || x FROM s) SELECT max(length(x)) FROM s",
)
_SESSIONS = (
    "BEGIN EXCLUSIVE; DELETE FROM people; COMMIT /* {number} */",
    "BEGIN IMMEDIATE; DROP TABLE people /* {number} */",
    "SAVEPOINT s{number}; DELETE FROM people; RELEASE s{number}",
    "COMMIT; DELETE FROM people WHERE id = {number}",
    "ROLLBACK; ATTACH '{path}' AS x{number}",
    "END; PRAGMA writable_schema = 1; DELETE FROM sqlite_master /* {number} */",
)
_DISGUISES = (
    "{}",
    "{};",
    "SELECT 1; {}",
    "{}; SELECT 2",
    "/* harmless */ {} -- really",
    "-- ;\n\t{}",
    "\ufeff{}",
    "\n\r\f {}",
    "EXPLAIN {}",
    "EXPLAIN QUERY PLAN {}",
    "SELECT ';'; {}",
)
_KINDS = (_WRITES, _OUTSIDE, tuple(f"PRAGMA {pragma}" for pragma in _PRAGMAS), _GREEDY, _SESSIONS)


def hostile_statements(count: int, path: str, seed: int) -> Iterator[str]:
    """`path` is a file outside the database that none of them must make."""
    chance = random.Random(seed)
    seen: set[str] = set()
    while len(seen) < count:
        form = chance.choice(chance.choice(_KINDS))
        statement = chance.choice(_DISGUISES).replace("{}", form)
        statement = _mixed_case(chance, statement) if chance.random() < 0.2 else statement
        for name, value in (
            ("{table}", chance.choice(_TABLES)),
            ("{number}", str(chance.randrange(1, 1000))),
            ("{mode}", chance.choice(("WAL", "OFF", "MEMORY", "TRUNCATE"))),
            ("{path}", path),
            ("{percents}", "%_" * 5000),
            ("{brackets}", "[" * 50_000),
            ("{parentheses}", "(" * 900 + "1" + ")" * 900),
        ):
            statement = statement.replace(name, value)
        if statement not in seen:
            seen.add(statement)
            yield statement


def _mixed_case(chance: random.Random, statement: str) -> str:
    """Placeholders and names keep theirs: only words of SQL are blind to it."""
    parts = statement.split("'")
    for at in range(0, len(parts), 2):
        words = parts[at].split(" ")
        parts[at] = " ".join(
            word if "{" in word else "".join(letter.upper() if chance.random() < 0.5 else letter.lower() for letter in word)
            for word in words
        )
    return "'".join(parts)
