"""Desktop episodes on a drawn desktop, without waiting."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.support.scripted_model import Answer, ScriptedModel
from touchstone.agents.screen import ScreenAgent
from touchstone.agents.scripted import ScriptedAgent
from touchstone.benchmarks.desktop.benchmark import DesktopBenchmark
from touchstone.benchmarks.desktop.config import DesktopConfig
from touchstone.benchmarks.desktop.documents.search import Retriever
from touchstone.protocols import Agent
from touchstone.runs.episode_runner import play
from touchstone.types import Record, ToolCall, ToolStep

from .drawn import DrawnDesktop
from .support import make_dataset

SAVED = "pyautogui.write('a,b\\n1,2\\n')\npyautogui.click(60, 135)"
"""What solves the task of `support`."""


class World:
    """A benchmark of two small tasks, its desktops, and a run directory."""

    def __init__(
        self,
        directory: Path,
        *forms: dict[str, Any],
        retriever: Retriever | None = None,
        **settings: Any,
    ) -> None:
        dataset = make_dataset(directory, *forms)
        self.run = directory / "run"
        self.run.mkdir()
        self.desktops: list[DrawnDesktop] = []
        config = DesktopConfig(dataset.root, **{"sleep_after_action": 0.0, "settle": 0.0, "ahead": 0, **settings})
        self.benchmark = DesktopBenchmark(config, config.loaded(), self._made, retriever)
        self.benchmark.artefacts = self.run

    async def play(self, agent: Agent, task: int = 0) -> Record:
        return (await play(self.benchmark, agent, self.benchmark.tasks()[task]))[0]

    async def calls(self, *made: ToolCall, task: int = 0) -> Record:
        return await self.play(ScriptedAgent(lambda _: made), task)

    async def screen(
        self, answers: Iterable[Answer], *, steps: int = 5, history: int = 3, pictures: int | None = None
    ) -> tuple[Record, ScriptedModel]:
        model = ScriptedModel(answers)
        return await self.play(ScreenAgent(model, steps, history, pictures)), model

    def _made(self) -> DrawnDesktop:
        desktop = DrawnDesktop()
        self.desktops.append(desktop)
        return desktop


def observed(record: Record) -> list[str]:
    return [step.observation.text for step in record.steps if isinstance(step, ToolStep)]
