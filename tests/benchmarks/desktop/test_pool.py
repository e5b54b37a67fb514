"""Memory for desktops: lent as long as there is some, and never to so many that it runs out."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from touchstone.benchmarks.desktop.desktop import EMPTY, MEGABYTES, MemoryBudget, free_megabytes, megabytes
from touchstone.benchmarks.desktop.tasks import APPS


def test_applications_add_up() -> None:
    assert megabytes([]) == EMPTY
    assert megabytes(["terminal", "excel", "excel"]) == EMPTY + MEGABYTES["excel"]
    assert set(MEGABYTES) <= set(APPS)
    assert free_megabytes() > 0


@given(st.lists(st.integers(1, 100), min_size=1, max_size=12), st.integers(1, 150))
def test_what_is_lent_never_exceeds_the_whole_unless_it_is_one(sizes: list[int], total: int) -> None:
    budget = MemoryBudget(total)
    held: list[int] = []
    served: list[int] = []

    async def borrow(size: int) -> None:
        async with budget.lent(size):
            held.append(size)
            assert sum(held) <= total or len(held) == 1
            await asyncio.sleep(0)
            held.remove(size)
            served.append(size)

    async def all_of_them() -> None:
        await asyncio.gather(*map(borrow, sizes))

    asyncio.run(all_of_them())
    assert sorted(served) == sorted(sizes)
