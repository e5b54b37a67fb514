"""Chat models."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from ..values import Message, Tool

_encode = msgspec.json.Encoder().encode


def request_digest(messages: Sequence[Message], tools: Sequence[Tool]) -> str:
    return hashlib.blake2b(_encode((messages, [tool.name for tool in tools])), digest_size=8).hexdigest()
