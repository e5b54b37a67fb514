"""Leased sessions: one episode each, played a call at a time by a client who may vanish.

A session costs a slot from `lease` to `release`. A slot is given back when the client says so, when its connection ends, and
when nothing was heard of it for `idle` seconds; a call under way counts as being heard of. Where several processes serve one
port, their slots are counted together in shared memory.
"""

from __future__ import annotations

import asyncio
import mmap
import random
import secrets
import struct
import sys
import time
import traceback
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from msgspec import Struct

from ..api.gym import JUDGED, SteppedEpisode, TaskOrder
from ..errors import EpisodeFailure, InputError, TouchstoneError
from ..protocols import Benchmark, BenchmarkConfig, Opening
from ..runs.episode_runner import cut_off
from ..runs.runner import opened_benchmark
from ..types import Observation, Outcome, Task, Tool, ToolCall, Verdict
from .reward import Payment, RewardOptions, is_submission, payment, submission_of

MAX_STEPS = 20
_LOOKS_PER_LEASE = 4
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0)
"""Seconds, of the histogram of steps."""
NO_ANSWER = "There is no answer in this text."
CONCLUDED = "The episode is over."


class Full(TouchstoneError):
    """No slot is free, or none is given any more. The client may come back later."""

    def __init__(self, message: str, active: int, most: int) -> None:
        super().__init__(message)
        self.active, self.most = active, most


class EnvStep(Struct, frozen=True):
    """What a reset or a call led to."""

    text: str
    reward: float = 0.0
    done: bool = False
    truncated: bool = False
    """Ended by a limit, or by a failure that is not the agent's."""
    info: dict[str, Any] = {}
    """What the policy may see too: the task, the number of steps, whether the call was an error; at the end the outcome and
    whether the reward is usable."""
    verdict: Verdict | None = None
    """At the end. It quotes the reference: for the trainer, never for the policy."""
    pictures: tuple[bytes, ...] = ()
    """Of the screen, as PNG files, where a benchmark has one."""


def failed_by(error: Exception) -> Verdict:
    """Of an episode that could not go on. What is no failure of an episode's is a defect, of ours or of a plugin's."""
    if isinstance(error, EpisodeFailure):
        return cut_off(error, None)
    print(f"touchstone: {''.join(traceback.format_exception(error))}", file=sys.stderr, flush=True)
    return Verdict(Outcome.error, 0.0, f"internal error: {type(error).__name__}: {error}")


class Slots:
    """How many sessions there are, over all processes that share the memory."""

    def __init__(self, most: int, processes: int = 1) -> None:
        self.most = most
        self._counts = mmap.mmap(-1, 8 * processes)
        self._processes = processes
        self.process = 0

    def take(self) -> bool:
        """Own count first, then the sum: two processes that come together may both refuse, and never both accept too many."""
        self._add(1)
        if self.active <= self.most:
            return True
        self._add(-1)
        return False

    def give(self) -> None:
        self._add(-1)

    def clear(self, process: int) -> None:
        """Of a process that died."""
        struct.pack_into("q", self._counts, 8 * process, 0)

    @property
    def active(self) -> int:
        return sum(struct.unpack_from(f"{self._processes}q", self._counts))

    def _add(self, change: int) -> None:
        (count,) = struct.unpack_from("q", self._counts, 8 * self.process)
        struct.pack_into("q", self._counts, 8 * self.process, count + change)


def _nobody_to_tell() -> None:
    pass


