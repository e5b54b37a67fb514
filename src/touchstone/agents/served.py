"""A stage that somebody outside plays: a client of MCP, a program, a person in a browser.

Calls are made one after the other, each to its end even if the client hangs up meanwhile: what was begun is recorded. When
the episode is over, every further call is told so and recorded no more. A failure that ends the episode is kept for
`raise_failure`, since the client, who hears of it too, cannot be relied on to stop.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from ..distribution import refuse_without
from ..foreign import whole_value
from ..protocols import Stage
from ..types import Brief, Observation, ToolCall, Usage

_OVER = Observation("The task is over: nothing more can be done.", error=True)


class Served:
    """One episode as it is served. `over` is set as soon as there is nothing left to play."""

    def __init__(self, stage: Stage, who: str = "mcp") -> None:
        """`who` calls, for the ids of the calls."""
        self.stage = stage
        self._who = who
        self.over = asyncio.Event()
        self._turn = asyncio.Lock()
        self._calls: set[asyncio.Task[Observation]] = set()
        self._count = 0
        self._failure: Exception | None = None

    @property
    def played(self) -> bool:
        """Whether any tool was called."""
        return self._count > 0

    @property
    def busy(self) -> bool:
        """Whether a call is under way."""
        return bool(self._calls)

    async def call(self, name: str, arguments: Any) -> Observation:
        """One call from outside. Never raises for what happens in the episode."""
        task = asyncio.create_task(self._call(name, arguments))
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)
        return await asyncio.shield(task)

    async def _call(self, name: str, arguments: Any) -> Observation:
        async with self._turn:
            if self.over.is_set() or self.stage.finished:
                return _OVER
            self._count += 1
            text = "{}" if arguments is None else _written(arguments)
            try:
                observation = await self.stage.call(ToolCall(f"{self._who}-{self._count}", name, text))
            except Exception as error:
                self._failure = error
                self.over.set()
                return Observation(f"The task has ended: {error}", error=True)
            if self.stage.finished:
                self.over.set()
            return observation

    def raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    async def settle(self, seconds: float) -> None:
        """Lets calls end that are still under way."""
        if self._calls:
            await asyncio.wait(list(self._calls), timeout=seconds)

    async def close(self) -> None:
        """Abandons calls that are still under way."""
        self.over.set()
        for task in list(self._calls):
            task.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)


def _written(arguments: Any) -> str:
    """As JSON; what is nested too deep for that stays unreadable, and is answered so."""
    try:
        return msgspec.json.encode(whole_value(arguments)).decode()
    except RecursionError:
        return "(nested too deep)"


def brief_text(brief: Brief) -> str:
    return f"{brief.instructions.strip()}\n\n{brief.request.strip()}\n"


def account_unknown(stage: Stage) -> None:
    """What somebody else's agent consumed is not known, which is not the same as nothing."""
    stage.account(Usage(cost=None))


def refuse_without_mcp() -> None:
    for name in ("mcp", "uvicorn"):
        refuse_without(name, "MCP", "mcp")
