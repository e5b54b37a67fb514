from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import pytest_asyncio

from touchstone.benchmarks.desktop.providers.controlled import ControlledGuest

from .running import Running, running


@pytest.fixture(scope="module")
def controller() -> Iterator[Running]:
    """In a folder of its own: the path of a Unix socket must be short."""
    with TemporaryDirectory() as directory, running(Path(directory)) as started:
        yield started


@pytest_asyncio.fixture
async def guest(controller: Running) -> AsyncIterator[ControlledGuest]:
    connected = await controller.guest()
    yield connected
    await connected.disconnect()
