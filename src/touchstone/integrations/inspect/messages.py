"""A record's transcript as Inspect's chat messages."""

from __future__ import annotations

from typing import Any, Literal, cast

import msgspec
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ModelOutput,
    ModelUsage,
    StopReason,
)
from inspect_ai.tool import ToolCall as InspectCall
from inspect_ai.tool import ToolCallError

from ...values import ModelStep, NoteStep, Record, Reply, ServiceStep, ToolCall, ToolStep, Usage

_STOPS: dict[str, StopReason] = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "length": "max_tokens",
    "refusal": "content_filter",
}


def conversation(record: Record, model: str) -> list[ChatMessage]:
    """From the brief to the last step. A call that no model made, a script's or a person's, gets a message of its own."""
    messages: list[ChatMessage] = []
    if record.brief is not None:
        messages += [ChatMessageSystem(content=record.brief.instructions), ChatMessageUser(content=record.brief.request)]
    announced: set[str] = set()
    for step in record.steps:
        match step:
            case ModelStep():
                messages.append(_assistant(step.reply, model))
                announced = {call.id for call in step.reply.calls}
            case ToolStep():
                if step.call.id not in announced:
                    messages.append(ChatMessageAssistant(content="", tool_calls=[call_of(step.call)], source="generate"))
                announced.discard(step.call.id)
                messages.append(_observed(step))
            case NoteStep():
                messages.append(ChatMessageUser(content=step.text))
            case ServiceStep():
                messages.append(ChatMessageUser(content=_json(step.request)))
                messages.append(ChatMessageAssistant(content=_json(step.response), source="generate"))
    return messages


def output_of(record: Record, model: str) -> ModelOutput | None:
    """The last reply."""
    replies = [step.reply for step in record.steps if isinstance(step, ModelStep)]
    if not replies:
        return None
    last = replies[-1]
    choice = ChatCompletionChoice(message=_assistant(last, model), stop_reason=_STOPS.get(last.finish, "unknown"))
    return ModelOutput(model=model, choices=[choice], usage=usage_of(last.usage))


def usage_of(usage: Usage) -> ModelUsage:
    """Inspect counts cached tokens apart from the input."""
    return ModelUsage(
        input_tokens=max(usage.input_tokens - usage.cached_tokens, 0),
        input_tokens_cache_read=usage.cached_tokens,
        output_tokens=usage.output_tokens,
        total_tokens=usage.input_tokens + usage.output_tokens,
        total_cost=usage.cost,
    )


def call_of(call: ToolCall) -> InspectCall:
    """Arguments that are no JSON object stay readable in the error."""
    try:
        arguments = msgspec.json.decode(call.arguments or "{}")
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        arguments = None
    if isinstance(arguments, dict):
        return InspectCall(call.id, call.name, cast("dict[str, Any]", arguments))
    return InspectCall(call.id, call.name, {}, parse_error=f"not a JSON object: {call.arguments}")


def _assistant(reply: Reply, model: str) -> ChatMessageAssistant:
    calls = [call_of(call) for call in reply.calls]
    return ChatMessageAssistant(content=reply.text, tool_calls=calls or None, model=model, source="generate")


def _observed(step: ToolStep) -> ChatMessageTool:
    kind: Literal["unknown"] = "unknown"
    seen = step.observation
    return ChatMessageTool(
        content=seen.text,
        tool_call_id=step.call.id,
        function=step.call.name,
        error=ToolCallError(kind, seen.text) if seen.error else None,
    )


def _json(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
