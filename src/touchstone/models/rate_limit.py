"""Requests and tokens per minute: limits that all models and all episodes of a run share."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

from ..protocols import Model
from ..types import CallPosition, Message, Reply, Tool

_CHARACTERS_PER_TOKEN = 4


class Pace:
    """So much per minute, spread evenly.

    What is taken moves the time at which the next may begin: a bucket without a stock (GCRA). Idle time earns nothing, so no
    minute ever holds more than the limit and what the last taker took. Who waits is served in the order of coming, and only
    the first of them sleeps: until its time, not in a loop.
    """

    def __init__(
        self,
        per_minute: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._seconds_each = 60.0 / per_minute
        self._next = clock()
        self._clock = clock
        self._sleep = sleep
        self._first = asyncio.Lock()  # asyncio's locks are handed on in the order of coming

    async def take(self, amount: float) -> None:
        """Returns when this much may begin."""
        async with self._first:
            while (wait := self._next - self._clock()) > 0:  # again if meanwhile more was used than was known
                await self._sleep(wait)
            self._next = self._clock() + amount * self._seconds_each

    def correct(self, amount: float) -> None:
        """More was used than was taken; or less, if it is negative."""
        self._next += amount * self._seconds_each


class PacedModel:
    """A model that is asked no faster than the run's limits allow."""

    def __init__(self, model: Model, requests: Pace | None, tokens: Pace | None) -> None:
        self.name = model.name
        self._model = model
        self._requests = requests
        self._tokens = tokens

    async def reply(self, messages: Sequence[Message], tools: Sequence[Tool], position: CallPosition) -> Reply:
        """How many tokens it takes is known only afterwards: until then an estimate stands for them."""
        if self._requests:
            await self._requests.take(1)
        if self._tokens is None:
            return await self._model.reply(messages, tools, position)
        estimate = sum(len(str(message.get("content") or "")) for message in messages) / _CHARACTERS_PER_TOKEN
        await self._tokens.take(estimate)
        reply = await self._model.reply(messages, tools, position)
        if not reply.usage.uncounted:
            self._tokens.correct(reply.usage.input_tokens + reply.usage.output_tokens - estimate)
        return reply

    async def close(self) -> None:
        await self._model.close()
