"""One run: what came of it, by every facet, and the list of its episodes, which the script filters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ...phrases import plural
from ...plugins import structs_with
from ...runs.aggregate import COUNTED
from ...runs.summary import REFUTED, proof_counts, proof_shares
from ...types import Outcome, Record
from ..estimates import Estimate, RunSection, RunTable, ShownFigure
from ..records import LooseRecord, cut
from .charts import outcome_bar, part_bar, share_bar, step_chart
from .episodes import reason_of
from .index import IndexEntry
from .layout import Child, Html, View, badge, bars, facts, filtered_list, h, join, notice, page, table
from .library import Run
from .runs_page import note, progress, unfinished
from .words import in_order, interval, percent, readable, seconds, used

LONGEST_REASON = 300
FIRST_ROWS = 1_000
"""Of a long list in the page itself; the script asks for the rest while the reader looks at these."""
ROWS_AT_ONCE = 10_000
_MEANING = {
    "limit": "counted as failed: turns, budget, context or time ran out",
    "error": "counted: the model or our machinery failed; a resume tries again",
    "unscorable": "not counted: the reference is missing or broken",
    "skipped": "not counted: cannot be run here",
}


def run_page(run: Run, others: Sequence[Run], view: View) -> Html:
    entries = run.index.entries
    shown = entries if view.exported or len(entries) <= 2 * FIRST_ROWS else entries[:FIRST_ROWS]
    live = {"data_live": "live.json", "data_stamp": run.index.stamp} if run.live and not view.exported else {}
    listed = {"kind": "run", "facets": run.index.aggregate.facets, "rows": rows(shown, view)}
    if len(shown) < len(entries):
        listed |= {"more": "rows.json", "generation": run.index.generation, "total": len(entries)}
    content = (
        h("h1", run.label),
        h("p", run.title, *tags(run), class_="lead"),
        h("p", note(run)) if run.labels.note else None,
        [notice(fault, "warning") for fault in ([run.problem] if run.problem else [])],
        h("div", summary(run, view), id="live"),
        h("nav", h("ul", h("li", h("a", "To the breakdown", href="#breakdown"))), class_="jumps", aria_label="On this page"),
        h(
            "div",
            h(
                "section",
                h("h2", "Tasks", id="content-tasks"),
                filtered_list("list of tasks", listed),
            ),
            h("div", breakdown(run, view), id="breakdown"),
            class_="split",
        ),
        _about(run),
        _compare_with(run, others, view),
    )
    return page(run.label, [("Runs", "../../index.html"), (run.label, None)], *content, depth=2, view=view, **live)


def summary(run: Run, view: View) -> Html:
    """The score and the outcomes in a few lines: what changes while a run is going, and so does the breakdown."""
    overall = run.index.aggregate.overall()
    share = overall["overall"]
    going, stopped = progress(run), unfinished(run)
    waiting = None if run.index.entries else h("p", "No task has ended yet.", class_="dim")
    left_out = f"; {share['left_out']:,} not counted" if share["left_out"] else ""
    score = h(
        "div",
        h("p", h("strong", percent(share["accuracy"]), class_="big"), f" passed; 95% interval {interval(share)}"),
        h("p", f"{share['passed']:,} of n = {share['total']:,}{left_out}{_mean(overall)}", class_="dim"),
    )
    bars = h("div", share_bar(share), outcome_bar(overall["outcomes"], run.planned), _outcomes(overall), waiting)
    return h(
        "section",
        notice(going, "live") if going else None,
        notice(f"{stopped[0].upper()}{stopped[1:]}.", "warning") if stopped else None,
        [notice(fault, "warning") for fault in run.index.faults[:3]],
        h("div", score, bars, class_="score"),
        _proof(overall),
        class_="card headline",
    )


def breakdown(run: Run, view: View) -> Html:
    """The same by every facet and by every reason, with what it took."""
    overall = run.index.aggregate.overall()
    blocks: list[Child] = [
        _facet(name.removeprefix("by_"), shares) for name, shares in overall.items() if name.startswith("by_")
    ]
    reasons = (_failures(overall), _reasons(overall, view))
    return join(section(run), h("div", blocks, reasons, _metrics(overall), _effort(run, overall), class_="blocks"))


def tags(run: Run) -> list[Html]:
    return [h("span", tag, class_="chip") for tag in run.labels.tags]


def rows(entries: Sequence[IndexEntry], view: View) -> list[list[Any]]:
    """The episodes for the script: name, task, epoch, outcome, score, kind (or what proof says), reason, question, seconds,
    cost, facets."""
    return [
        [
            entry.name,
            entry.record.task,
            entry.record.epoch,
            entry.record.outcome,
            None if entry.record.score is None else round(entry.record.score, 4),
            entry.record.kind if view.hide_gold else entry.word,
            shown_reason(entry.record, view),
            entry.record.question,
            round(entry.record.seconds, 3),
            entry.cost,
            entry.record.facets,
        ]
        for entry in entries
    ]


def shown_reason(record: LooseRecord, view: View) -> str:
    return cut(reason_of(record, view.hide_gold), LONGEST_REASON)


def _mean(overall: Mapping[str, Any]) -> str:
    score, accuracy = overall["score"], overall["overall"]["accuracy"]
    return "" if score is None or abs(score - accuracy) < 1e-12 else f"; mean score {score:.4f}"


def _proof(overall: Mapping[str, Any]) -> Child:
    """Beside EX, never instead of it."""
    counts = overall.get("proof")
    if not counts:
        return None
    shares = h("strong", f"With proof: {proof_shares(counts, overall['overall']['total'])}")
    words = f"in percent; {proof_counts(counts)}. {REFUTED[0].upper()}{REFUTED[1:]}."
    return h("p", shares, h("span", f" ({words})", class_="dim"), id="proof")


def _outcomes(overall: Mapping[str, Any]) -> Html:
    counted = [(each.value, overall["outcomes"][each.value]) for each in Outcome if overall["outcomes"][each.value]]
    return h(
        "ul", [h("li", _choice("outcome", name, badge(name), f" {number:,}")) for name, number in counted], class_="outcomes"
    )


def _reasons(overall: Mapping[str, Any], view: View) -> Child:
    """Why tasks came to no verdict on the agent's work."""
    outcomes = [name for name in _MEANING if overall["outcomes"][name]]
    return (
        h("section", h("h2", "Not judged"), [_reason(name, overall, view) for name in outcomes], class_="card")
        if outcomes
        else None
    )


