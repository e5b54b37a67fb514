"""Turns: never more at once than there are, and one that must not be disturbed is alone."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys

import pytest

from touchstone.workers.limits import Turns, cores, cpu_time


class Watched:
    """Work that sees how much other work there is."""

    def __init__(self, turns: Turns) -> None:
        self.turns = turns
        self.now = 0
        self.seen: dict[bool, list[int]] = {False: [], True: []}

    async def work(self, *, alone: bool = False) -> None:
        async with self.turns.turn(alone=alone):
            self.now += 1
            for _ in range(5):
                self.seen[alone].append(self.now)
                await asyncio.sleep(0)
            self.now -= 1


@pytest.mark.parametrize("most", [1, 2, 5])
async def test_turns(most: int) -> None:
    watched = Watched(Turns(most))
    await asyncio.gather(*(watched.work(alone=number % 10 == 9) for number in range(100)))
    assert max(watched.seen[False]) == most
    assert set(watched.seen[True]) == {1}
    assert len(watched.seen[True]) == 50


async def test_who_is_cancelled_while_it_waits_takes_no_turn_along() -> None:
    turns = Turns(2)
    watched = Watched(turns)
    async with turns.turn():
        waiting = asyncio.create_task(watched.work(alone=True))
        await asyncio.sleep(0.01)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
    await asyncio.wait_for(asyncio.gather(*(watched.work(alone=True) for _ in range(3))), 60)
    assert set(watched.seen[True]) == {1}


def test_the_cores_are_those_that_we_may_run_on() -> None:
    mask = os.sched_getaffinity(0)
    assert cores() == len(mask)
    os.sched_setaffinity(0, {min(mask)})
    try:
        assert cores() == 1
    finally:
        os.sched_setaffinity(0, mask)


def test_what_a_process_uses_grows_as_it_works() -> None:
    before = cpu_time(os.getpid())
    assert before is not None
    sum(range(1_000_000))
    after = cpu_time(os.getpid())
    assert after is not None
    assert after > before
    assert cpu_time(2**22 + 1) is None


def test_workers_start_without_what_only_an_event_loop_needs() -> None:
    program = "import sys; import touchstone.workers.zygote, touchstone.engines.sqlite.worker; print('asyncio' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert shown.strip() == "False"
