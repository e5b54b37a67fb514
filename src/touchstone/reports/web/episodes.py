"""One whole episode, read when it is asked for; and what is left of it when references are to stay hidden.

Steps and evidence are read as plain JSON: a page must show what is there, also of benchmarks and versions unknown to it.
"""

# ruff: noqa: RUF012 (an empty default of a struct is copied)

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from ...plugins import structs_with
from ...runs.custody import public_reason
from ..records import LooseRecord
from .charts import mapping, objects
from .index import IndexEntry
from .library import Run

_SHOWN = frozenset(
    """
    kind prediction predicted_rows predicted_columns executed rows submission budget charges screenshots
    ended episode video video_problem setup
    """.split()
)
"""Of the evidence: what says nothing of the reference, whatever the benchmark. Benchmarks name more."""
_OF_A_SUBMISSION = frozenset("phase passed feedback kind sql verdicts".split())
_OF_AN_OBSERVATION = frozenset("table charge refused screenshot screenshots before marked accessibility returncode".split())


class ShownEpisode(LooseRecord, frozen=True, kw_only=True):
    steps: list[dict[str, Any]] = []  # pyright: ignore[reportIncompatibleVariableOverride]
    withheld: bool = False
    """References have been taken out, and the steps too where they are the reference."""


_decoder = msgspec.json.Decoder(ShownEpisode)


class RecordGone(Exception):
    """The record is not where it was, or not what it was: the run was resumed, or its file is damaged."""


def read(run: Run, entry: IndexEntry, *, hide_gold: bool = False) -> ShownEpisode:
    try:
        episode = _decoder.decode(run.index.line(entry))
    except (OSError, msgspec.DecodeError, UnicodeError) as error:
        raise RecordGone(str(error)) from None
    if (episode.task, episode.epoch) != entry.key:
        raise RecordGone("the file was rewritten")
    return without_gold(episode, run.agent, run.benchmark) if hide_gold else episode


def without_gold(episode: ShownEpisode, agent: str, benchmark: str) -> ShownEpisode:
    """The oracle's moves are the reference, and so are not shown at all."""
    played = agent == "oracle"
    named = next((each.public_evidence for each in structs_with("benchmarks", "public_evidence", named=benchmark)), ())
    evidence = {name: value for name, value in episode.evidence.items() if name in _SHOWN or name in named}
    if submissions := objects(episode.evidence.get("submissions")):
        evidence["submissions"] = [_only(each, _OF_A_SUBMISSION) for each in submissions]
    return replace(
        episode,
        reason=public_reason(episode.outcome, episode.reason, episode.kind),
        evidence={name: value for name, value in evidence.items() if not played or name in ("kind", "budget", "charges")},
        steps=[] if played else [_public_step(step) for step in episode.steps],
        withheld=True,
    )


def reason_of(record: LooseRecord, hide_gold: bool) -> str:
    return public_reason(record.outcome, record.reason, record.kind) if hide_gold else record.reason


def _public_step(step: dict[str, Any]) -> dict[str, Any]:
    observation = mapping(step.get("observation"))
    details = mapping(observation.get("details"))
    if not details:
        return step
    kept = _only(details, _OF_AN_OBSERVATION)
    if finding := mapping(details.get("finding")):
        kept["finding"] = _only(finding, _OF_A_SUBMISSION)
    if user := mapping(details.get("user")):
        kept["user"] = _only(user, frozenset({"text", "choice"}))
    return {**step, "observation": {**observation, "details": kept}}


def _only(value: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: each for name, each in value.items() if name in names}
