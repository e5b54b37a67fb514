"""A live MySQL database: an account that could do more than reading is refused, and nothing that is sent changes anything."""

from __future__ import annotations

from contextlib import AsyncExitStack
from urllib.parse import quote

import pytest

from touchstone.engines.judging_connection import JudgingConnection
from touchstone.engines.mysql.engine import login_at, rights_in
from touchstone.engines.mysql.private_server import PrivateServer
from touchstone.errors import InputError, SqlError
from touchstone.plugins import open_engine
from touchstone.protocols import Engine, Limits, Opening

LIMITS = Limits(seconds=10)


def total(bench: JudgingConnection, table: str) -> int:
    return bench.run(f"SELECT count(*) FROM {table}").rows[0][0]


async def opened(server: PrivateServer, user: str, stack: AsyncExitStack, password: str = "pass word") -> Engine:
    socket = quote(server.administrator.socket or "")
    place = f"mysql://{user}:{quote(password)}@localhost/live?socket={socket}"
    return await open_engine("mysql", Opening(stack=stack), place=place, live=True)


GRANTS = {
    "INSERT ON live.*": "has INSERT on `live`",
    "UPDATE (name) ON live.item": "has UPDATE on `live`.`item`",
    "EXECUTE ON live.*": "has EXECUTE",
    "LOCK TABLES ON live.*": "has LOCK TABLES",
    "FILE ON *.*": "has FILE on",
    "PROCESS ON *.*": "has PROCESS on",
    "ALL ON other.*": "has ALL PRIVILEGES on `other`",
    "SELECT ON *.*": "can read the accounts",
    "SELECT ON mysql.*": "can read the accounts",
    "SELECT ON live.* TO {} WITH GRANT OPTION": "can give away",
    "writers": "has INSERT on `live`|may not look up",
}


@pytest.mark.parametrize("grant", GRANTS)
async def test_an_account_that_could_do_more_is_refused(server: PrivateServer, grant: str) -> None:
    account = "careless@localhost"
    server.ask(f"CREATE OR REPLACE USER {account} IDENTIFIED BY 'x'", f"GRANT SELECT ON live.item TO {account}")
    server.ask("CREATE OR REPLACE ROLE writers", "GRANT INSERT ON live.* TO writers")
    server.ask(f"GRANT {grant.format(account)}" if "{}" in grant else f"GRANT {grant} TO {account}")
    async with AsyncExitStack() as stack:
        with pytest.raises(InputError, match=GRANTS[grant]):
            await opened(server, "careless", stack, "x")


async def test_an_account_that_reads_reads(server: PrivateServer) -> None:
    async with AsyncExitStack() as stack:
        engine = await opened(server, "reader", stack)
        database = engine.database("live")
        assert "a" in (await database.show("SELECT name FROM item", LIMITS)).text
        assert await database.judge(total, "item", LIMITS, wall=30) == 2
        assert engine.versions["MariaDB"]
        assert str((await engine.digests(["live"]))["live"]).startswith("schema:")


HOSTILE = [
    "DELETE FROM item",
    "SELECT sly()",
    "SELECT 1; DELETE FROM item",
    "COMMIT; DELETE FROM item",
    "SET SESSION TRANSACTION READ WRITE",
    "CREATE TABLE mine (a int)",
    "CREATE TEMPORARY TABLE mine (a int)",
    "SELECT * FROM item FOR UPDATE",
    "SELECT * FROM item INTO OUTFILE '/tmp/touchstone-outfile'",
    "SELECT * FROM other.secret",
    "SELECT * FROM mysql.user",
    "SELECT get_lock('a', 1)",
    "HANDLER item OPEN",
    "LOCK TABLES item READ",
    "DO SLEEP(1)",
    "CALL p()",
    "SHOW GRANTS",
    "SHOW PROCESSLIST",
    "SET PASSWORD = PASSWORD('mine')",
    "ANALYZE TABLE item",
    "EXPLAIN DELETE FROM item",
    "PREPARE s FROM 'DELETE FROM item'",
    "/*! DELETE FROM item */",
    "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE item",
]


async def test_nothing_is_written(server: PrivateServer) -> None:
    async with AsyncExitStack() as stack:
        database = (await opened(server, "reader", stack)).database("live")
        for sql in HOSTILE:
            try:
                seen = await database.show(sql, LIMITS)
            except SqlError:
                continue
            pytest.fail(f"{sql}: {seen.text}")
        with pytest.raises(SqlError, match="only be read"):
            await database.advance(["DELETE FROM item"], LIMITS)
    assert server.ask("SELECT count(*) FROM live.item") == [(2,)]


async def test_what_takes_too_long_is_ended_on_the_server(server: PrivateServer) -> None:
    async with AsyncExitStack() as stack:
        database = (await opened(server, "reader", stack)).database("live")
        with pytest.raises(SqlError, match="limit of 1 seconds"):
            await database.show("SELECT SLEEP(600)", Limits(seconds=1))
        running = "SELECT count(*) FROM information_schema.processlist WHERE user = 'reader' AND info LIKE '%SLEEP(600)%'"
        assert server.ask(running) == [(0,)]


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mysql://reader@localhost", "expected mysql://user@host:port/name"),
        ("mysql://localhost/live", "expected mysql://user@host:port/name"),
        ("mysql://reader@localhost:x/live", "the port is not a number"),
        ("mysql://reader@localhost/live?tls=1", "no option 'tls'"),
        ("mysql://reader@127.0.0.1:1/live", "cannot be reached"),
    ],
)
async def test_a_wrong_address_is_told(url: str, words: str) -> None:
    async with AsyncExitStack() as stack:
        with pytest.raises(InputError, match=words):
            await open_engine("mysql", Opening(stack=stack), place=url, live=True)


def test_grants_are_read() -> None:
    assert rights_in("GRANT USAGE ON *.* TO `a`@`%` IDENTIFIED BY PASSWORD '*00'") == ([], [])
    assert rights_in("GRANT SELECT (`a`, `b`), INSERT (`a`) ON `x`.`y` TO `a`@`%`") == (["has INSERT on `x`.`y`"], [])
    assert rights_in("GRANT `r`@`%`,`s`@`%` TO `a`@`%`") == ([], ["`r`@`%`", "`s`@`%`"])
    assert rights_in("GRANT PROXY ON ``@`%` TO `a`@`%`")[0] == ["has PROXY on ``@`%`"]


def test_a_password_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYSQL_PWD", "from there")
    assert login_at("mysql://reader@host/live").password == "from there"
    assert login_at("mysql://reader:a%20b@host/live").password == "a b"
