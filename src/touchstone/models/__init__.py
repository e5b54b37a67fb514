"""Chat models: OpenAI-compatible services, LiteLLM, a small model inside the process, and recordings.

One module per kind, each with a struct of options that an entry point names. What they share: `client` (HTTP), `transport`
(answers within limits, the options of a service), `wire` (the chat-completions format, out and in) and `faults` (what a
service's complaint means). Nothing heavy is imported before a model is built.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, cast

import msgspec

from ..types import Message, Tool

__all__ = ["has_pictures", "picture_sizes", "request_digest"]

_encode = msgspec.json.Encoder(order="deterministic").encode


def request_digest(messages: Sequence[Message], tools: Sequence[Tool]) -> str:
    """Identifies what a model was asked: equal for equal conversations, whatever the order of keys in a message.

    What pictures show does not count: a live screen is never the same twice, if only for its clock.
    """
    shown = [_without_pictures(message) for message in messages]
    return blake2b(_encode((shown, [tool.name for tool in tools])), digest_size=8).hexdigest()


def _without_pictures(message: Message) -> Message:
    content = message.get("content")
    if not isinstance(content, list):
        return message
    changed = message.copy()
    changed["content"] = [{"type": "image_url"} if _is_picture(part) else part for part in cast("list[Any]", content)]
    return changed


def has_pictures(messages: Sequence[Message]) -> bool:
    return bool(picture_sizes(messages))


def picture_sizes(messages: Sequence[Message]) -> list[int]:
    """The bytes of each picture as it is sent."""
    contents = (message.get("content") for message in messages)
    pictures = (part for each in contents if isinstance(each, list) for part in cast("list[Any]", each) if _is_picture(part))
    return [len(picture["image_url"]["url"]) for picture in pictures]


def _is_picture(part: Any) -> bool:
    return isinstance(part, dict) and cast("dict[str, Any]", part).get("type") == "image_url"
