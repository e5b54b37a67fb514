"""Agents that play calls known beforehand: the oracle plays the reference, replay a prediction file or an earlier run, nothing
makes no call at all. Where the oracle does not score 1 or nothing does not score 0, no other number is worth believing.

They are ordinary agents: their calls take the same way through the episode and the verdict as a live model's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..failures import Skipped
from ..protocols import Agent, AgentPlugin, AgentSettings, Stage
from ..values import ToolCall
from .gold_reach import only_tools, plays_the_gold


class ScriptedAgent:
    """Plays the script of each task until the episode is finished or the script ends."""

    def __init__(self, script: Callable[[str], Sequence[ToolCall] | None]) -> None:
        self._script = script

    async def play(self, stage: Stage) -> None:
        for call in self._script(stage.task) or ():
            await stage.call(call)
            if stage.finished:
                return


class Oracle(ScriptedAgent):
    """Plays the reference; a task whose reference has nothing to play says nothing about the pipeline."""

    gold_reach = plays_the_gold

    async def play(self, stage: Stage) -> None:
        if not self._script(stage.task):
            raise Skipped("there is no reference that could be played")
        await super().play(stage)


class Nothing(ScriptedAgent):
    """Does nothing at all."""

    gold_reach = only_tools

    def __init__(self) -> None:
        super().__init__(lambda _: None)


def build_oracle(settings: AgentSettings) -> Agent:
    return Oracle(settings.script)


def build_replay(settings: AgentSettings) -> Agent:
    return ScriptedAgent(settings.script)


def build_nothing(settings: AgentSettings) -> Agent:
    return Nothing()


oracle_plugin = AgentPlugin(build_oracle, needs_model=False, needs_script="solution")
replay_plugin = AgentPlugin(build_replay, needs_model=False, needs_script="predictions")
nothing_plugin = AgentPlugin(build_nothing, needs_model=False)
