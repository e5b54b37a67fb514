"""What two results have not in common, as the evidence of a verdict tells it: rows and columns side by side, marked.

Evidence holds examples, not whole results. Among rows of the same width, each missing row is laid beside the unexpected one
that is likest to it, and only the cells that differ are marked; without a likeness the whole row is. Where the results have
other columns, those columns are marked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import grids
from .html import Child, Html, h
from .shapes import listed, names, objects, rows
from .words import count

_MOST = 50
"""Rows that are looked at."""

Rows = Sequence[Sequence[Any]]


def difference(evidence: Mapping[str, Any]) -> Child:
    missing, extra = rows(evidence.get("missing_rows"))[:_MOST], rows(evidence.get("extra_rows"))[:_MOST]
    gold, predicted = names(evidence.get("gold_columns")), names(evidence.get("predicted_columns"))
    if not (missing or extra or gold or predicted):
        return None
    if not (missing or extra) and evidence.get("missing_count") == evidence.get("extra_count") == 0:
        return _duplicates(evidence, gold) or h("p", f"The rows are as expected: {_rows(evidence, 'gold')}.", class_="dim")
    lacking, odd = _odd_columns(evidence, gold, predicted)
    partners = _partners(missing, extra) if len(gold) == len(predicted) else None
    back = None if partners is None else {other: own for own, other in partners.items()}
    got = grids.table(predicted, extra, _marks(predicted, odd, extra, missing, back, "new"))
    expected = grids.table(gold, missing, _marks(gold, lacking, missing, extra, partners, "gone"))
    return h(
        "div",
        side("Returned, but not expected", _shown(evidence, "extra", "predicted", extra), got if extra or predicted else None),
        side("Expected, but missing", _shown(evidence, "missing", "gold", missing), expected if missing or gold else None),
        class_="sides",
    )


def side(title: str, words: str, content: Child) -> Html:
    return h("section", h("h3", title, h("span", f" {words}", class_="dim") if words else None), content)


def _odd_columns(evidence: Mapping[str, Any], gold: Sequence[str], predicted: Sequence[str]) -> tuple[set[str], set[str]]:
    """Columns of gold that the prediction lacks or has otherwise, and the other way round."""
    apart = set(names(evidence.get("differing_columns")))
    same_width = len(gold) == len(predicted)
    theirs = {name for own, name in zip(gold, predicted, strict=True) if own in apart} if same_width else set[str]()
    return apart | set(names(evidence.get("missing_columns"))), theirs | set(names(evidence.get("extra_columns")))


def _partners(missing: Rows, extra: Rows) -> dict[int, int]:
    """The unexpected row that is likest to each missing one, where they share a cell or there is but one of each."""
    alike = {
        (own, other): sum(a == b for a, b in zip(first, second, strict=False))
        for own, first in enumerate(missing)
        for other, second in enumerate(extra)
    }
    free = set(range(len(extra)))
    found: dict[int, int] = {}
    for (own, other), cells in sorted(alike.items(), key=lambda item: -item[1]):
        if own not in found and other in free and (cells or len(missing) == len(extra) == 1):
            found[own] = other
            free.discard(other)
    return found


def _marks(
    columns: Sequence[str], odd: set[str], own: Rows, other: Rows, partners: Mapping[int, int] | None, mark: str
) -> grids.Marks:
    """Without partners rows cannot be laid side by side: then columns alone are marked, if it is known which."""

    def marked(row: int, column: int) -> str | None:
        if column < len(columns) and columns[column] in odd:
            return mark
        if row < 0 or (partners is None and odd):
            return None
        partner = other[partners[row]] if partners and row in partners else ()
        same = column < len(partner) and partner[column] == own[row][column]
        return None if same else mark

    return marked


def _rows(evidence: Mapping[str, Any], whose: str) -> str:
    number = evidence.get(f"{whose}_rows")
    return count(number, "row") if isinstance(number, int) else "as many rows"


def _shown(evidence: Mapping[str, Any], few: str, whose: str, rows: Rows) -> str:
    apart, whole = evidence.get(f"{few}_count"), evidence.get(f"{whose}_rows")
    if not isinstance(whole, int):
        return ""
    if not isinstance(apart, int):
        return f"of {count(whole, 'row')}"
    return f"{apart:,} of {count(whole, 'row')}" + (f", {len(rows)} shown" if apart > len(rows) else "")


def _duplicates(evidence: Mapping[str, Any], columns: Sequence[str]) -> Child:
    """The same rows, but not as often."""
    counts = objects(evidence.get("counts"))[:_MOST]
    if not counts:
        return None
    lines = [[*listed(each.get("row")), each.get("expected"), each.get("got")] for each in counts]
    table = grids.table(
        [*columns, "expected", "appears"],
        lines,
        lambda row, column: "new" if row >= 0 and column >= len(lines[row]) - 2 else None,
    )
    return side("Rows that appear another number of times", "", table)
