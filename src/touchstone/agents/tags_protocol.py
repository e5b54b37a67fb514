"""TAGS, the text protocol of dialogue benchmarks: a thought, whom it addresses, and an action.

    <thought>…</thought><interaction_object>Environment</interaction_object><action>execute(SELECT 1)</action>

How a reply is read, by rule:
- A model's reasoning (<think>…</think>) and its thought are skipped. The first <action> after them counts; whatever follows it,
  such as an invented "Observation:", does not.
- The tool's name decides, whatever the interaction object says. An unknown name is a call too: it is answered like any other.
- Arguments in an exact form (see `written`) end where they say. Bare ones end at the last parenthesis before </action>; if the
  tag is missing, at the next action, an invented observation or the end of the reply.
- Without <action>: <s>question</s> asks and <t>SQL</t> submits, if there are such tools, whichever is complete first; else the
  reply's last line counts if it has the form of a call of a tool.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from ..types import Tool, ToolCall
from .call_syntax import TextProtocol, Values, bare, exact, tool_named, unfenced

_THINKS = re.compile(r"\s*+<think\s*+>", re.IGNORECASE)
_THINK_ENDS = re.compile(r"</think\s*+>", re.IGNORECASE)
_THOUGHT = re.compile(r"<(?P<end>/?)thought\s*+>", re.IGNORECASE)
_OPEN = re.compile(r"<action\s*+>", re.IGNORECASE)
_END = re.compile(r"</action\s*+>|^[ \t*]*+Observation[ \t*]*+:", re.IGNORECASE | re.MULTILINE)
_OBSERVATION = re.compile(r"^[ \t*]*+Observation[ \t*]*+:", re.IGNORECASE | re.MULTILINE)
_CLOSED = re.compile(r"\)[\s;`]*+</action\s*+>", re.IGNORECASE)
_NAME = re.compile(r"\s*+(?:```\w*+\s*+)?`*+(?P<name>[^\W\d][\w-]*+)[ \t]*+(?P<open>\()?")
_LINE = re.compile(
    r"(?:^|</interaction_object>)[ \t*>`-]*+(?:action[ \t*]*+:[ \t*`]*+)?(?P<name>[^\W\d][\w-]*+)[ \t]*+(?P<open>\()?",
    re.IGNORECASE | re.MULTILINE,
)
_QUOTED_OR_PARENTHESIS = re.compile(r"'[^']*+'|\"[^\"]*+\"|[()]")
_TRAILING = " \t\r\n;`"
_LAST_CALLS = 50
"""How many lines that look like calls are looked at, from the end: no reply needs more, and the time stays linear."""

_PROTOCOL = """

# How to answer
Every answer has exactly these three parts, with one action, and nothing after it:

<thought>what you know and what you want to find out next</thought>
<interaction_object>{objects}</interaction_object>
<action>name(arguments)</action>

Write a text argument as it is, over as many lines as you need; if there are several arguments, put them in quotes and a comma
between them. Do not write observations yourself: the next message starts with "Observation:", and then you go on.

The actions:
{actions}"""


def explain(tools: Sequence[Tool]) -> str:
    actions = (f"- {tool.name}({', '.join(tool.arguments.__struct_fields__)}): {tool.description}" for tool in tools)
    to_user = [tool.name for tool in tools if tool.name in ("ask", "submit")]
    objects = f"User for {' and '.join(to_user)}, else Environment" if to_user else "Environment"
    objects = "User" if len(to_user) == len(tools) else objects
    return _PROTOCOL.format(objects=objects, actions="\n".join(actions))


def parse(text: str, tools: Sequence[Tool], call_id: str) -> ToolCall | None:
    """The first action in the text, or None."""
    text = _without_reasoning(text)
    at = _after_thought(text)
    action = _first_action(text, at, tools) if _OPEN.search(text, at) else _sentence(text, tools) or _last_line(text, tools)
    return ToolCall(call_id, *action) if action else None


WrittenCall = tuple[str, str]
"""A tool's name and its arguments as JSON; if they cannot be that, as they were written."""


def _without_reasoning(text: str) -> str:
    """Some services leave the opening tag out. A closing tag inside of an action is a part of the action."""
    ended = _THINK_ENDS.search(text)
    if ended is None:
        return "" if _THINKS.match(text) else text
    acts = _OPEN.search(text)
    if _THINKS.match(text) or acts is None or acts.start() > ended.start() or _OPEN.search(text, ended.end()):
        return text[ended.end() :]
    return text


def _after_thought(text: str) -> int:
    """Where a thought that is closed ends: it may speak of tags."""
    first = _THOUGHT.search(text)
    acts = _OPEN.search(text)
    if first is None or first["end"] or (acts and acts.start() < first.start()):
        return 0
    then = _THOUGHT.search(text, first.end())
    return then.end() if then and then["end"] else 0


