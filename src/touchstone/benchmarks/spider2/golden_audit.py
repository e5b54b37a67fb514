"""Golden results by themselves: whether they can be read, whether the metadata fits them, and what they let pass.

A function for a worker process; it needs no database.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from msgspec import Struct

from .comparison import (
    MOST_SURPLUS,
    ConditionError,
    CsvError,
    CsvTable,
    read_csv,
    strict,
    strict_any,
)
from .comparison.conditions import intended, official_columns, official_each
from .golden import Reference
from .judge import official_verdict

_MOST_ROWS_SCRAMBLED = 20_000
_WIDEST = 26_001
"""Numbers in a constant row: more do not make it right for more of the published questions."""


class Defect(Struct, frozen=True):
    kind: str
    sentence: str
    severe: bool = False
    """It leaves nothing that could be right."""


def inspect(reference: Reference) -> list[Defect]:
    """What is wrong with the gold results of one question."""
    names = [Path(file.path).name for file in reference.files]
    golds: list[CsvTable] = []
    for name, file in zip(names, reference.files, strict=True):
        try:
            golds.append(read_csv(Path(file.path).read_bytes()))
        except (CsvError, OSError) as error:
            return [Defect("golden_unreadable", f"{name} cannot be read: {error}", severe=True)]
    empty = [Defect("golden_empty", f"{name} has no rows") for name, gold in zip(names, golds, strict=True) if not gold.rows]
    return [
        *empty,
        *_columns(reference, names, golds),
        *_conditions(reference, golds),
        *_against_themselves(reference, names, golds),
        *_scrambled(reference, golds),
        *_constant(reference, golds),
    ]


def _columns(reference: Reference, names: list[str], golds: list[CsvTable]) -> Iterator[Defect]:
    outside: list[str] = []
    for name, gold, places in zip(names, golds, intended(reference.condition_cols, len(golds)), strict=True):
        width = len(gold.columns)
        if wrong := [column for column in places if not -width <= column < width]:
            outside.append(f"column {wrong[0]} is not in {name}, which has {width}")
    if outside:
        yield Defect("columns_out_of_range", "; ".join(outside), severe=len(outside) == len(golds))


def _conditions(reference: Reference, golds: list[CsvTable]) -> Iterator[Defect]:
    conditions = reference.condition_cols
    lists = sum(isinstance(item, list) for item in conditions)
    if lists and lists != len(golds):
        yield Defect("conditions_count", f"condition_cols has {lists} lists for {len(golds)} gold results")
    if reference.lettered and len(golds) == 1 and conditions and not lists:
        with suppress(ConditionError):
            read = sorted(set(official_columns(golds[0], official_each(conditions, 1)[0])))
            meant = sorted({column % len(golds[0].columns) for column in conditions})
            if read != meant:
                yield Defect("conditions_misread", f"condition_cols {conditions} is read by the official suite as {read}")


def _against_themselves(reference: Reference, names: list[str], golds: list[CsvTable]) -> Iterator[Defect]:
    """Each gold result handed in as if it were an answer."""
    for name, gold in zip(names, golds, strict=True):
        verdict = official_verdict(gold, golds, reference)
        if not verdict.matched:
            yield Defect(
                "official_rejects_gold", f"{name} itself is rejected by the official suite: {verdict.error or 'no match'}"
            )
    columns = intended(reference.condition_cols, len(golds))
    apart = 0
    for i in range(len(golds)):
        for j in range(i):
            each = [
                strict(golds[one], golds[other], columns[other], reference.ignore_order).matched
                for one, other in ((i, j), (j, i))
            ]
            apart += not any(each)
    if apart:
        pairs = len(golds) * (len(golds) - 1) // 2
        yield Defect("variants_differ", f"{apart} of {pairs} pairs of its {len(golds)} gold results exclude one another")


def _scrambled(reference: Reference, golds: list[CsvTable]) -> Iterator[Defect]:
    """Every second column moved down by a row: the same values, hardly a right row."""
    if not 1 < golds[0].rows <= _MOST_ROWS_SCRAMBLED or len(golds[0].columns) < 2:
        return
    moved = _moved(Path(reference.files[0].path))
    if moved is None:
        return
    ours = strict_any(moved, golds, reference.condition_cols, reference.ignore_order)
    if official_verdict(moved, golds, reference).matched and not ours.matched and not ours.cut:
        yield Defect("scrambled_rows", f"{golds[0].rows:,} rows whose values are scrambled between them are accepted")


def _constant(reference: Reference, golds: list[CsvTable]) -> Iterator[Defect]:
    """The row 0, 1, 2, …, whatever the question: as wide as each comparison lets it be."""
    if not any(gold.rows == 1 for gold in golds):
        return
    if official_verdict(_counting(_WIDEST), golds, reference).matched:
        yield Defect("constant_official", f"the constant row 0 … {_WIDEST - 1:,} is accepted")
    for gold, places in zip(golds, intended(reference.condition_cols, len(golds)), strict=True):
        row = _counting(MOST_SURPLUS + len(places or gold.columns))
        if strict(row, gold, places, reference.ignore_order).matched:
            yield Defect("constant_strict", f"the constant row 0 … {len(row.columns) - 1} is accepted")
            return


@cache
def _counting(width: int) -> CsvTable:
    numbers = ",".join(map(str, range(width)))
    return read_csv(f"{numbers}\n{numbers}\n")


def _moved(path: Path) -> CsvTable | None:
    header, *rows = csv.reader(io.StringIO(path.read_text(errors="replace"), newline=""))
    if any(len(row) != len(header) for row in rows):
        return None
    columns = [list(column) for column in zip(*rows, strict=True)]
    turned = [column[-1:] + column[:-1] if number % 2 else column for number, column in enumerate(columns)]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *zip(*turned, strict=True)])
    try:
        return read_csv(text.getvalue())
    except CsvError:
        return None
