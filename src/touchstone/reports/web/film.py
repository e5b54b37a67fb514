"""Pictures of the screen in an episode: what steps and evidence name by paths below the run directory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from .episodes import Episode
from .html import Child, h
from .shapes import listed, mapping


def film_strip(episode: Episode, files: str) -> Child:
    """All pictures in their order, each a link to its step; `files` is where they are."""
    strip = [
        h("a", h("img", src=files + address(shot), alt=f"Screen at step {place}", loading="lazy"), href=f"#step-{place}")
        for place, shot in _placed(episode)
    ]
    return h("section", h("h2", "Screens"), h("div", strip, class_="film", tabindex="0"), id="film") if strip else None


def screenshots(episode: Episode) -> list[str]:
    """As they stand in the record: nobody has looked whether there is such a file."""
    return [shot for _, shot in _placed(episode)]


def _placed(episode: Episode) -> list[tuple[int, str]]:
    """With the number of the step; those of the evidence belong to the last."""
    of_steps = [
        (place, shot)
        for place, step in enumerate(episode.steps, 1)
        for shot in [*pictures_of(details_of(step)), *pictures_of(step)]
    ]
    return [*of_steps, *((len(episode.steps), shot) for shot in pictures_of(episode.evidence))]


def details_of(step: Mapping[str, Any]) -> Mapping[str, Any]:
    return mapping(mapping(step.get("observation")).get("details"))


def pictures_of(details: Mapping[str, Any]) -> list[str]:
    one = details.get("screenshot")
    return [each for each in (one, *listed(details.get("screenshots"))) if isinstance(each, str) and each]


def address(path: str) -> str:
    return quote(path.encode("utf-8", "replace"), safe="/")
