"""What a run of BIRD-Interact is read for, on its page: success by category, and success against what was spent."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ...runs.aggregate import COUNTED
from ...types import Record
from ..interact_report import CategoryRow, Curve, Estimate, categories, curves
from .charts import curve_chart
from .layout import Child, h
from .library import Run

_COLUMNS = ("Phase 1", "Phase 2", "Reward", "First submission")


def interaction(run: Run) -> Child:
    """Nothing for another benchmark."""
    counted = tuple(entry.record for entry in run.index.entries if entry.record.outcome in COUNTED)
    if not any("phase_1" in record.metrics for record in counted):
        return None
    rows, drawn = _computed(_Counted(f"{run.name} {run.index.stamp}", counted))
    head = h("tr", h("th", "Category"), [h("th", name, scope="col", class_="number") for name in _COLUMNS])
    table = h("table", h("thead", head), h("tbody", [_row(row) for row in rows]), class_="wide")
    figures = [h("figure", h("figcaption", _caption(curve)), curve_chart(curve)) for curve in drawn]
    words = "Percent with 95% intervals, attempts at one task taken together; n counts episodes."
    return h("section", h("h2", "The interaction"), h("p", words, class_="dim"), table, figures, class_="card interaction")


class _Counted:
    """Records by the state of the run that they were read from, so that a page need not resample again."""

    def __init__(self, key: str, records: Sequence[Record]) -> None:
        self.key = key
        self.records = records

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Counted) and other.key == self.key


@lru_cache(maxsize=8)
def _computed(counted: _Counted) -> tuple[list[CategoryRow], list[Curve]]:
    return categories(counted.records), curves(counted.records)


def _caption(curve: Curve) -> str:
    lines = "pale line: phase 1; full line: all phases; dotted line: reward"
    return f"Percent of episodes that had passed with so many {curve.unit}, n = {curve.n:,} ({lines})"


def _row(row: CategoryRow) -> Child:
    cells = (row.phase_1, row.phase_2, row.reward, row.first_submission)
    return h("tr", h("th", row.category, scope="row"), [_cell(found) for found in cells])


def _cell(found: Estimate) -> Child:
    if found.value is None:
        return h("td", "–", class_="number")
    between = f" {100 * found.low:.1f}–{100 * found.high:.1f}, n = {found.n:,}"
    return h("td", f"{100 * found.value:.1f}%", h("span", between, class_="dim interval"), class_="number")
