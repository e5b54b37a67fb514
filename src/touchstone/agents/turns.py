"""What all agents with a model have in common."""

from __future__ import annotations

from typing import Annotated, ClassVar

from ..options import Count, Opt
from ..protocols import WHO, AgentConfig


class TurnsConfig(AgentConfig, frozen=True, kw_only=True):
    """An agent that asks a model, and has so many turns."""

    needs_model: ClassVar[bool] = True

    max_turns: Annotated[Count, Opt(group=WHO)] = 20
    """How many replies the model has for one task."""
