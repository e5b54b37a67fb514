"""A run as a comparison needs it: one small entry per record. Transcripts are skipped while reading, never built."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ...addresses import address_of, without_secrets
from ...failures import InputError
from ...runs.reading import read, read_config
from ...values import Outcome, Usage

LONGEST_REASON = 300


class Proof(Struct, frozen=True):
    """What small databases say of a prediction that is right by EX."""

    verdict: str = ""


class Evidence(Struct, frozen=True):
    """As much of it as a comparison needs."""

    proof: Proof | None = None


class Entry(Struct, frozen=True, kw_only=True):
    """What is kept of a record."""

    task: str
    index: int = 0
    """Position in the dataset: the order in which tasks are listed and resampled."""
    epoch: int
    digest: str
    facets: dict[str, str]
    outcome: Outcome
    score: float
    reason: str
    metrics: dict[str, float]
    evidence: Evidence = Evidence()
    usage: Usage


class RunData(Struct, frozen=True, kw_only=True):
    path: str
    """As it was given; an address without its secrets."""
    title: str
    identity: dict[str, Any]
    versions: dict[str, str]
    entries: list[Entry]


_decoder = msgspec.json.Decoder(Entry)


def load(path: Path | str) -> RunData:
    """A run directory, or the address of one. Raises InputError if it is none, or its records cannot be read."""
    path = Path(path)
    config = _config(path)
    shown = without_secrets(address_of(path) or str(path))
    return RunData(
        path=shown,
        title=config.title or shown,
        identity=config.identity,
        versions=config.versions,
        entries=list(_entries(path)),
    )


class _Config(Struct):
    title: str = ""
    identity: dict[str, Any] = {}
    versions: dict[str, str] = {}


def _config(path: Path) -> _Config:
    try:
        return msgspec.convert(read_config(path), _Config)
    except msgspec.ValidationError as error:
        raise InputError(f"{path / 'config.json'}: not the configuration of a run: {error}") from None


def _entries(path: Path) -> Iterator[Entry]:
    return map(_shortened, read(path, _decoder))


def _shortened(entry: Entry) -> Entry:
    if len(entry.reason) <= LONGEST_REASON:
        return entry
    return msgspec.structs.replace(entry, reason=entry.reason[: LONGEST_REASON - 1] + "…")
