"""Calls into real worker processes: their answers, their failures, their time limits."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from touchstone.errors import WorkerFailure
from touchstone.workers.pool import Pool, Worker, WorkerLost, encoded_call

from . import functions
from .functions import Note, Point
from .processes import children, is_running, until, written_number

WALL = 30.0


@pytest.mark.parametrize(
    ("function", "request_", "answer"),
    [
        (functions.double, 21, 42),
        (functions.mirror, Point(3, "añ🜁"), Point(-3, "🜁ña")),
        (functions.echo, b"", b""),
        (functions.echo, bytes(range(256)), bytes(range(256))),
    ],
)
async def test_the_value_of_a_call_comes_back(pool: Pool, function: Callable[[Any], Any], request_: Any, answer: Any) -> None:
    assert await pool.call(function, request_, wall=WALL) == answer


async def test_fifty_megabytes_go_both_ways(pool: Pool) -> None:
    data = os.urandom(50 * 2**20)
    assert await pool.call(functions.echo, data, wall=WALL) == data


async def test_five_hundred_calls_at_once_are_all_answered_right(pool: Pool) -> None:
    calls = (pool.call(functions.double, number, wall=WALL) for number in range(500))
    assert await asyncio.gather(*calls) == [2 * number for number in range(500)]


async def test_secrets_in_the_parents_environment_do_not_reach_a_worker(
    make_pool: Callable[..., Pool], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "HF_TOKEN", "SOMETHING_ELSE"):
        monkeypatch.setenv(name, "sk-very-secret")
    pool = make_pool()
    assert not {"OPENAI_API_KEY", "HF_TOKEN", "SOMETHING_ELSE"} & set(await pool.call(functions.environment, None, wall=WALL))
    assert "sk-very-secret" not in await pool.call(functions.all_environments, None, wall=WALL)


@pytest.mark.parametrize("text", ["no such thing", "mehr als ASCII: ü🜁", "half a character: \ud800", "x" * 1_000_000])
async def test_an_exception_becomes_a_worker_failure_with_its_text(pool: Pool, text: str) -> None:
    with pytest.raises(WorkerFailure) as caught:
        await pool.call(functions.fail, text.encode("utf-8", "surrogatepass"), wall=WALL)
    assert "ValueError: " + text.encode(errors="backslashreplace").decode() in str(caught.value)
    assert await pool.call(functions.double, 1, wall=WALL) == 2


@pytest.mark.parametrize("function", [functions.unencodable, functions.mistyped])
async def test_an_answer_of_the_wrong_type_is_a_worker_failure(pool: Pool, function: Callable[[None], Any]) -> None:
    with pytest.raises(WorkerFailure):
        await pool.call(function, None, wall=WALL)
    assert await pool.call(functions.double, 1, wall=WALL) == 2


async def test_a_request_that_cannot_be_sent_leaves_the_worker_in_order(make_pool: Callable[..., Pool]) -> None:
    pool = make_pool()
    with pytest.raises(TypeError):
        await pool.call(functions.double, object(), wall=WALL)  # type: ignore[arg-type]
    assert await pool.call(functions.double, 1, wall=WALL) == 2


@pytest.mark.parametrize(
    ("function", "request_", "cause"),
    [
        (functions.leave, 0, "crashed"),
        (functions.leave, 3, "crashed"),
        (functions.leave_politely, 3, "crashed"),
        (functions.die, signal.SIGKILL, "killed"),
        (functions.die, signal.SIGSEGV, "crashed"),
        (functions.die, signal.SIGTERM, "killed"),
        (functions.exhaust_cpu, None, "cpu"),
    ],
)
async def test_a_worker_that_dies_is_lost_and_the_next_call_works(
    make_pool: Callable[..., Pool], function: Callable[[Any], None], request_: Any, cause: str
) -> None:
    pool = make_pool()
    with pytest.raises(WorkerLost) as caught:
        await pool.call(function, request_, wall=WALL)
    assert caught.value.cause == cause
    assert caught.value.peak > 2**20
    assert await pool.call(functions.double, 21, wall=WALL) == 42


async def test_a_worker_killed_while_idle_is_not_used_again(make_pool: Callable[..., Pool]) -> None:
    pool = make_pool()
    pid = await pool.call(functions.number, None, wall=WALL)
    os.kill(pid, signal.SIGKILL)
    await until(lambda: not is_running(pid))
    assert await pool.call(functions.number, None, wall=WALL) != pid


async def test_deaths_do_not_disturb_calls_beside_them(pool: Pool) -> None:
    async def one(number: int) -> int | None:
        if number % 5:
            return await pool.call(functions.double, number, wall=WALL)
        with contextlib.suppress(WorkerLost):
            await pool.call(functions.leave, 1, wall=WALL)
        return None

    answers = await asyncio.gather(*map(one, range(100)))
    assert answers == [2 * number if number % 5 else None for number in range(100)]


async def test_after_the_zygotes_death_the_pool_starts_again(pool: Pool) -> None:
    zygote = await pool.call(functions.parent, None, wall=WALL)
    family = {zygote, *children(zygote)}
    os.kill(zygote, signal.SIGKILL)
    await until(lambda: not any(map(is_running, family)))
    assert await pool.call(functions.double, 21, wall=WALL) == 42


async def test_a_module_that_cannot_be_loaded_is_a_worker_failure(make_pool: Callable[..., Pool]) -> None:
    pool = make_pool(preload=["no_such_module_anywhere"])
    with pytest.raises(WorkerFailure, match=r"cannot start a worker process: .+"):
        await pool.call(functions.double, 1, wall=WALL)


async def test_no_file_descriptors_left_is_a_worker_failure_and_passes(make_pool: Callable[..., Pool]) -> None:
    pool = make_pool(limit=4)
    await pool.call(functions.double, 1, wall=WALL)
    held = await pool.lease()
    with _no_descriptors(), pytest.raises(WorkerFailure, match="cannot start"):
        await pool.lease()
    with _no_descriptors(), pytest.raises(WorkerFailure, match="cannot start"):
        await pool.call(functions.double, 1, wall=WALL)
    pool.give_back(held)
    assert await pool.call(functions.double, 21, wall=WALL) == 42


@contextlib.contextmanager
def _no_descriptors() -> Any:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 200), hard))
    taken: list[int] = []
    try:
        with contextlib.suppress(OSError):
            while True:
                taken.append(os.open(os.devnull, os.O_RDONLY))
        yield
    finally:
        for descriptor in taken:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("function", [functions.spin, functions.stop_listening])
async def test_a_call_past_its_wall_limit_is_killed_and_others_go_on(
    make_pool: Callable[..., Pool], function: Callable[[None], None]
) -> None:
    pool = make_pool()
    await pool.call(functions.double, 1, wall=WALL)
    worker = await pool.lease()
    overdue = asyncio.create_task(worker.call(function, None, wall=0.4))
    assert await pool.call(functions.double, 21, wall=WALL) == 42
    with pytest.raises(WorkerLost) as caught:
        await overdue
    assert caught.value.overdue
    assert await until(lambda: not is_running(worker.pid))
    pool.give_back(worker)
    assert await pool.call(functions.double, 21, wall=WALL) == 42


async def test_an_overdue_call_through_the_pool_loses_its_process(make_pool: Callable[..., Pool], tmp_path: Path) -> None:
    pool = make_pool()
    await pool.call(functions.double, 1, wall=WALL)
    overdue = asyncio.create_task(pool.call(functions.note_and_sleep, Note(str(tmp_path / "pid")), wall=3))
    pid = await written_number(tmp_path / "pid")
    with pytest.raises(WorkerLost):
        await overdue
    assert await until(lambda: not is_running(pid))


async def test_calls_with_a_key_go_to_the_worker_that_served_it() -> None:
    pool = Pool(warm=3)
    try:
        keys = "abc"
        numbers = await asyncio.gather(*(pool.call(functions.number, None, wall=30, key=key) for key in keys))
        served = dict(zip(keys, numbers, strict=True))
        assert len(set(numbers)) == 3
        again = {key: await pool.call(functions.number, None, wall=30, key=key) for key in "cabbac"}
        assert again == served
    finally:
        await pool.close()


async def test_calls_that_are_sent_together_are_answered_in_turn(pool: Pool) -> None:
    async with pool.worker() as worker:
        calls = [encoded_call(functions.double, number) for number in (*range(20), 50)]
        sent = worker.send(*calls[:20]) + worker.send(calls[20])
        answers = [await worker.result(functions.double, answer) for answer in sent]
    assert answers == [2 * number for number in (*range(20), 50)]


async def test_a_call_behind_one_that_ends_the_worker_was_never_begun(pool: Pool) -> None:
    async with pool.worker() as worker:
        first, second = worker.send(encoded_call(functions.leave, 3), encoded_call(functions.double, 1))
        with pytest.raises(WorkerLost) as crashed:
            await worker.result(functions.leave, first)
        with pytest.raises(WorkerLost) as unbegun:
            await worker.result(functions.double, second)
    assert (crashed.value.cause, unbegun.value.cause) == ("crashed", "unbegun")
    assert await pool.call(functions.double, 1, wall=WALL) == 2


async def test_a_worker_whose_caller_gives_up_is_not_used_again(pool: Pool) -> None:
    async def give_up() -> None:
        async with pool.worker() as worker:
            busy.append(worker)
            worker.send(encoded_call(functions.sleep, 600.0))
            raise ValueError("no more")

    busy: list[Worker] = []
    with pytest.raises(ValueError, match="no more"):
        await give_up()
    assert not busy[0].alive
    assert await pool.call(functions.double, 1, wall=WALL) == 2
