"""Pictures in a conversation, in the form that chat services take them."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import Any

from ..values import Message


def parts(text: str, pictures: Sequence[bytes]) -> Any:
    """The content of a message: plain text if that is all there is."""
    if not pictures:
        return text
    return [*([{"type": "text", "text": text}] if text else []), *map(_picture, pictures)]


def as_user(text: str, pictures: Sequence[bytes]) -> Message:
    return Message(role="user", content=parts(text, pictures))


def encoded(picture: bytes) -> str:
    return b64encode(picture).decode()


def _picture(picture: bytes) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{encoded(picture)}"}}
