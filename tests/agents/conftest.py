from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.support.worlds import make_world
from touchstone.benchmarks.bird.benchmark import Bird
from touchstone.engines.sqlite.engine import SqliteEngine


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bird(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bird]:
    """A benchmark of six tasks; the tests of a module share it and an event loop."""
    world = make_world(tmp_path_factory.mktemp("world"))
    engine = SqliteEngine(workers=1)
    yield Bird(world.load(), world.databases, engine)
    await engine.close()
