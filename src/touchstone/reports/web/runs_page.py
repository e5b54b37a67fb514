"""The first page: all runs in a table, those that are going with their progress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ...types import Outcome
from .charts import objects, outcome_bar, share_bar
from .layout import Child, Html, View, h, join, notice, page
from .library import Run
from .words import count, interval, money, percent, seconds

_COLUMNS = ("Run", "Benchmark", "Agent", "Model", "Score", "n", "Outcomes", "Cost", "Time")


def runs_page(runs: Sequence[Run], view: View, suspects: Mapping[str, Mapping[str, Any]] | None = None) -> Html:
    content = (
        h("h1", "Runs"),
        h("div", runs_table(runs, view), id="live"),
        _suspects(suspects or {}),
    )
    live = {} if view.exported else {"data_live": "live.json", "data_stamp": runs_stamp(runs)}
    return page("Runs", [("Runs", None)], *content, depth=0, view=view, **live)


def _suspects(lists: Mapping[str, Mapping[str, Any]]) -> Child:
    links = [
        h(
            "li",
            h("a", f"{count(len(objects(found.get('suspects'))), 'gold')} to read", href=f"suspects/{name}.html"),
            f" {name}",
        )
        for name, found in lists.items()
    ]
    return h("section", h("h2", "Suspect golds"), h("ul", links, class_="plain")) if links else None


def runs_stamp(runs: Sequence[Run]) -> str:
    """Another one whenever the table would look different, and every few seconds while a run is going."""
    live = [run.name for run in runs if run.live]
    clock = f"@{int(datetime.now(UTC).timestamp()) // 5}" if live else ""
    return ",".join([*(f"{run.name}:{run.index.stamp}" for run in runs), *live]) + clock


def runs_table(runs: Sequence[Run], view: View) -> Html:
    whole = [run for run in runs if run.index.entries or run.problem is None]
    broken = [run for run in runs if run.problem is not None]
    pairs = None if view.pairs is None else " ".join(sorted(f"{first}/{second}" for first, second in view.pairs))
    button = h("button", "Compare the two that are marked", type="button", id="compare", disabled=True, data_pairs=pairs)
    choose = h("p", button, class_="js-only") if pairs != "" and len(whole) > 1 else None
    head = h("tr", [h("th", name, scope="col", class_=_class(name)) for name in _COLUMNS])
    table = h("table", h("thead", head), h("tbody", [_row(run) for run in whole]), class_="runs")
    return join(choose, h("div", table, class_="scroll") if whole else None, _broken(broken))


def _row(run: Run) -> Html:
    overall = run.index.aggregate.overall()
    share = overall["overall"]
    mark = h("input", type="checkbox", class_="js-only mark", value=run.name, aria_label=f"Mark {run.label} for comparison")
    cells: list[Child] = [
        (mark, h("a", run.label, href=f"runs/{run.name}/index.html"), h("span", run.title, class_="dim")),
        run.benchmark,
        run.agent,
        run.model,
        (h("b", percent(share["accuracy"])), " ", h("span", interval(share), class_="dim"), share_bar(share)),
        f"{share['total']:,}",
        outcomes(run),
        money(run.index.cost),
        _time(run),
    ]
    return h("tr", [h("td", cell, data_label=name, class_=_class(name)) for name, cell in zip(_COLUMNS, cells, strict=True)])


def outcomes(run: Run) -> Html:
    counts = run.index.aggregate.outcomes
    words = ", ".join(f"{counts[each]:,} {each.value}" for each in Outcome if counts[each]) or "nothing yet"
    planned = run.planned if run.live else None
    return join(outcome_bar(counts, planned), h("span", words, class_="dim"))


def progress(run: Run) -> str | None:
    """How far a run is that is going; None for one that is not."""
    if not run.live:
        return None
    done = len(run.index.entries)
    said = f"live: {done:,} of {run.planned:,} done" if run.planned else f"live: {count(done, 'episode')} done"
    if run.index.began is None or done < 2:
        return said
    began = run.index.began if run.index.began.tzinfo else run.index.began.replace(tzinfo=UTC)
    rate = done / max((datetime.now(UTC) - began).total_seconds(), 1.0)
    left = f", about {seconds((run.planned - done) / rate)} left" if run.planned else ""
    return f"{said}, {rate:.1f}/s{left}" if rate >= 1 else f"{said}, {60 * rate:.1f}/min{left}"


def _time(run: Run) -> Child:
    began, ended = run.index.began, run.index.ended
    going = progress(run)
    live = h("span", going, class_="chip live") if going else None
    if began is None or ended is None:
        return live or "–"
    took = f"{began:%H:%M}, took {seconds((ended - began).total_seconds())}"
    return (f"{began:%Y-%m-%d}", h("br"), live or h("span", took, class_="dim"))


def _class(name: str) -> str:
    return f"c-{name.lower()}"


def _broken(runs: Sequence[Run]) -> Child:
    if not runs:
        return None
    listed = [h("li", h("b", run.label), ": ", run.problem) for run in runs]
    return h("section", h("h2", "Cannot be read"), notice(h("ul", listed), "warning"))
