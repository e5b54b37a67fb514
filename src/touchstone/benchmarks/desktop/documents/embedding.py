"""The vectors of many chunks, computed in worker processes and kept as they come.

They are the slow part of an index, so what is done is written down in a file beside the index until the index itself is
written: after a kill, only the last few are computed again. A chunk's key is made of what the vectors depend on.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from ....failures import WorkerFailure
from ....workers.pool import Pool, WorkerLost
from . import minilm

T = TypeVar("T")

WIDTH = os.cpu_count() or 1
_BATCH = 8
_WALL = 600.0


class EmbedRequest(Struct, frozen=True):
    texts: list[tuple[str, str]]
    """Titles and chunks."""


def embed(request: EmbedRequest) -> list[bytes]:
    """In a worker."""
    model = minilm.load()
    return [model.windows(text, title).astype("float16").tobytes() for title, text in request.texts]


def key(title: str, text: str) -> bytes:
    return hashlib.blake2b(f"{minilm.NAME} {minilm.WINDOW}\0{title}\0{text}".encode(), digest_size=16).digest()


class Kept:
    """Vectors by key, in a file that outlives a kill."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY, vectors BLOB) WITHOUT ROWID")
        self.found: dict[bytes, bytes] = dict(self._connection.execute("SELECT key, vectors FROM kept"))

    def add(self, vectors: Mapping[bytes, bytes]) -> None:
        self._connection.execute("BEGIN")
        self._connection.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?)", vectors.items())
        self._connection.execute("COMMIT")
        self.found.update(vectors)

    def close(self, *, done: bool) -> None:
        self._connection.close()
        if done:
            self._path.unlink()


async def complete(wanted: Sequence[tuple[str, str]], kept: Kept, pool: Pool, progress: Callable[[int, int], None]) -> None:
    """Computes the vectors of those titles and chunks that are not kept yet."""
    missing = list({key(*pair): pair for pair in wanted if key(*pair) not in kept.found}.items())
    done = 0

    async def one(start: int) -> None:
        nonlocal done
        batch = dict(missing[start : start + _BATCH])
        try:
            vectors = await pool.call(embed, EmbedRequest(list(batch.values())), wall=_WALL)
        except WorkerLost as lost:
            raise WorkerFailure(f"embeddings: {lost}") from lost
        kept.add(dict(zip(batch, vectors, strict=True)))
        done += len(batch)
        progress(done, len(missing))

    await together(range(0, len(missing), _BATCH), one)


async def together(things: Iterable[T], work: Callable[[T], Awaitable[None]]) -> None:
    """One more than there are cores, so that none waits for the next thing. The first failure ends all."""
    left = iter(things)

    async def worker() -> None:
        for thing in left:
            await work(thing)

    tasks = [asyncio.ensure_future(worker()) for _ in range(WIDTH + 1)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
