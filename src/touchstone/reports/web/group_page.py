"""Many runs: their scores, how much each pair differs, and a matrix of tasks by runs, which the script draws and filters."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...runs.aggregate import COUNTED
from ...types import Outcome
from ..comparison import PairAccuracy, accuracies, load
from ..comparison.runs import differences, in_words, labels
from .charts import share_bar
from .index import IndexEntry
from .layout import Child, Html, View, filtered_list, h, notice, page, table
from .library import Run
from .words import interval, money, percent, seconds

CELLS = {"differ": "some differ", "right": "all right", "wrong": "all wrong", "apart": "not comparable"}
"""What the runs of a row make of it together, over those that were judged."""


def group_page(runs: Sequence[Run], view: View, depth: int) -> Html:
    root = "../" * depth
    letters = labels(len(runs))
    rows = task_rows(runs)
    where = [f"{root}runs/{run.name}/" for run in runs]
    named = [{"letter": letter, "label": run.label, "where": at} for letter, run, at in zip(letters, runs, where, strict=True)]
    listed = {"kind": "group", "runs": named, **facets_of(rows), "rows": list(map(_row, rows))}
    content = (
        h("h1", f"Comparison of {len(runs)} runs"),
        _scores(runs, letters, where),
        _differences(runs, letters, root, view),
        h(
            "section",
            h("h2", "Tasks by runs"),
            h("ul", [_button(name, words) for name, words in CELLS.items()], class_="matrix js-only"),
            filtered_list("matrix of tasks", listed),
        ),
    )
    return page("Comparison", [("Runs", f"{root}index.html"), ("Comparison", None)], *content, depth=depth, view=view)


TaskRow = Sequence[IndexEntry | None]
"""What each run has of one attempt at a task; one of them has something."""


def task_rows(runs: Sequence[Run]) -> list[TaskRow]:
    """In the order of the dataset."""
    names = dict.fromkeys(name for run in runs for name in run.index.by_name)
    rows: list[TaskRow] = [[run.index.by_name.get(name) for run in runs] for name in names]

    def sort_key(row: TaskRow) -> tuple[int, int, str]:
        entry = entry_of(row)
        return entry.record.index, entry.record.epoch, entry.name

    return sorted(rows, key=sort_key)


def entry_of(row: TaskRow) -> IndexEntry:
    return next(each for each in row if each)


def facets_of(rows: Sequence[TaskRow]) -> dict[str, list[str]]:
    return {"facets": list(dict.fromkeys(name for row in rows for name in entry_of(row).record.facets))}


def cell(row: TaskRow) -> str:
    judged = [entry.record for entry in row if entry and entry.record.outcome in COUNTED]
    if len(judged) < 2 or len({record.digest for record in judged}) > 1:  # the same name, but another task
        return "apart"
    right = sum(record.outcome is Outcome.passed for record in judged)
    return "right" if right == len(judged) else "wrong" if right == 0 else "differ"


def _row(row: TaskRow) -> list[Any]:
    """For the script: name, task, epoch, what they make of it together, the outcomes, question, facets."""
    entry = entry_of(row)
    record = entry.record
    outcomes = [each.record.outcome if each else None for each in row]
    return [entry.name, record.task, record.epoch, cell(row), outcomes, entry.record.question, record.facets]


def _button(name: str, words: str) -> Html:
    number = h("b", data_count=name)
    return h("li", h("button", number, f" {words}", type="button", data_filter="cell", data_value=name))


def _scores(runs: Sequence[Run], letters: Sequence[str], where: Sequence[str]) -> Html:
    names = ("", "Run", "Benchmark", "Agent", "Model", "Score", "95% interval", "n", "Cost", "Time")
    rows = [_score(*each) for each in zip(letters, runs, where, strict=True)]
    shown = table(names, rows, "wide scores", numbers=("n", "Cost", "Time"), headed=True)
    return h("section", h("h2", "Scores"), shown)


def _score(letter: str, run: Run, where: str) -> Sequence[Child]:
    share = run.index.aggregate.overall()["overall"]
    link = h("a", run.label, href=f"{where}index.html")
    score = (h("b", percent(share["accuracy"])), share_bar(share))
    effort = (money(run.index.cost), seconds(run.index.aggregate.seconds))
    return (letter, link, run.benchmark, run.agent, run.model, score, interval(share), f"{share['total']:,}", *effort)


def _differences(runs: Sequence[Run], letters: Sequence[str], root: str, view: View) -> Html:
    try:
        pairs, warnings = _compared(tuple((run.path, run.index.stamp) for run in runs))
    except InputError as error:
        return notice(str(error), "warning")
    names = ("Pair", "Difference", "95% interval", "p", "Only first right", "Only second right", "Shared tasks")
    rows = [_pair(pair, runs, letters, root, view) for pair in pairs]
    words = "Change in percentage points from the first run to the second, over shared tasks. p is adjusted (Holm)."
    shown = table(names, rows, numbers=names[1:], headed=True) if pairs else h("p", "No two of these runs share a task.")
    return h(
        "section",
        h("h2", "Differences"),
        _warned(warnings),
        h("p", words, class_="dim"),
        h("details", h("summary", f"All {len(pairs)} pairs"), shown) if len(pairs) > 15 else shown,
    )


def _warned(warnings: Sequence[str]) -> Child:
    if not warnings:
        return None
    words = "These runs were not made alike, so their numbers may not be comparable"
    return notice(h("details", h("summary", words), h("ul", [h("li", each) for each in warnings])), "warning")


def _pair(pair: PairAccuracy, runs: Sequence[Run], letters: Sequence[str], root: str, view: View) -> Sequence[Child]:
    measure = pair.accuracy
    low, high = measure.interval
    p = measure.p if measure.adjusted is None else measure.adjusted
    words = f"{letters[pair.first]} → {letters[pair.second]}"
    address = view.pair(runs[pair.first].name, runs[pair.second].name)
    name: Child = h("a", words, href=f"{root}{address}/index.html") if address else words
    difference = f"{100 * measure.difference:+.1f}"
    return (
        name,
        h("b", difference) if low > 0 or high < 0 else difference,
        f"{100 * low:+.1f} to {100 * high:+.1f}",
        "–" if p is None else f"{p:.3g}",
        *(f"{count:,}" for count in (pair.first_wins, pair.second_wins, measure.tasks)),
    )


@lru_cache(maxsize=8)
def _compared(states: tuple[tuple[Path, str], ...]) -> tuple[list[PairAccuracy], list[str]]:
    """Made once for each state of the files."""
    loaded = [load(path) for path, _ in states]
    return accuracies(loaded), [in_words(each) for each in differences(loaded) if each.decisive]
