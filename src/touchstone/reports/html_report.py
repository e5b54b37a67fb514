"""Runs as one HTML file that can be mailed: figures and plots, nothing to load, no script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import __version__
from ..types import Outcome
from .tables import HEAD, ordered, summary_rows
from .web.charts import outcome_bar, share_bar
from .web.layout import Child, Html, h
from .web.library import Run
from .web.words import ORDER, interval, percent

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_LISTED = 200
"""Tasks that no run passes."""
_COLOURS = {
    "passed": "#2e7d4f",
    "failed": "#c0503a",
    "limit": "#d49a2a",
    "error": "#7d4ba0",
    "unscorable": "#8a8f98",
    "skipped": "#b9bec6",
}
_STYLE = """
:root { color-scheme: light dark; --ink: #1d2229; --dim: #5b6470; --paper: #fff; --line: #d7dbe0; --fill: #2f6db3; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ed; --dim: #a3acb8; --paper: #15181c; --line: #3a414a; --fill: #6aa7ea; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2rem auto; padding: 0 1rem;
  max-width: 64rem; }
table { border-collapse: collapse; } th, td { padding: .3rem .7rem; border-bottom: 1px solid var(--line); text-align: left; }
th { vertical-align: bottom; } td.share { white-space: nowrap; } footer { margin-top: 1rem; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; } .dim { color: var(--dim); } .scroll { overflow-x: auto; }
.plot { display: grid; grid-template-columns: minmax(8rem, max-content) minmax(0, 1fr) 4rem; gap: .5rem 1rem; max-width: 48rem;
  align-items: center; margin: 0; }
