"""What a request must be before it is answered: for one of our hosts, and not too large."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import httpx
import pytest

from tests.serving.conftest import Make
from tests.support.scripted_model import submit
from touchstone.agents.scripted import ScriptedAgent
from touchstone.serving import gate
from touchstone.serving.gate import LARGEST_BODY, Gate
from touchstone.serving.service import build_app

pytestmark = pytest.mark.asyncio(loop_scope="module")

QUESTION = {"question": "Which?", "db_id": "shop"}


def client(make: Make, bound: str = "127.0.0.1", *allowed: str) -> httpx.AsyncClient:
    app = build_app(make(ScriptedAgent(lambda _: [submit("SELECT 1")])), "somebody")
    return httpx.AsyncClient(transport=httpx.ASGITransport(Gate(app, bound, allowed)), base_url="http://localhost")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:8000"])
async def test_loopback_is_answered(make: Make, host: str) -> None:
    async with client(make) as asking:
        assert (await asking.get("/health", headers={"Host": host})).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "localhost.evil.example", "10.0.0.1", "127.0.0.1.nip.io"]
)
async def test_another_host_is_not(make: Make, host: str) -> None:
    async with client(make) as asking:
        got = await asking.post("/infer", json=QUESTION, headers={"Host": host})
    assert got.status_code == 421
    assert "--allow-host" in got.json()["detail"]


@pytest.mark.parametrize(
    ("bound", "allowed", "host", "status"),
    [
        ("sql.lan", (), "sql.lan:8000", 200),
        ("127.0.0.1", ("sql.lan",), "sql.lan", 200),
        ("127.0.0.1", ("*",), "anything", 200),
        ("0.0.0.0", (), "192.168.1.7:8000", 200),
        ("::", (), "[fe80::1]", 200),
        ("0.0.0.0", (), "evil.example", 421),
        ("127.0.0.1", (), "192.168.1.7", 421),
    ],
)
async def test_what_it_is_bound_to_and_what_is_allowed(
    make: Make, bound: str, allowed: tuple[str, ...], host: str, status: int
) -> None:
    async with client(make, bound, *allowed) as asking:
        assert (await asking.get("/health", headers={"Host": host})).status_code == status


async def test_a_body_that_says_it_is_too_large_is_not_read(make: Make) -> None:
    read = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal read
        while True:
            read += 1
            yield b"x" * 2**16

    async with client(make) as asking:
        got = await asking.post("/infer", content=endless(), headers={"Content-Length": str(LARGEST_BODY + 1)})
    assert (got.status_code, read) == (413, 0)


@pytest.mark.parametrize("length", [{}, {"Content-Length": "5"}])
async def test_an_endless_body_is_left_when_it_is_too_large(make: Make, length: dict[str, str]) -> None:
    read = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal read
        while True:
            read += 1
            yield b"x" * 2**16

    async with client(make) as asking:
        assert (await asking.post("/infer", content=endless(), headers=length)).status_code == 413
    assert read <= LARGEST_BODY // 2**16 + 2


async def test_a_body_that_never_ends_is_given_up(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    monkeypatch.setattr(gate, "SECONDS_FOR_A_BODY", 0.05)

    async def silent() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.sleep(60)

    async with client(make) as asking:
        assert (await asking.post("/infer", content=silent())).status_code == 408


async def test_a_body_as_large_as_allowed_is_answered(make: Make) -> None:
    async with client(make) as asking:
        room = LARGEST_BODY - 200
        assert (await asking.post("/infer", json={**QUESTION, "evidence": "x" * room})).status_code == 200


async def test_the_documentation_loads_nothing(make: Make) -> None:
    async with client(make) as asking:
        got = await asking.get("/docs")
        assert (await asking.get("/redoc")).status_code == 404
    assert got.status_code == 200
    assert "script" not in got.text
    assert set(re.findall(r"(?:src|href)='?([^' >]+)", got.text)) == {"openapi.json"}
    assert "http" not in re.sub(r"<h1>.*</h1>", "", got.text)
    assert got.headers["Content-Security-Policy"] == "default-src 'none'; style-src 'unsafe-inline'"
    for word in ("POST /infer", "question", "db_id", "evidence", "execution_success"):
        assert word in got.text
