"""Episodes in batches, in the trainer's own process: no server, the same verdicts and rewards.

    async with touchstone.env.open(config) as env:
        steps = await env.reset(64)                                # 64 episodes, one slot each
        steps = await env.step([(tool, arguments) for … in steps]) # all at once; None leaves a slot alone
        paid = await env.score([(task, completion), …])            # whole answers in text

`SyncBatchEnv` is the same without `async`, for loops that have no event loop or cannot wait in theirs.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, TypeVar

from msgspec import Struct

from ..api.gym import Action, call_of
from ..api.sync import Background
from ..errors import InputError
from ..protocols import Benchmark, BenchmarkConfig, Opening
from ..types import Tool, ToolCall
from .reward import RewardOptions
from .sessions import EnvSession, EnvStep, Sessions, Slots, open_sessions

T = TypeVar("T")
_MOST = 2**31


class Scored(Struct, frozen=True):
    """What a whole answer pays."""

    task: str
    reward: float
    usable: bool
    outcome: str
    reason: str
    """Quotes the reference: for the trainer, never for the policy."""


class BatchEnv:
    """Slots that are reset and stepped together. Get one from `touchstone.env.open`."""

    def __init__(self, sessions: Sessions, parallel: int) -> None:
        self._sessions = sessions
        self._slots: list[EnvSession] = []
        self._turns = asyncio.Semaphore(parallel)

    @property
    def tasks(self) -> list[str]:
        """Their keys, in order."""
        return [task.key for task in self._sessions.tasks]

    @property
    def max_steps(self) -> int:
        """Calls of one episode."""
        return self._sessions.max_steps

    async def reset(self, tasks: int | Sequence[str], *, seed: int | None = None) -> list[EnvStep]:
        """Begins as many episodes, of the tasks named or of the next in order; with a seed, of random ones."""
        wanted: Sequence[str | None] = [None] * tasks if isinstance(tasks, int) else tasks
        while len(self._slots) < len(wanted):
            self._slots.append(self._sessions.lease())
        while len(self._slots) > len(wanted):
            await self._sessions.release(self._slots.pop())
        seeds = [None if seed is None else seed + number for number in range(len(wanted))]
        return await self._together(
            slot.reset(task, seed=each) for slot, task, each in zip(self._slots, wanted, seeds, strict=True)
        )

    async def step(self, actions: Sequence[Action | str | None]) -> list[EnvStep]:
        """Plays one action in each slot: a call, or text, which is the final answer. None leaves a slot alone, and slots whose
        episode is over must be left alone: their last step comes back again."""
        if len(actions) != len(self._slots):
            raise InputError(f"there are {len(self._slots)} slots and {len(actions)} actions: reset first")
        return await self._together(self._one(slot, action) for slot, action in zip(self._slots, actions, strict=True))

    async def score(self, answers: Sequence[tuple[str, str]]) -> list[Scored]:
        """What whole answers pay: pairs of a task's key and the text of a completion."""
        return await self._together(self._scored(task, text) for task, text in answers)

    async def begin(self, task: str | None = None, *, seed: int | None = None) -> tuple[EnvSession, EnvStep]:
        """A slot of its own, apart from the batch, and its first episode. `end` gives it back."""
        slot = await self._sessions.begun(task, seed=seed)
        assert slot.last is not None
        return slot, slot.last

    async def end(self, slot: EnvSession) -> None:
        await self._sessions.release(slot)

    async def _one(self, slot: EnvSession, action: Action | str | None) -> EnvStep:
        if action is None:
            assert slot.last is not None
            return slot.last
        return await (slot.answer(action) if isinstance(action, str) else slot.step(call_of(action, 0)))

    async def _scored(self, task: str, text: str) -> Scored:
        slot = self._sessions.lease()
        try:
            async with self._turns:
                if not (await slot.reset(task)).done:
                    await slot.answer(text)
                step = await slot.conclude()
        finally:
            await self._sessions.release(slot)
        verdict = step.verdict
        assert verdict is not None
        return Scored(task, slot.total, step.info["usable"], verdict.outcome.value, verdict.reason)

    async def _together(self, work: Any) -> list[Any]:
        return list(await asyncio.gather(*work))


@asynccontextmanager
async def open(
    benchmark: BenchmarkConfig | Benchmark,
    rewards: RewardOptions | None = None,
    *,
    max_steps: int | None = None,
    parallel: int = 256,
) -> AsyncGenerator[BatchEnv]:
    """Episodes of a benchmark, in batches. `parallel` is how many whole answers are judged at once; `max_steps` is by default
    the number of turns that a run of the benchmark has."""
    async with AsyncExitStack() as stack:
        slots, idle = Slots(_MOST), float(_MOST)
        sessions = await open_sessions(benchmark, Opening(stack=stack), rewards, max_steps=max_steps, slots=slots, idle=idle)
        yield BatchEnv(sessions, parallel)


class SyncEpisode:
    """One slot. Close it: it may hold a private copy of a database."""

    def __init__(self, env: BatchEnv, background: Background) -> None:
        self._env = env
        self._background = background
        self._slot: EnvSession | None = None

    @property
    def tools(self) -> Sequence[Tool]:
        return self._slot.tools if self._slot else ()

    def reset(self, task: str | None = None, *, seed: int | None = None) -> EnvStep:
        if self._slot is None:
            self._slot, step = self._background.call(self._env.begin(task, seed=seed))
            return step
        return self._background.call(self._slot.reset(task, seed=seed))

    def step(self, call: ToolCall) -> EnvStep:
        if self._slot is None:
            raise InputError("there is no episode under way: call reset()")
        return self._background.call(self._slot.step(call))

    def close(self) -> None:
        slot, self._slot = self._slot, None
        if slot is not None:
            self._background.call(self._env.end(slot))


class SyncBatchEnv:
    """The same without `async`: an event loop in a thread of its own. Close it, or use it in a `with` statement."""

    def __init__(
        self, benchmark: BenchmarkConfig | Benchmark, rewards: RewardOptions | None = None, *, max_steps: int | None = None
    ) -> None:
        self._background = Background()
        self._opened = open(benchmark, rewards, max_steps=max_steps)
        try:
            self._env = self._wait(self._opened.__aenter__())
        except BaseException:
            self._background.close()
            raise

    @property
    def tasks(self) -> list[str]:
        return self._env.tasks

    @property
    def max_steps(self) -> int:
        return self._env.max_steps

    def reset(self, tasks: int | Sequence[str], *, seed: int | None = None) -> list[EnvStep]:
        return self._wait(self._env.reset(tasks, seed=seed))

    def step(self, actions: Sequence[Action | str | None]) -> list[EnvStep]:
        return self._wait(self._env.step(actions))

    def score(self, answers: Sequence[tuple[str, str]]) -> list[Scored]:
        return self._wait(self._env.score(answers))

    async def score_async(self, answers: Sequence[tuple[str, str]]) -> list[Scored]:
        """From another event loop, which goes on meanwhile."""
        return await asyncio.to_thread(self.score, answers)

    def episode(self) -> SyncEpisode:
        """One episode after another, apart from the batch."""
        return SyncEpisode(self._env, self._background)

    def begun(self) -> Iterator[EnvStep]:
        """What each task that can be played begins with."""
        episode = self.episode()
        for key in self.tasks:
            step = episode.reset(key)
            if not step.done:
                yield step
        episode.close()

    def close(self) -> None:
        try:
            self._wait(self._opened.__aexit__(None, None, None))
        finally:
            self._background.close()

    def __enter__(self) -> SyncBatchEnv:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return self._background.call(coroutine)
