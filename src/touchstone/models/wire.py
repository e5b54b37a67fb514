"""The chat-completions format, out and in.

Out: a conversation as services accept it. A tool call with broken JSON is history like any other, but the templates
of several servers parse it and fail, so its text is wrapped in a valid object on the way out; and an assistant's
message that says nothing at all has an empty text, because null is refused.
In: a service's answer as a `Reply`. Services differ in what they leave out and in what they send instead, so any JSON is
taken as far as it makes sense: what is not text is no text, and tokens that nobody can have used are not counted. An answer
that is not JSON, or has no choices, is not the model's doing: a ModelFailure. One that is nested too deep is: ModelNonsense.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

import msgspec
from msgspec import Struct

from ..errors import ModelFailure, ModelNonsense
from ..foreign import Unreadable, read_json
from ..types import CallPosition, Message, Reply, Tool, ToolCall, Usage
from .transport import ServiceConfig

# A tool as the JSON schema that a model is shown.
#
# msgspec describes a struct by references into `$defs`; not every service and no small grammar converter follows
# them, so they are written out in place. Titles only repeat Python names and cost tokens: they are left out.


Schema = dict[str, Any]
_PREFIX = "#/$defs/"


@lru_cache(maxsize=256)
def tool_schema(tool: Tool) -> Schema:
    """OpenAI's function form. The result is shared: read it, do not change it."""
    parameters = arguments_schema(tool)
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": parameters},
    }


def arguments_schema(tool: Tool) -> Schema:
    """The schema of the tool's arguments: an object without references."""
    schema = msgspec.json.schema(tool.arguments)
    parameters = cast(Schema, _inlined(schema, schema.get("$defs", {}), ()))
    parameters.pop("description", None)  # the tool's own says it
    return parameters


def _inlined(node: Any, definitions: Schema, inside: tuple[str, ...]) -> Any:
    if isinstance(node, list):
        return [_inlined(item, definitions, inside) for item in cast(list[Any], node)]
    if not isinstance(node, dict):
        return node
    schema = cast(Schema, node)
    if "$ref" in schema:
        name = str(schema["$ref"]).removeprefix(_PREFIX)
        if name in inside:
            raise TypeError(f"the arguments of a tool cannot contain themselves: {name}")
        return _inlined(definitions[name], definitions, (*inside, name))
    return {
        key: _schema_part(key, value, definitions, inside) for key, value in schema.items() if key not in ("title", "$defs")
    }


def _schema_part(key: str, value: Any, definitions: Schema, inside: tuple[str, ...]) -> Any:
    """A field may be called `title` too: names of properties are not keywords."""
    if key == "properties":
        return {name: _inlined(schema, definitions, inside) for name, schema in value.items()}
    return value if key in ("default", "enum", "const", "examples") else _inlined(value, definitions, inside)


_FLEX_TIMEOUT = 900.0
_FINISHES = {
    "length": "length",
    "max_tokens": "length",
    "content_filter": "refusal",
    "refusal": "refusal",
}


MOST_TOKENS = 10**9
"""Of one call. No model has read or written as many; a service that says so is not believed."""


class Completion(Struct):
    """A service's answer, as far as we read it: anything may be anything."""

    choices: Any = None
    usage: Any = None
    service_tier: Any = None
    error: Any = None
    """Some gateways put a failure into an answer with status 200."""

    @property
    def tier(self) -> str | None:
        return self.service_tier if isinstance(self.service_tier, str) else None


def request(model: str, messages: Sequence[Message], tools: Sequence[Tool], settings: ServiceConfig) -> dict[str, Any]:
    """What to post: nothing that was not asked for, because some services refuse what they do not know."""
    body: dict[str, Any] = {"model": model, "messages": outgoing(messages)}
    if tools:
        body["tools"] = [tool_schema(tool) for tool in tools]
    if settings.service_tier is not None:
        body["service_tier"] = settings.service_tier
    return body | settings.sampling()


def time_limit(settings: ServiceConfig) -> float:
    """Seconds for one answer. The flex tier is cheap because it takes its time."""
    return max(settings.model_timeout, _FLEX_TIMEOUT) if settings.service_tier == "flex" else settings.model_timeout


