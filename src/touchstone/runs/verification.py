"""Is a run as it was written? Its seals are checked, and its summaries are made anew from its records and compared."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import msgspec

from ..errors import InputError, os_errors_as
from ..types import Usage
from . import seal
from .aggregate import Aggregate
from .custody import answer_in
from .records import SLIM, decode_line, read_config, refuse_second
from .remote import open_to_read
from .summary import summary_text

_MOST_NAMED = 20
_MADE_WITH = "Made with:"


@dataclass
class Verification:
    """What was found, in words."""

    right: list[str] = field(default_factory=lambda: [])
    wrong: list[str] = field(default_factory=lambda: [])
    open: list[str] = field(default_factory=lambda: [])
    """What cannot be vouched for, though nothing speaks against it."""
    seal: str | None = None
    """What stands for the whole run."""

    @property
    def holds(self) -> bool:
        return not (self.wrong or self.open)


def verify(run: Path, published: str | None = None) -> Verification:
    """`published` is the seal that the run must have. Raises InputError if this is not a run directory."""
    config = read_config(run)
    report = Verification()
    chain = seal.Chain.of(config)
    if chain is None:
        report.open.append("not sealed: made by a Touchstone that did not seal runs, or its seal was taken out on purpose")
    counted, heads = _records(run, chain, report)
    closing = _closing(run, report) if chain is not None else None
    if closing is not None:
        _compare_with_seal(run, closing, heads, report)
    _summaries(run, config, counted, report, finished=closing is not None)
    if published is not None and published != report.seal:
        report.wrong.append(f"the seal is {report.seal or 'missing'}, expected {published}")
    return report


def _records(run: Path, chain: seal.Chain | None, report: Verification) -> tuple[Aggregate, list[str]]:
    """The count of all records that can be read, and the seal after each line."""
    file = run / "runs.jsonl"
    counted = Aggregate()
    heads = [chain.head.decode()] if chain else []
    seen: dict[tuple[str, int], int] = {}
    wrong: list[str] = []
    with os_errors_as(InputError, f"{file}: cannot read the records of this run"), open_to_read(file) as lines:
        for number, line in enumerate(lines, 1):
            try:
                record = decode_line(file, number, line, SLIM)
                if record is None:
                    report.open.append(f"runs.jsonl: line {number} is torn: the run was killed, or is being written")
                    continue
                refuse_second(file, number, record, seen)
                counted.add(record)
                name = f"line {number} (task {record.task}, epoch {record.epoch})"
            except InputError as error:
                wrong.append(str(error).replace(f"{file}: ", "runs.jsonl: "))
                name = f"line {number}"
            if chain is not None:
                if not chain.follows(line):
                    wrong.append(f"runs.jsonl: {name} {_blame(line)}")
                chain = chain.after(line)
                heads.append(chain.head.decode())
    report.wrong += wrong[:_MOST_NAMED]
    if len(wrong) > _MOST_NAMED:
        report.wrong.append(f"runs.jsonl: and {len(wrong) - _MOST_NAMED} more lines")
    if not wrong:
        report.right.append(f"runs.jsonl: {counted.done:,} records, each once" + (", none changed since" if chain else ""))
    return counted, heads


def _blame(line: bytes) -> str:
    if seal.opened(line)[1] is None:
        return "has no seal: it was put in or changed"
    return "was changed after it was written, or a line before it was changed, moved or taken out"


def _closing(run: Path, report: Verification) -> seal.Seal | None:
    try:
        with open_to_read(run / seal.FILE) as file:
            closing = msgspec.json.decode(file.read(), type=seal.Seal)
    except FileNotFoundError:
        report.open.append("not closed (there is no seal.json): the run was killed, or is still going")
        return None
    except (msgspec.DecodeError, UnicodeError, OSError) as error:
        report.wrong.append(f"seal.json cannot be read: {error}")
        return None
    if closing != closing.closed():
        report.wrong.append("seal.json was changed: it does not fit its own hash")
    report.seal = closing.seal
    return closing


def _compare_with_seal(run: Path, closing: seal.Seal, heads: list[str], report: Verification) -> None:
    there = len(heads) - 1
    if closing.records < there and heads[closing.records] == closing.chain:
        report.open.append(f"the run has gone on since it was closed: {closing.records:,} records then, {there:,} now")
    elif closing.records != there:
        report.wrong.append(f"runs.jsonl: the run was closed with {closing.records:,} records and has {there:,}")
    elif closing.chain != heads[-1]:
        report.wrong.append("runs.jsonl: the last record is not the one that the run was closed with")
    changed = [name for name in seal.COVERED if closing.files.get(name) != _hash_of(run / name)]
    report.wrong += [f"{name} was changed after the run was closed" for name in changed]
    if not changed:
        report.right.append(f"{', '.join(seal.COVERED)}: as when the run was closed")


def _hash_of(file: Path) -> str | None:
    content = _content(file)
    return None if content is None else hashlib.sha256(content).hexdigest()


def _content(file: Path) -> bytes | None:
    try:
        with open_to_read(file) as opened:
            return opened.read()
    except OSError:
        return None


def _summaries(run: Path, config: Mapping[str, Any], counted: Aggregate, report: Verification, *, finished: bool) -> None:
    overall, summary = _content(run / "overall.json"), _content(run / "summary.txt")
    if overall is None or summary is None:
        (report.wrong if finished else report.open).append("overall.json or summary.txt is missing")
        return
    anew = {**counted.overall(), **answer_in(config)}
    try:
        recorded = msgspec.json.decode(overall, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeError) as error:
        report.wrong.append(f"overall.json cannot be read: {error}")
        return
    different = list(_different("", recorded, msgspec.json.decode(msgspec.json.encode(anew))))
    where = report.wrong if finished else report.open  # of a run that goes on they are of an earlier state
    where += [f"overall.json: {line}" for line in different[:_MOST_NAMED]]
    title, versions = str(config.get("title") or run), cast("dict[str, str]", config.get("versions") or {})
    texts = [summary_text(title, anew, versions)]
    if not different:  # sums in another order may be rounded otherwise
        texts.append(summary_text(title, _with_usage(recorded), versions))
    if _lines(summary.decode("utf-8", "replace")) not in map(_lines, texts):
        where.append("summary.txt does not follow from the records")
    elif not different:
        report.right.append("overall.json and summary.txt follow from the records")


def _different(name: str, recorded: Any, anew: Any) -> Iterator[str]:
    if isinstance(recorded, dict) and isinstance(anew, dict):
        before, after = cast("dict[str, Any]", recorded), cast("dict[str, Any]", anew)
        for key in sorted(before.keys() | after.keys()):
            yield from _different(f"{name}.{key}" if name else key, before.get(key), after.get(key))
    elif (
        isinstance(recorded, list)
        and isinstance(anew, list)
        and len(cast("list[Any]", recorded)) == len(cast("list[Any]", anew))
    ):
        for before, after in zip(cast("list[Any]", recorded), cast("list[Any]", anew), strict=True):
            yield from _different(name, before, after)
    elif isinstance(recorded, int | float) and isinstance(anew, int | float):
        if not math.isclose(recorded, anew, rel_tol=1e-9, abs_tol=1e-9):
            yield f"{name} is {recorded}, and {anew} by the records"
    elif recorded != anew:
        yield f"{name} is {recorded!r}, and {anew!r} by the records"


def _with_usage(overall: dict[str, Any]) -> dict[str, Any]:
    by = msgspec.convert(overall.get("usage_by", {}), dict[str, Usage])
    return {**overall, "usage": msgspec.convert(overall["usage"], Usage), "usage_by": by}


def _lines(text: str) -> list[str]:
    """Without the versions, which are those of the last sitting."""
    return sorted(line for line in text.splitlines() if not line.startswith(_MADE_WITH))
