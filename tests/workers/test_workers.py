"""How many workers there are, and who has them: growing, shrinking, leases."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable

import pytest

from touchstone.workers.pool import Pool, WorkerLost

from . import functions
from .processes import is_running, open_descriptors, until

WALL = 30.0


async def test_a_slow_call_does_not_delay_others(make_pool: Callable[..., Pool]) -> None:
    pool = make_pool()
    slow = asyncio.create_task(pool.call(functions.sleep, 60.0, wall=120))
    assert await asyncio.gather(*(pool.call(functions.double, n, wall=WALL) for n in range(20))) == [2 * n for n in range(20)]
    assert not slow.done()
    slow.cancel()


async def test_the_pool_grows_while_calls_wait_and_shrinks_again(make_pool: Callable[..., Pool]) -> None:
    pool = make_pool()
    pids = set(await asyncio.gather(*(pool.call(functions.sleep, 0.5, wall=WALL) for _ in range(5))))
    assert len(pids) > 1
    assert await until(lambda: sum(map(is_running, pids)) == 1)
    assert await pool.call(functions.double, 21, wall=WALL) == 42


async def test_no_more_workers_than_the_limit_run_at_once(make_pool: Callable[..., Pool]) -> None:
    pool = make_pool(limit=2)
    pids = await asyncio.gather(*(pool.call(functions.sleep, 0.15, wall=WALL) for _ in range(6)))
    assert len(set(pids)) <= 2


async def test_a_waiting_call_gets_a_worker_when_the_one_before_it_is_cancelled_while_starting(
    make_pool: Callable[..., Pool],
) -> None:
    pool = make_pool(limit=1)
    first = asyncio.create_task(pool.call(functions.double, 1, wall=WALL))
    second = asyncio.create_task(pool.call(functions.double, 21, wall=WALL))
    await asyncio.sleep(0.02)
    first.cancel()
    assert await asyncio.wait_for(second, 60) == 42


async def test_many_lost_workers_leave_no_descriptor_open(pool: Pool) -> None:
    await pool.call(functions.double, 1, wall=WALL)
    before = open_descriptors()
    for _ in range(50):
        with pytest.raises(WorkerLost):
            await pool.call(functions.leave, 1, wall=WALL)
    assert await until(lambda: open_descriptors() <= before + 2)


async def test_leases_are_exclusive(pool: Pool) -> None:
    leased = [await pool.lease() for _ in range(4)]
    own = {worker.pid for worker in leased}
    assert len(own) == 4
    for index, worker in enumerate(leased):
        assert await worker.call(functions.number, None, wall=WALL) == worker.pid
        assert await worker.call(functions.remember, index, wall=WALL) == [index]
    served = await asyncio.gather(*(pool.call(functions.number, None, wall=WALL) for _ in range(50)))
    assert not own & set(served)
    for index, worker in enumerate(leased):
        assert await worker.call(functions.remember, index, wall=WALL) == [index, index]


async def test_leased_workers_are_given_back_and_surplus_ones_end(make_pool: Callable[..., Pool]) -> None:
    pool = make_pool(warm=2, spare=0)
    leased = [await pool.lease() for _ in range(5)]
    for worker in leased:
        pool.give_back(worker)
    pids = {worker.pid for worker in leased}
    assert await until(lambda: sum(map(is_running, pids)) == 2)
    assert await pool.call(functions.number, None, wall=WALL) in pids


async def test_workers_that_were_leased_are_kept_for_the_next_leases(make_pool: Callable[..., Pool]) -> None:
    pool = make_pool(warm=1, spare=2)
    leased = [await pool.lease() for _ in range(4)]
    for worker in leased:
        pool.give_back(worker)
    pids = {worker.pid for worker in leased}
    assert await until(lambda: sum(map(is_running, pids)) == 3)  # one for calls, two for leases
    os.kill(pool._spare[-1].pid, signal.SIGKILL)  # pyright: ignore[reportPrivateUsage]
    assert await until(lambda: sum(map(is_running, pids)) == 2)
    again = [await pool.lease() for _ in range(2)]
    assert all(worker.is_there() for worker in again)
    assert len({worker.pid for worker in again} & pids) == 2


async def test_a_spare_worker_that_a_waiting_call_takes_is_a_spare_one_again(make_pool: Callable[..., Pool]) -> None:
    """Else every second lease of a busy server would fork a process."""
    pool = make_pool(warm=1, limit=1, spare=2)
    await pool.call(functions.number, None, wall=WALL)
    leased = await pool.lease()  # the shared one
    calls = [asyncio.create_task(pool.call(functions.sleep, 0.2, wall=WALL)) for _ in range(3)]
    assert await until(lambda: len(pool._waiting) == 2)  # pyright: ignore[reportPrivateUsage]
    pool.give_back(leased)
    await asyncio.gather(*calls)
    assert leased.is_there()
    assert len(pool._spare) == 1  # pyright: ignore[reportPrivateUsage]


async def test_a_call_that_takes_much_cpu_gives_way_and_its_worker_is_not_used_again(make_pool: Callable[..., Pool]) -> None:
    pool = make_pool()
    first = await pool.call(functions.number, None, wall=WALL)
    long = asyncio.create_task(pool.call(functions.work_for, 3.0))
    assert await until(lambda: os.getpriority(os.PRIO_PROCESS, first) > os.getpriority(os.PRIO_PROCESS, 0))
    assert not long.done()
    assert await pool.call(functions.number, None, wall=WALL) != first
    assert await long >= 3.0
    assert await until(lambda: not is_running(first))


async def test_a_call_waits_for_a_lease_to_be_given_back_only_if_it_must(make_pool: Callable[..., Pool]) -> None:
    pool = make_pool(limit=1)
    leased = [await pool.lease() for _ in range(3)]
    assert await asyncio.wait_for(pool.call(functions.double, 21, wall=WALL), 60) == 42
    for worker in leased:
        pool.give_back(worker)


@pytest.mark.parametrize("times", [1, 3])
async def test_an_idle_worker_that_is_leased_leaves_room_for_another(make_pool: Callable[..., Pool], times: int) -> None:
    """A lease takes the worker out of those that calls share: with a limit of one, a call would wait for ever otherwise."""
    pool = make_pool(limit=1, spare=0)
    for _ in range(times):
        shared = await pool.call(functions.number, None, wall=WALL)
        leased = await pool.lease()
        assert leased.pid == shared
        assert await asyncio.wait_for(pool.call(functions.number, None, wall=WALL), 60) != shared
        pool.give_back(leased)


@pytest.mark.parametrize("dies", [False, True])
async def test_after_leases_there_are_no_more_workers_than_the_limit(make_pool: Callable[..., Pool], dies: bool) -> None:
    pool = make_pool(limit=1)
    for _ in range(4):
        await pool.call(functions.number, None, wall=WALL)
        leased = await pool.lease()
        if dies:
            with pytest.raises(WorkerLost):
                await leased.call(functions.leave, 1, wall=WALL)
        pool.give_back(leased)
    pids = await asyncio.gather(*(pool.call(functions.sleep, 0.1, wall=WALL) for _ in range(6)))
    assert len(set(pids)) == 1


async def test_a_dead_idle_worker_is_not_leased_and_not_counted(make_pool: Callable[..., Pool]) -> None:
    pool = make_pool(limit=1)
    for _ in range(3):
        dead = await pool.call(functions.number, None, wall=WALL)
        os.kill(dead, signal.SIGKILL)
        assert await until(lambda pid=dead: not is_running(pid))
        leased = await pool.lease()
        assert leased.pid != dead
        calls = asyncio.gather(*(pool.call(functions.sleep, 0.1, wall=WALL) for _ in range(4)))
        assert len(set(await asyncio.wait_for(calls, 60))) == 1
        pool.give_back(leased)


async def test_a_call_that_uses_no_cpu_is_stopped_and_one_that_does_is_not(make_pool: Callable[..., Pool]) -> None:
    pool = make_pool(stalled=1.0)
    with pytest.raises(WorkerLost) as caught:
        await pool.call(functions.sleep, 600.0)
    assert caught.value.cause == "stalled"
    assert await pool.call(functions.work_for, 2.5) >= 2.5
    assert await pool.call(functions.sleep, 1.5, stalled=60.0)


async def test_a_dead_leased_worker_is_replaced(pool: Pool) -> None:
    worker = await pool.lease()
    with pytest.raises(WorkerLost):
        await worker.call(functions.leave, 1, wall=WALL)
    with pytest.raises(WorkerLost):
        await worker.call(functions.double, 1, wall=WALL)
    pool.give_back(worker)
    another = await pool.lease()
    assert another.pid != worker.pid
    assert await another.call(functions.double, 21, wall=WALL) == 42
    pool.give_back(another)
