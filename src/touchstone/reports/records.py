"""Records as reports read them: of any version or make, since only a task and an outcome must be there."""

# ruff: noqa: RUF012 (an empty default of a struct is copied)

from __future__ import annotations

from typing import Any, TypedDict

import msgspec
from msgspec import Struct
from msgspec.structs import force_setattr

from ..phrases import clipped
from ..types import Record, Step, Usage

LONGEST_QUESTION = 160


class LooseRecord(Record, frozen=True, kw_only=True):
    index: int = 0
    epoch: int = 0
    digest: str = ""
    facets: dict[str, str] = {}
    score: float | None = None
    reason: str = ""
    metrics: dict[str, float] = {}
    evidence: dict[str, Any] = {}
    usage: Usage = Usage()
    started: str = ""
    seconds: float = 0.0

    @property
    def kind(self) -> str:
        return str(self.evidence.get("kind") or "")


class _Proof(TypedDict, total=False):
    verdict: Any


class _Evidence(TypedDict, total=False):
    kind: Any
    proof: _Proof | None
    reached: Any
    """When phases were passed, for curves."""


class _Fields(Struct, frozen=True):
    question: Any = None


class _Asked(Struct, frozen=True):
    request: str = ""
    fields: _Fields = _Fields()


class ShortRecord(LooseRecord, frozen=True, kw_only=True, rename={"steps": "(left out)"}):
    """Without its brief and its steps, which the decoder skips, and with as much of its evidence as lists, curves and
    comparisons need."""

    evidence: _Evidence = {}  # pyright: ignore[reportIncompatibleVariableOverride]
    brief: _Asked | None = None  # pyright: ignore[reportIncompatibleVariableOverride]
    steps: list[Step] = []
    question: str = ""
    """The beginning of it, taken from the brief."""

    def __post_init__(self) -> None:
        if self.brief is not None:
            asked = self.brief.fields.question
            force_setattr(self, "question", cut(asked if isinstance(asked, str) and asked else self.brief.request))
            force_setattr(self, "brief", None)

    @property
    def proof(self) -> str | None:
        """What small databases say of a prediction that is right by EX."""
        proof = self.evidence.get("proof")
        return None if proof is None else str(proof.get("verdict"))


short_record = msgspec.json.Decoder(ShortRecord)


def cut(words: str, longest: int = LONGEST_QUESTION) -> str:
    """On one line, and not longer than this."""
    return clipped(" ".join(words[: 4 * longest].split()), longest)
