"""Many runs: their scores, how much each pair differs, and a matrix of tasks by runs, which the script draws and filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from .layout import Child, Html, View, data, h, notice, page
from .library import Run
from .run_page import facet_names
from .words import interval, money, percent, seconds

CELLS = {"differ": "some differ", "right": "all right", "wrong": "all wrong", "apart": "not comparable"}
"""What the runs of a row make of it together, over those that were judged."""


def group_page(runs: Sequence[Run], view: View, depth: int) -> Html:
    root = "../" * depth
    letters = labels(len(runs))
    rows = task_rows(runs)
    entries = [next(each for each in row if each) for row in rows]
    where = [f"{root}runs/{run.name}/" for run in runs]
    named = [{"letter": letter, "label": run.label, "where": at} for letter, run, at in zip(letters, runs, where, strict=True)]
    content = (
        h("h1", f"Comparison of {len(runs)} runs"),
        _scores(runs, letters, where),
        _differences(runs, letters, root, view),
        h(
            "section",
            h("h2", "Tasks by runs"),
            h("ul", [_button(name, words) for name, words in CELLS.items()], class_="matrix js-only"),
            h("div", id="filters", class_="filters js-only", role="search", aria_label="Tasks"),
            h("p", id="found", class_="dim", aria_live="polite"),
            h("div", id="list"),
        ),
        h("noscript", notice("The matrix of tasks is made by a script, which this browser does not run.")),
        data("tasks", {"kind": "group", "runs": named, "facets": facet_names(entries), "rows": list(map(_row, rows))}),
    )
    return page("Comparison", [("Runs", f"{root}index.html"), ("Comparison", None)], *content, depth=depth, view=view)


def task_rows(runs: Sequence[Run]) -> list[list[IndexEntry | None]]:
    """For each task, in the order of the dataset, what each run has of it."""
    names = dict.fromkeys(name for run in runs for name in run.index.by_name)
    rows = [[run.index.by_name.get(name) for run in runs] for name in names]

    def sort_key(row: list[IndexEntry | None]) -> tuple[int, int, str]:
        entry = next(each for each in row if each)
        return entry.record.index, entry.record.epoch, entry.name

    return sorted(rows, key=sort_key)


def cell(row: Sequence[IndexEntry | None]) -> str:
    judged = [entry.record for entry in row if entry and entry.record.outcome in COUNTED]
    if len(judged) < 2 or len({record.digest for record in judged}) > 1:  # the same name, but another task
        return "apart"
    right = sum(record.outcome is Outcome.passed for record in judged)
    return "right" if right == len(judged) else "wrong" if right == 0 else "differ"


def _row(row: Sequence[IndexEntry | None]) -> list[Any]:
    """For the script: name, task, epoch, what they make of it together, the outcomes, question, facets."""
    entry = next(each for each in row if each)
    record = entry.record
    outcomes = [each.record.outcome if each else None for each in row]
    return [entry.name, record.task, record.epoch, cell(row), outcomes, entry.question, record.facets]


def _button(name: str, words: str) -> Html:
    number = h("b", data_count=name)
    return h("li", h("button", number, f" {words}", type="button", data_filter="cell", data_value=name))


def _scores(runs: Sequence[Run], letters: Sequence[str], where: Sequence[str]) -> Html:
    names = ("", "Run", "Benchmark", "Agent", "Model", "Score", "95% interval", "n", "Cost", "Time")
    body = [_score(*each) for each in zip(letters, runs, where, strict=True)]
    table = h("table", h("thead", h("tr", [_head(name) for name in names])), h("tbody", body), class_="wide scores")
    return h("section", h("h2", "Scores"), h("div", table, class_="scroll", tabindex="0"))


def _head(name: str) -> Html:
    number = name in ("n", "Cost", "Time", "p", "Difference", "Shared tasks") or name.startswith("Only ")
    return h("th", name, scope="col", class_="number" if number else None) if name else h("td")


def _score(letter: str, run: Run, where: str) -> Html:
    share = run.index.aggregate.overall()["overall"]
    texts = [run.benchmark, run.agent, run.model]
    numbers = [f"{share['total']:,}", money(run.index.cost), seconds(run.index.aggregate.seconds)]
    return h(
        "tr",
        h("th", letter, scope="row"),
        h("td", h("a", run.label, href=f"{where}index.html")),
        [h("td", text) for text in texts],
        h("td", h("b", percent(share["accuracy"])), share_bar(share)),
        h("td", interval(share)),
        [h("td", text, class_="number") for text in numbers],
    )


def _differences(runs: Sequence[Run], letters: Sequence[str], root: str, view: View) -> Html:
    try:
        pairs, warnings = _compared(tuple((run.path, run.index.stamp) for run in runs))
    except InputError as error:
        return notice(str(error), "warning")
    names = ("Pair", "Difference", "95% interval", "p", "Only first right", "Only second right", "Shared tasks")
    body = [_pair(pair, runs, letters, root, view) for pair in pairs]
    table = h("table", h("thead", h("tr", [_head(name) for name in names])), h("tbody", body), class_="wide")
    words = "Change in percentage points from the first run to the second, over shared tasks. p is adjusted (Holm)."
    shown = h("div", table, class_="scroll", tabindex="0") if pairs else h("p", "No two of these runs share a task.")
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


def _pair(pair: PairAccuracy, runs: Sequence[Run], letters: Sequence[str], root: str, view: View) -> Html:
    measure = pair.accuracy
    low, high = measure.interval
    p = measure.p if measure.adjusted is None else measure.adjusted
    words = f"{letters[pair.first]} → {letters[pair.second]}"
    address = view.pair(runs[pair.first].name, runs[pair.second].name)
    name: Child = h("a", words, href=f"{root}{address}/index.html") if address else words
    numbers: Mapping[str, str] = {
        "difference": f"{100 * measure.difference:+.1f}",
        "interval": f"{100 * low:+.1f} to {100 * high:+.1f}",
        "p": "–" if p is None else f"{p:.3g}",
        "first": f"{pair.first_wins:,}",
        "second": f"{pair.second_wins:,}",
        "tasks": f"{measure.tasks:,}",
    }
    clear = low > 0 or high < 0
    cells = [h("td", h("b", text) if clear and key == "difference" else text, class_="number") for key, text in numbers.items()]
    return h("tr", h("th", name, scope="row"), cells)


@lru_cache(maxsize=8)
def _compared(states: tuple[tuple[Path, str], ...]) -> tuple[list[PairAccuracy], list[str]]:
    """Made once for each state of the files."""
    loaded = [load(path) for path, _ in states]
    return accuracies(loaded), [in_words(each) for each in differences(loaded) if each.decisive]
