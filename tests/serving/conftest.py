from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
import pytest_asyncio

from tests.support.worlds import World, make_world
from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.protocols import Agent, Limits
from touchstone.serving.service import Answerer, build_app

Make = Callable[..., Answerer]
Post = Callable[..., Any]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> World:
    return make_world(tmp_path_factory.mktemp("world"))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def make(served: World) -> AsyncIterator[Make]:
    """Makes what answers, of an agent, on a shop and a zoo."""
    engine = SqliteEngine(workers=2)

    def answerer(agent: Agent, *, schema: bool = False, parallel: int = 4, seconds: float = 30.0) -> Answerer:
        limits = Limits(seconds=seconds)
        return Answerer(agent, engine, served.databases, "Be brief.", schema=schema, parallel=parallel, limits=limits)

    yield answerer
    await engine.close()


@pytest.fixture(scope="module")
def post(make: Make) -> Post:
    """Sends a question to the web service with this agent behind it."""

    async def send(agent: Agent, body: Any, **options: Any) -> httpx.Response:
        transport = httpx.ASGITransport(build_app(make(agent, **options), "somebody"))
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            return await client.post("/infer", json=body)

    return send
