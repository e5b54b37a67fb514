"""Real desktops for tests. `make test-desktop` builds the image first; without one they are skipped, and say so."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from touchstone.benchmarks.desktop.desktop import Desktop
from touchstone.benchmarks.desktop.image import find, layers_for
from touchstone.benchmarks.desktop.providers import ProviderSettings, provider
from touchstone.errors import InputError

APPS = ("chromium", "dbt", "excel", "jupyter", "sqlite3", "terminal")
"""What the demo's tasks use."""


@pytest.fixture(scope="session")
def make() -> Callable[[], Desktop]:
    """Makes desktops of the sandbox."""
    try:
        maker = provider("sandbox", ProviderSettings())
        maker()
        find(layers_for(APPS))
    except InputError as error:
        pytest.skip(f"no desktop here: {error}")
    return maker


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def desktop(make: Callable[[], Desktop]) -> AsyncIterator[Desktop]:
    """One that the tests of a module use one after the other."""
    made = make()
    await made.start()
    yield made
    await made.stop()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def other(make: Callable[[], Desktop]) -> AsyncIterator[Desktop]:
    """A second one beside it."""
    made = make()
    await made.start()
    yield made
    await made.stop()


@pytest.fixture(scope="session")
def images(make: Callable[[], Desktop]) -> dict[str, str]:
    """Where a command finds the image, whatever else it does not inherit."""
    from touchstone.benchmarks.desktop.image.store import VARIABLE, default_root

    return {VARIABLE: str(Path(default_root()).absolute())}
