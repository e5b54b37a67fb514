"""What SQL may do: SQLite's authorizer, asked while each statement is compiled.

Reading is always allowed. Writing is allowed on a private copy and refused elsewhere with the kind `write`, which a
writable session takes as the sign to make its copy. What reaches outside the database or lifts a limit is always refused.
A pragma that is not listed here is refused, so that a newer SQLite brings no surprise.
"""

from __future__ import annotations

import re
import sqlite3

from ...errors import SqlFault

_READS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE}
_OUTSIDE = {sqlite3.SQLITE_ATTACH: "ATTACH and VACUUM", sqlite3.SQLITE_DETACH: "DETACH"}
_OUTSIDE_FUNCTIONS = {
    "load_extension",
    "readfile",
    "writefile",
    "edit",
    "fts3_tokenizer",
    "lsmode",
    "zipfile",
    "sqlar_compress",
}
_OTHERS_BUSINESS = {"sqlite_stmt"}
"""Shows the statements of everyone who shares the connection, references included."""
_MODULES = {"fts3", "fts4", "fts5", "fts5vocab", "rtree", "rtree_i32", "geopoly"}

_LOOKING = set(
    "table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list foreign_key_check collation_list "
    "function_list module_list pragma_list compile_options integrity_check quick_check".split()
)
_VALUES = set(
    "application_id auto_vacuum automatic_index case_sensitive_like cell_size_check count_changes data_version "
    "defer_foreign_keys encoding foreign_keys freelist_count full_column_names ignore_check_constraints journal_mode "
    "legacy_alter_table page_count page_size query_only recursive_triggers reverse_unordered_selects schema_version "
    "short_column_names user_version".split()
)
_SETTABLE = _VALUES - set(
    "auto_vacuum cell_size_check data_version encoding freelist_count journal_mode page_count page_size schema_version".split()
)


_TRANSACTIONS = (sqlite3.SQLITE_TRANSACTION, sqlite3.SQLITE_SAVEPOINT)


class Guard:
    """The authorizer of one connection. After a refusal, `refusal` says what was refused."""

    def __init__(self, *, private: bool) -> None:
        self._private = private
        self.refusal: tuple[SqlFault, str] | None = None
        self.wrote = False
        """Whether a statement was allowed that changes the private copy, beyond temporary tables."""

    def __call__(self, action: int, first: str | None, second: str | None, database: str | None, source: str | None) -> int:
        if action in _READS:
            return self._read(first or "")
        if action == sqlite3.SQLITE_UPDATE and first == "sqlite_master":
            return sqlite3.SQLITE_OK  # asked when a table-valued function is first read; SQLite itself allows no such update
        if action == sqlite3.SQLITE_FUNCTION:
            return self._function(second or "")
        if action == sqlite3.SQLITE_PRAGMA:
            return self._pragma((first or "").lower(), second)
        if action in _OUTSIDE:
            return self._refuse("refused", f"{_OUTSIDE[action]} cannot be used here: only this one database is available.")
        if action == sqlite3.SQLITE_CREATE_VTABLE and (second or "").lower() not in _MODULES:
            return self._refuse("refused", f"Virtual tables of the module '{second}' cannot be created here.")
        self.wrote = self.wrote or (database != "temp" and action not in _TRANSACTIONS)
        return self._write()

    def _read(self, table: str) -> int:
        if table.lower() in _OTHERS_BUSINESS:
            return self._refuse("refused", f"The table {table} cannot be read here: it shows more than this database.")
        return sqlite3.SQLITE_OK

    def _function(self, name: str) -> int:
        if name.lower() in _OUTSIDE_FUNCTIONS:
            return self._refuse("refused", f"The function {name}() cannot be used here: it reaches outside the database.")
        return sqlite3.SQLITE_OK

    def _pragma(self, name: str, value: str | None) -> int:
        if name in _LOOKING or (name in _VALUES and value is None):
            return sqlite3.SQLITE_OK
        if name in _SETTABLE:
            return self._write()
        what = f"PRAGMA {name}" if value is None or name not in _VALUES else f"Setting PRAGMA {name}"
        return self._refuse("refused", f"{what} cannot be used here: it reaches outside the database or changes its limits.")

    def _write(self) -> int:
        if self._private:
            return sqlite3.SQLITE_OK
        return self._refuse("write", "This statement would change the database, which is read-only here.")

    def _refuse(self, kind: SqlFault, message: str) -> int:
        self.refusal = self.refusal or (kind, message)
        return sqlite3.SQLITE_DENY


# Cutting a script into statements, and telling whether its result may depend on more than the database.


_TOKEN = re.compile(
    r"""
      '(?:[^']|'')*'? | "(?:[^"]|"")*"? | `(?:[^`]|``)*`? | \[[^\]]*\]?   # quoted
    | (?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))
    | (?P<end>;)
    """,
    re.VERBOSE | re.DOTALL,
)
_SPACE = " \t\r\n\f\ufeff"
_TRIGGER = re.compile(
    r"(?:explain\s+(?:query\s+plan\s+)?)?create\s+(?:temp\s+|temporary\s+)?trigger\b", re.IGNORECASE | re.ASCII
)
_CLOCK = re.compile(
    r"""
      \bnow\b | \bcurrent_(?:date|time|timestamp)\b
    | \b(?:date|time|datetime|julianday|unixepoch)["`\]]?\s*\(\s*\)   # without arguments they mean now
    | \bstrftime["`\]]?\s*\(\s*(?:'[^']*'|"[^"]*")\s*\)
    | \b(?:random|randomblob)["`\]]?\s*\(
    """,
    re.VERBOSE | re.IGNORECASE,
)

_CLOCK_WORDS = ("now", "current_", "date", "time", "julianday", "unixepoch", "random")
"""Without one of them the clock is not asked: a look that costs little."""


def statements(script: str) -> list[str]:
    """The script's statements without the empty ones; comments stay with the statement that follows them."""
    if ";" not in script:  # most are one statement
        return [script] if without_comments(script).strip(_SPACE) else []
    parts: list[str] = []
    start = part = 0
    in_trigger = False
    for token in _TOKEN.finditer(script):
        if token["end"] is None:
            continue
        bare = without_comments(script[part : token.start()]).strip(_SPACE)
        # Only a trigger's body holds semicolons of its own, and ends with an END of its own: SQLite's rule too.
        in_trigger = _TRIGGER.match(bare) is not None if part == start else in_trigger and bare.lower() != "end"
        is_empty = part == start and not bare
        part = token.end()
        if not in_trigger:
            if not is_empty:
                parts.append(script[start:part])
            start = part
    if without_comments(script[start:]).strip(_SPACE):
        parts.append(script[start:])
    return parts


def without_comments(sql: str) -> str:
    if "--" not in sql and "/*" not in sql:
        return sql
    return _TOKEN.sub(lambda token: " " if token["comment"] else token[0], sql)


def is_volatile(sql: str) -> bool:
    """Whether the statement asks the clock or chance, so that its result must not be remembered."""
    lowered = sql.lower()
    return any(word in lowered for word in _CLOCK_WORDS) and _CLOCK.search(without_comments(sql)) is not None
