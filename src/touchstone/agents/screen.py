"""The screen agent: sees pictures and text, answers with blocks of code or actions.

A step is one reply of the model's, whatever it holds. The model is shown the request, the last turns (what it saw, what it
replied), which of its last actions failed and how, and the screen as it is now. When its steps are used up it stops, and the
work is judged as it stands.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from ..errors import InputError
from ..options import Count, Opt, WholeNumber
from ..protocols import WHO, Agent, AgentContext, Model, Stage
from ..types import ON_SCREEN, Message, NoteStep, Observation, Reply, ToolCall
from .code_blocks import CodeBlock, Language, Said, ScreenAction, ScreenMove, parse
from .model_turns import TurnsConfig, as_user, only_tools

_ANSWER = """

# How to answer
Think in a few words first if you like. Then give what is to be done now{form} You may give several blocks: they are carried \
out in their order. Instead of a block, or after the last one, a line may hold one of these words alone:
WAIT  to wait for a moment
DONE  when the task is done
FAIL  if the task cannot be done
An answer without a block and without such a word does nothing, and costs a step. You have {steps} steps."""
_FORMS: dict[Language, str] = {
    "python": """ as Python code in a block like this:
```python
pyautogui.click(500, 300)
pyautogui.write("text")
```
""",
    "json": """ as JSON in a block like this:
```json
{"action_type": "CLICK", "x": 500, "y": 300}
```
The actions and what belongs to them: MOVE_TO x y; CLICK x y button num_clicks; MOUSE_DOWN button; MOUSE_UP button; \
RIGHT_CLICK x y; DOUBLE_CLICK x y; DRAG_TO x y; SCROLL dx dy; TYPING text; PRESS key; KEY_DOWN key; KEY_UP key; HOTKEY keys \
(a list). Of CLICK, RIGHT_CLICK and DOUBLE_CLICK everything may be left out.
""",
}
_WORDS = {"WAIT": "wait", "DONE": "done", "FAIL": "fail"}
_NOT_READ = "No action was found in your answer, so nothing was done. "


@dataclass(frozen=True)
class _Turn:
    seen: Observation
    complaint: str
    """What became of the turn before, if there is something to say."""
    reply: Reply


class ScreenAgent:
    """Plays by pictures and text."""

    gold_reach = only_tools

    def __init__(self, model: Model, max_steps: int, history: int, pictures: int | None = None) -> None:
        self._model = model
        self._max_steps = max_steps
        self._history = history
        self._pictures = pictures

    async def play(self, stage: Stage) -> None:
        language = _language(stage)
        system = stage.brief.instructions + _ANSWER.format(form=_FORMS[language], steps=self._max_steps)
        seen = await stage.call(ToolCall("first-look", "look", "{}"))
        turns: list[_Turn] = []
        complaint = ""
        for step in range(1, self._max_steps + 1):
            messages = self._messages(system, stage.brief.request, turns, seen, complaint)
            reply = await stage.ask(self._model, messages)
            turns.append(_Turn(seen, complaint, reply))
            complaint, seen = await self._act(stage, reply, language, step, seen)
            if stage.finished:
                return
        stage.log(NoteStep(f"All {self._max_steps} steps are used up. The work is judged as it stands."))

    def _messages(self, system: str, request: str, turns: Sequence[_Turn], seen: Observation, complaint: str) -> list[Message]:
        """The request stands before the first turn that is still shown, so that both sides speak in turn."""
        kept = turns[-self._history :] if self._history else ()
        messages = [Message(role="system", content=system)]
        for back, turn in zip(range(len(kept), 0, -1), kept, strict=True):
            shown = self._pictures is None or back < self._pictures
            messages.append(_shown(turn.seen, turn.complaint, request if len(messages) == 1 else "", pictures=shown))
            messages.append(Message(role="assistant", content=turn.reply.text))
        messages.append(_shown(seen, complaint, "" if kept else request))
        return messages

    async def _act(
        self, stage: Stage, reply: Reply, language: Language, step: int, seen: Observation
    ) -> tuple[str, Observation]:
        """What to tell of it, and what there is to see afterwards."""
        parsed = parse(reply.text, language, whole=reply.finish != "length")
        if not parsed.moves:
            return stage.remind(_complaint(reply, parsed.complaints)), seen
        complaints: list[str] = list(parsed.complaints)
        for number, move in enumerate(parsed.moves, 1):
            seen = await stage.call(_call(move, f"step-{step}-{number}"))
            if seen.error:
                complaints.append(f"Action {number} of {len(parsed.moves)} failed. {seen.text.partition(ON_SCREEN)[0]}")
            if stage.finished:
                break
        if complaints:
            complaints.insert(0, "What went wrong with your last answer:")
            stage.log(NoteStep("\n".join(complaints)))
        return "\n".join(complaints), seen


def _complaint(reply: Reply, complaints: Sequence[str]) -> str:
    if complaints:
        return _NOT_READ + " ".join(complaints)
    if reply.finish == "length":
        return _NOT_READ + "It was cut off at its length limit."
    if not reply.text.strip():
        return _NOT_READ + "It was empty."
    return _NOT_READ + "Give a block between lines of three backticks, or WAIT, DONE or FAIL on a line of its own."


def _call(move: ScreenMove, id: str) -> ToolCall:
    match move:
        case CodeBlock(text):
            return ToolCall(id, "pyautogui", _json({"code": text}))
        case ScreenAction(fields):
            return ToolCall(id, "act", _json(fields))
        case Said(word):
            return ToolCall(id, _WORDS[word], "{}")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _shown(seen: Observation, complaint: str, request: str, *, pictures: bool = True) -> Message:
    """The request, if this is the first that is shown; what went wrong; and the screen."""
    screen = seen.text.partition(ON_SCREEN)[2]
    state = f"The screen now:\n{screen}" if screen else "The screen now:" if pictures else "(You were shown the screen.)"
    task = f"# The task\n{request}" if request else ""
    return as_user("\n\n".join(part for part in (task, complaint, state) if part), seen.pictures if pictures else ())


def _language(stage: Stage) -> Language:
    names = {tool.name for tool in stage.tools}
    if "look" not in names or not names & {"pyautogui", "act"}:
        raise InputError("the screen agent plays tasks that have a screen; use --agent tools here")
    return "json" if "act" in names else "python"


class ScreenConfig(TurnsConfig, frozen=True, kw_only=True):
    """A model that sees a screen and answers with code or actions."""

    name: ClassVar[str] = "screen"

    history: Annotated[WholeNumber, Opt(group=WHO)] = 3
    """How many earlier turns the model sees."""
    pictures: Annotated[Count | None, Opt(group=WHO, advanced=True)] = None
    """How many of the turns shown, the last ones, include the screenshot; 1 sends each screenshot once. By default all."""

    def build(self, context: AgentContext) -> Agent:
        assert context.model is not None
        return ScreenAgent(context.model, self.max_turns, self.history, self.pictures)

    def identity(self, agent: Agent, context: AgentContext) -> dict[str, Any]:
        return {"history": self.history, **({} if self.pictures is None else {"pictures": self.pictures})}