class EnvSession:
    """One client's episode after another. Calls are played one after the other."""

    def __init__(self, sessions: Sessions, name: str) -> None:
        self.name = name
        self.episode: SteppedEpisode | None = None
        self.last: EnvStep | None = None
        """Of the episode under way or just ended."""
        self.heard = time.monotonic()
        self.busy = 0
        self.over = False
        """Whether its slot has been given back."""
        self.detached = asyncio.Event()
        """Whether a WebSocket may join it: none plays it now."""
        self.detached.set()
        self.expired: Callable[[], object] = _nobody_to_tell
        """Called when the lease has run out."""
        self._sessions = sessions
        self._turn = asyncio.Lock()
        self._random: random.Random | None = None
        self.total = 0.0
        """All that the episode has paid."""
        self.submissions: list[str] = []
        """The arguments of the calls that handed something in."""

    @property
    def tools(self) -> Sequence[Tool]:
        return self.episode.stage.tools if self.episode else ()

    async def reset(self, task: Any = None, *, seed: int | None = None) -> EnvStep:
        """Begins an episode: of the task named, of the next in order, or of random ones once a seed was given."""
        async with self._playing(timed=False):
            await self._end()
            if seed is not None:
                self._random = random.Random(seed)
            chosen = self._sessions.order.choose(task, self._random)
            self.total, self.last, self.submissions = 0.0, None, []
            episode = self._sessions.episode(chosen)
            try:
                self.episode = await episode.open()
            except BaseException as error:
                await episode.close()
                if not isinstance(error, Exception) or isinstance(error, InputError):
                    raise
                verdict = failed_by(error)
                self.last = self._sessions.ended(chosen, verdict, payment(verdict, self._sessions.rewards), 0)
                return self.last
            self.last = EnvStep(episode.stage.brief.request, info=episode.briefing)
            return self.last

    async def step(self, call: ToolCall) -> EnvStep:
        """Plays one call. Raises InputError if there is no episode under way."""
        return await self._play(call)

    async def answer(self, text: str) -> EnvStep:
        """Hands in the answer that a text holds. A text without one ends the episode where it stands."""
        return await self._play(submission_of(text, self.tools))

    async def conclude(self) -> EnvStep:
        """Ends the episode under way where it stands; one that is over stays as it is."""
        return self.last if self.last is not None and self.last.done else await self._play(None, unreadable=0)

    def detach(self) -> None:
        """Its WebSocket has gone, and the session waits for another or for requests, as long as a lease lasts."""
        self.expired, self.heard = _nobody_to_tell, time.monotonic()
        self.detached.set()

    async def close(self) -> None:
        async with self._turn:
            await self._end()

    async def _play(self, call: ToolCall | None, unreadable: int = 1) -> EnvStep:
        """Without a call: the end. `unreadable` is 1 if it comes from a text in which no answer could be read."""
        async with self._playing(timed=True):
            if self.episode is None or self.episode.verdict is not None:
                raise InputError("there is no episode under way: reset first")
            try:
                self.last = await self._stepped(self.episode, call, unreadable)
            except BaseException:  # cancelled midway: what the database is like now, nobody knows
                self.last = None
                await self._end()
                raise
            if self.last.done:
                await self._end()
            return self.last

    async def _stepped(self, episode: SteppedEpisode, call: ToolCall | None, unreadable: int) -> EnvStep:
        try:
            seen = await (episode.conclude() if call is None else episode.step(call))
        except InputError:
            raise
        except Exception as defect:
            episode.verdict, seen = failed_by(defect), Observation("The environment failed.", error=True)
        if call is not None and is_submission(call.name):
            self.submissions.append(call.arguments)
        unread = episode.stage.unreadable + (unreadable if call is None else 0)
        paid = payment(episode.earned, self._sessions.rewards, unread)
        reward, self.total = paid.reward - self.total, paid.reward
        if call is None or seen is None:
            seen = Observation(NO_ANSWER if unreadable else CONCLUDED, error=bool(unreadable))
        if episode.verdict is None:
            info = {"task": episode.task.key, "steps": episode.steps, "error": seen.error}
            return EnvStep(seen.text, reward, info=info, pictures=seen.pictures)
        return self._sessions.ended(episode.task, episode.verdict, paid, episode.steps, seen, reward)

    @asynccontextmanager
    async def _playing(self, *, timed: bool) -> AsyncGenerator[None]:
        async with self._turn:
            if self.over:  # its slot is somebody else's by now
                raise InputError("the session is over: begin another")
            with self._sessions.watched(self, timed=timed):
                yield

    async def _end(self) -> None:
        episode, self.episode = self.episode, None
        if episode is not None:
            await episode.close()


