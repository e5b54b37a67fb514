"""The function-calling agent: the model calls tools until the episode is finished or its turns are used up.

A turn is one reply of the model's, whatever it holds. What cannot be used (no call, a broken one) costs a turn and is
answered in words, so that the model can do better in the next.

A tool's answer is text in all chat services, so the pictures of an observation follow in a message of their own; of earlier
ones only the last few stay in the conversation.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from ..errors import TurnLimit
from ..options import Opt, WholeNumber
from ..protocols import WHO, Agent, AgentContext, Model, Stage
from ..types import Message, NoteStep, Reply
from .model_turns import TurnsConfig, as_user, only_tools


class ToolAgent:
    """Plays by function calls."""

    gold_reach = only_tools

    def __init__(self, model: Model, max_turns: int, history: int = 3, *, judge_unfinished: bool = False) -> None:
        self._model = model
        self._max_turns = max_turns
        self._history = history
        self._judge_unfinished = judge_unfinished

    async def play(self, stage: Stage) -> None:
        messages = [
            Message(role="system", content=stage.brief.instructions),
            Message(role="user", content=stage.brief.request),
        ]
        for turn in range(1, self._max_turns + 1):
            reply = await stage.ask(self._model, messages, stage.tools)
            messages.append(reply.as_message())
            if reply.calls:
                await self._call_all(stage, reply, messages)
            else:
                messages.append(self._remind(stage, reply, last=turn == self._max_turns - 1))
            if stage.finished:
                return
        if not self._judge_unfinished:
            raise TurnLimit(f"not finished within {self._max_turns} turns")
        stage.log(NoteStep(f"All {self._max_turns} turns are used up. The work is judged as it stands."))

    async def _call_all(self, stage: Stage, reply: Reply, messages: list[Message]) -> None:
        pictures: tuple[bytes, ...] = ()
        for call in reply.calls:
            observation = await stage.call(call)
            messages.append(Message(role="tool", tool_call_id=call.id, content=observation.text))
            pictures = observation.pictures or pictures
            if stage.finished:
                return
        if pictures:
            self._forget_pictures(messages)
            messages.append(as_user("What you see now:", pictures))

    def _forget_pictures(self, messages: list[Message]) -> None:
        """All but the last few."""
        shown = [position for position, message in enumerate(messages) if isinstance(message.get("content"), list)]
        for position in shown[: max(len(shown) - self._history, 0)]:
            messages[position] = Message(role="user", content="(What you saw then is left out.)")

    def _remind(self, stage: Stage, reply: Reply, *, last: bool) -> Message:
        names = ", ".join(tool.name for tool in stage.tools)
        if reply.finish == "length":
            text = f"Your reply was cut off at its length limit. Call one of the tools: {names}."
        elif not reply.text.strip():
            text = f"Your reply was empty. Call one of the tools: {names}."
        else:
            text = f"Your reply did not call a tool, so nothing happened. Call one of the tools: {names}."
        if last:
            text += " This is your last turn."
        return Message(role="user", content=stage.remind(text))


class ToolsConfig(TurnsConfig, frozen=True, kw_only=True):
    """A model that calls functions."""

    name: ClassVar[str] = "tools"

    history: Annotated[WholeNumber, Opt(group=WHO, advanced=True)] = 3
    """How many earlier screenshots the model still sees."""

    def build(self, context: AgentContext) -> Agent:
        assert context.model is not None
        return ToolAgent(context.model, self.max_turns, self.history, judge_unfinished=context.hints.screen)

    def identity(self, agent: Agent, context: AgentContext) -> dict[str, Any]:
        return {"history": self.history} if context.hints.screen else {}
