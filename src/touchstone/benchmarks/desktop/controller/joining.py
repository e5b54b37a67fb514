"""Two connections joined: what comes from one goes to the other, in both directions, until both have ended."""

from __future__ import annotations

import asyncio
import contextlib

Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]
_CHUNK = 1 << 16


async def join(one: Ends, other: Ends) -> None:
    try:
        await asyncio.gather(_pour(one[0], other[1]), _pour(other[0], one[1]))
    except OSError:
        pass
    finally:
        for _, writer in (one, other):
            writer.close()


async def _pour(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """An end of one direction is passed on; the other may still have something to say."""
    while part := await source.read(_CHUNK):
        target.write(part)
        await target.drain()
    with contextlib.suppress(OSError):
        target.write_eof()