class Sessions:
    """All sessions of one process."""

    def __init__(
        self,
        benchmark: Benchmark,
        rewards: RewardOptions | None = None,
        *,
        slots: Slots | None = None,
        idle: float = 600.0,
        max_steps: int = MAX_STEPS,
        judge_unfinished: bool = False,
        prefix: str = "",
    ) -> None:
        """`judge_unfinished`: what is not finished within `max_steps` is judged as it stands. `prefix` begins the name of every
        session: it says which process has it."""
        self.benchmark = benchmark
        self._judge_unfinished = judge_unfinished
        self._prefix = prefix
        self.rewards = rewards or RewardOptions()
        self.slots = slots or Slots(1024)
        self.max_steps = max_steps
        self.draining = False
        self.leased: dict[str, EnvSession] = {}
        self.tools: Sequence[Tool] = ()
        """Of the first task that can be played, once `try_tasks` has found it."""
        self.counts: Counter[str] = Counter()
        """By the name of a metric."""
        self.outcomes: Counter[str] = Counter()
        self.rewarded = 0.0
        self.seconds = 0.0
        self.buckets = [0] * len(BUCKETS)
        self.tasks = benchmark.tasks()
        if not self.tasks:
            raise InputError("there are no tasks to play: the selection leaves none")
        self.order = TaskOrder(self.tasks)
        self._idle = idle
        self._reaper: asyncio.Task[None] | None = None
        self._empty = asyncio.Event()

    def episode(self, task: Task) -> SteppedEpisode:
        judge_unfinished = self._judge_unfinished
        return SteppedEpisode(self.benchmark, task, max_steps=self.max_steps, judge_unfinished=judge_unfinished, keep=False)

    async def try_tasks(self) -> None:
        """Opens tasks until one can be played. Raises InputError if none can: a server for nothing is refused at its start."""
        failure: Exception | None = None
        for task in self.tasks:
            episode = self.episode(task)
            try:
                await episode.open()
                self.tools = episode.stage.tools
                return
            except EpisodeFailure as error:
                failure = failure or error
            finally:
                await episode.close()
        raise InputError(f"none of the {len(self.tasks)} tasks can be played here: {failure}")

    def lease(self, name: str | None = None) -> EnvSession:
        """A session of the caller's. Raises Full."""
        if self.draining:
            self.counts["sessions_refused"] += 1
            raise Full("the server is draining: it takes no new sessions", self.slots.active, self.slots.most)
        if not self.slots.take():
            self.counts["sessions_refused"] += 1
            raise Full(f"all {self.slots.most} sessions are in use", self.slots.active, self.slots.most)
        if self._reaper is None:
            self._reaper = asyncio.create_task(self._reap())
        session = EnvSession(self, self._prefix + (name or secrets.token_urlsafe(16)))
        self.leased[session.name] = session
        self.counts["sessions"] += 1
        self._empty.clear()
        return session

    async def begun(self, task: Any, name: str | None = None, *, seed: int | None = None) -> EnvSession:
        """A session with an episode of the task. Raises Full, and InputError before a slot is taken."""
        key = None if task is None else self.order.choose(task).key
        session = self.lease(name)
        try:
            await session.reset(key, seed=seed)
        except BaseException:
            await self.release(session)
            raise
        return session

    async def release(self, session: EnvSession) -> None:
        """Once is enough; twice does no harm."""
        if self.leased.pop(session.name, None) is None:
            return
        session.over = True
        self.slots.give()
        if not self.leased:
            self._empty.set()
        await session.close()

    @contextmanager
    def watched(self, session: EnvSession, *, timed: bool) -> Generator[None]:
        """While a call or a reset of the session is under way."""
        started = time.monotonic()
        session.busy += 1
        try:
            yield
        finally:
            session.busy -= 1
            session.heard = now = time.monotonic()
            if timed:
                self._timed(now - started)

    def ended(
        self, task: Task, verdict: Verdict, paid: Payment, steps: int, seen: Observation | None = None, reward: float = 0.0
    ) -> EnvStep:
        """The last step of an episode."""
        self.outcomes[verdict.outcome.value] += 1
        self.rewarded += paid.reward
        info: dict[str, Any] = {"task": task.key, "steps": steps, "error": seen.error if seen else True}
        info |= {"outcome": verdict.outcome.value, "usable": paid.usable} | ({"why": paid.why} if paid.why else {})
        text = seen.text if seen else "This task cannot be played here."
        pictures = seen.pictures if seen else ()
        return EnvStep(text, reward, True, verdict.outcome not in JUDGED, info, verdict, pictures)

    async def drained(self) -> None:
        """Takes no more sessions, and waits until all have ended."""
        self.draining = True
        if self.leased:
            await self._empty.wait()

    async def close(self) -> None:
        self.draining = True
        if self._reaper is not None:
            self._reaper.cancel()
        for session in list(self.leased.values()):
            await self.release(session)

    def _timed(self, seconds: float) -> None:
        self.counts["steps"] += 1
        self.seconds += seconds
        for bucket, limit in enumerate(BUCKETS):
            if seconds <= limit:
                self.buckets[bucket] += 1
                break

    async def _reap(self) -> None:
        """Ends leases of which nothing was heard."""
        while True:
            await asyncio.sleep(self._idle / _LOOKS_PER_LEASE)
            late = time.monotonic() - self._idle
            for session in [each for each in self.leased.values() if not each.busy and each.heard < late]:
                self.counts["sessions_expired"] += 1
                session.expired()
                await self.release(session)


async def open_sessions(
    benchmark: BenchmarkConfig | Benchmark,
    opening: Opening,
    rewards: RewardOptions | None = None,
    *,
    max_steps: int | None = None,
    slots: Slots | None = None,
    idle: float = 600.0,
    prefix: str = "",
) -> Sessions:
    """Sessions on a benchmark, which is opened by its options or taken as it is; the opening's stack closes them. By default an
    episode has as many calls as a run of the benchmark has turns."""
    rewards = rewards or RewardOptions()
    turns, judge_unfinished = MAX_STEPS, False
    if isinstance(benchmark, BenchmarkConfig):
        turns, judge_unfinished = benchmark.defaults.get("max_turns", MAX_STEPS), benchmark.hints().screen
        benchmark = await opened_benchmark(benchmark, opening)
    await rewards.refuse_misfit(benchmark)
    sessions = Sessions(
        benchmark,
        rewards,
        slots=slots,
        idle=idle,
        max_steps=max_steps or turns,
        judge_unfinished=judge_unfinished,
        prefix=prefix,
    )
    opening.stack.push_async_callback(sessions.close)
    return sessions
