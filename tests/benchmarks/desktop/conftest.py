from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.data import shared_data
from touchstone.benchmarks.desktop.tasks import Dataset, DesktopTask, load_tasks

from .support import LocalGuest


@pytest.fixture(scope="session")
def published() -> Dataset:
    return Dataset(shared_data("spider2v"))


@pytest.fixture(scope="session")
def published_tasks(published: Dataset) -> list[DesktopTask]:
    return load_tasks(published)


@pytest_asyncio.fixture
async def guest(tmp_path: Path) -> AsyncIterator[LocalGuest]:
    local = LocalGuest(tmp_path / "guest")
    yield local
    await local.close()
