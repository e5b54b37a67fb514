"""What all agents with a model have in common."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, ClassVar

from ..options import Count, Opt
from ..protocols import WHO, AgentConfig, Gold, GoldReach
from ..types import Message


class TurnsConfig(AgentConfig, frozen=True, kw_only=True):
    """An agent that asks a model, and has so many turns."""

    needs_model: ClassVar[bool] = True

    max_turns: Annotated[Count, Opt(group=WHO)] = 20
    """At most this many model replies per task."""


# What agents say of themselves when they are asked whether they could have read the gold.


async def only_tools(_agent: object, gold: Gold | None) -> GoldReach:
    """A model sees what it is sent: the brief, and what the task's tools show."""
    return GoldReach("no (only tools)")


async def plays_the_gold(_agent: object, gold: Gold | None) -> GoldReach:
    return GoldReach("yes")


# Pictures in a conversation, in the form that chat services take them.


def parts(text: str, pictures: Sequence[bytes]) -> Any:
    """The content of a message: plain text if that is all there is."""
    if not pictures:
        return text
    return [*([{"type": "text", "text": text}] if text else []), *map(_picture, pictures)]


def as_user(text: str, pictures: Sequence[bytes]) -> Message:
    return Message(role="user", content=parts(text, pictures))


@lru_cache(maxsize=64)  # a picture is shown again in the turns after it
def encoded(picture: bytes) -> str:
    return b64encode(picture).decode()


def _picture(picture: bytes) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{encoded(picture)}"}}
