"""Ports of a desktop, reached through the real controller's tunnel."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import httpx
import pytest
import pytest_asyncio

from touchstone.benchmarks.desktop.providers.network import Forwarder

from ..controller.running import TOKEN, Running, running
from ..web_pages import Pages


@pytest.fixture(scope="module")
def controller() -> Iterator[Running]:
    with TemporaryDirectory() as directory, running(Path(directory)) as started:
        yield started


@pytest_asyncio.fixture
async def forwarder(controller: Running) -> AsyncIterator[Forwarder]:
    opened = Forwarder(controller.tunnel, TOKEN)
    yield opened
    await opened.close()
    await opened.close()


async def connected(address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    parts = urlsplit(address)
    return await asyncio.open_connection(parts.hostname, parts.port)


async def closed(address: str) -> bool:
    """Whether a connection ends without a word."""
    reader, writer = await connected(address)
    try:
        return await asyncio.wait_for(reader.read(), 10) == b""
    except ConnectionError:
        return True
    finally:
        writer.close()


async def test_a_web_server_inside(forwarder: Forwarder) -> None:
    with Pages() as pages:
        pages.pages["/"] = "x" * 300_000
        port = urlsplit(pages.address).port
        assert port
        address = await forwarder.address(port)
        assert address == await forwarder.address(port) != pages.address
        async with httpx.AsyncClient(trust_env=False) as client:
            answers = await asyncio.gather(*(client.get(address) for _ in range(5)))
        assert [answer.text for answer in answers] == [pages.pages["/"]] * 5


async def test_both_directions_and_their_ends(forwarder: Forwarder) -> None:
    """A server that answers only when it has heard all."""

    async def count(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(str(len(await reader.read())).encode())
        writer.close()

    server = await asyncio.start_server(count, "127.0.0.1", 0)
    async with server:
        reader, writer = await connected(await forwarder.address(server.sockets[0].getsockname()[1]))
        for _ in range(32):
            writer.write(bytes(1 << 16))
            await writer.drain()
        writer.write_eof()
        assert await asyncio.wait_for(reader.read(), 20) == b"2097152"
        writer.close()


async def test_ports_on_which_nobody_listens(forwarder: Forwarder) -> None:
    assert await closed(await forwarder.address(1))
    assert await closed(await forwarder.address(99999))


async def test_a_wrong_token_reaches_nothing(controller: Running) -> None:
    with Pages() as pages:
        wrong = Forwarder(controller.tunnel, "wrong")
        address = await wrong.address(urlsplit(pages.address).port or 0)
        async with httpx.AsyncClient(trust_env=False) as client:
            with pytest.raises(httpx.TransportError):
                await client.get(address)
        assert not pages.requests
        await wrong.close()


async def test_a_desktop_that_is_gone(tmp_path: Path) -> None:
    forwarder = Forwarder(tmp_path / "none", TOKEN)
    assert await closed(await forwarder.address(80))
    await forwarder.close()


async def test_closing_ends_what_is_open(controller: Running) -> None:
    server = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
    async with server:
        forwarder = Forwarder(controller.tunnel, TOKEN)
        address = await forwarder.address(server.sockets[0].getsockname()[1])
        reader, writer = await connected(address)
        writer.write(b"hello")
        await asyncio.sleep(0.1)
        await forwarder.close()
        assert await asyncio.wait_for(reader.read(), 10) == b""
        with pytest.raises(OSError, match=r"refused|failed"):
            await connected(address)
        writer.close()