def _reason(name: str, overall: Mapping[str, Any], view: View) -> Html:
    reasons: Mapping[str, int] = {} if view.hide_gold and name == "unscorable" else overall["reasons"].get(name, {})
    listed = [h("li", f"{times:,} × {cut(why, LONGEST_REASON)}") for why, times in list(reasons.items())[:3]]
    more = h("li", f"and {plural(len(reasons) - 3, 'more reason')}") if len(reasons) > 3 else None
    what = h("p", badge(name), f" {overall['outcomes'][name]:,}", h("span", f" {_MEANING[name]}", class_="dim"))
    return join(what, h("ul", listed, more, class_="reasons") if listed else None)


def _choice(filter: str, value: str, *words: Child) -> Html:
    """A button that sets a filter of the list below."""
    return h("button", *words, type="button", class_="choice", data_filter=filter, data_value=value)


def _facet(name: str, shares: Mapping[str, Any]) -> Html:
    ordered = sorted(shares.items(), key=lambda item: in_order(item[0]))
    rows = [(_choice(f"facet:{name}", value, value or "(none)"), *_shares(share)) for value, share in ordered]
    return h("section", h("h2", f"By {readable(name)}"), bars(rows), class_="card")


def _shares(share: Mapping[str, Any]) -> Iterator[Child]:
    yield share_bar(share)
    between = h("span", f" {interval(share)}", class_="dim interval") if share["total"] else None
    yield (percent(share["accuracy"]), between)
    left_out = h("span", f" + {share['left_out']:,}", class_="dim", title="not counted") if share["left_out"] else None
    yield (f"{share['passed']:,}/{share['total']:,}", left_out)


def _failures(overall: Mapping[str, Any]) -> Child:
    kinds: Mapping[str, int] = overall["failed_because"]
    if not kinds:
        return None
    rows = [
        (
            _choice("kind", kind if kind not in ("not submitted", "other") else "", readable(kind)),
            part_bar(number, sum(kinds.values())),
            f"{number:,}",
        )
        for kind, number in kinds.items()
    ]
    return h("section", h("h2", "Failed because"), bars(rows), class_="card")