def outgoing(messages: Sequence[Message]) -> list[Message]:
    """The conversation in a form that no service stumbles over."""
    return [_mended(message) if message.get("role") == "assistant" else message for message in messages]


def _mended(message: Message) -> Message:
    mended = message.copy()
    if "tool_calls" in mended:
        mended["tool_calls"] = [_mended_call(call) for call in mended["tool_calls"]]
    elif mended.get("content") is None:
        mended["content"] = ""
    return mended


def _mended_call(call: dict[str, Any]) -> dict[str, Any]:
    function = call["function"]
    return call if is_json_object(function["arguments"]) else call | {"function": _wrapped(function)}


def _wrapped(function: Mapping[str, Any]) -> dict[str, Any]:
    return {**function, "arguments": msgspec.json.encode({"invalid_json": function["arguments"]}).decode()}


def is_json_object(text: str) -> bool:
    try:
        return isinstance(read_json(text), dict)
    except Unreadable:
        return False


def completion_of(body: str | Mapping[str, Any]) -> Completion:
    """Reads an answer: its text, or what another library made of it."""
    try:
        answer: Any = read_json(body) if isinstance(body, str) else body
    except Unreadable as error:
        if error.too_deep:
            raise ModelNonsense(f"the model's reply cannot be read: {error}", "unreadable_reply") from None
        raise ModelFailure("the model's service answered something that is not JSON") from None
    if not isinstance(answer, Mapping):
        raise ModelFailure("the model's service answered in an unknown form: expected an object")
    return Completion(*(_part(answer, name) for name in Completion.__struct_fields__))


def usage_of(completion: Completion) -> Usage:
    """The tokens, if the service says them believably; the cost is not known here."""
    usage = completion.usage
    counts = [_part(usage, "prompt_tokens"), _part(usage, "completion_tokens")]
    cached = _part(_part(usage, "prompt_tokens_details"), "cached_tokens") or 0
    if not all(_is_count(count) for count in (*counts, cached)):
        return Usage(1, cost=None, uncounted=1)
    return Usage(1, counts[0], min(cached, counts[0]), counts[1], None)


def reply_of(completion: Completion, usage: Usage, position: CallPosition) -> Reply:
    choices: Any = completion.choices
    if not isinstance(choices, list) or not choices:
        raise ModelFailure("the model's service answered without choices")
    choice = cast("list[Any]", choices)[0]
    message = _part(choice, "message")
    finish = _part(choice, "finish_reason")
    if finish == "error":
        raise ModelFailure("the model's service broke off its answer with an error")
    if refusal := text_of(_part(message, "refusal")):
        return Reply(refusal, (), "refusal", usage)
    made = _part(message, "tool_calls")
    listed = cast("list[Any]", made) if isinstance(made, list) else []
    calls = tuple(_tool_call(call, position, index) for index, call in enumerate(listed))
    known = _FINISHES.get(finish) if isinstance(finish, str) else None
    return Reply(text_of(_part(message, "content")), calls, known or ("tool_calls" if calls else "stop"), usage)


def _tool_call(call: Any, position: CallPosition, index: int) -> ToolCall:
    """An id that the service left out is made from the position, so that a repetition has the same one."""
    function = _part(call, "function")
    arguments = _part(function, "arguments")
    text = arguments if isinstance(arguments, str) else "" if arguments is None else msgspec.json.encode(arguments).decode()
    return ToolCall(text_of(_part(call, "id")) or f"call_{position.call}_{index}", text_of(_part(function, "name")), text)


def _part(value: Any, name: str) -> Any:
    return cast("Mapping[str, Any]", value).get(name) if isinstance(value, Mapping) else None


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS


def text_of(content: Any) -> str:
    """The text of a message, which some services send in parts."""
    if isinstance(content, list):
        parts = cast(list[Any], content)
        return "".join(str(cast(Mapping[str, Any], part).get("text", "")) for part in parts if isinstance(part, dict))
    return content if isinstance(content, str) else ""
