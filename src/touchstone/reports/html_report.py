"""Runs as one HTML file that can be mailed: figures and plots, nothing to load, no script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import __version__
from ..types import Outcome
from .tables import HEAD, ordered, summary_rows
from .web.charts import outcome_bar, share_bar
from .web.layout import Html, h, table
from .web.library import Run
from .web.site import STATIC
from .web.words import ORDER, interval, percent

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_LISTED = 200
"""Tasks that no run passes."""
_STYLE = """
main { max-width: 76rem; padding-bottom: 1rem; }
footer { max-width: 76rem; margin: 0 auto; padding: 0 clamp(.75rem, 3vw, 2rem) 1rem; } .runs svg.bar { max-width: 8rem; }
.plot { display: grid; grid-template-columns: minmax(8rem, max-content) minmax(0, 1fr) 4rem; gap: .5rem 1rem; max-width: 48rem;
  align-items: center; margin: 0; }
.plot dt { text-align: right; overflow-wrap: anywhere; } .plot dd { margin: 0; } .plot .track { fill: var(--rule); }
svg.range { width: 100%; height: 1rem; display: block; overflow: visible; } .point { fill: var(--bar); }
.ticks { grid-column: 2; display: flex; justify-content: space-between; font-size: .75rem; }
.ticks > * { width: 0; display: flex; justify-content: center; } /* each below its mark */
@media (max-width: 44rem) {
  .plot { grid-template-columns: minmax(0, 1fr) 4rem; }
  .plot dt { grid-column: 1 / -1; text-align: left; margin-bottom: -.5rem; }
  .ticks { grid-column: 1; } .plot dt:empty { display: none; }
}
"""
"""Beside the viewer's."""


def html_report(runs: Sequence[Run]) -> Html:
    """All of them on one page."""
    names = [_name(run, runs) for run in runs]
    head = h(
        "head",
        h("meta", charset="utf-8"),
        h("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        h("meta", name="viewport", content="width=device-width, initial-scale=1"),
        h("title", f"{len(runs)} runs · Touchstone" if len(runs) > 1 else f"{names[0]} · Touchstone"),
        h("style", Html((STATIC / "style.css").read_text() + _STYLE)),
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
    rows = [[run.label, *cells] for run, cells in zip(runs, summary_rows(runs), strict=True)]
    return table(["run", *HEAD], rows, "runs", numbers=HEAD[3:])


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
    return h("section", h("h2", "Outcomes"), table(heads, rows, "runs", numbers=heads[2:]))


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
    return h("section", h("h2", f"By {title}"), table([title, *(name for _, name in having)], rows, "runs"))


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
    shown = table(("benchmark", "task", "outcome", "reason"), rows, "runs")
    return h("section", h("h2", f"Tasks that no run passes: {len(missed)}"), shown, more)
