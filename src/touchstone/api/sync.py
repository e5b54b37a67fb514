"""Waiting for coroutines from ordinary code, whether or not an event loop runs already (in a notebook one does)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Background:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop
        self._over: asyncio.Event
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="touchstone", daemon=True)
        self._thread.start()
        self._ready.wait()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._over = asyncio.Event()
        self._ready.set()
        await self._over.wait()

    def call(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """An interrupt cancels it; `close` then waits until it has cleaned up."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """What still runs is cancelled and waited for."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._over.set)
            self._thread.join()


def wait_for(coroutine: Coroutine[Any, Any, T]) -> T:
    """Its result, from anywhere."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    background = Background()
    try:
        return background.call(coroutine)
    finally:
        background.close()