def _first_action(text: str, at: int, tools: Sequence[Tool]) -> WrittenCall | None:
    """Tags that hold no action are passed over, but not an invented observation."""
    opened = _OPEN.search(text, at)
    while opened:
        following = _OPEN.search(text, opened.end())
        limit = following.start() if following else len(text)
        if action := _action(text, opened.end(), limit, tools):
            return action
        opened = None if _OBSERVATION.search(text, opened.end(), limit) else following
    return None


def _action(text: str, at: int, limit: int, tools: Sequence[Tool]) -> WrittenCall | None:
    named = _NAME.match(text, at)
    if named is None:
        return None
    tool = tool_named(named["name"], tools)
    if named["open"] is None:
        end = _END.search(text, named.end(), limit)
        alone = not text[named.end() : end.start() if end else limit].strip(_TRAILING)
        return (tool.name if tool else named["name"], "{}") if alone else None
    if tool and (arguments := exact(text, named.end(), tool.arguments.__struct_fields__)):
        return tool.name, _json(arguments[0])
    return _bare(_content(text, named.end(), limit), named["name"], tool)


def _content(text: str, at: int, limit: int) -> str:
    """Bare arguments, without the closing parenthesis."""
    closed = _CLOSED.search(text, at, limit)
    if closed:
        return text[at : closed.start()]
    end = _END.search(text, at, limit)
    content = text[at : end.start() if end else limit]
    inner = content.rstrip(_TRAILING)
    return inner[:-1] if inner.endswith(")") else _until_closed(content)


def _until_closed(content: str) -> str:
    """Up to the parenthesis that closes the call, if what is between quotes is passed over."""
    depth = 1
    for token in _QUOTED_OR_PARENTHESIS.finditer(content):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth == 0:
            return content[: token.start()]
    return content


def _bare(content: str, name: str, tool: Tool | None) -> WrittenCall:
    values = bare(content, tool.arguments.__struct_fields__) if tool else None
    return tool.name if tool else name, content.strip() if values is None else _json(values)


def _sentence(text: str, tools: Sequence[Tool]) -> WrittenCall | None:
    """The conversational form."""
    forms = ((_between(text, "s"), "ask"), (_between(text, "t"), "submit"))
    complete = [(*span, tool) for span, name in forms if span and (tool := _with_one_argument(name, tools))]
    if not complete:
        return None
    start, end, tool = min(complete, key=lambda each: each[1])
    content = text[start:end]
    fence = content.find("```") if tool.name == "submit" else -1
    return tool.name, _json({tool.arguments.__struct_fields__[0]: unfenced(content[max(fence, 0) :])})


def _with_one_argument(name: str, tools: Sequence[Tool]) -> Tool | None:
    tool = tool_named(name, tools)
    return tool if tool and len(tool.arguments.__struct_fields__) == 1 else None


def _between(text: str, tag: str) -> tuple[int, int] | None:
    opened = re.search(f"<{tag}>", text, re.IGNORECASE)
    closed = re.compile(f"</{tag}>", re.IGNORECASE).search(text, opened.end()) if opened else None
    return (opened.end(), closed.start()) if opened and closed else None


def _last_line(text: str, tools: Sequence[Tool]) -> WrittenCall | None:
    """A call of a tool, if the reply ends with it. What looks like one in an exact argument is a part of the argument."""
    invented = _OBSERVATION.search(text)
    text = (text[: invented.start()] if invented else text).rstrip(_TRAILING)
    names = {tool.name.lower() for tool in tools}
    lines = [line for line in _LINE.finditer(text) if line["name"].lower() in names]
    last, values, at = None, None, 0
    for line in lines[-_LAST_CALLS:]:
        tool = tool_named(line["name"], tools)
        fields = tool.arguments.__struct_fields__ if tool else ()
        if tool and line.start() >= at and (line["open"] or not fields):
            arguments = exact(text, line.end(), fields) if line["open"] else None
            last, (values, at) = (line, tool), arguments or (None, line.end())
    return _if_at_the_end(text, *last, values, at) if last else None


def _if_at_the_end(text: str, line: re.Match[str], tool: Tool, values: Values | None, end: int) -> WrittenCall | None:
    if values is not None or not line["open"]:
        return (tool.name, _json(values or {})) if end == len(text) else None
    return _bare(text[line.end() : -1], tool.name, tool) if text.endswith(")") else None


def _json(values: Values) -> str:
    return json.dumps(values, ensure_ascii=False)


TAGS = TextProtocol(
    explain,
    parse,
    "No action was found in your answer. Write <action>name(arguments)</action> with the name of one of the actions.",
)
