"""The gold folder of Spider2-lite: gold results as CSV files, and which of their columns count.

exec_result/<id>.csv, or <id>_a.csv, <id>_b.csv, …    one match is enough
spider2lite_eval.jsonl                                instance_id, condition_cols, ignore_order
sql/<id>.sql                                          gold SQL, for few
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections import defaultdict
from collections.abc import Collection
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from ...errors import InputError, Unscorable
from ..task_file import entries, in_words
from .comparison.conditions import intended

Compat = Literal["strict", "official"]
"""Which comparison decides; both are recorded."""

_LENGTH_OF_BODY = 4_000
_VARIANT = re.compile(r"(?P<id>.+?)(?:_(?P<letter>[a-z]))?\.csv")


class Conditions(Struct, frozen=True):
    instance_id: str
    condition_cols: list[int | list[int]] | None = None
    ignore_order: bool = True


class GoldFile(Struct, frozen=True):
    path: str
    digest: str


class Reference(Struct, frozen=True):
    """What a result is compared with."""

    files: tuple[GoldFile, ...]
    condition_cols: list[Any]
    ignore_order: bool
    lettered: bool
    """Whether the files are named with a letter: the official suite reads the conditions otherwise then."""


class Golden:
    """All references of a gold folder, each read when it is asked for."""

    def __init__(self, directory: Path) -> None:
        results = directory / "exec_result"
        if not results.is_dir():
            raise InputError(f"{directory}: not a gold folder (it has no exec_result/)")
        self.sql = directory / "sql"
        self.metadata = directory / "spider2lite_eval.jsonl"
        self._results = results
        self._conditions, self._faults = _read_conditions(self.metadata)
        self._files = _variants(results, self._conditions.keys() | self._faults.keys())

    @property
    def ids(self) -> set[str]:
        """The questions that have a gold result."""
        return set(self._files)

    def has(self, instance_id: str) -> bool:
        return bool(self.files(instance_id))

    def files(self, instance_id: str) -> list[Path]:
        """The gold results of a question, one of which has to match. An id may itself end like a variant: its own file is
        then its only one."""
        own = self._results / f"{instance_id}.csv"
        return self._files.get(instance_id) or ([own] if own.is_file() else [])

    def reference(self, instance_id: str) -> Reference:
        """Raises Unscorable if there is none, or its row of the metadata cannot be read."""
        if instance_id in self._faults:
            raise Unscorable(self._faults[instance_id], "gold_conditions")
        paths = self.files(instance_id)
        if not paths:
            raise Unscorable(f"no gold result: exec_result/{instance_id}.csv is missing", "gold_missing")
        conditions = self._conditions.get(instance_id, Conditions(instance_id))
        files = tuple(_hashed(path) for path in paths)
        lettered = paths[0].name != f"{instance_id}.csv"
        return Reference(files, list(conditions.condition_cols or ()), conditions.ignore_order, lettered)

    def check_columns(self, instance_id: str) -> None:
        """Raises Unscorable if the metadata names columns that no golden file has: nothing could ever match.

        That only some variants lack them happens in the official data (bq389), and those just do not match.
        """
        conditions = self._conditions.get(instance_id, Conditions(instance_id)).condition_cols
        files = self.files(instance_id)
        lacking = [_lacking(*each) for each in zip(files, intended(conditions, len(files)), strict=True)]
        if lacking and all(lacking):
            what = f"{self.metadata.name}: {instance_id}: field 'condition_cols': {lacking[0]}"
            raise Unscorable(what, "gold_conditions")


def body_of(path: Path) -> str:
    """How a gold result goes on after the names of its columns: by this it is known again elsewhere."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            file.readline()
            return file.read(_LENGTH_OF_BODY)
    except OSError:
        return ""


class _Named(Struct, frozen=True):
    instance_id: str


def _read_conditions(path: Path) -> tuple[dict[str, Conditions], dict[str, str]]:
    """By question, and what is wrong with the rows of others: a bad row costs its question, not the run."""
    by_task: dict[str, Conditions] = {}
    faults: dict[str, str] = {}
    for number, value in entries(path):
        try:
            conditions = msgspec.convert(value, Conditions)
        except msgspec.ValidationError as error:
            what = f"row {number}: {in_words(str(error))}"
            try:
                faults[msgspec.convert(value, _Named).instance_id] = f"{path.name}: {what}"
            except msgspec.ValidationError:
                raise InputError(f"{path}: {what}") from None
            continue
        if len({type(column) for column in conditions.condition_cols or ()}) > 1:
            what = "field 'condition_cols': expected numbers or lists of numbers, found both"
            faults[conditions.instance_id] = f"{path.name}: row {number}: {what}"
            continue
        by_task[conditions.instance_id] = conditions
        faults.pop(conditions.instance_id, None)  # of several rows the last counts
    return by_task, faults


def _variants(results: Path, known: Collection[str]) -> dict[str, list[Path]]:
    """A file without a letter stands alone, as officially; so does one whose whole name is a known id."""
    lettered: defaultdict[str, list[Path]] = defaultdict(list)
    single: dict[str, list[Path]] = {}
    for path in sorted(results.glob("*.csv")):
        name = _VARIANT.fullmatch(path.name)
        if name is None:
            continue
        if name["letter"] and path.stem not in known:
            lettered[name["id"]].append(path)
        else:
            single[path.stem] = [path]
    return {**lettered, **single}


def _hashed(path: Path) -> GoldFile:
    try:
        return GoldFile(str(path.absolute()), hashlib.sha256(path.read_bytes()).hexdigest())
    except OSError as error:
        raise Unscorable(f"the gold result {path.name} cannot be read: {error.strerror}", "gold_unreadable") from None


def _lacking(path: Path, columns: list[int]) -> str | None:
    """Which column is not there, in words."""
    width = _width(path) if columns else None
    outside = [] if width is None else [column for column in columns if not -width <= column < width]
    return f"column {outside[0]} is not in {path.name}, which has {width}" if outside else None


def _width(path: Path) -> int | None:
    """None for a file that cannot be read, which makes its task unscorable and is no mistake of the metadata."""
    try:
        with path.open(newline="", encoding="utf-8", errors="replace") as file:
            return len(next(csv.reader(file), ())) or None
    except (OSError, csv.Error):
        return None
