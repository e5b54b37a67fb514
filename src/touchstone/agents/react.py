"""The text-protocol agent, for models without function calling, and the plainest of its protocols, LINES.

There, a reply holds one action:

    Thought: anything, over as many lines as it likes
    Action: execute_sql
    Input: SELECT count(*) FROM film

The first complete action counts; what follows an invented "Observation:" is ignored. The input is the tool's only text
argument as it stands (a code fence around it is taken off), or a JSON object for any tool.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal, cast

from ..errors import TurnLimit
from ..foreign import Unreadable, read_json
from ..options import Opt
from ..protocols import WHO, Agent, AgentContext, Model, Stage
from ..types import Message, Tool, ToolCall
from .call_syntax import TextProtocol, unfenced
from .model_turns import TurnsConfig, only_tools
from .tags_protocol import TAGS

_ACTION = re.compile(r"^[ \t*]*Action[ \t*]*:[ \t*`]*(?P<name>[\w.-]+)[ \t\r*`]*$", re.IGNORECASE | re.MULTILINE)
_INPUT = re.compile(r"\s*^[ \t*]*(?:Action[ \t]+)?Input[ \t*]*:[ \t*]*", re.IGNORECASE | re.MULTILINE)
_END = re.compile(r"^[ \t*]*(?:Observation|Thought|Action)[ \t*]*:", re.IGNORECASE | re.MULTILINE)

_PROTOCOL = """

# How to answer
You act by writing text. Every answer has exactly this form, with one action and nothing after its input:

Thought: what you know and what you want to find out next
Action: the name of one tool
Input: the tool's argument, as plain text over as many lines as you need

You then get a message that starts with "Observation:" and go on. The tools:
"""


def parse(text: str, tools: Sequence[Tool], call_id: str) -> ToolCall | None:
    """The first action in the text, or None."""
    for action in _ACTION.finditer(text):
        opening = _INPUT.match(text, action.end())
        if opening is None:
            continue
        end = _END.search(text, opening.end())
        content = text[opening.end() : end.start() if end else len(text)]
        return ToolCall(call_id, action["name"], _arguments(content.strip(), action["name"], tools))
    return None


def _arguments(content: str, name: str, tools: Sequence[Tool]) -> str:
    tool = next((tool for tool in tools if tool.name == name), None)
    content = unfenced(content)
    fields = tool.arguments.__struct_fields__ if tool else ()
    if _is_object_with(content, fields) or len(fields) != 1:
        return content
    return json.dumps({fields[0]: content}, ensure_ascii=False)


def _is_object_with(content: str, fields: Sequence[str]) -> bool:
    try:
        value = read_json(content)
    except Unreadable:
        return False
    return isinstance(value, dict) and set(fields) <= cast("dict[str, Any]", value).keys()


def _explain(tools: Sequence[Tool]) -> str:
    listing = (f"- {tool.name} ({', '.join(tool.arguments.__struct_fields__)}): {tool.description}" for tool in tools)
    return _PROTOCOL + "\n".join(listing)


LINES = TextProtocol(
    _explain,
    parse,
    'No action was found in your answer. Write a line "Action: <tool>" and then a line "Input: <text>".',
)
PROTOCOLS = {"lines": LINES, "tags": TAGS}


class ReactAgent:
    """Plays by thought, action and observation in plain text."""

    gold_reach = only_tools

    def __init__(self, model: Model, max_turns: int, protocol: TextProtocol = LINES) -> None:
        self._model = model
        self._max_turns = max_turns
        self._protocol = protocol

    async def play(self, stage: Stage) -> None:
        messages = [
            Message(role="system", content=stage.brief.instructions + self._protocol.explain(stage.tools)),
            Message(role="user", content=stage.brief.request),
        ]
        for turn in range(1, self._max_turns + 1):
            reply = await stage.ask(self._model, messages)
            messages.append(reply.as_message())
            answer = await self._act(stage, reply.text, turn)
            if stage.finished:
                return
            messages.append(Message(role="user", content=answer))
        raise TurnLimit(f"not finished within {self._max_turns} turns")

    async def _act(self, stage: Stage, text: str, turn: int) -> str:
        call = self._protocol.parse(text, stage.tools, f"turn-{turn}")
        if call is None:
            return stage.remind(self._protocol.reminder)
        return self._protocol.observation + (await stage.call(call)).text


class ReactConfig(TurnsConfig, frozen=True, kw_only=True):
    """A model that acts by plain text, for models without function calling."""

    name: ClassVar[str] = "react"

    protocol: Annotated[Literal["lines", "tags"] | None, Opt(group=WHO)] = None
    """How the model writes: thought, action and input as lines, or as tags; by default as the benchmark was published."""

    def build(self, context: AgentContext) -> Agent:
        assert context.model is not None
        return ReactAgent(context.model, self.max_turns, PROTOCOLS[self.protocol or context.hints.text_protocol])

    def identity(self, agent: Agent, context: AgentContext) -> dict[str, Any]:
        return {"protocol": self.protocol or context.hints.text_protocol}
