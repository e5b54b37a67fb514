"""Spider2-V as a benchmark: desktops for its tasks, what cannot run here, and what makes runs comparable."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from touchstone import PlainEpisode

from ...errors import EpisodeFailure, Skipped, TimeLimit
from ...protocols import Episode, Gold
from ...types import Brief, Observation, Task, Tool, ToolCall, Verdict
from .accounts import Accounts
from .ahead import Ahead
from .artefacts import SETUP, Artefacts, private_folder
from .briefs import brief, instructions
from .check import Report, examine, files_named
from .config import DesktopConfig, Loaded
from .desktop import Desktop, DesktopPool
from .episode import DesktopEpisode
from .evaluate import evaluate
from .evaluation_context import EvaluationContext, LeftFiles
from .needed import applications
from .screen import until_rest
from .solutions import gold_files, solution, solution_file, text_of
from .steps import run_steps
from .tasks import APPS, DesktopTask
from .validate import ACCOUNTS

if TYPE_CHECKING:
    from .documents.search import Retriever

_IN_THE_GUEST = frozenset(APPS) - frozenset(ACCOUNTS)
"""The desktop says itself whether it has these."""
_COMPARABLE = (
    *("observation", "action_space", "sleep_after_action", "settle", "a11y_max_tokens", "task_timeout", "eval_timeout"),
    *("network", "offline_web"),
)
"""Options with which a run is another run."""


class DesktopBenchmark:
    """The tasks given, on desktops that `make` makes, one for each episode that is played at the same time."""

    name = "desktop"

    def __init__(
        self, config: DesktopConfig, data: Loaded, make: Callable[[], Desktop], retriever: Retriever | None = None
    ) -> None:
        self.artefacts: Path | None = None
        """The run directory, once there is one: pictures, trees and videos go there."""
        self._config, self._retriever = config, retriever
        self._dataset, self._tasks = data.dataset, data.chosen
        self._accounts = Accounts(config.settings or data.dataset.root / "settings")
        self._pool = DesktopPool(make)
        self._ahead = Ahead(self._prepared, lambda task: self._pool.room(applications(task)), config.spares)
        self._instructions = config.own_instructions()
        reports = examine(
            *(data.chosen, {task.key: task for task in data.known}, data.dataset, self._accounts),
            network=config.network,
            have=_IN_THE_GUEST,
            offline_web=config.offline_web,
        )
        self._reports = {report.task.key: report for report in reports}

    def tasks(self) -> Sequence[DesktopTask]:
        return self._tasks

    def begun(self, run: Path) -> None:
        self.artefacts = run

    def expect(self, tasks: Sequence[Task]) -> None:
        """What will be opened, in this order. An account is one for all tasks, so these are set up when their turn comes."""
        known = {task.key: task for task in self._tasks if not (self._reports[task.key].obstacles or task.account)}
        self._ahead.expect([known[task.key] for task in tasks if task.key in known])

    @asynccontextmanager
    async def open(self, task: Task) -> AsyncGenerator[Episode]:
        assert isinstance(task, DesktopTask)
        _refuse(self._reports[task.key])
        artefacts = Artefacts(self.artefacts, task.key)
        async with AsyncExitStack() as stack:
            asked = time.monotonic()
            try:
                desktop, evaluation = await stack.enter_async_context(self._ahead.taken(task))
            except EpisodeFailure as failure:
                if artefacts.keep(_readable(failure.evidence.get("setup", {})), SETUP):
                    failure.evidence["episode"] = artefacts.named()
                raise
            setup = {**evaluation.log.facts(), "waited": round(time.monotonic() - asked, 2)}
            artefacts.keep(_readable(setup), SETUP)
            episode = DesktopEpisode(task, desktop, evaluation, self._config, artefacts)
            await self._begin(episode, task, setup)
            try:
                async with asyncio.timeout(self._config.task_timeout) as episode.clock:
                    yield episode
            except TimeoutError:
                if not (episode.clock and episode.clock.expired()):
                    raise
                raise TimeLimit(f"not finished within {self._config.task_timeout:g} s", "time") from None
            finally:
                await episode.close()

    @asynccontextmanager
    async def _prepared(self, task: DesktopTask) -> AsyncGenerator[tuple[Desktop, EvaluationContext]]:
        """A desktop on which the task is set up, and what its evaluation needs."""
        async with self._pool.borrowed(applications(task)) as desktop:
            with private_folder() as cache:
                evaluation = EvaluationContext(self._dataset, self._accounts, cache, desktop, seconds=self._config.eval_timeout)
                try:
                    await run_steps(task.form.config, evaluation)
                    await evaluation.log.probe(desktop)
                    began = time.monotonic()
                    await until_rest(desktop, self._config.settle)
                    evaluation.log.rest = round(time.monotonic() - began, 2)
                except EpisodeFailure as failure:
                    failure.evidence["setup"] = evaluation.log.facts()
                    raise
                yield desktop, evaluation

    def solution(self, task: Task) -> Sequence[ToolCall]:
        assert isinstance(task, DesktopTask)
        return solution(task, self._dataset, self._config.solutions)

    def gold(self) -> Gold:
        """Solutions and expected files; those of text also by what they say."""
        named = (path for task in self._tasks for path in gold_files(task, self._dataset, self._config.solutions))
        files = tuple(dict.fromkeys(named))
        return Gold(tuple(text for path in files if (text := text_of(path))), files)

    async def identity(self) -> Mapping[str, Any]:
        guidance = self._instructions or instructions(self._config, (0, 0))
        return {
            "benchmark": self.name,
            "files": await asyncio.to_thread(self._digest),
            **{name: getattr(self._config, name) for name in _COMPARABLE},
            "instructions": hashlib.sha256(guidance.encode()).hexdigest()[:16],
            "retrieval": self._retriever.facts() if self._retriever else None,
            "desktop": self._described(),
        }

    async def close(self) -> None:
        await self._ahead.close()
        await self._pool.close()

    async def _begin(self, episode: DesktopEpisode, task: DesktopTask, setup: Mapping[str, Any]) -> None:
        await episode.screen.open()
        guidance = self._instructions if self._instructions is not None else instructions(self._config, episode.screen.size)
        passages = await asyncio.to_thread(self._retriever.retrieve, task) if self._retriever else None
        evidence: dict[str, Any] = {"setup": setup}
        evidence |= {"retrieval": {"found": passages.reason, "sources": list(passages.sources)}} if passages else {}
        await episode.open(brief(task, guidance, passages), evidence)

    def _described(self) -> Any:
        return msgspec.to_builtins(dict(self._pool.sample().description()))

    def _digest(self) -> str:
        """Of all files that the tasks use."""
        paths: list[Path] = []
        for task in self._tasks:
            paths += [task.file, task.folder / (solution_file(task) or task.file).name]
            paths += [self._dataset.resolve(name) for name in files_named(task)]
        return digest_of(self._dataset.root, paths)


class ResultFiles(DesktopBenchmark):
    """The same tasks, judged from files that an agent left, <results>/<task>/…: no desktop is needed, and nothing is played."""

    @property
    def _results(self) -> Path:
        assert self._config.results
        return self._config.results

    @asynccontextmanager
    async def open(self, task: Task) -> AsyncGenerator[Episode]:
        assert isinstance(task, DesktopTask)
        with private_folder() as cache, private_folder() as nothing:
            folder = self._results / task.key
            left = LeftFiles(folder if folder.is_dir() else nothing)
            yield FileEpisode(task, EvaluationContext(self._dataset, self._accounts, cache, left=left))

    def _described(self) -> Any:
        return {"provider": "files", "results": digest_of(self._results, sorted(self._results.rglob("*")))}


class FileEpisode(PlainEpisode):
    """Nothing can be done in it: what there is to judge is there already."""

    tools: Sequence[Tool] = ()
    finished = False

    def __init__(self, task: DesktopTask, evaluation: EvaluationContext) -> None:
        self.brief = Brief("", task.form.instruction)
        self._task, self._scene = task, evaluation

    async def call(self, tool: str, arguments: Any) -> Observation:
        return Observation("There is no desktop here: the files are judged as they are.", error=True)

    async def verdict(self) -> Verdict:
        verdict = await evaluate(self._task, self._scene)
        wrong = next((check["metric"] for check in verdict.evidence["checks"] if check["score"] < 1), None)
        return msgspec.structs.replace(verdict, evidence={**verdict.evidence, "kind": wrong}) if wrong else verdict


def digest_of(folder: Path, paths: Iterable[Path]) -> str:
    """Of those that are files, by name in the folder and content."""
    digest = hashlib.sha256()
    for path in paths:
        if path.is_file():
            digest.update(f"{path.relative_to(folder)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:16]


def _readable(value: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value))


def _refuse(report: Report) -> None:
    """What cannot run here is skipped, with all reasons."""
    if report.obstacles:
        reasons = "; ".join(f"{obstacle.kind}: {obstacle.detail}" for obstacle in report.obstacles[:4])
        raise Skipped(reasons, report.obstacles[0].kind)
