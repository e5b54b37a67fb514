"""Snowflake: a schema that is only read, by a role that has no right but to read.

`snowflake://user@account/database/schema?warehouse=…&role=…&max_seconds=…`; the password comes from SNOWFLAKE_PASSWORD. What a
warehouse costs is time, so besides each statement the statements of a run together are limited: `max_seconds`, an hour.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from importlib import import_module
from threading import Lock
from typing import Any, ClassVar
from urllib.parse import parse_qs, unquote, urlsplit

from ..errors import DatabaseFailure, InputError, SqlError
from ..protocols import EngineConfig, Opening
from ..types import Limits, Table
from .cloud import CloudEngine, limited, open_cloud
from .messages import LIVE, no_statement, out_of_time
from .mysql.statements import is_blank, split

PER_RUN = 3600
_OPTIONS = ("host", "max_seconds", "port", "protocol", "role", "warehouse")
_READS = re.compile(
    r"(?:[\s(;]+|--[^\n]*|//[^\n]*|/\*.*?\*/)*(?:select|with|values|show|desc|describe|explain)\b", re.IGNORECASE | re.DOTALL
)
_REFUSED = re.compile(r"system\$|->>|\bas\s+procedure\b|query_history|account_usage|\bcall\b", re.IGNORECASE)
"""Functions that act, statements in a chain, procedures in a WITH, and what others have run: SQL cannot build these names."""
_HARMLESS = {"USAGE", "SELECT", "REFERENCES", "MONITOR"}
_ADMINISTRATORS = {"ACCOUNTADMIN", "ORGADMIN", "SECURITYADMIN", "SYSADMIN", "USERADMIN"}
_TIMED_OUT, _NO_RIGHT = 630, 3001


class SnowflakeConfig(EngineConfig, frozen=True, kw_only=True):
    """Snowflake schemas, which are only read: snowflake://user@account/database/schema."""

    name: ClassVar[str] = "snowflake"
    schemes: ClassVar[tuple[str, ...]] = ("snowflake",)

    async def open(self, opening: Opening) -> CloudEngine:
        return await open_cloud(
            self, opening, SnowflakeClient, "Snowflake", "snowflake.connector", "snowflake-connector-python"
        )


class SnowflakeClient:
    dialect = "snowflake"

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        names = [unquote(name) for name in parts.path.strip("/").split("/")]
        if not parts.username or not parts.hostname or len(names) != 2 or not all(names):
            raise InputError("--database-url: expected snowflake://user@account/database/schema")
        if unknown := set(options) - set(_OPTIONS):
            raise InputError(f"--database-url: there is no option '{sorted(unknown)[0]}'; there are: {', '.join(_OPTIONS)}")
        seconds = options.pop("max_seconds", str(PER_RUN))
        if not seconds.isdecimal():
            raise InputError(f"--database-url: max_seconds={seconds}: expected a number of seconds")
        self._left = float(seconds)
        self._counting = Lock()
        connector: Any = import_module("snowflake.connector")
        self._error: Any = import_module("snowflake.connector.errors").Error
        password = unquote(parts.password) if parts.password else os.environ.get("SNOWFLAKE_PASSWORD", "")
        try:
            self._connection: Any = connector.connect(
                user=unquote(parts.username),
                password=password,
                account=parts.hostname,
                database=names[0],
                schema=names[1],
                autocommit=False,
                login_timeout=30,
                session_parameters={"QUERY_TAG": "touchstone", "CLIENT_OUT_OF_BAND_TELEMETRY_ENABLED": False},
                **{name: int(value) if name == "port" else value for name, value in options.items()},
            )
        except (self._error, OSError) as error:
            raise InputError(f"--database-url: Snowflake cannot be reached: {_words(error)}") from None

    def refuse_writer(self) -> None:
        """Raises InputError if the role, or one that it has, can do more than reading."""
        try:
            self._ask("USE SECONDARY ROLES NONE")
            (role,) = next(self._ask("SELECT CURRENT_ROLE()"))
            rights = list(dict.fromkeys(self._rights(role)))
        except (self._error, StopIteration, ValueError) as error:
            raise InputError(f"--database-url: the privileges of the role cannot be read: {_words(error)}") from None
        if rights:
            raise InputError(
                f"--database-url: the role {role} {', '.join(rights[:3])}: a live database is used by a role that can only "
                "read. Make one: CREATE ROLE reader; GRANT USAGE ON DATABASE …; GRANT SELECT ON ALL TABLES IN SCHEMA …"
            )

    def _rights(self, first: str) -> Iterator[str]:
        todo, seen = [first], set[str]()
        while todo:
            role = todo.pop()
            seen.add(role)
            if role.upper() in _ADMINISTRATORS:
                yield f"is or has {role}"
                continue
            cursor = self._connection.cursor().execute(f'SHOW GRANTS TO ROLE "{role.replace(chr(34), 2 * chr(34))}"')
            columns = [column[0].lower() for column in cursor.description]
            for row in cursor:
                grant = dict(zip(columns, row, strict=True))
                if grant["granted_on"] == "ROLE" and grant["privilege"] == "USAGE":
                    todo += [grant["name"]] if grant["name"] not in seen else []
                elif grant["privilege"] not in _HARMLESS:
                    yield f"has {grant['privilege']} on {grant['name']}"

    def run(self, sql: str, limits: Limits) -> Table:
        if is_blank(sql):
            raise no_statement()
        if not _READS.match(sql) or sum(not is_blank(each) for each in split(sql)) > 1:
            raise SqlError("write", LIVE)
        if _REFUSED.search(sql):
            raise SqlError("refused", "Only tables and views can be read: no procedures, system functions or query history.")
        if self._left <= 0:
            raise DatabaseFailure("the limit of seconds for the whole run (max_seconds) is used up")
        began = time.monotonic()
        try:
            with self._connection.cursor() as cursor:
                cursor.execute(sql, timeout=max(1, round(limits.seconds)))
                return limited(tuple(column[0] for column in cursor.description), cursor, limits)
        except (self._error, OSError) as error:
            raise self._explained(error, limits) from None
        finally:
            with self._counting:
                self._left -= time.monotonic() - began

    def _explained(self, error: Any, limits: Limits) -> SqlError:
        number = getattr(error, "errno", None)
        if number in (_TIMED_OUT, 604):
            return out_of_time(limits)
        if number == _NO_RIGHT:
            return SqlError("refused", _words(error))
        if type(error).__name__ in ("ProgrammingError", "DataError", "NotSupportedError", "IntegrityError"):
            return SqlError("sql", _words(error))
        raise DatabaseFailure(f"Snowflake failed: {_words(error)}")

    def contents(self) -> list[Any]:
        sql = "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = current_schema()"
        try:
            return sorted(map(list, self._ask(sql)))
        except self._error as error:
            raise DatabaseFailure(f"Snowflake failed: {_words(error)}") from None

    def _ask(self, sql: str) -> Iterator[tuple[Any, ...]]:
        return iter(self._connection.cursor().execute(sql).fetchall())

    def close(self) -> None:
        self._connection.close()


def _words(error: BaseException) -> str:
    return " ".join(str(getattr(error, "msg", "") or error).split())
