"""Agents that play calls known beforehand: the oracle plays the reference, replay a prediction file or an earlier run, nothing
makes no call at all, done and fail only say so. Where the oracle does not score 1 or one of the last three does not score 0, no
other number is worth believing.

They are ordinary agents: their calls take the same way through the episode and the verdict as a live model's.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar

from ..errors import Skipped
from ..options import Opt, OptionError
from ..protocols import WHO, Agent, AgentConfig, AgentContext, Script, Stage
from ..types import ToolCall
from .model_turns import only_tools, plays_the_gold


class ScriptedAgent:
    """Plays the script of each task until the episode is finished or the script ends."""

    def __init__(self, script: Script) -> None:
        self._script = script

    async def play(self, stage: Stage) -> None:
        for move in self._script(stage.task) or ():
            attempts = [move] if isinstance(move, ToolCall) else move
            for call in attempts:
                observation = await stage.call(call)
                if stage.finished:
                    return
                if not observation.error:
                    break
            else:
                if not isinstance(move, ToolCall):  # no attempt was accepted: what would follow builds on it
                    return


class Replay(ScriptedAgent):
    """Plays what somebody else has played or predicted."""

    @property
    def digest(self) -> str | None:
        """Of the predictions, if they are known as a whole."""
        return getattr(self._script, "digest", None)


class Oracle(ScriptedAgent):
    """Plays the reference; a task whose reference has nothing to play says nothing about the pipeline."""

    gold_reach = plays_the_gold

    async def play(self, stage: Stage) -> None:
        if not self._script(stage.task):
            raise Skipped("there is no reference to play")
        await super().play(stage)


class NothingAgent(ScriptedAgent):
    """Does nothing at all."""

    gold_reach = only_tools

    def __init__(self) -> None:
        super().__init__(lambda _: None)


class Says(ScriptedAgent):
    """Says one word at once: calls a tool that needs no arguments, and nothing else."""

    gold_reach = only_tools

    def __init__(self, tool: str) -> None:
        super().__init__(lambda _: [ToolCall(tool, tool, "{}")])


class OracleConfig(AgentConfig, frozen=True, kw_only=True):
    """The reference: it must pass every task that can be scored."""

    name: ClassVar[str] = "oracle"
    reads_instructions: ClassVar[bool] = False

    def build(self, context: AgentContext) -> Agent:
        return Oracle(context.solutions())


class ReplayConfig(AgentConfig, frozen=True, kw_only=True):
    """Answers that exist already."""

    name: ClassVar[str] = "replay"
    reads_instructions: ClassVar[bool] = False

    predictions: Annotated[Path | None, Opt(group=WHO)] = None
    """What to play: a prediction file, if the benchmark has a format for them, or a run directory."""
    allow_missing: Annotated[bool, Opt(group=WHO)] = False
    """Accept a file without predictions for some tasks; nothing is submitted for those."""

    def build(self, context: AgentContext) -> Agent:
        if self.predictions is None:
            raise OptionError("predictions", None, "the replay agent needs a prediction file or a run directory")
        return Replay(context.predictions(self.predictions, self.allow_missing))

    def identity(self, agent: Agent, context: AgentContext) -> dict[str, Any]:
        assert isinstance(agent, Replay)
        return {"predictions": agent.digest}


class NothingConfig(AgentConfig, frozen=True, kw_only=True):
    """No call at all: it must fail every task."""

    name: ClassVar[str] = "nothing"
    reads_instructions: ClassVar[bool] = False

    def build(self, context: AgentContext) -> Agent:
        return NothingAgent()


class DoneConfig(AgentConfig, frozen=True, kw_only=True):
    """Says at once that the task is done: it must fail every task."""

    name: ClassVar[str] = "done"
    reads_instructions: ClassVar[bool] = False

    def build(self, context: AgentContext) -> Agent:
        return Says("done")


class FailConfig(AgentConfig, frozen=True, kw_only=True):
    """Says at once that the task cannot be done: it must fail every task that can be."""

    name: ClassVar[str] = "fail"
    reads_instructions: ClassVar[bool] = False

    def build(self, context: AgentContext) -> Agent:
        return Says("fail")
