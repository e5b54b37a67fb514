"""Pools for the tests of this folder."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from touchstone.workers.pool import Pool


@pytest.fixture
async def make_pool() -> AsyncIterator[Callable[..., Pool]]:
    """Makes pools that keep one worker, so that every call meets what the one before it left, and closes them."""
    pools: list[Pool] = []

    def make(**options: Any) -> Pool:
        pools.append(Pool(**{"warm": 1, **options}))
        return pools[-1]

    yield make
    for pool in pools:
        await pool.close()


@pytest.fixture
def pool(make_pool: Callable[..., Pool]) -> Pool:
    return make_pool(warm=2)
