"""Our episodes inside Inspect's samples.

A sample's episode is opened by the task's set-up, which gives the state its messages and tools, so that any Inspect solver can
play it; ours is `play`. It is judged by the scorers and closed by the task's clean-up. A benchmark is opened with the first
sample of an evaluation and closed when the evaluation ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from typing import Any

import msgspec
from inspect_ai.hooks import Hooks, RunEnd, hooks
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, Content, ContentImage, ContentText
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool as InspectTool
from inspect_ai.tool import ToolDef, ToolError, ToolParams

from ...agents.model_turns import encoded
from ...api.run import opened
from ...api.sync import wait_for
from ...errors import RULES, EpisodeFailure
from ...models.wire import arguments_schema
from ...protocols import Benchmark, BenchmarkConfig, Episode
from ...runs.episode_runner import cut_off
from ...runs.stage import RecordingStage
from ...types import Outcome, Task, Tool, ToolCall, Usage, Verdict

OVER = "The task is over."

_samples: dict[str, Sample | NotOpened] = {}
"""Those under way, by the uuid of their state."""
_shared: list[Shared] = []
"""The benchmarks that are open."""


class Sample:
    """One episode under way."""

    def __init__(self, episode: Episode, task: Task, epoch: int, stack: AsyncExitStack) -> None:
        self.episode = episode
        self.stage = RecordingStage(episode, task.key, epoch)
        self.failure: EpisodeFailure | None = None
        self._stack = stack
        self._verdict: Verdict | None = None

    @property
    def usage_by(self) -> Mapping[str, Usage]:
        return self.episode.usage_by

    @property
    def over(self) -> bool:
        return self.stage.finished or self.failure is not None

    def tools(self) -> list[InspectTool]:
        return [self._tool(tool) for tool in self.stage.tools]

    async def verdict(self) -> Verdict:
        """Raises the failures that are nobody's work: Inspect has its own way with errors."""
        if self._verdict is None:
            self._verdict = await self._judged()
        return self._verdict

    async def close(self) -> None:
        await self._stack.aclose()

    async def _judged(self) -> Verdict:
        try:
            if self.failure is not None:
                raise self.failure
            return await self.episode.verdict()
        except EpisodeFailure as failure:
            if RULES[type(failure)].outcome is Outcome.error:
                raise
            return cut_off(failure, self.episode)

    def _tool(self, tool: Tool) -> InspectTool:
        async def execute(**kwargs: Any) -> str | list[Content]:
            if self.over:
                return OVER
            call = ToolCall(f"call-{len(self.stage.steps) + 1}", tool.name, msgspec.json.encode(kwargs).decode())
            try:
                observation = await self.stage.call(call)
            except EpisodeFailure as failure:
                if RULES[type(failure)].outcome is Outcome.error:
                    raise
                self.failure = failure
                return OVER
            if observation.error:
                raise ToolError(observation.text)
            if not observation.pictures:
                return observation.text
            pictures = [ContentImage(image=f"data:image/png;base64,{encoded(each)}") for each in observation.pictures]
            return [ContentText(text=observation.text), *pictures]

        # Observations have limits of their own; a second cut would make the episode another.
        return ToolDef(execute, tool.name, tool.description, _parameters(tool), max_output=0).as_tool()


def _parameters(tool: Tool) -> ToolParams:
    """Inspect wants a description of each; where ours has none, its name has to do."""
    parameters = ToolParams.model_validate(arguments_schema(tool))
    for name, parameter in parameters.properties.items():
        parameter.description = parameter.description or name
    return parameters


class NotOpened:
    """A task whose episode cannot be opened: there is nothing to play, and the verdict says why."""

    usage_by: Mapping[str, Usage] = {}

    def __init__(self, failure: EpisodeFailure) -> None:
        self._failure = failure

    async def verdict(self) -> Verdict:
        return cut_off(self._failure, None)

    async def close(self) -> None:
        """There is nothing to close."""


def _tasks(source: BenchmarkConfig | Benchmark) -> Sequence[Task]:
    async def listed() -> Sequence[Task]:
        async with AsyncExitStack() as stack:
            return (await opened(source, stack)).tasks()

    return wait_for(listed())


class Shared:
    """A benchmark for all samples of one evaluation."""

    def __init__(self, source: BenchmarkConfig | Benchmark) -> None:
        self.name = source.name
        self.tasks = {task.key: task for task in _tasks(source)}
        self._source = source
        self._loop: asyncio.AbstractEventLoop | None = None
        self._opening: asyncio.Task[Benchmark]
        self._stack = AsyncExitStack()

    async def benchmark(self) -> Benchmark:
        """Opened once for an event loop, by a task of its own: a sample that is cancelled meanwhile takes nothing along."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._stack = loop, AsyncExitStack()
            self._opening = loop.create_task(opened(self._source, self._stack))
            _shared.append(self)
            _close_when_it_ends()
        return await asyncio.shield(self._opening)

    async def open(self, task: Task, epoch: int) -> Sample:
        benchmark = await self.benchmark()
        stack = AsyncExitStack()
        episode = await stack.enter_async_context(benchmark.open(task))
        return Sample(episode, task, epoch, stack)

    async def close(self) -> None:
        self._loop = None
        with suppress(Exception):  # it was told to the samples that waited for it
            await self._opening
        await self._stack.aclose()


@solver
def opened_episode(shared: Shared) -> Solver:
    """The set-up: what the agent is told and can do."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        try:
            sample = await shared.open(shared.tasks[str(state.sample_id)], state.epoch - 1)
        except EpisodeFailure as failure:
            if RULES[type(failure)].outcome is Outcome.error:
                raise
            _samples[state.uuid] = NotOpened(failure)
            state.completed = True
            return state
        _samples[state.uuid] = sample
        brief = sample.stage.brief
        state.messages = [ChatMessageSystem(content=brief.instructions), ChatMessageUser(content=brief.request)]
        state.tools = list(sample.tools())
        return state

    return solve


def sample_of(state: TaskState) -> Sample | None:
    """None for a sample whose episode could not be opened."""
    sample = _samples.get(state.uuid)
    return sample if isinstance(sample, Sample) else None


async def verdict_of(state: TaskState) -> tuple[Verdict, dict[str, Any]]:
    """And what models other than the solver's have used."""
    sample = _samples.get(state.uuid)
    if sample is None:
        raise RuntimeError("this sample has no episode: a log cannot be scored again, only played again")
    verdict = await sample.verdict()
    return verdict, {who: msgspec.to_builtins(usage) for who, usage in sample.usage_by.items()}


async def clean_up(state: TaskState) -> None:
    if sample := _samples.pop(state.uuid, None):
        await sample.close()


def _close_when_it_ends() -> None:
    """Registered only once a benchmark is open: Inspect greets its users with the number of hooks known at its start."""

    class Closing(Hooks):
        def enabled(self) -> bool:
            return bool(_shared)

        async def on_run_end(self, data: RunEnd) -> None:
            while _samples:
                await _samples.popitem()[1].close()  # of samples that ended by an error
            while _shared:
                await _shared.pop().close()

    hooks(name="touchstone_close", description="closes the databases of Touchstone's benchmarks")(Closing)
