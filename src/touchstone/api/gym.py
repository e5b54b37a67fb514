"""A benchmark as an environment for training loops, with the calls that Gymnasium's environments have and no dependency on it.

    observation, info = env.reset()
    observation, reward, terminated, truncated, info = env.step(("execute_sql", {"sql": "SELECT 1"}))

Observations are text. The rewards of an episode add up to its score: most benchmarks give it all at the end, those with several
phases as each is passed. Terminated means judged; truncated means cut off by `max_steps` or by a failure that is not the
player's, and the info then says which.
"""

from __future__ import annotations

import random
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any, TypeVar, cast

import msgspec

from ..errors import EpisodeFailure, InputError, TurnLimit
from ..foreign import whole_value
from ..models.wire import tool_schema
from ..protocols import Benchmark, BenchmarkConfig, Episode
from ..runs.episode_runner import cut_off
from ..runs.stage import RecordingStage
from ..types import Observation, Outcome, PartialScore, Task, ToolCall, Verdict
from .run import opened
from .sync import Background

T = TypeVar("T")
Action = ToolCall | tuple[str, Mapping[str, Any] | str] | Mapping[str, Any]
JUDGED = (Outcome.passed, Outcome.failed)


class TaskOrder:
    """Which task is played next."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self.tasks = tasks
        self._by_key = {task.key: task for task in tasks}
        self._next = 0

    def choose(self, key: Any = None, chance: random.Random | None = None) -> Task:
        """The one with this key, of whatever a client says it is; else a random one, or the next. Raises InputError."""
        if key is not None:
            if not isinstance(key, str | int) or str(key) not in self._by_key:
                raise InputError(f"there is no task '{str(key)[:100]}' among these {len(self.tasks)}")
            return self._by_key[str(key)]
        if chance is not None:
            return chance.choice(self.tasks)
        self._next += 1
        return self.tasks[(self._next - 1) % len(self.tasks)]


class SteppedEpisode:
    """An episode that somebody outside plays, a call at a time, up to a number of calls. It must be closed."""

    def __init__(
        self, benchmark: Benchmark, task: Task, *, max_steps: int, judge_unfinished: bool = False, keep: bool = True
    ) -> None:
        """`judge_unfinished`: work that is not finished within the steps is judged as it stands. `keep`: a transcript."""
        self.task = task
        self.steps = 0
        self.verdict: Verdict | None = None
        self.stage: RecordingStage
        self._benchmark = benchmark
        self._max_steps = max_steps
        self._judge_unfinished = judge_unfinished
        self._keep = keep
        self._episode: Episode
        self._world = AsyncExitStack()

    async def open(self) -> SteppedEpisode:
        """Raises EpisodeFailure if the task cannot be played."""
        self._episode = await self._world.enter_async_context(self._benchmark.open(self.task))
        self.stage = RecordingStage(self._episode, self.task.key, 0, keep=self._keep)
        return self

    @property
    def briefing(self) -> dict[str, Any]:
        """What the player is told before the request."""
        brief, tools = self.stage.brief, [tool_schema(tool) for tool in self.stage.tools]
        return {"task": self.task.key, "instructions": brief.instructions, "fields": brief.fields, "tools": tools}

    @property
    def earned(self) -> Verdict | PartialScore:
        """All that the episode has earned so far; at its end the verdict, whichever way it ended."""
        return self.verdict or self._episode.partial_score()

    async def step(self, call: ToolCall) -> Observation:
        """Plays one call. Never raises for what happens in the episode; after its end, nothing may be played."""
        assert self.verdict is None
        observation = Observation("")
        try:
            observation = await self.stage.call(call)
            self.steps += 1
            if self._episode.finished or (self.steps >= self._max_steps and self._judge_unfinished):
                self.verdict = await self._episode.verdict()
            elif self.steps >= self._max_steps:
                raise TurnLimit(f"not finished within {self._max_steps} steps")
        except EpisodeFailure as failure:
            self.verdict = cut_off(failure, self._episode)
        return observation

    async def conclude(self) -> None:
        """Ends it where it stands, as a player who has nothing more to say."""
        assert self.verdict is None
        try:
            self.verdict = await self._episode.verdict()
        except EpisodeFailure as failure:
            self.verdict = cut_off(failure, self._episode)

    async def close(self) -> None:
        await self._world.aclose()


class Gym:
    """One episode at a time. Close it, or use it in a `with` statement: it holds processes."""

    def __init__(self, benchmark: BenchmarkConfig | Benchmark, *, max_steps: int = 20, beside: Gym | None = None) -> None:
        if max_steps < 1:
            raise InputError("max_steps must be positive")
        self._given = benchmark
        self._max_steps = max_steps
        self._owner = beside is None
        self._background = Background() if beside is None else beside._background
        self._resources = AsyncExitStack()
        try:
            self._benchmark = self._wait(opened(benchmark, self._resources)) if beside is None else beside._benchmark
        except BaseException:
            self._background.close()
            raise
        self._order = TaskOrder(self._benchmark.tasks())
        self._random: random.Random | None = None
        self._episode: SteppedEpisode | None = None
        self._stage: RecordingStage | None = None
        self._rewarded = 0.0
        self._made = 0

    @property
    def tasks(self) -> list[str]:
        """Their keys, in order."""
        return [task.key for task in self._order.tasks]

    @property
    def transcript(self) -> list[Any]:
        """The steps of the current or last episode, as a record has them."""
        return list(self._stage.steps) if self._stage else []

    def reset(self, task: str | None = None, *, seed: int | None = None) -> tuple[str, dict[str, Any]]:
        """Begins an episode: of the task named, else of the next in order, or of random ones once a seed was given.

        The info has the instructions and the tools as JSON schemas. Raises EpisodeFailure if the task cannot be opened.
        """
        if seed is not None:
            self._random = random.Random(seed)
        episode = self._wait(self._open(self._order.choose(task, self._random)))
        return episode.stage.brief.request, episode.briefing

    def step(self, action: Action) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Plays one call: (tool, arguments), {"name": tool, "arguments": …} or a ToolCall. Arguments may be JSON text.

        A wrong name or broken arguments are told in the observation. At the end the info has the verdict, which quotes the
        reference: it is for the trainer, never for the policy.
        """
        if self._episode is None:
            raise InputError("there is no episode under way: call reset()")
        self._made += 1
        return self._wait(self._step(self._episode, call_of(action, self._made)))

    def twin(self) -> Gym:
        """Another environment on the same databases and processes. It ends with this one."""
        return Gym(self._given, max_steps=self._max_steps, beside=self)

    def close(self) -> None:
        try:
            self._wait(self._end())
            if self._owner:
                self._wait(self._resources.aclose())
        finally:
            if self._owner:
                self._background.close()

    def __enter__(self) -> Gym:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return self._background.call(coroutine)

    async def _open(self, task: Task) -> SteppedEpisode:
        await self._end()
        self._episode = await SteppedEpisode(self._benchmark, task, max_steps=self._max_steps).open()
        self._stage = self._episode.stage
        self._rewarded, self._made = 0.0, 0
        return self._episode

    async def _end(self) -> None:
        episode, self._episode = self._episode, None
        if episode is not None:
            await episode.close()

    async def _step(self, episode: SteppedEpisode, call: ToolCall) -> tuple[str, float, bool, bool, dict[str, Any]]:
        observation = await episode.step(call)
        verdict, score = episode.verdict, episode.earned.score
        reward, self._rewarded = score - self._rewarded, score
        info: dict[str, Any] = {"task": episode.task.key, "steps": episode.steps, "error": observation.error}
        if verdict is not None:
            info |= {"outcome": verdict.outcome.value, "score": verdict.score, "reason": verdict.reason, "verdict": verdict}
            await self._end()
        judged = verdict is not None and verdict.outcome in JUDGED
        return observation.text, reward, judged, verdict is not None and not judged, info


def gym(benchmark: BenchmarkConfig | Benchmark, *, max_steps: int = 20) -> Gym:
    """An environment that the caller steps through."""
    return Gym(benchmark, max_steps=max_steps)


def call_of(action: Any, number: int) -> ToolCall:
    """An action as a call. Raises InputError for what is none."""
    if isinstance(action, ToolCall):
        return action
    if isinstance(action, Mapping) and "name" in action:
        fields = cast("Mapping[str, Any]", action)
        name, arguments = fields["name"], fields.get("arguments", {})
    elif isinstance(action, tuple) and len(cast("tuple[Any, ...]", action)) == 2:
        name, arguments = cast("tuple[Any, Any]", action)
    else:
        raise InputError(f"an action is (tool, arguments), not {type(cast(Any, action)).__name__}")
    try:
        text = arguments if isinstance(arguments, str) else msgspec.json.encode(whole_value(arguments)).decode()
    except RecursionError:
        text = "(nested too deep)"  # and so unreadable
    return ToolCall(f"step-{number}", str(name), text)
