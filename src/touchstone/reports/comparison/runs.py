"""A run as a comparison needs it: one small entry per record. Transcripts are skipped while reading, never built."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec import Struct

from ...addresses import address_of, without_secrets
from ...errors import InputError
from ...phrases import clipped
from ...runs.records import read, read_config
from ..records import ShortRecord, short_record
from .results import RunDifference

LONGEST_REASON = 300


class RunData(Struct, frozen=True, kw_only=True):
    path: str = ""
    """As it was given; an address without its secrets."""
    title: str = ""
    identity: dict[str, Any] = {}
    versions: dict[str, str] = {}
    entries: list[ShortRecord] = []


def load(path: Path | str) -> RunData:
    """A run directory, or the address of one. Raises InputError if it is none, or its records cannot be read."""
    path = Path(path)
    config = read_config(path)
    described = {name: config[name] for name in ("title", "identity", "versions") if name in config}
    try:
        run = msgspec.convert(described, RunData)
    except msgspec.ValidationError as error:
        raise InputError(f"{path / 'config.json'}: not the configuration of a run: {error}") from None
    shown = without_secrets(address_of(path) or str(path))
    entries = [_shortened(record) for record in read(path, short_record)]
    return msgspec.structs.replace(run, path=shown, title=run.title or shown, entries=entries)


def _shortened(record: ShortRecord) -> ShortRecord:
    return msgspec.structs.replace(record, reason=clipped(record.reason, LONGEST_REASON))


# In what runs differ besides their results, and whether that leaves anything to compare.
#
# Agent and model, is what a comparison is about: such differences are listed. All else in a run's identity (data, metric,
# limits, rules of the game) says what was measured: where that differs, the numbers mean different things. A name that is not
# known here counts as the latter, so a benchmark that somebody adds is on the safe side.


THE_POINT = frozenset(
    (
        "agent model max_turns protocol service command predictions instructions schema user r_ves r_ves_wall "
        "gold_reachable code proof ties reply_cache"
    ).split()
)
"""`schema` and `instructions` are what an agent is told; `r_ves` adds a metric beside the one that decides, and so do
`ties` and `proof` (where it decides, there is `proven_by`); `code` is Touchstone's own, whose version may differ too."""
_BY_NAME = ("databases", "gold")
"""Digests of files: a run has those of its own tasks, so only what several runs have must be the same."""
_SHOWN = 3


class Incomparable(InputError):
    """The runs measure different things."""

    def __init__(self, differences: Sequence[RunDifference]) -> None:
        self.differences = list(differences)
        lines = [f"\n  {in_words(each)}" for each in self.differences]
        super().__init__("these runs cannot be compared (--force compares them anyway):" + "".join(lines))


def labels(count: int) -> list[str]:
    """A to Z, then A2 to Z2, and so on."""
    return [chr(ord("A") + number % 26) + (str(number // 26 + 1) if number >= 26 else "") for number in range(count)]


def in_words(difference: RunDifference) -> str:
    if difference.detail:
        return f"{difference.name}: {difference.detail}"
    values = zip(labels(len(difference.values)), difference.values, strict=True)
    return f"{difference.name}: " + ", ".join(f"{_plain(value)} in {label}" for label, value in values)


def differences(runs: Sequence[RunData]) -> list[RunDifference]:
    """Of the configurations and of the tasks' contents, the decisive ones first."""
    apart = [*_of_identities([run.identity for run in runs]), *_of_tasks(runs), *_of_versions(runs)]
    return sorted(apart, key=lambda each: not each.decisive)


def _of_identities(identities: Sequence[Mapping[str, Any]]) -> Iterator[RunDifference]:
    for name in _names(identities):
        values = [identity.get(name) for identity in identities]
        decisive = name not in THE_POINT
        if name in _BY_NAME:
            yield from _of_files(name, values)
        elif any(isinstance(value, dict) for value in values):
            yield from _of_parts(name, values, decisive)
        elif _several(values):
            yield RunDifference(name, values, decisive)


def _of_parts(name: str, values: Sequence[Any], decisive: bool) -> Iterator[RunDifference]:
    """Of a mapping in one run and a mapping, nothing or something else in another."""
    mappings = [_mapping(value) for value in values]
    for part in _names(mappings):
        sides = [mapping.get(part) for mapping in mappings]
        if _several(sides):
            yield RunDifference(f"{name}.{part}", sides, decisive)


def _of_files(name: str, values: Sequence[Any]) -> Iterator[RunDifference]:
    mappings = [_mapping(value) for value in values]
    shared = [part for part in _names(mappings) if sum(part in mapping for mapping in mappings) > 1]
    other = [part for part in shared if _several([mapping[part] for mapping in mappings if part in mapping])]
    if other:
        parts = [{part: mapping.get(part) for part in other} for mapping in mappings]
        yield RunDifference(name, parts, True, f"{len(other)} of {len(shared)} have another content: {_some(other)}")


def _of_tasks(runs: Sequence[RunData]) -> Iterator[RunDifference]:
    digests = [{entry.task: entry.digest for entry in run.entries} for run in runs]
    yield from _of_files("task contents", digests)


def _of_versions(runs: Sequence[RunData]) -> Iterator[RunDifference]:
    yield from _of_parts("versions", [run.versions for run in runs], decisive=False)


def _names(mappings: Sequence[Mapping[str, Any]]) -> list[str]:
    return sorted(set[str]().union(*mappings))


def _mapping(value: Any) -> Mapping[str, Any]:
    if value is None:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {"value": value}


def _several(values: Sequence[Any]) -> bool:
    return any(value != values[0] for value in values)


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


def _plain(value: Any) -> str:
    return "none" if value is None else clipped(" ".join(str(value).split()), 60)
