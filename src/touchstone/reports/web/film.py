"""Pictures and videos of the screen in an episode: what steps and evidence name by paths below the run directory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from .charts import listed, mapping
from .episodes import ShownEpisode
from .layout import Child, h


def film_strip(episode: ShownEpisode, files: str) -> Child:
    """All pictures in their order, each a link to its step; `files` is where they are."""
    strip = [
        h("a", h("img", src=files + address(shot), alt=f"Screen at step {number}", loading="lazy"), href=f"#step-{number}")
        for number, shot in _placed(episode)
    ]
    video = episode.evidence.get("video")
    moving = (
        h("video", src=files + address(video), controls=True, preload="metadata") if video and isinstance(video, str) else None
    )
    shown = (h("div", strip, class_="film", tabindex="0") if strip else None, moving)
    return h("section", h("h2", "Screens"), *shown, id="film") if strip or moving else None


def files_of(episode: ShownEpisode) -> list[str]:
    """All files that a page names, as they stand in the record: nobody has looked whether there are such."""
    others = [details_of(step).get(name) for step in episode.steps for name in ("marked", "accessibility")]
    named = [episode.evidence.get("video"), *others]
    return [shot for _, shot in _placed(episode)] + [name for name in named if isinstance(name, str) and name]


def _placed(episode: ShownEpisode) -> list[tuple[int, str]]:
    """With the number of the step; those of the evidence belong to the last. What a step began with is mostly what the one
    before it ended with, and is not shown twice."""
    placed: list[tuple[int, str]] = []
    for number, step in enumerate(episode.steps, 1):
        before = details_of(step).get("before")
        if isinstance(before, str) and before and (not placed or placed[-1][1] != before):
            placed.append((number, before))
        placed += [(number, shot) for shot in [*pictures_of(details_of(step)), *pictures_of(step)]]
    return [*placed, *((len(episode.steps), shot) for shot in pictures_of(episode.evidence))]


def details_of(step: Mapping[str, Any]) -> Mapping[str, Any]:
    return mapping(mapping(step.get("observation")).get("details"))


def pictures_of(details: Mapping[str, Any]) -> list[str]:
    one = details.get("screenshot")
    return [each for each in (one, *listed(details.get("screenshots"))) if isinstance(each, str) and each]


def address(path: str) -> str:
    return quote(path.encode("utf-8", "replace"), safe="/")


def shown_as(path: str) -> str:
    """The name under which a file is served: a tree is XML that a guest made, and no browser may take it for a page."""
    return f"{path}.txt" if path.endswith(".xml") else path
