"""Chat models: OpenAI-compatible services, LiteLLM, a small model inside the process, and recordings.

One module per kind, each with a `plugin(name, settings)` that an entry point names. What they share is in three
small modules: `schemas` (a tool as JSON schema), `wire` (the chat-completions format, out and in) and `faults`
(what a service's complaint means). Nothing heavy is imported before a model is built.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import msgspec

from ..values import Message, Tool

__all__ = ["request_digest"]

_encode = msgspec.json.Encoder(order="deterministic").encode


def request_digest(messages: Sequence[Message], tools: Sequence[Tool]) -> str:
    """Identifies what a model was asked: equal for equal conversations, whatever the order of keys in a message."""
    return blake2b(_encode((messages, [tool.name for tool in tools])), digest_size=8).hexdigest()
