"""Cancelled calls, closed pools, killed parents: nothing is left behind and nothing hangs."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from touchstone.errors import WorkerFailure
from touchstone.workers.pool import Pool, WorkerLost

from . import functions
from .functions import Note
from .processes import children, is_running, until, written_number

ROOT = Path(__file__).parents[2]
WALL = 30.0


async def test_cancelling_a_call_kills_its_worker_and_the_pool_stays_usable(
    make_pool: Callable[..., Pool], tmp_path: Path
) -> None:
    pool = make_pool()
    call = asyncio.create_task(pool.call(functions.note_and_sleep, Note(str(tmp_path / "pid")), wall=WALL))
    pid = await written_number(tmp_path / "pid")
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert await until(lambda: not is_running(pid))
    assert await pool.call(functions.double, 21, wall=WALL) == 42


async def test_cancelling_waiting_calls_takes_no_worker_from_others(make_pool: Callable[..., Pool]) -> None:
    pool = make_pool(limit=1)
    running = asyncio.create_task(pool.call(functions.sleep, 0.4, wall=WALL))
    await asyncio.sleep(0)
    waiting = [asyncio.create_task(pool.call(functions.double, n, wall=WALL)) for n in range(6)]
    await asyncio.sleep(0.01)
    for call in waiting[::2]:
        call.cancel()
    answers = await asyncio.gather(*waiting, return_exceptions=True)
    assert [answer for answer in answers if isinstance(answer, int)] == [2, 6, 10]
    await running


@pytest.mark.parametrize("delay", [0.0, 0.01, 0.05, 0.1, 0.2])
async def test_cancelling_while_a_worker_starts_does_not_mix_up_workers(make_pool: Callable[..., Pool], delay: float) -> None:
    pool = make_pool()
    call = asyncio.create_task(pool.lease())
    await asyncio.sleep(delay)
    call.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await call
    for worker in [await pool.lease() for _ in range(3)]:
        assert await worker.call(functions.number, None, wall=WALL) == worker.pid


async def test_close_leaves_no_process() -> None:
    pool = Pool(warm=2)
    zygote = await pool.call(functions.parent, None, wall=WALL)
    workers = [await pool.lease() for _ in range(3)]
    busy = asyncio.create_task(workers[0].call(functions.spin, None, wall=WALL))
    shared = asyncio.create_task(pool.call(functions.sleep, 600.0, wall=WALL))
    assert await until(lambda: len(children(zygote)) >= 4)
    family = {zygote, *children(zygote)}
    await pool.close()
    assert await until(lambda: not any(map(is_running, family)))
    for call in (busy, shared):
        with pytest.raises(WorkerLost):
            await call


@pytest.mark.parametrize("delay", [0.0, 0.05, 0.3])
async def test_close_ends_calls_that_run_wait_or_start(delay: float) -> None:
    others = children()
    pool = Pool(warm=1, limit=2)
    calls = [asyncio.create_task(pool.call(functions.sleep, 600.0, wall=WALL)) for _ in range(6)]
    await asyncio.sleep(delay)
    before = children() - others
    await pool.close()
    answers = await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 60)
    assert all(isinstance(answer, WorkerLost | WorkerFailure) for answer in answers)
    assert await until(lambda: not children() & before)


async def test_a_closed_pool_takes_no_calls_and_starts_nothing() -> None:
    pool = Pool(warm=1)
    await pool.call(functions.double, 1, wall=WALL)
    await pool.close()
    before = children()
    with pytest.raises(WorkerFailure, match="closed"):
        await pool.call(functions.double, 1, wall=WALL)
    with pytest.raises(WorkerFailure, match="closed"):
        await pool.lease()
    assert children() <= before


async def test_close_works_on_an_unused_pool_twice_and_after_unnoticed_deaths() -> None:
    await Pool().close()
    pool = Pool(warm=2)
    leased = [await pool.lease() for _ in range(2)]
    for worker in leased:
        os.kill(worker.pid, signal.SIGKILL)
    time.sleep(0.1)  # noqa: ASYNC251 (the event loop is not to hear of it)
    await pool.close()
    await pool.close()


@pytest.mark.parametrize("signal_number", [signal.SIGKILL, signal.SIGTERM])
async def test_a_killed_parent_takes_zygote_and_workers_along(signal_number: int) -> None:
    process = subprocess.Popen(  # noqa: ASYNC220
        [sys.executable, "-m", "tests.workers.orphan"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        family = list(map(int, process.stdout.readline().split()))
        assert len(family) == 4
        assert all(map(is_running, family))
        process.send_signal(signal_number)
        process.wait()
    assert await until(lambda: not any(map(is_running, family)))
