"""Tool calls from a model that makes none by itself.

The tools are told in a line each, at the very beginning, so that all conversations begin alike and that part is read
once. A grammar made from the schemas of their arguments then lets the model write nothing but one call:

    {"tool":"execute_sql","arguments":{"sql":"SELECT 1"}}

Everything that could go on forever has an end in the grammar. There is no white space in a call, and calls of earlier
turns are shown exactly as they were written, so that a model which keeps what it has read need not read them again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, cast

import msgspec

from ..failures import ModelNonsense
from ..values import Message, Place, Reply, Tool, ToolCall
from .faults import one_line
from .schemas import Schema, arguments_schema
from .wire import text_of

LONGEST_STRING = 300
_COMPACT = {"whitespace_flexible": False, "item_separator": ",", "key_separator": ":"}
_BOUNDS: dict[str, Schema] = {
    "string": {"maxLength": LONGEST_STRING},
    "array": {"maxItems": 10},
    "integer": {"minimum": -(10**9), "maximum": 10**9},
    "object": {"additionalProperties": False},
}


class _Written(msgspec.Struct):
    """What the grammar makes a model write. The arguments' text stays as it is."""

    tool: str
    arguments: msgspec.Raw


def plain_messages(messages: Sequence[Message], tools: Sequence[Tool]) -> list[dict[str, str]]:
    """Roles and texts only; neighbours of one role are joined, because many templates insist on turns."""
    plain: list[dict[str, str]] = [{"role": "system", "content": _manual(tools)}] if tools else []
    for message in messages:
        role, text = _spoken(message)
        if plain and plain[-1]["role"] == role:
            plain[-1]["content"] += "\n" + text
        else:
            plain.append({"role": role, "content": text})
    return plain


@lru_cache(maxsize=64)
def call_grammar(tools: tuple[Tool, ...], convert: Callable[[str], str]) -> str:
    """The grammar of one call of one of the tools. `convert` makes it from a JSON schema."""
    schema = {"x-guidance": _COMPACT, "anyOf": [_bounded(_call_schema(tool)) for tool in tools]}
    return convert(msgspec.json.encode(schema).decode())


def as_call(reply: Reply, place: Place) -> Reply:
    """The text as the tool call that it is, unless it was cut off."""
    if reply.finish == "length":
        return reply
    try:
        written = msgspec.json.decode(reply.text, type=_Written)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise ModelNonsense(f"the local model wrote no tool call: {one_line(reply.text, 100)}") from None
    call = ToolCall(f"call_{place.call}", written.tool, bytes(written.arguments).decode())
    return Reply("", (call,), "tool_calls", reply.usage)


def _manual(tools: Sequence[Tool]) -> str:
    return "\n".join(["Reply with one of these tool calls:", *map(_told, tools)])


def _told(tool: Tool) -> str:
    properties = arguments_schema(tool).get("properties", {})
    arguments = ",".join(f'"{field}":"{_example(schema)}"' for field, schema in properties.items())
    return f'{{"tool":"{tool.name}","arguments":{{{arguments}}}}} {tool.description}'


def _example(schema: Schema) -> str:
    """Without one, a model of this size writes digits instead of SQL."""
    return str(next(iter(schema.get("examples", ())), "..."))


def _spoken(message: Message) -> tuple[str, str]:
    role, text = message.get("role", "user"), text_of(message.get("content"))
    if role == "tool":
        return "user", f"Result: {text}"
    calls = message.get("tool_calls") or ()
    return role, "\n".join(_shown(call["function"]) for call in calls) or text


def _shown(function: dict[str, Any]) -> str:
    return f'{{"tool":"{function["name"]}","arguments":{function["arguments"]}}}'


def _call_schema(tool: Tool) -> Schema:
    properties = {"tool": {"const": tool.name}, "arguments": arguments_schema(tool)}
    return {"type": "object", "properties": properties, "required": ["tool", "arguments"]}


def _bounded(node: Any) -> Any:
    """The same schema with an end to everything that a model could go on writing."""
    if isinstance(node, list):
        return [_bounded(item) for item in cast(list[Any], node)]
    if not isinstance(node, dict):
        return node
    schema = cast(Schema, node)
    kind = schema.get("type")
    bounds = _BOUNDS.get(kind, {}) if isinstance(kind, str) else {}
    return bounds | {key: _bounded(value) for key, value in schema.items()}
