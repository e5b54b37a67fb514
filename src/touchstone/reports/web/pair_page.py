"""Two runs: what the difference is worth, and task by task who was right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...runs.aggregate import COUNTED
from ...types import Outcome
from ..comparison import Comparison, Measure, compare, load
from .charts import outcome_bar, share_bar
from .episodes import reason_of
from .index import IndexEntry
from .layout import Child, Html, View, data, facts, h, notice, page
from .library import Run
from .run_page import cut, facet_names
from .words import count, interval, money, percent, readable, seconds

CELLS = {
    "A": "A right, B wrong",
    "B": "B right, A wrong",
    "both": "both right",
    "none": "both wrong",
    "apart": "not compared",
}


@dataclass(frozen=True)
class EpisodePair:
    """The same attempt at the same task in two runs, or in one of them."""

    first: IndexEntry | None
    second: IndexEntry | None

    @property
    def entry(self) -> IndexEntry:
        entry = self.first or self.second
        assert entry is not None
        return entry

    @property
    def cell(self) -> str:
        if self.first is None or self.second is None or self.changed:
            return "apart"
        outcomes = self.first.record.outcome, self.second.record.outcome
        if not all(outcome in COUNTED for outcome in outcomes):
            return "apart"
        right = outcomes[0] is Outcome.passed, outcomes[1] is Outcome.passed
        return {(True, True): "both", (True, False): "A", (False, True): "B", (False, False): "none"}[right]

    @property
    def changed(self) -> bool:
        """The same key, but another task."""
        both = self.first is not None and self.second is not None
        return both and self.first.record.digest != self.second.record.digest  # pyright: ignore[reportOptionalMemberAccess]


def matches(first: Run, second: Run) -> list[EpisodePair]:
    """In the order of the dataset."""
    ours, theirs = first.index.by_name, second.index.by_name
    pairs = [EpisodePair(ours.get(name), theirs.get(name)) for name in dict.fromkeys([*ours, *theirs])]
    return sorted(pairs, key=lambda match: (match.entry.record.index, match.entry.record.epoch, match.entry.name))


def pair_page(first: Run, second: Run, view: View) -> Html:
    pairs = matches(first, second)
    cells = Counter(match.cell for match in pairs)
    content = (
        h("h1", "Comparison"),
        h("div", [_card(letter, run) for letter, run in (("A", first), ("B", second))], class_="blocks"),
        _worth(first, second),
        h("section", h("h2", "Tasks"), _matrix(cells), h("div", id="filters", class_="filters js-only", role="search")),
        h("p", id="found", class_="dim", aria_live="polite"),
        h("div", id="list"),
        h("noscript", notice("The list of tasks is made by a script, which this browser does not run.")),
        data("tasks", {"kind": "pair", "facets": _facets(pairs), "cells": CELLS, "rows": _rows(pairs, view)}),
    )
    return page("Comparison", [("Runs", "../../../index.html"), ("Comparison", None)], *content, depth=3, view=view)


def linked(match: EpisodePair, view: View) -> bool:
    """Whether there is a page with both transcripts. A folder has them where the runs differ: the rest would double it."""
    return not view.exported or match.cell in ("A", "B")


def _rows(pairs: Sequence[EpisodePair], view: View) -> list[list[Any]]:
    """For the script: name, task, epoch, cell, the two outcomes, the two reasons, question, facets, is there a page."""
    return [
        [
            match.entry.name,
            match.entry.record.task,
            match.entry.record.epoch,
            match.cell,
            [each.record.outcome if each else None for each in (match.first, match.second)],
            [cut(reason_of(each.record, view.hide_gold)) if each else None for each in (match.first, match.second)],
            match.entry.question,
            match.entry.record.facets,
            linked(match, view),
        ]
        for match in pairs
    ]


def _facets(pairs: Sequence[EpisodePair]) -> list[str]:
    return facet_names([match.entry for match in pairs])


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
    flips = f"Only A is right on {count(pair.first_wins, 'task')}, only B on {pair.second_wins:,}"
    return h(
        "section",
        h("h2", "Difference, B minus A"),
        h(
            "p",
            h("strong", f"{100 * pair.accuracy.difference:+.1f} points", class_="big"),
            f" over {count(pair.tasks, 'shared task')}",
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


def _by(by: Any) -> Child:
    tables = [
        h(
            "section",
            h("h3", f"By {readable(facet)}"),
            h(
                "table",
                h("thead", h("tr", [h("th", name, scope="col") for name in ("Value", "n", "A", "B", "only A", "only B")])),
                h("tbody", [_group(group) for group in groups]),
                class_="cells",
            ),
        )
        for facet, groups in by.items()
        if len(groups) > 1
    ]
    return h("details", h("summary", "By facet"), h("div", tables, class_="scroll")) if tables else None


def _group(group: Any) -> Html:
    numbers = (
        f"{group.tasks:,}",
        percent(group.first),
        percent(group.second),
        f"{group.first_wins:,}",
        f"{group.second_wins:,}",
    )
    return h("tr", h("th", group.value, scope="row"), [h("td", number, class_="number") for number in numbers])


def _state(run: Run) -> tuple[Path, str]:
    return run.path, run.index.stamp


@lru_cache(maxsize=16)
def _compared(first: tuple[Path, str], second: tuple[Path, str]) -> Comparison:
    """Made once for each state of the two files."""
    return compare([load(first[0]), load(second[0])], force=True)
