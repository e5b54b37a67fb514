"""Databases of cloud services, read by the service's own client and never written to.

SQL runs at the service, under its own time limit; here only rows arrive, in threads. So there are no private copies, and no
worker processes: their sandbox has neither the client's credentials nor its configuration.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import version
from itertools import islice
from typing import Any, Protocol, TypeVar

import msgspec

from ..distribution import refuse_without
from ..errors import SqlError
from ..protocols import EngineConfig, Opening
from ..types import Limits, Observation, Table
from .judging_connection import JudgingConnection, PlainConnection, Result, last_result
from .messages import LIVE, fetched, plain
from .tables import observation_of

A = TypeVar("A")
R = TypeVar("R")

_AT_ONCE = 8


class CloudClient(Protocol):
    """A connection to a service, by credentials that can only read."""

    dialect: str

    def run(self, sql: str, limits: Limits) -> Table:
        """One statement that reads. Raises SqlError, and DatabaseFailure if the service fails."""
        ...

    def refuse_writer(self) -> None:
        """Raises InputError if the credentials can do more than reading."""
        ...

    def contents(self) -> list[Any]:
        """Tables and columns."""
        ...

    def close(self) -> None: ...


async def open_cloud(
    config: EngineConfig, opening: Opening, connect: Callable[[str], CloudClient], label: str, module: str, package: str
) -> CloudEngine:
    """Raises InputError without the service's client, or if its credentials could write."""
    refuse_without(module, label, config.name)
    client = await asyncio.to_thread(connect, config.place or "")
    engine = CloudEngine(config.name, client, {package: version(package)})
    opening.stack.push_async_callback(engine.close)
    await asyncio.to_thread(client.refuse_writer)
    return engine


class CloudEngine:
    """One database of a service."""

    def __init__(self, name: str, client: CloudClient, versions: Mapping[str, str]) -> None:
        self.name = name
        self.client = client
        self.versions = versions
        self.turns = asyncio.Semaphore(_AT_ONCE)

    def database(self, name: str, key: str = "") -> CloudDatabase:
        return CloudDatabase(self)

    async def digests(self, names: Sequence[str]) -> Mapping[str, str | None]:
        """Of the tables and columns: the rows of a live database are nobody's to hash."""
        contents = await asyncio.to_thread(self.client.contents)
        return dict.fromkeys(names, f"schema:{hashlib.sha256(msgspec.json.encode(contents)).hexdigest()}")

    async def close(self) -> None:
        await asyncio.to_thread(self.client.close)


class CloudDatabase:
    """The database, read by one episode."""

    def __init__(self, engine: CloudEngine) -> None:
        self._engine = engine

    async def explore(self, sql: str, limits: Limits) -> Table:
        async with self._engine.turns:
            return plain(await asyncio.to_thread(self._engine.client.run, sql, limits))

    async def show(self, sql: str, limits: Limits) -> Observation:
        return observation_of(await self.explore(sql, limits))

    async def judge(
        self, function: Callable[[JudgingConnection, A], R], request: A, limits: Limits, *, writes: bool = False, wall: float
    ) -> R:
        async with self._engine.turns:
            return await asyncio.to_thread(function, CloudJudgingConnection(self._engine.client, limits), request)

    async def advance(self, scripts: Sequence[str], limits: Limits) -> None:
        if scripts:
            raise SqlError("write", LIVE)

    async def close(self) -> None:
        pass


class CloudJudgingConnection(PlainConnection):
    label = "cloud services"

    def __init__(self, client: CloudClient, limits: Limits) -> None:
        self.dialect = client.dialect
        self._client = client
        self._limits = limits

    def table(self, sql: str) -> Table:
        return self._client.run(sql, self._limits)

    def trial(self, statements: Sequence[str]) -> Result:
        return last_result(self.run, statements)


def limited(columns: tuple[str, ...], rows: Iterable[tuple[Any, ...]], limits: Limits) -> Table:
    """The rows as far as the limits go."""
    left = iter(rows)
    return fetched(columns, lambda count: list(islice(left, count)), limits)
