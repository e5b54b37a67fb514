"""Requests and tokens per minute, on a clock that the tests turn."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from tests.support.scripted_model import ScriptedModel
from touchstone.models.rate_limit import Pace, PacedModel
from touchstone.types import CallPosition, Reply, Usage

PLACE = CallPosition("1", 0, 0)


class Clock:
    """Time passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0
        self.sleeps = 0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.sleeps += 1
        await asyncio.sleep(0)
        self.now += seconds


@given(per_minute=st.integers(1, 120), count=st.integers(1, 60), idle=st.floats(0, 300))
def test_no_minute_holds_more_and_nobody_waits_for_nothing(per_minute: int, count: int, idle: float) -> None:
    clock, begun = Clock(), list[tuple[int, float]]()

    async def main() -> None:
        pace = Pace(per_minute, clock, clock.sleep)
        clock.now += idle

        async def one(number: int) -> None:
            await pace.take(1)
            begun.append((number, clock.now))

        await asyncio.gather(*map(one, range(count)))

    asyncio.run(main())
    assert [number for number, _ in begun] == list(range(count)), "in the order of coming"
    times = [moment for _, moment in begun]
    for start in times:
        assert sum(start <= each < start + 60 - 1e-6 for each in times) <= per_minute
    assert abs(times[-1] - times[0] - (count - 1) * 60 / per_minute) < 1e-6
    assert clock.sleeps <= 2 * count, "it sleeps until its time instead of looking again and again"


async def test_tokens_are_counted_by_what_a_reply_took() -> None:
    clock = Clock()
    model = ScriptedModel([Reply("", usage=Usage(1, 500, 0, 100))] * 3)
    paced = PacedModel(model, None, Pace(600, clock, clock.sleep))
    for waited in (0, 60, 120):
        await paced.reply([], [], PLACE)
        assert abs(clock.now - 100.0 - waited) < 1e-6


async def test_who_is_cancelled_while_waiting_holds_up_nobody() -> None:
    clock = Clock()
    pace = Pace(1, clock, lambda _: asyncio.sleep(3600))
    await pace.take(1)
    first = asyncio.create_task(pace.take(1))
    await asyncio.sleep(0)
    first.cancel()
    clock.now += 60
    await asyncio.wait_for(pace.take(1), 5)