.plot dt { text-align: right; overflow-wrap: anywhere; } .plot dd { margin: 0; }
td.share svg.bar { width: 7rem; } .point { fill: var(--fill); }
svg.range { width: 100%; height: 1rem; display: block; overflow: visible; }
.ticks { grid-column: 2; display: flex; justify-content: space-between; font-size: .8rem; }
svg.bar { width: 14rem; height: .8rem; } .track { fill: var(--line); } .fill { fill: var(--fill); }
.whisker { fill: var(--ink); } .axis { stroke: var(--line); }
@media (max-width: 44rem) {
  .plot { grid-template-columns: minmax(0, 1fr) 4rem; }
  .plot dt { grid-column: 1 / -1; text-align: left; margin-bottom: -.5rem; }
  .ticks { grid-column: 1; } .plot dt:empty { display: none; } td:first-child { font-weight: 600; }
  table, tbody, tr, td { display: block; } thead { position: absolute; clip-path: inset(50%); }
  tr { border-bottom: 1px solid var(--line); padding: .5rem 0; }
  td, td.n { border: 0; padding: .1rem 0; display: flex; justify-content: space-between; gap: 1rem; text-align: right;
    overflow-wrap: anywhere; }
  td::before { content: attr(data-label); color: var(--dim); text-align: left; flex: none; }
}
""" + "".join(f".of-{name} {{ fill: {colour}; }}\n" for name, colour in _COLOURS.items())


def html_report(runs: Sequence[Run]) -> Html:
    """All of them on one page."""
    names = [_name(run, runs) for run in runs]
    head = h(
        "head",
        h("meta", charset="utf-8"),
        h("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        h("meta", name="viewport", content="width=device-width, initial-scale=1"),
        h("title", f"{len(runs)} runs · Touchstone" if len(runs) > 1 else f"{names[0]} · Touchstone"),
        h("style", Html(_STYLE)),
    )
    body = h(
        "body",
        h(
            "main",
            h("h1", f"{len(runs)} runs" if len(runs) > 1 else runs[0].title),
            _table(runs),
            _plot(runs, names),
            _outcomes(runs, names),
            _facets(runs, names),
            _missed(runs),
        ),
        h("footer", f"Touchstone {__version__}. Accuracy is passed over passed, failed, limit and error.", class_="dim"),
    )
    return Html(f"<!doctype html>\n{h('html', head, body, lang='en')}\n")


def _name(run: Run, runs: Sequence[Run]) -> str:
    """What tells it from the others; its folder if nothing else does."""
    parts = [getattr(run, part) for part in ("benchmark", "agent", "model") if len({getattr(each, part) for each in runs}) > 1]
    own = ", ".join(parts)
    alike = [
        each for each in runs if all(getattr(each, part) == getattr(run, part) for part in ("benchmark", "agent", "model"))
    ]
    return own if own and len(alike) == 1 else f"{own}: {run.label}" if own else run.label


def _table(runs: Sequence[Run]) -> Html:
    kinds = [None, *("n" if number > 2 else None for number in range(len(HEAD)))]
    return _grid(["run", *HEAD], kinds, [[run.label, *cells] for run, cells in zip(runs, summary_rows(runs), strict=True)])


def _grid(heads: Sequence[str], kinds: Sequence[str | None], rows: Sequence[Sequence[Child]]) -> Html:
    """A table. On a narrow screen each row is a list, so a cell says what it is."""
    head = h("tr", [h("th", name, scope="col", class_=kind) for name, kind in zip(heads, kinds, strict=True)])
    body = [
        h("tr", [h("td", cell, class_=kind, data_label=name) for name, kind, cell in zip(heads, kinds, row, strict=True)])
        for row in rows
    ]
    return h("div", h("table", h("thead", head), h("tbody", body)), class_="scroll", tabindex="0")


def _plot(runs: Sequence[Run], names: Sequence[str]) -> Html:
    """A line per run: its accuracy as a point, the interval as a line."""
    lines: list[Html] = []
    for run, name in zip(runs, names, strict=True):
        share = run.index.aggregate.overall()["overall"]
        lines += [h("dt", name), h("dd", _range(name, share)), h("dd", percent(share["accuracy"]))]
    ticks = h("dd", [h("span", f"{tick}%") for tick in range(0, 101, 20)], class_="ticks dim", aria_hidden="true")
    return h("section", h("h2", "Accuracy"), h("dl", lines, h("dt", aria_hidden="true"), ticks, class_="plot"))


def _range(name: str, share: dict[str, Any]) -> Html:
    parts: list[Html] = [h("rect", x=f"{tick}%", width=1, height=16, class_="track") for tick in range(0, 101, 20)]
    if share["accuracy"] is not None:
        low, top = (100 * end for end in share["interval"])
        words = f"{name}: {percent(share['accuracy'])} ({interval(share)}), n = {share['total']}"
        parts += [
            h("title", words),
            h("rect", x=f"{low:.2f}%", y=7, width=f"{max(top - low, 0.2):.2f}%", height=2, class_="whisker"),
            h("circle", cx=f"{100 * share['accuracy']:.2f}%", cy=8, r=5, class_="point"),
        ]
    return h("svg", parts, class_="range", role="img")


def _outcomes(runs: Sequence[Run], names: Sequence[str]) -> Html:
    rows = [
        [name, outcome_bar(counts), *(str(counts[outcome]) for outcome in Outcome)]
        for name, counts in ((name, run.index.aggregate.outcomes) for run, name in zip(runs, names, strict=True))
    ]
    heads = ["run", "outcomes", *(outcome.value for outcome in Outcome)]
    return h("section", h("h2", "Outcomes"), _grid(heads, [None, None, *("n" for _ in Outcome)], rows))


def _facets(runs: Sequence[Run], names: Sequence[str]) -> list[Html]:
    overalls = [run.index.aggregate.overall() for run in runs]
    facets = sorted({name for overall in overalls for name in overall if name.startswith("by_")})
    return [_facet(facet, overalls, names) for facet in facets if len(_values(facet, overalls)) > 1]


def _values(facet: str, overalls: Sequence[dict[str, Any]]) -> list[str]:
    values: set[str] = {value for overall in overalls for value in overall.get(facet, {})}
    return sorted(values, key=lambda value: (ORDER.get(value, 99), value))


def _facet(facet: str, overalls: Sequence[dict[str, Any]], names: Sequence[str]) -> Html:
    """Of the runs that have it."""
    title = facet.removeprefix("by_")
    having = [(overall[facet], name) for overall, name in zip(overalls, names, strict=True) if overall.get(facet)]
    rows = [[value, *(_share(shares.get(value)) for shares, _ in having)] for value in _values(facet, overalls)]
    grid = _grid([title, *(name for _, name in having)], [None, *("share" for _ in having)], rows)
    return h("section", h("h2", f"By {title}"), grid)


def _share(share: dict[str, Any] | None) -> list[Html | str]:
    if share is None or share["accuracy"] is None:
        return ["–"]
    return [share_bar(share), f" {percent(share['accuracy'])} ", h("span", f"n = {share['total']}", class_="dim")]


def _missed(runs: Sequence[Run]) -> Html | None:
    """What no run passes, with the reason of the first: where a benchmark, or all systems, are at an end."""
    episodes = [((run.benchmark, record.task), record) for run in reversed(runs) for record in ordered(run)]
    passed = {key for key, record in episodes if record.outcome is Outcome.passed}
    missed = {key: record for key, record in episodes if key not in passed}
    if not missed:
        return None
    rows = [
        [benchmark, task, record.outcome.value, record.reason[:300]]
        for (benchmark, task), record in list(missed.items())[:_LISTED]
    ]
    more = h("p", f"and {len(missed) - _LISTED} more", class_="dim") if len(missed) > _LISTED else None
    table = _grid(("benchmark", "task", "outcome", "reason"), [None] * 4, rows)
    return h("section", h("h2", f"Tasks that no run passes: {len(missed)}"), table, more)
