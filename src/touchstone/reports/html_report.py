"""Runs as one HTML file that can be mailed: figures and plots, nothing to load, no script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import __version__
from ..types import Outcome
from .tables import HEAD, ordered, summary_rows
from .web.charts import outcome_bar, share_bar
from .web.layout import Html, h
from .web.library import Run
from .web.words import ORDER, interval, percent

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_WIDE, _LEFT, _LINE = 760.0, 250.0, 28.0
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
svg text { fill: var(--ink); font: 13px system-ui, sans-serif; } svg.plot { width: 100%; min-width: 36rem; max-width: 760px; }
svg.bar { width: 14rem; height: .8rem; } .track { fill: var(--line); } .fill { fill: var(--fill); }
.whisker { fill: var(--ink); } .axis { stroke: var(--line); }
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
    kinds = ["n" if number > 2 else None for number in range(len(HEAD))]
    head = h(
        "tr",
        h("th", "run", scope="col"),
        [h("th", name, scope="col", class_=kind) for name, kind in zip(HEAD, kinds, strict=True)],
    )
    rows = [
        h("tr", h("td", run.label), [h("td", cell, class_=kind) for cell, kind in zip(cells, kinds, strict=True)])
        for run, cells in zip(runs, summary_rows(runs), strict=True)
    ]
    return h("div", h("table", h("thead", head), h("tbody", rows)), class_="scroll", tabindex="0")


def _plot(runs: Sequence[Run], names: Sequence[str]) -> Html:
    """A line per run: its accuracy as a point, the interval as a line."""
    high = _LINE * len(runs) + 26

    def at(share: float) -> float:
        return _LEFT + (_WIDE - _LEFT - 60) * share

    parts: list[Html] = [h("title", "Accuracy of each run, with its 95% interval")]
    for tick in range(0, 101, 20):
        x = at(tick / 100)
        parts += [h("line", x1=x, x2=x, y1=4, y2=high - 22, class_="axis")]
        parts += [h("text", f"{tick}%", x=x, y=high - 4, text_anchor="middle")]
    for number, (run, name) in enumerate(zip(runs, names, strict=True)):
        share = run.index.aggregate.overall()["overall"]
        y = _LINE * number + _LINE / 2 + 4
        shown = name if len(name) <= 36 else f"{name[:35]}…"
        parts.append(h("text", h("title", name), shown, x=_LEFT - 10, y=y + 4, text_anchor="end"))
        if share["accuracy"] is None:
            continue
        low, top = share["interval"]
        words = f"{name}: {percent(share['accuracy'])} ({interval(share)}), n = {share['total']}"
        parts.append(h("rect", x=at(low), y=y - 1, width=max(at(top) - at(low), 1.0), height=2, class_="whisker"))
        parts.append(h("circle", h("title", words), cx=at(share["accuracy"]), cy=y, r=5, class_="fill"))
        parts.append(h("text", percent(share["accuracy"]), x=_WIDE - 50, y=y + 4))
    return h(
        "section",
        h("h2", "Accuracy"),
        h("div", h("svg", parts, class_="plot", viewBox=f"0 0 {_WIDE:g} {high:g}", role="img"), class_="scroll", tabindex="0"),
    )


def _outcomes(runs: Sequence[Run], names: Sequence[str]) -> Html:
    rows = [
        h(
            "tr",
            h("td", name),
            h("td", outcome_bar(run.index.aggregate.outcomes)),
            [h("td", str(run.index.aggregate.outcomes[outcome]), class_="n") for outcome in Outcome],
        )
        for run, name in zip(runs, names, strict=True)
    ]
    heads = [h("th", outcome.value, scope="col", class_="n") for outcome in Outcome]
    head = h("tr", h("th", "run", scope="col"), h("th", "outcomes", scope="col"), heads)
    table = h("table", h("thead", head), h("tbody", rows))
    return h("section", h("h2", "Outcomes"), h("div", table, class_="scroll", tabindex="0"))


def _facets(runs: Sequence[Run], names: Sequence[str]) -> list[Html]:
    overalls = [run.index.aggregate.overall() for run in runs]
    facets = sorted({name for overall in overalls for name in overall if name.startswith("by_")})
    return [_facet(facet, overalls, names) for facet in facets if len(_values(facet, overalls)) > 1]


def _values(facet: str, overalls: Sequence[dict[str, Any]]) -> list[str]:
    values: set[str] = {value for overall in overalls for value in overall.get(facet, {})}
    return sorted(values, key=lambda value: (ORDER.get(value, 99), value))


def _facet(facet: str, overalls: Sequence[dict[str, Any]], names: Sequence[str]) -> Html:
    title = facet.removeprefix("by_")
    head = h("tr", h("th", title, scope="col"), [h("th", name, scope="col") for name in names])
    rows = [
        h("tr", h("td", value), [h("td", _share(overall.get(facet, {}).get(value)), class_="share") for overall in overalls])
        for value in _values(facet, overalls)
    ]
    table = h("table", h("thead", head), h("tbody", rows))
    return h("section", h("h2", f"By {title}"), h("div", table, class_="scroll", tabindex="0"))


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
        h("tr", h("td", benchmark), h("td", task), h("td", record.outcome.value), h("td", record.reason[:300]))
        for (benchmark, task), record in list(missed.items())[:_LISTED]
    ]
    more = h("p", f"and {len(missed) - _LISTED} more", class_="dim") if len(missed) > _LISTED else None
    head = h("tr", [h("th", name, scope="col") for name in ("benchmark", "task", "outcome", "reason")])
    table = h("div", h("table", h("thead", head), h("tbody", rows)), class_="scroll", tabindex="0")
    return h("section", h("h2", f"Tasks that no run passes: {len(missed)}"), table, more)
