"""Requests to a controller: within a time limit, no larger than allowed, every failure a WorkerFailure that says what failed.

The desktop is the agent's, and so is what answers in it: nothing that it says is believed to be small, quick or well-formed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import msgspec

from ....failures import WorkerFailure
from ....foreign import Unreadable, read_json

MARGIN = 30.0
"""How much longer than the work itself its answer may take."""
LARGEST = 128 << 20
LARGEST_FILE = 4 << 30


class Answer(msgspec.Struct, frozen=True):
    """A status and a whole body."""

    status: int
    body: bytes

    @property
    def good(self) -> bool:
        return 200 <= self.status < 300

    def fields(self) -> dict[str, Any]:
        """Of a JSON object; empty if it is none."""
        try:
            return read_json(self.body, dict[str, Any])
        except Unreadable:
            return {}

    def why(self) -> str:
        """In words, for failures."""
        message = self.fields().get("message")
        said = message if isinstance(message, str) else self.body[:200].decode("utf-8", "replace").strip()
        return f"status {self.status}: {said}" if said else f"status {self.status}"


async def ask(client: httpx.AsyncClient, method: str, path: str, seconds: float, **content: Any) -> Answer:
    """The whole answer."""
    async with _asked(client, method, path, seconds, content) as response:
        return await _whole(response)


async def fetch(client: httpx.AsyncClient, path: str, seconds: float, destination: Path, **content: Any) -> Answer:
    """The body of a good answer goes to a file, which is there whole or not at all."""
    part_file = destination.with_name(f".{destination.name}.part")
    destination.parent.mkdir(parents=True, exist_ok=True)
    try:
        async with _asked(client, "POST", path, seconds, content) as response:
            if response.status_code != 200:
                return await _whole(response)
            with part_file.open("wb") as file:
                async for part in _within(response, LARGEST_FILE):
                    file.write(part)
        part_file.replace(destination)
    finally:
        part_file.unlink(missing_ok=True)
    return Answer(200, b"")


@asynccontextmanager
async def _asked(
    client: httpx.AsyncClient, method: str, path: str, seconds: float, content: dict[str, Any]
) -> AsyncGenerator[httpx.Response]:
    try:
        async with asyncio.timeout(seconds), client.stream(method, path, timeout=seconds, **content) as response:
            if response.status_code == 401:
                raise WorkerFailure("the desktop's controller does not accept the token", kind="desktop")
            yield response
    except (TimeoutError, httpx.TimeoutException):
        raise WorkerFailure(f"the desktop did not answer {path} within {seconds:g} s", kind="desktop") from None
    except httpx.HTTPError as error:
        raise WorkerFailure(f"the desktop is gone ({path}): {error or type(error).__name__}", kind="desktop") from None


async def _whole(response: httpx.Response) -> Answer:
    return Answer(response.status_code, b"".join([part async for part in _within(response, LARGEST)]))


async def _within(response: httpx.Response, largest: int) -> AsyncIterator[bytes]:
    """As it came, never unpacked: a small answer can be made to unpack to any size."""
    size = 0
    async for part in response.aiter_raw():
        size += len(part)
        if size > largest:
            raise WorkerFailure(
                f"the desktop's answer to {response.url.path} is larger than {largest >> 20} MB", kind="desktop"
            )
        yield part
