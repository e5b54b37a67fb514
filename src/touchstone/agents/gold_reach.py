"""What agents say of themselves when they are asked whether they could have read the gold."""

from __future__ import annotations

from ..protocols import Gold, GoldReach


async def only_tools(_agent: object, gold: Gold | None) -> GoldReach:
    """A model sees what it is sent: the brief, and what the task's tools show."""
    return GoldReach("no (only tools)")


async def plays_the_gold(_agent: object, gold: Gold | None) -> GoldReach:
    return GoldReach("yes")
