"""The gold folder of Spider2-lite: golden results as CSV files, and which of their columns count.

exec_result/<id>.csv, or <id>_a.csv, <id>_b.csv, …    one match is enough
spider2lite_eval.jsonl                                instance_id, condition_cols, ignore_order
sql/<id>.sql                                          gold SQL, for few
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections import defaultdict
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
        self._conditions = _read_conditions(self.metadata)
        self._files = _variants(results)

    @property
    def ids(self) -> set[str]:
        """The questions that have a golden result."""
        return set(self._files)

    def has(self, instance_id: str) -> bool:
        return instance_id in self._files

    def files(self, instance_id: str) -> list[Path]:
        """The golden results of a question, one of which has to match."""
        return self._files.get(instance_id, [])

    def reference(self, instance_id: str) -> Reference:
        if instance_id not in self._files:
            raise Unscorable(f"no golden result: exec_result/{instance_id}.csv is missing", "gold_missing")
        conditions = self._conditions.get(instance_id, Conditions(instance_id))
        files = tuple(_hashed(path) for path in self._files[instance_id])
        lettered = self._files[instance_id][0].name != f"{instance_id}.csv"
        return Reference(files, list(conditions.condition_cols or ()), conditions.ignore_order, lettered)

    def check_columns(self, instance_id: str) -> None:
        """Raises InputError if the metadata names columns that no golden file has: nothing could ever match.

        That only some variants lack them happens in the official data (bq389), and those just do not match.
        """
        conditions = self._conditions.get(instance_id, Conditions(instance_id)).condition_cols
        files = self._files.get(instance_id, [])
        lacking = [_lacking(*each) for each in zip(files, intended(conditions, len(files)), strict=True)]
        if lacking and all(lacking):
            raise InputError(f"{self.metadata}: {instance_id}: field 'condition_cols': {lacking[0]}")


def body_of(path: Path) -> str:
    """How a golden result goes on after the names of its columns: by this it is known again elsewhere."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            file.readline()
            return file.read(_LENGTH_OF_BODY)
    except OSError:
        return ""


def _read_conditions(path: Path) -> dict[str, Conditions]:
    found: dict[str, Conditions] = {}
    for number, value in entries(path):
        try:
            conditions = msgspec.convert(value, Conditions)
        except msgspec.ValidationError as error:
            raise InputError(f"{path}: row {number}: {in_words(str(error))}") from None
        if len({type(column) for column in conditions.condition_cols or ()}) > 1:
            raise InputError(f"{path}: row {number}: field 'condition_cols': expected numbers or lists of numbers, found both")
        found[conditions.instance_id] = conditions
    return found


def _variants(results: Path) -> dict[str, list[Path]]:
    """A file without a letter stands alone, as officially."""
    lettered: defaultdict[str, list[Path]] = defaultdict(list)
    single: dict[str, list[Path]] = {}
    for path in sorted(results.glob("*.csv")):
        name = _VARIANT.fullmatch(path.name)
        if name is None:
            continue
        if name["letter"]:
            lettered[name["id"]].append(path)
        else:
            single[name["id"]] = [path]
    return {**lettered, **single}


def _hashed(path: Path) -> GoldFile:
    try:
        return GoldFile(str(path.absolute()), hashlib.sha256(path.read_bytes()).hexdigest())
    except OSError as error:
        raise Unscorable(f"the golden result {path.name} cannot be read: {error.strerror}", "gold_unreadable") from None


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
