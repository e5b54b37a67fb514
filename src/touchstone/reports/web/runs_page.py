"""The first page: all runs in a table, those that are going with their progress. The script sorts it and searches in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from ...phrases import plural
from ...types import Outcome
from .charts import objects, outcome_bar, share_bar
from .index import digest
from .layout import Child, Html, View, h, join, notice, page
from .library import Library, Run
from .words import interval, money, percent, seconds

MOST_COMPARED = 12
"""Runs on one page: the pairs grow with the square of it."""
_COLUMNS = ("Run", "Benchmark", "Agent", "Model", "Score", "n", "Outcomes", "Cost", "Time")
_NUMBERS = ("Score", "n", "Outcomes", "Cost", "Time")


def runs_page(library: Library, view: View) -> Html:
    runs = library.runs()
    content = (
        h("h1", "Runs"),
        h("p", h("a", "Scores over time", href="history.html")) if len(runs) > 1 else None,
        notice(f"What is shown may be old: {library.problem}", "warning") if library.problem else None,
        h("div", id="filters", class_="filters js-only", role="search", aria_label="Runs"),
        h("div", _compare(view), h("p", id="found", class_="dim", aria_live="polite"), class_="row js-only"),
        h("div", runs_table(runs, library.where), id="live"),
        _suspects(library.suspects),
    )
    live = {} if view.exported else {"data_live": "live.json", "data_stamp": runs_stamp(runs)}
    return page("Runs", [("Runs", None)], *content, depth=0, view=view, **live)


def _suspects(lists: Mapping[str, Mapping[str, Any]]) -> Child:
    links = [
        h(
            "li",
            h("a", f"{plural(len(objects(listed.get('suspects'))), 'gold')} to read", href=f"suspects/{name}.html"),
            f" {name}",
        )
        for name, listed in lists.items()
    ]
    return h("section", h("h2", "Suspect golds"), h("ul", links, class_="plain")) if links else None


def runs_stamp(runs: Sequence[Run]) -> str:
    """Another one whenever the table would look different, and every few seconds while a run is going."""
    live = [run.name for run in runs if run.live]
    clock = f"@{int(datetime.now(UTC).timestamp()) // 5}" if live else ""
    return digest(",".join([*(f"{run.name}:{run.index.stamp}:{run.labels}" for run in runs), *live])) + clock


def runs_table(runs: Sequence[Run], where: str) -> Html:
    whole = [run for run in runs if run.index.entries or run.problem is None]
    broken = [run for run in runs if run.problem is not None]
    if not runs:
        return notice(f"There is no run in {where} yet. New runs appear here automatically.")
    head = h("tr", [_head(name) for name in _COLUMNS])
    table = h("table", h("thead", head), h("tbody", [_row(run) for run in whole]), class_="runs")
    return join(h("div", table, class_="scroll", tabindex="0") if whole else None, _broken(broken))


def _compare(view: View) -> Child:
    if view.compared == {}:
        return None
    known = None if view.compared is None else _known(view.compared)
    most = {"data_most": MOST_COMPARED, "data_compared": known}
    return h("button", "Compare", type="button", id="compare", disabled=True, **most)


def _known(compared: Mapping[tuple[str, ...], str]) -> str:
    return msgspec.json.encode([[where, *names] for names, where in compared.items()]).decode()


def _head(name: str) -> Html:
    return h("th", name, scope="col", class_=_class(name), data_kind="number" if name in _NUMBERS else "text")


def _row(run: Run) -> Html:
    share = run.index.aggregate.overall()["overall"]
    mark = h("input", type="checkbox", class_="js-only mark", value=run.name, aria_label=f"Mark {run.label} for comparison")
    began = run.index.began
    cells: dict[str, tuple[Child, str | float | None]] = {
        "Run": ((mark, h("a", run.label, href=f"runs/{run.name}/index.html"), _about(run)), run.label),
        "Benchmark": (run.benchmark, run.benchmark),
        "Agent": (run.agent, run.agent),
        "Model": (run.model, run.model),
        "Score": (
            (h("b", percent(share["accuracy"])), " ", h("span", interval(share), class_="dim"), share_bar(share)),
            share["accuracy"],
        ),
        "n": (f"{share['total']:,}", share["total"]),
        "Outcomes": (outcomes(run), run.index.aggregate.done),
        "Cost": (money(run.index.cost), run.index.cost),
        "Time": (_time(run), began.timestamp() if began else None),
    }
    shown = [
        h("td", cell, data_label=name, class_=_class(name), data_value="" if value is None else str(value))
        for name, (cell, value) in cells.items()
    ]
    return h("tr", shown, data_tags=" ".join(run.labels.tags))


def _about(run: Run) -> Child:
    tags = [h("button", tag, type="button", class_="chip tag", data_filter="tag", data_value=tag) for tag in run.labels.tags]
    return (h("span", run.title, class_="dim"), h("span", tags, class_="tags") if tags else None, note(run))


def note(run: Run) -> Child:
    return h("span", run.labels.note, class_="note prose") if run.labels.note else None


def outcomes(run: Run) -> Html:
    counts = run.index.aggregate.outcomes
    words = ", ".join(f"{counts[each]:,} {each.value}" for each in Outcome if counts[each]) or "nothing yet"
    return join(outcome_bar(counts, run.planned), h("span", words, class_="dim"))


def progress(run: Run) -> str | None:
    """How far a run is that is going; None for one that is not."""
    if not run.live:
        return None
    done = len(run.index.entries)
    done_so_far = f"live: {done:,} of {run.planned:,} done" if run.planned else f"live: {plural(done, 'episode')} done"
    if run.index.began is None or done < 2:
        return done_so_far
    began = run.index.began if run.index.began.tzinfo else run.index.began.replace(tzinfo=UTC)
    rate = done / max((datetime.now(UTC) - began).total_seconds(), 1.0)
    left = f", about {seconds((run.planned - done) / rate)} left" if run.planned else ""
    return f"{done_so_far}, {rate:.1f}/s{left}" if rate >= 1 else f"{done_so_far}, {60 * rate:.1f}/min{left}"


def unfinished(run: Run) -> str | None:
    """How far a run came that was stopped or killed before its last episode; None for any other."""
    done = len(run.index.entries)
    return f"unfinished: {done:,} of {run.planned:,} done" if not run.live and run.planned and done < run.planned else None


def _time(run: Run) -> Child:
    began, ended = run.index.began, run.index.ended
    going, stopped = progress(run), unfinished(run)
    live = h("span", going, class_="chip live") if going else None
    cut_short = h("span", stopped, class_="chip stopped") if stopped else None
    if began is None or ended is None:
        return live or cut_short or "–"
    took = f"{began:%H:%M}, took {seconds((ended - began).total_seconds())}"
    return (f"{began:%Y-%m-%d}", h("br"), live or h("span", took, class_="dim"), cut_short)


def _class(name: str) -> str:
    return f"c-{name.lower()}"


def _broken(runs: Sequence[Run]) -> Child:
    if not runs:
        return None
    listed = [h("li", h("b", run.label), ": ", run.problem) for run in runs]
    return h("section", h("h2", "Cannot be read"), notice(h("ul", listed), "warning"))
