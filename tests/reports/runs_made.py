"""Run directories written by hand, for what compares them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from tests.support.records import a_record
from touchstone.reports.comparison import RunData, load
from touchstone.types import Outcome, Record

IDENTITY: dict[str, Any] = {
    "benchmark": "bird",
    "databases": {"shop": "d1", "zoo": "d2"},
    "metric": "ex",
    "evidence": True,
    "limits": {"seconds": 30.0, "rows": 1_000_000},
    "instructions": "i1",
    "agent": "tools",
    "model": "one",
    "max_turns": 20,
}
SHORT = {
    "+": Outcome.passed,
    "-": Outcome.failed,
    "l": Outcome.limit,
    "e": Outcome.error,
    "u": Outcome.unscorable,
    "s": Outcome.skipped,
}


def write_run(path: Path, records: Iterable[Record], identity: Mapping[str, Any] | None = None, **config: Any) -> Path:
    path.mkdir(parents=True)
    whole = {"format": 1, "title": f"Test: {path.name}", "identity": {**IDENTITY, **(identity or {})}, **config}
    (path / "config.json").write_bytes(msgspec.json.encode(whole))
    (path / "runs.jsonl").write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))
    return path


def outcomes(letters: str, *, epoch: int = 0, databases: int = 2) -> list[Record]:
    """One task for each letter: + passed, - failed, l limit, e error, u unscorable, s skipped."""
    return [
        a_record(f"t{number}", SHORT[letter], index=number, epoch=epoch, facets={"database": f"db{number % databases}"})
        for number, letter in enumerate(letters)
    ]


def a_run(path: Path, *letters: str, identity: Mapping[str, Any] | None = None, databases: int = 2) -> RunData:
    """A run with one text of letters for each epoch."""
    records = [record for epoch, text in enumerate(letters) for record in outcomes(text, epoch=epoch, databases=databases)]
    return load(write_run(path, records, identity))
