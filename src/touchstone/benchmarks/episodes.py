"""What most episodes have in common: no other model at work, no price for a misread move, no credit before a verdict."""

from __future__ import annotations

from collections.abc import Mapping

from ..values import Observation, Standing, Usage


class PlainEpisode:
    usage_by: Mapping[str, Usage] = {}

    def unreadable(self, complaint: str) -> Observation:
        return Observation(complaint, error=True)

    def standing(self) -> Standing:
        return Standing()
