from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.worlds import World, make_world
from touchstone.engines.sqlite.engine import SqliteEngine


@pytest.fixture(scope="module")
def shared_world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """For tests that only read it."""
    return make_world(tmp_path_factory.mktemp("world"))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[SqliteEngine]:
    """One engine for a module; its tests share an event loop."""
    cache: Path = tmp_path_factory.mktemp("cache") / "results.sqlite"
    engine = SqliteEngine(cache=cache, workers=2)
    yield engine
    await engine.close()
