"""The chat-completions format, out and in.

Out: a conversation as services accept it. A tool call with broken JSON is history like any other, but the templates
of several servers parse it and fail, so its text is wrapped in a valid object on the way out; and an assistant's
message that says nothing at all has an empty text, because null is refused.
In: a service's answer as a `Reply`. Services differ in what they leave out, so everything is optional here except
the choices, and what makes no sense becomes a ModelFailure that says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec
from msgspec import Struct

from ..failures import ModelFailure
from ..protocols import ModelSettings
from ..values import Message, Place, Reply, Tool, ToolCall, Usage
from .schemas import tool_schema

_FLEX_TIMEOUT = 900.0
_FINISHES = {
    "length": "length",
    "max_tokens": "length",
    "content_filter": "refusal",
    "refusal": "refusal",
}


class _Details(Struct):
    cached_tokens: int | None = None


class _Usage(Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _Details | None = None


class _Function(Struct):
    name: str = ""
    arguments: Any = ""


class _Call(Struct):
    function: _Function
    id: str | None = None


class _Message(Struct):
    content: Any = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None


class _Choice(Struct):
    message: _Message
    finish_reason: str | None = None


class Completion(Struct):
    """A service's answer, as far as we read it."""

    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    service_tier: str | None = None
    error: Any = None
    """Some gateways put a failure into an answer with status 200."""


_decoder = msgspec.json.Decoder(Completion)


def request(model: str, messages: Sequence[Message], tools: Sequence[Tool], settings: ModelSettings) -> dict[str, Any]:
    """What to post: nothing that was not asked for, because some services refuse what they do not know."""
    body: dict[str, Any] = {"model": model, "messages": outgoing(messages)}
    if tools:
        body["tools"] = [tool_schema(tool) for tool in tools]
    if settings.service_tier is not None:
        body["service_tier"] = settings.service_tier
    return body


def time_limit(settings: ModelSettings) -> float:
    """Seconds for one answer. The flex tier is cheap because it takes its time."""
    return max(settings.timeout, _FLEX_TIMEOUT) if settings.service_tier == "flex" else settings.timeout


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
        return isinstance(msgspec.json.decode(text), dict)
    except (msgspec.DecodeError, UnicodeError):
        return False


def completion_of(body: str | Mapping[str, Any]) -> Completion:
    """Reads an answer: its text, or what another library made of it."""
    try:
        return _decoder.decode(body) if isinstance(body, str) else msgspec.convert(body, Completion)
    except msgspec.ValidationError as error:
        raise ModelFailure(f"the model's service answered in an unknown form: {error}") from None
    except (msgspec.DecodeError, UnicodeError):
        raise ModelFailure("the model's service answered something that is not JSON") from None


def usage_of(completion: Completion) -> Usage:
    """The tokens; the cost is not known here."""
    usage = completion.usage or _Usage()
    cached = usage.prompt_tokens_details and usage.prompt_tokens_details.cached_tokens
    return Usage(1, usage.prompt_tokens or 0, cached or 0, usage.completion_tokens or 0, None)


def reply_of(completion: Completion, usage: Usage, place: Place) -> Reply:
    if not completion.choices:
        raise ModelFailure("the model's service answered without choices")
    choice = completion.choices[0]
    message = choice.message
    if choice.finish_reason == "error":
        raise ModelFailure("the model's service broke off its answer with an error")
    if message.refusal:
        return Reply(message.refusal, (), "refusal", usage)
    calls = tuple(_tool_call(call, place, index) for index, call in enumerate(message.tool_calls or ()))
    finish = _FINISHES.get(choice.finish_reason or "", "tool_calls" if calls else "stop")
    return Reply(text_of(message.content), calls, finish, usage)


def _tool_call(call: _Call, place: Place, index: int) -> ToolCall:
    """An id that the service left out is made from the place, so that a repetition has the same one."""
    arguments = call.function.arguments
    text = arguments if isinstance(arguments, str) else msgspec.json.encode(arguments).decode()
    return ToolCall(call.id or f"call_{place.call}_{index}", call.function.name, text)


def text_of(content: Any) -> str:
    """The text of a message, which some services send in parts."""
    if isinstance(content, list):
        parts = cast(list[Any], content)
        return "".join(str(cast(Mapping[str, Any], part).get("text", "")) for part in parts if isinstance(part, dict))
    return content if isinstance(content, str) else ""
