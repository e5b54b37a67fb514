"""A Snowflake account on this machine, for the official connector.

What is about databases, schemas and tables goes to fakesnow, which runs it on DuckDB. Passwords, users, roles, settings of the
account and dropping a database, which fakesnow has not, are answered here, in the form in which Snowflake answers.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Thread
from time import sleep
from typing import Any
from uuid import uuid4

LOGIN, QUERY = "/session/v1/login-request", "/queries/v1/query-request"
REFUSED = "002003"
OWNER, PASSWORD = "OWNER", "secret-of-owner"
NAME = r'("(?:[^"]|"")+"|[\w$]+)'


@dataclass
class User:
    password: str
    properties: dict[str, str] = field(default_factory=dict[str, str])
    roles: list[str] = field(default_factory=list[str])


class SnowflakeAccount:
    """An ASGI application in front of fakesnow's own."""

    def __init__(self, fakesnow: Any) -> None:
        self.fakesnow = fakesnow
        self.users = {OWNER: User(PASSWORD), "SNOWFLAKE": User("")}
        self.settings: list[str] = []
        """What was set for account and session."""
        self.port = 0

    @property
    def connection(self) -> dict[str, Any]:
        """The content of a settings file; the connector takes more than address, name and password."""
        return {
            "account": "https://local.snowflakecomputing.com",
            "user": OWNER,
            "password": PASSWORD,
            "host": "127.0.0.1",
            "port": self.port,
            "protocol": "http",
            "session_parameters": {"CLIENT_OUT_OF_BAND_TELEMETRY_ENABLED": False},
        }

    def run(self, sql: str) -> list[Any]:
        """As the agent would work: directly on DuckDB, whose SQL is enough for it."""
        self._give_schemas()
        return self._duckdb.execute(sql).fetchall()

    @property
    def databases(self) -> list[str]:
        rows = self._duckdb.execute("SELECT database_name FROM duckdb_databases() WHERE NOT internal").fetchall()
        return sorted(name for (name,) in rows if name not in ("memory", "_fs_global"))

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope.get("path") not in (LOGIN, QUERY):
            await self.fakesnow.app(scope, receive, send)
            return
        body = await _body(receive)
        packed = dict(scope["headers"]).get(b"content-encoding") == b"gzip"
        asked = json.loads(gzip.decompress(body) if packed else body)
        answer = self._refusal(asked["data"]) if scope["path"] == LOGIN else self._answer(asked["sqlText"])
        if answer is not None:
            await _send_json(send, answer)
            return

        async def again() -> dict[str, Any]:
            return {"type": "http.request", "body": body}

        self._give_schemas()
        await self.fakesnow.app(scope, again, send)

    def _refusal(self, login: dict[str, Any]) -> dict[str, Any] | None:
        user = self.users.get(login["LOGIN_NAME"].upper())
        if user is not None and user.password == login["PASSWORD"]:
            return None
        return {"data": {}, "code": "390100", "message": "Incorrect username or password was specified.", "success": False}

    def _answer(self, sql: str) -> dict[str, Any] | None:
        if found := re.fullmatch(rf"DROP DATABASE IF EXISTS {NAME}", sql):
            self._duckdb.execute(f'DETACH DATABASE IF EXISTS "{_exact(found[1])}"')
            return _table(["status"], [["dropped"]])
        if found := re.fullmatch(rf"(DROP USER IF EXISTS|DESC USER|SHOW GRANTS TO USER) {NAME}", sql):
            return self._about_user(found[1], _exact(found[2]))
        if sql == "SHOW USERS":
            return _table(["name", "created_on"], [[name, "0"] for name in self.users])
        if sql == "SELECT CURRENT_USER()":
            return _table(["CURRENT_USER()"], [[OWNER]])
        if sql.startswith(("ALTER ACCOUNT SET ", "ALTER SESSION SET ")):
            self.settings.append(sql)
            return _table(["status"], [["Statement executed successfully."]])
        return None

    def _about_user(self, what: str, name: str) -> dict[str, Any]:
        if what.startswith("DROP"):
            self.users.pop(name, None)
            return _table(["status"], [["dropped"]])
        if name not in self.users:
            return {
                "data": {"sqlState": "02000"},
                "code": REFUSED,
                "message": f"no user {name}",
                "success": False,
            }
        user = self.users[name]
        if what.startswith("DESC"):
            shown = {"NAME": name, "LOGIN_NAME": name, "PASSWORD": "********", **user.properties}
            return _table(["property", "value", "default", "description"], [[*row, "null", ""] for row in shown.items()])
        columns = ["created_on", "role", "granted_to", "grantee_name", "granted_by"]
        return _table(columns, [["0", role, "USER", name, "ACCOUNTADMIN"] for role in user.roles])

    def _give_schemas(self) -> None:
        """Each database of Snowflake has a schema PUBLIC from its beginning."""
        for name in self.databases:
            self._duckdb.execute(f'CREATE SCHEMA IF NOT EXISTS "{name}"."PUBLIC"')

    @property
    def _duckdb(self) -> Any:
        return self.fakesnow.shared_fs.duck_conn


@contextmanager
def serving(account: SnowflakeAccount) -> Generator[SnowflakeAccount]:
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(account, host="127.0.0.1", port=0, log_level="error", lifespan="off"))
    thread = Thread(target=server.run)
    thread.start()
    while thread.is_alive() and not server.started:
        sleep(0.02)
    account.port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield account
    finally:
        server.should_exit = True
        thread.join()


def _exact(name: str) -> str:
    """Names without quotes are in upper case."""
    return name[1:-1].replace('""', '"') if name.startswith('"') else name.upper()


def _table(columns: list[str], rows: list[list[str]]) -> dict[str, Any]:
    kind = {"type": "text", "nullable": True, "length": 100, "byteLength": 400, "precision": None, "scale": None}
    kinds = [{"name": name, **kind} for name in columns]
    found = {"rowtype": kinds, "rowset": rows, "total": len(rows), "returned": len(rows), "queryResultFormat": "json"}
    place = {"queryId": str(uuid4()), "parameters": [], "finalDatabaseName": None, "finalSchemaName": None}
    return {"data": {**found, **place, "statementTypeId": 4096}, "success": True}


async def _body(receive: Any) -> bytes:
    body, more = b"", True
    while more:
        part = await receive()
        body, more = body + part.get("body", b""), part.get("more_body", False)
    return body


async def _send_json(send: Any, answer: dict[str, Any]) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": json.dumps(answer).encode()})
