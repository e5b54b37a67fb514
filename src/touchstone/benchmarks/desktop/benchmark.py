"""Spider2-V as a benchmark: desktops for its tasks, what cannot run here, and what makes runs comparable."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
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
from .desktop import Desktop, DesktopPool
from .episode import DesktopEpisode
from .evaluate import evaluate
from .evaluation_context import EvaluationContext, LeftFiles
from .needed import applications
from .screen import until_rest
from .settings import DesktopSettings
from .solutions import gold_files, solution, solution_file, text_of
from .steps import run_steps
from .tasks import APPS, Dataset, DesktopTask
from .validate import ACCOUNTS

if TYPE_CHECKING:
    from .documents.search import Retriever

_IN_THE_GUEST = frozenset(APPS) - frozenset(ACCOUNTS)
"""The desktop says itself whether it has these."""


class DesktopBenchmark:
    """The tasks given, on desktops that `make` makes, one for each episode that is played at the same time."""

    name = "desktop"

    def __init__(
        self,
        tasks: Sequence[DesktopTask],
        dataset: Dataset,
        accounts: Accounts,
        make: Callable[[], Desktop],
        *,
        known: Sequence[DesktopTask] = (),
        settings: DesktopSettings | None = None,
        own_instructions: str | None = None,
        retriever: Retriever | None = None,
        solutions: Path | None = None,
    ) -> None:
        """`known` are all tasks of the dataset, for counterparts; `own_instructions` replace the built-in ones, and what is in
        `solutions` the tasks' own."""
        self.artefacts: Path | None = None
        """The run directory, once there is one: pictures, trees and videos go there."""
        self._tasks = tasks
        self._dataset = dataset
        self._accounts = accounts
        self._pool = DesktopPool(make)
        self._settings = settings or DesktopSettings()
        self._ahead = Ahead(self._prepared, lambda task: self._pool.room(applications(task)), self._settings.ahead)
        self._instructions = own_instructions
        self._retriever = retriever
        self._solutions = solutions
        others = {task.key: task for task in (*known, *tasks)}
        reports = examine(
            *(tasks, others, dataset, accounts),
            network=self._settings.network,
            have=_IN_THE_GUEST,
            offline_web=self._settings.offline_web,
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
            episode = DesktopEpisode(task, desktop, evaluation, self._settings, artefacts)
            await self._begin(episode, task, setup)
            try:
                async with asyncio.timeout(self._settings.task_timeout) as episode.clock:
                    yield episode
            except TimeoutError:
                if not (episode.clock and episode.clock.expired()):
                    raise
                raise TimeLimit(f"not finished within {self._settings.task_timeout:g} s", "time") from None
            finally:
                await episode.close()

    @asynccontextmanager
    async def _prepared(self, task: DesktopTask) -> AsyncGenerator[tuple[Desktop, EvaluationContext]]:
        """A desktop on which the task is set up, and what its evaluation needs."""
        async with self._pool.borrowed(applications(task)) as desktop:
            with private_folder() as cache:
                evaluation = EvaluationContext(
                    self._dataset, self._accounts, cache, desktop, seconds=self._settings.eval_timeout
                )
                try:
                    await run_steps(task.form.config, evaluation)
                    await evaluation.log.probe(desktop)
                    began = time.monotonic()
                    await until_rest(desktop, self._settings.settle)
                    evaluation.log.rest = round(time.monotonic() - began, 2)
                except EpisodeFailure as failure:
                    failure.evidence["setup"] = evaluation.log.facts()
                    raise
                yield desktop, evaluation

    def solution(self, task: Task) -> Sequence[ToolCall]:
        assert isinstance(task, DesktopTask)
        return solution(task, self._dataset, self._solutions)

    def gold(self) -> Gold:
        """Solutions and expected files; those of text also by what they say."""
        files = list(dict.fromkeys(path for task in self._tasks for path in gold_files(task, self._dataset, self._solutions)))
        return Gold(tuple(text for path in files if (text := text_of(path))), tuple(files))

    async def identity(self) -> Mapping[str, Any]:
        settings = self._settings
        return {
            "benchmark": self.name,
            "files": await asyncio.to_thread(self._digest),
            "observation": settings.observation,
            "action_space": settings.action_space,
            "sleep_after_action": settings.sleep_after_action,
            "settle": settings.settle,
            "a11y_max_tokens": settings.a11y_max_tokens,
            "task_timeout": settings.task_timeout,
            "eval_timeout": settings.eval_timeout,
            "network": settings.network,
            "offline_web": settings.offline_web,
            "instructions": hashlib.sha256((self._instructions or instructions(settings, (0, 0))).encode()).hexdigest()[:16],
            "retrieval": self._retriever.facts() if self._retriever else None,
            "desktop": self._described(),
        }

    async def close(self) -> None:
        await self._ahead.close()
        await self._pool.close()

    async def _begin(self, episode: DesktopEpisode, task: DesktopTask, setup: Mapping[str, Any]) -> None:
        await episode.screen.open()
        guidance = self._instructions if self._instructions is not None else instructions(self._settings, episode.screen.size)
        passages = await asyncio.to_thread(self._retriever.retrieve, task) if self._retriever else None
        evidence: dict[str, Any] = {"setup": setup}
        evidence |= {"retrieval": {"found": passages.reason, "sources": list(passages.sources)}} if passages else {}
        await episode.open(brief(task, guidance, passages), evidence)

    def _described(self) -> Any:
        return msgspec.to_builtins(dict(self._pool.sample().description()))

    def _digest(self) -> str:
        """Of all files that the tasks use, by name and content."""
        digest = hashlib.sha256()
        for task in self._tasks:
            own = task.folder / (solution_file(task) or task.file).name
            paths = [task.file, own, *(self._dataset.resolve(name) for name in files_named(task))]
            for path in paths:
                if path.is_file():
                    content = hashlib.sha256(path.read_bytes()).hexdigest()
                    digest.update(f"{path.relative_to(self._dataset.root)} {content}\n".encode())
        return digest.hexdigest()[:16]


class ResultFiles(DesktopBenchmark):
    """The same tasks, judged from files that an agent left, `results`/<task>/…: no desktop is needed, and nothing is played."""

    def __init__(self, *arguments: Any, results: Path, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._results = results

    @asynccontextmanager
    async def open(self, task: Task) -> AsyncGenerator[Episode]:
        assert isinstance(task, DesktopTask)
        with private_folder() as cache, private_folder() as nothing:
            folder = self._results / task.key
            left = LeftFiles(folder if folder.is_dir() else nothing)
            yield FileEpisode(task, EvaluationContext(self._dataset, self._accounts, cache, left=left))

    def _described(self) -> Any:
        return {"provider": "files", "results": digest_of(self._results)}


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


def digest_of(folder: Path) -> str:
    """Of all files in it, by name and content."""
    digest = hashlib.sha256()
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        digest.update(f"{path.relative_to(folder)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:16]


def _readable(value: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value))


def _refuse(report: Report) -> None:
    """What cannot run here is skipped, with all reasons."""
    if report.obstacles:
        reasons = "; ".join(f"{obstacle.kind}: {obstacle.detail}" for obstacle in report.obstacles[:4])
        raise Skipped(reasons, report.obstacles[0].kind)
