"""One attempt at a desktop task: code or actions on the desktop, looks at its screen, and the evaluator at the end.

Whoever stops without saying `done` or `fail` has used up its steps, or its script: the work is judged as it stands, as in the
original. After `fail` it is worth nothing, unless the task cannot be done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from touchstone import PlainEpisode

from ...errors import WorkerFailure
from ...types import Brief, Observation, Outcome, PartialScore, Tool, Verdict
from .actions import Act, BadAction, code_of
from .artefacts import VIDEO, Artefacts
from .config import DesktopConfig
from .desktop import ACTION_SECONDS, Desktop, Execution
from .evaluate import evaluate
from .evaluation_context import EvaluationContext
from .screen import NoSuchBox, Screen, Sight, bound
from .setup import LATE
from .tasks import DesktopTask

WAIT = 2.0
LONGEST_WAIT = 60.0
LONGEST_OUTPUT = 4_000
OVER = "The task is over: nothing more can be done."


class Code(Struct, frozen=True):
    code: Annotated[str, Meta(description="Python code; pyautogui and time are imported already")]


class Wait(Struct, frozen=True):
    seconds: Annotated[float, Meta(description=f"0 to {LONGEST_WAIT:g}", ge=0, le=LONGEST_WAIT)] = WAIT


class Nothing(Struct, frozen=True):
    pass


_ACTING = {
    "pyautogui": Tool("pyautogui", "Run Python code that works the mouse and the keyboard, then look at the screen.", Code),
    "computer_13": Tool("act", "Do one action with the mouse or the keyboard, then look at the screen.", Act),
}
_OTHERS = (
    Tool("wait", "Do nothing for a while, then look at the screen.", Wait),
    Tool("look", "Look at the screen now; nothing is done.", Nothing),
    Tool("done", "Say that the task is done. It is judged then.", Nothing),
    Tool("fail", "Say that the task cannot be done. It is over then.", Nothing),
)


def tools_of(space: str) -> tuple[Tool, ...]:
    return (_ACTING[space], *_OTHERS)


class DesktopEpisode(PlainEpisode):
    def __init__(
        self,
        task: DesktopTask,
        desktop: Desktop,
        evaluation: EvaluationContext,
        config: DesktopConfig,
        artefacts: Artefacts,
    ) -> None:
        self.tools: Sequence[Tool] = tools_of(config.action_space)
        self.brief = Brief("", "")
        self.screen = Screen(desktop, config, artefacts)
        self._task = task
        self.desktop = desktop
        self._scene = evaluation
        self._config = config
        self._artefacts = artefacts
        self._ended: Literal["done", "fail", "steps"] = "steps"
        self._actions = 0
        self._closed = False
        self._calling: asyncio.Task[Any] | None = None
        self._recording = False
        self._video: dict[str, str] = {}
        self._evidence: dict[str, Any] = {}
        self.clock: asyncio.Timeout | None = None
        """Runs while the agent works; the evaluator has its own limits."""

    @property
    def finished(self) -> bool:
        return self._ended != "steps"

    async def open(self, brief: Brief, evidence: dict[str, Any]) -> None:
        self.brief = brief
        self._evidence = {**evidence, "desktop": dict(self.desktop.description())}
        if self._config.video and self._artefacts.folder is not None:
            try:
                await self.desktop.start_recording()
                self._recording = True
            except (WorkerFailure, OSError) as error:
                self._video = {"video_problem": str(error)}

    async def call(self, tool: str, arguments: Any) -> Observation:
        if self._closed or self.finished:
            return Observation(OVER, error=True)
        self._calling = asyncio.current_task()
        try:
            return await self._play(tool, arguments)
        finally:
            self._calling = None

    async def peek(self) -> Observation:
        """The screen, for somebody who watches. Leaves no trace."""
        return Observation("", pictures=(await self.desktop.screenshot(),))

    async def verdict(self) -> Verdict:
        if self.clock is not None:
            self.clock.reschedule(None)
        await self._stop_recording()
        verdict = await evaluate(self._task, self._scene, gave_up=self._ended == "fail")
        evidence = {**verdict.evidence, **self.partial_score().evidence}
        if verdict.outcome is Outcome.failed:
            checks = verdict.evidence.get("checks", ())
            evidence["kind"] = "gave_up" if self._ended == "fail" else next((c["metric"] for c in checks if c["score"] < 1), "")
        return msgspec.structs.replace(verdict, evidence=evidence, metrics={**verdict.metrics, "actions": float(self._actions)})

    def partial_score(self) -> PartialScore:
        folder = {"episode": name} if (name := self._artefacts.named()) else {}
        return PartialScore(evidence={"ended": self._ended, **folder, **self._video, **self._evidence})

    async def close(self) -> None:
        """A call that somebody outside still waits for is abandoned: the desktop is another task's next."""
        self._closed = True
        calling = self._calling
        if calling is not None and calling is not asyncio.current_task():
            calling.cancel()
            await asyncio.gather(calling, return_exceptions=True)
        await self._stop_recording()

    async def _play(self, tool: str, arguments: Any) -> Observation:
        match tool:
            case "done" | "fail":
                self._ended = tool
                seen = await self.screen.look(whole=False)
                state = "is done" if tool == "done" else "cannot be done"
                return _observed(f"You have said that the task {state}.", seen)
            case "look":
                return _observed("The screen as it is now.", await self.screen.look())
            case "wait":
                await asyncio.sleep(arguments.seconds)
                return _observed(f"Waited for {arguments.seconds:g} seconds.", await self.screen.look())
            case _:
                return await self._act(arguments)

    async def _act(self, arguments: Code | Act) -> Observation:
        self._actions += 1
        try:
            code = self._code(arguments)
        except (NoSuchBox, BadAction) as wrong:
            return _observed(f"Nothing was done: {wrong}", await self.screen.look(), error=True)
        execution = await self.desktop.act(code)
        await asyncio.sleep(self._config.sleep_after_action)
        seen = await self.screen.look()
        seen.details["returncode"] = execution.returncode
        return _observed(report(execution), seen, error=execution.returncode != 0)

    def _code(self, arguments: Code | Act) -> str:
        if isinstance(arguments, Act):
            return code_of(arguments, self.screen.size)
        return bound(arguments.code, self.screen.boxed) if self._config.observation == "som" else arguments.code

    async def _stop_recording(self) -> None:
        if not self._recording or self._artefacts.folder is None:
            return
        self._recording = False
        try:
            if await self.desktop.stop_recording(self._artefacts.folder / VIDEO):
                self._video = {"video": self._artefacts.named(VIDEO) or ""}
            else:
                self._video = {"video_problem": "the desktop recorded nothing"}
        except (WorkerFailure, OSError) as error:
            self._video = {"video_problem": str(error)}


def report(execution: Execution) -> str:
    """What became of the code, in words."""
    lines = [_ending(execution.returncode)]
    for name, text in (("Output", execution.output), ("Error output", execution.error)):
        if text.strip():
            lines.append(f"{name}:\n{_shortened(text.rstrip())}")
    return "\n".join(lines)


def _ending(returncode: int) -> str:
    if returncode == LATE:
        return f"The action failed: it was stopped at its time limit of {ACTION_SECONDS:g} s."
    return f"The action failed (return code {returncode})." if returncode else "The action was executed without an error."


def _shortened(text: str) -> str:
    """The end says what went wrong, so the middle is left out."""
    if len(text) <= LONGEST_OUTPUT:
        return text
    half = LONGEST_OUTPUT // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half:,} characters left out …]\n{text[-half:]}"


def _observed(text: str, seen: Sight, *, error: bool = False) -> Observation:
    return Observation(text + seen.text, error=error, details=seen.details, pictures=seen.pictures)
