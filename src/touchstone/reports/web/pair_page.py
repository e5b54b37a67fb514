"""Two runs: what the difference is worth, and task by task who was right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...phrases import plural
from ...runs.aggregate import COUNTED
from ...types import Outcome
from ..comparison import Comparison, Measure, compare, load
from ..comparison.results import Group
from .charts import outcome_bar, share_bar
from .group_page import TaskRow, entry_of, facets_of, task_rows
from .layout import Child, Html, View, facts, filtered_list, h, notice, page, table
from .library import Run
from .run_page import shown_reason
from .words import interval, money, percent, readable, seconds

CELLS = {
    "A": "A right, B wrong",
    "B": "B right, A wrong",
    "both": "both right",
    "none": "both wrong",
    "apart": "not compared",
}


def cell(row: TaskRow) -> str:
    """Which of the two is right. Under the same key there may be another task."""
    first, second = (entry.record if entry else None for entry in row)
    if first is None or second is None or first.digest != second.digest:
        return "apart"
    if first.outcome not in COUNTED or second.outcome not in COUNTED:
        return "apart"
    right = first.outcome is Outcome.passed, second.outcome is Outcome.passed
    return {(True, True): "both", (True, False): "A", (False, True): "B", (False, False): "none"}[right]


def pair_page(first: Run, second: Run, view: View) -> Html:
    rows = task_rows([first, second])
    listed = {"kind": "pair", **facets_of(rows), "cells": CELLS, "rows": [_row(row, view) for row in rows]}
    content = (
        h("h1", "Comparison"),
        h("div", [_card(letter, run) for letter, run in (("A", first), ("B", second))], class_="blocks"),
        _worth(first, second),
        h("section", h("h2", "Tasks"), _matrix(Counter(map(cell, rows))), filtered_list("list of tasks", listed)),
    )
    return page("Comparison", [("Runs", "../../../index.html"), ("Comparison", None)], *content, depth=3, view=view)


def linked(row: TaskRow, view: View) -> bool:
    """Whether there is a page with both transcripts. A folder has them where the runs differ: the rest would double it."""
    return not view.exported or cell(row) in ("A", "B")


def _row(row: TaskRow, view: View) -> list[Any]:
    """For the script: name, task, epoch, cell, the two outcomes, the two reasons, question, facets, is there a page."""
    entry = entry_of(row)
    record = entry.record
    outcomes = [each.record.outcome if each else None for each in row]
    reasons = [shown_reason(each.record, view) if each else None for each in row]
    return [
        *(entry.name, record.task, record.epoch, cell(row), outcomes, reasons),
        *(record.question, record.facets, linked(row, view)),
    ]


def _matrix(cells: Counter[str]) -> Html:
    buttons = [
        h("li", h("button", h("b", f"{cells[cell]:,}"), f" {words}", type="button", data_filter="cell", data_value=cell))
        for cell, words in CELLS.items()
    ]
    return h("ul", buttons, class_="matrix")


def _card(letter: str, run: Run) -> Html:
    share = run.index.aggregate.overall()["overall"]
    return h(
        "section",
        h("h2", f"{letter}: ", h("a", run.label, href=f"../../../runs/{run.name}/index.html")),
        h("p", f"{run.benchmark}, {run.system}", class_="dim"),
        h("p", h("strong", percent(share["accuracy"])), f" (95%: {interval(share)}), n = {share['total']:,}"),
        share_bar(share),
        outcome_bar(run.index.aggregate.outcomes),
        facts([("Cost", money(run.index.cost)), ("Total episode time", seconds(run.index.aggregate.seconds))]),
        class_="card",
    )


def _worth(first: Run, second: Run) -> Html:
    """The difference over the tasks that both have, with what chance makes of it."""
    try:
        comparison = _compared(_state(first), _state(second))
    except InputError as error:
        return notice(str(error), "warning")
    pair = comparison.pairs[0]
    decisive = [each for each in comparison.differences if each.decisive]
    metrics = [(readable(name), _measure(measure)) for name, measure in pair.metrics.items()]
    flips = f"Only A is right on {plural(pair.first_wins, 'task')}, only B on {pair.second_wins:,}"
    return h(
        "section",
        h("h2", "Difference, B minus A"),
        h(
            "p",
            h("strong", f"{100 * pair.accuracy.difference:+.1f} points", class_="big"),
            f" over {plural(pair.tasks, 'shared task')}",
        ),
        h("p", f"Passed (%), A and B: {_measure(pair.accuracy, 100, 1)}"),
        h("p", f"{flips}."),
        [notice(f"{each.name}: {each.detail or _values(each.values)}", "warning") for each in decisive],
        [notice(warning) for warning in pair.warnings],
        h("details", h("summary", "Other measures"), facts([("score", _measure(pair.score)), *metrics])),
        _by(pair.by),
        class_="card",
    )


def _values(values: Sequence[Any]) -> str:
    return ", ".join(f"{str(value)[:80]} in {letter}" for letter, value in zip("AB", values, strict=False))


def _measure(measure: Measure, scale: float = 1.0, digits: int = 4) -> str:
    first, second, apart, low, high = (
        scale * each for each in (measure.first, measure.second, measure.difference, *measure.interval)
    )
    chance = "" if measure.p is None else f", p = {measure.p:.3g} ({measure.test})"
    between = f"95%: {low:+.{digits}f} to {high:+.{digits}f}"
    return f"{first:.{digits}f} and {second:.{digits}f}: {apart:+.{digits}f} ({between}){chance}"


def _by(by: Mapping[str, Sequence[Group]]) -> Child:
    names = ("Value", "n", "A", "B", "only A", "only B")
    tables = [
        h(
            "section",
            h("h3", f"By {readable(facet)}"),
            table(names, map(_group, groups), "cells", numbers=names[1:], headed=True),
        )
        for facet, groups in by.items()
        if len(groups) > 1
    ]
    return h("details", h("summary", "By facet"), tables) if tables else None


def _group(group: Group) -> Sequence[str]:
    shares = (percent(group.first), percent(group.second))
    return (group.value, f"{group.tasks:,}", *shares, f"{group.first_wins:,}", f"{group.second_wins:,}")


def _state(run: Run) -> tuple[Path, str]:
    return run.path, run.index.stamp


@lru_cache(maxsize=16)
def _compared(first: tuple[Path, str], second: tuple[Path, str]) -> Comparison:
    """Made once for each state of the two files."""
    return compare([load(first[0]), load(second[0])], force=True)
