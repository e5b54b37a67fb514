"""A process with a busy pool, to be killed: prints the numbers of its zygote and its workers, then waits for its end."""

from __future__ import annotations

import asyncio

from touchstone.workers.pool import Pool

from .functions import number, parent, sleep, spin


async def main() -> None:
    pool = Pool(warm=2)
    zygote = await pool.call(parent, None, wall=30)
    sleeping, spinning, idle = [await pool.lease() for _ in range(3)]
    pids = [await worker.call(number, None, wall=30) for worker in (sleeping, spinning, idle)]
    calls = asyncio.gather(sleeping.call(sleep, 600.0, wall=600), spinning.call(spin, None, wall=600))
    await asyncio.sleep(0.1)
    print(zygote, *pids, flush=True)
    await calls


if __name__ == "__main__":
    asyncio.run(main())