def _metrics(overall: Mapping[str, Any]) -> Child:
    metrics = overall["metrics"]
    if not metrics:
        return None
    rows = [(readable(name), f"{value:.4f}", f"{overall['metrics_n'][name]:,}") for name, value in metrics.items()]
    means = table(("Metric", "Mean", "n"), rows, "means", numbers=("Mean", "n"), headed=True)
    return h("section", h("h2", "Means over the counted episodes"), means, class_="card")


def _effort(run: Run, overall: Mapping[str, Any]) -> Html:
    began, ended = run.index.began, run.index.ended
    return h(
        "section",
        h("h2", "Effort"),
        facts(
            [
                ("Started", f"{began:%Y-%m-%d %H:%M:%S}" if began else None),
                ("Wall time", seconds((ended - began).total_seconds()) if began and ended else None),
                ("Total episode time", seconds(overall["seconds"])),
                *used(overall["usage"], overall["usage_by"]),
            ]
        ),
        class_="card",
    )


def _about(run: Run) -> Html:
    what = [("Benchmark", run.benchmark), ("Agent", run.agent), ("Model", run.model)]
    what += [("Gold reachable by the agent", run.gold_reachable), *run.versions.items()]
    return h("details", h("summary", "About this run"), facts(what), class_="card")


def _compare_with(run: Run, others: Sequence[Run], view: View) -> Child:
    """Runs of the same benchmark."""
    fit = [other for other in others if other.name != run.name and other.benchmark == run.benchmark and other.index.entries]
    links = [
        h("li", h("a", other.label, href=f"../../{where}/index.html"), f" {other.system}")
        for other in fit
        if (where := view.pair(run.name, other.name))
    ]
    return h("section", h("h2", "Compare with"), h("ul", links, class_="plain")) if links else None


# What a benchmark adds to the page of its runs, by `run_section` of its struct: tables and charts.


def section(run: Run) -> Child:
    """Nothing for a benchmark that adds nothing, or is not installed."""
    if _adding(run.benchmark) is None:
        return None
    counted = tuple(entry.record for entry in run.index.entries if entry.record.outcome in COUNTED)
    added = _computed(run.benchmark, _Counted(f"{run.name} {run.index.stamp}", counted)) if counted else None
    if added is None:
        return None
    rows = [(name, *map(_cell, means)) for name, means in added.rows]
    shown = table(added.columns, rows, "", numbers=added.columns[1:], headed=True)
    figures = [h("figure", h("figcaption", chart.caption), step_chart(chart)) for chart in added.charts]
    words = "Percent with 95% intervals, attempts at one task taken together; n counts episodes."
    more = [(h("h3", each.title), _further(each)) for each in added.tables]
    return h("section", h("h2", added.title), h("p", words, class_="dim"), shown, figures, more, class_="card estimates")


class _Counted:
    """Records by the state of the run that they were read from, so that a page need not resample again."""

    def __init__(self, key: str, records: Sequence[Record]) -> None:
        self.key = key
        self.records = records

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Counted) and other.key == self.key


@lru_cache(maxsize=32)
def _adding(benchmark: str) -> Any:
    """The struct of a benchmark that adds something."""
    return next(structs_with("benchmarks", "run_section", named=benchmark), None)


@lru_cache(maxsize=8)
def _computed(benchmark: str, counted: _Counted) -> RunSection | None:
    struct = _adding(benchmark)
    return struct.run_section(counted.records) if struct else None


def _further(added: RunTable) -> Html:
    rows = [(readable(name), *map(_figure, figures)) for name, figures in added.rows]
    return table(added.columns, rows, "", numbers=added.columns[1:], headed=True)


def _figure(shown: ShownFigure) -> Child:
    return (shown.value, h("span", f" {shown.interval}", class_="dim interval") if shown.interval else None)


def _cell(mean: Estimate) -> Child:
    if mean.value is None:
        return "–"
    lines = (f" {100 * mean.low:.1f}–{100 * mean.high:.1f}", f" n = {mean.n:,}")
    return (f"{100 * mean.value:.1f}%", [h("span", line, class_="dim interval") for line in lines])
