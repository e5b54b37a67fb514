"""What is left for later is done at once, or in a worker after its answer."""

from __future__ import annotations

from touchstone.sandbox.later import later
from touchstone.workers.pool import Pool

_done: list[int] = []


def leave(number: int) -> int:
    """How much was done before this call has answered."""
    later(lambda: _done.append(number))
    return len(_done)


def test_outside_of_a_worker_it_is_done_at_once() -> None:
    _done.clear()
    assert leave(1) == 1


async def test_a_worker_answers_first() -> None:
    pool = Pool(warm=1)
    try:
        worker = await pool.lease()
        assert [await worker.call(leave, number) for number in range(3)] == [0, 1, 2]
    finally:
        await pool.close()
