"""One episode: its verdict, its dialogue, what it took. And the same task in two runs, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...phrases import plural
from .charts import mapping, number, objects, part_bar
from .dialogue import dialogue
from .episodes import ShownEpisode
from .film import film_strip
from .index import IndexEntry
from .layout import Child, Html, View, badge, bars, facts, h, page
from .library import Run
from .verdict import verdict
from .words import moment, percent, readable, seconds, used


def task_page(run: Run, entry: IndexEntry, episode: ShownEpisode, view: View) -> Html:
    title = f"{episode.task}{f' (attempt {episode.epoch + 1})' if episode.epoch else ''}"
    before, after = _neighbours(run.index.entries, entry)
    crumbs = [("Runs", "../../index.html"), (run.label, "index.html"), (title, None)]
    content = (
        h("div", h("h1", title), _turn(before, after), class_="titled"),
        _head(episode),
        h("nav", _jumps(episode), class_="jumps", aria_label="On this page"),
        verdict(episode),
        setup_panel(episode),
        film_strip(episode, "files/"),
        dialogue(episode, "files/"),
        _effort(episode),
    )
    return page(title, crumbs, *content, depth=2, view=view, data_name=entry.name, data_run=run.name)


def pair_task_page(runs: Sequence[Run], episodes: Sequence[ShownEpisode | None], view: View) -> Html:
    task = next(episode.task for episode in episodes if episode)
    crumbs = [("Runs", "../../../index.html"), ("Comparison", "index.html"), (task, None)]
    sides = [
        _half(letter, run, episode, f"../../../runs/{run.name}/")
        for letter, run, episode in zip("AB", runs, episodes, strict=True)
    ]
    content = (h("h1", task), _asked(episodes), h("div", sides, class_="halves"))
    return page(task, crumbs, *content, depth=3, view=view)


def _half(letter: str, run: Run, episode: ShownEpisode | None, where: str) -> Html:
    title = h("h2", f"{letter}: ", h("a", run.label, href=f"{where}index.html"))
    if episode is None:
        return h("section", title, h("p", "This run has no record of the task.", class_="dim"), class_="half")
    files = f"{where}files/"
    parts = (
        _head(episode, asked=False),
        verdict(episode),
        setup_panel(episode),
        film_strip(episode, files),
        dialogue(episode, files),
        _effort(episode),
    )
    return h("section", title, h("p", run.system, class_="dim"), *parts, class_="half")


def _asked(episodes: Sequence[ShownEpisode | None]) -> Child:
    brief = next((episode.brief for episode in episodes if episode and episode.brief), None)
    question = brief.fields.get("question") if brief else None
    return h("p", question, class_="lead prose") if question else None


def _head(episode: ShownEpisode, asked: bool = True) -> Html:
    question = episode.brief.fields.get("question") if episode.brief and asked else None
    proof = mapping(episode.evidence.get("proof")).get("verdict")
    labels = [h("a", f"proof: {proof}", href="#proof", class_="chip")] if proof and asked else []
    labels += [h("span", f"{readable(name)}: {value}", class_="chip") for name, value in episode.facets.items()]
    return h(
        "div",
        h("p", badge(episode.outcome), "" if episode.score is None else f" score {episode.score:g} ", labels),
        h("p", episode.reason, class_="reason"),
        h("p", question, class_="lead prose") if question else None,
        class_="head",
    )


def _jumps(episode: ShownEpisode) -> Html:
    places = [("Verdict", "#verdict"), ("Dialogue", "#dialogue"), ("Effort", "#effort")]
    last = f"#step-{len(episode.steps)}" if episode.steps else None
    return h("ul", [h("li", h("a", name, href=to)) for name, to in [*places, *([("Last step", last)] if last else [])]])


def _turn(before: IndexEntry | None, after: IndexEntry | None) -> Html:
    links = [
        h("a", words, href=f"{entry.name}.html", rel=rel, id=f"turn-{rel}", title=entry.record.task) if entry else None
        for words, rel, entry in (("← previous", "prev", before), ("next →", "next", after))
    ]
    return h("nav", links, class_="turn", aria_label="Other tasks")


def _neighbours(entries: Sequence[IndexEntry], entry: IndexEntry) -> tuple[IndexEntry | None, IndexEntry | None]:
    position = next((position for position, each in enumerate(entries) if each.name == entry.name), 0)
    padded = [None, *entries, None]
    return padded[position], padded[position + 2]


def _effort(episode: ShownEpisode) -> Html:
    model = sum(number(step.get("seconds")) for step in episode.steps if step.get("type") == "model")
    tools = sum(number(step.get("seconds")) for step in episode.steps if step.get("type") in ("tool", "service"))
    rest = max(episode.seconds - model - tools, 0.0)
    shares = [("Model", model), ("Tools", tools), ("Judging and the rest", rest)]
    whole = max(episode.seconds, model + tools, 1e-9)
    times = [
        (name, part_bar(round(1000 * spent / whole), 1000), seconds(spent), h("span", percent(spent / whole), class_="dim"))
        for name, spent in shares
    ]
    when = [("Started", moment(episode.started)), ("Took", seconds(episode.seconds))]
    metrics = [(readable(name), f"{value:g}") for name, value in episode.metrics.items()]
    return h(
        "section",
        h("h2", "Effort"),
        h("div", bars(times), class_="card"),
        h("div", facts([*when, *used(episode.usage, episode.usage_by)]), facts(metrics) if metrics else None, class_="card"),
        id="effort",
    )


# What was done before an agent came: the steps of a set-up with their commands, and the probes of what they left behind.


def setup_panel(episode: ShownEpisode) -> Child:
    setup = mapping(episode.evidence.get("setup"))
    steps, probes = objects(setup.get("steps")), objects(setup.get("probes"))
    if not (steps or probes):
        return None
    checked = h("ul", [_probe(probe) for probe in probes]) if probes else None
    return h("section", h("h2", "Set-up"), [_step(number, step) for number, step in enumerate(steps, 1)], checked, id="setup")


def _step(position: int, step: Mapping[str, Any]) -> Child:
    commands = objects(step.get("commands"))
    failed = sum(bool(command.get("returncode")) for command in commands)
    failures = f", {plural(failed, 'command')} with an exit code other than 0" if failed else ""
    title = f"{position}. {step.get('step')}: {seconds(number(step.get('seconds')))}{failures}"
    problem = step.get("problem")
    rows = [h("tr", h("th", "Exit code"), h("th", "Time"), h("th", "Command")), *map(_command, commands)]
    inside = (h("p", str(problem)) if problem else None, h("table", rows) if commands else None)
    return h("details", h("summary", title), *inside)


def _command(command: Mapping[str, Any]) -> Child:
    code, times = command.get("returncode"), int(number(command.get("times")) or 1)
    text = f"{command.get('command')}{f'  ({times} times)' if times > 1 else ''}"
    output = str(command.get("output") or "")
    cell = h("td", h("code", text), h("pre", output) if output else None)
    return h("tr", h("td", "" if code is None else str(code)), h("td", seconds(number(command.get("seconds")))), cell)


def _probe(probe: Mapping[str, Any]) -> Child:
    outcome = badge("passed" if probe.get("passed") is True else "failed")
    return h("li", outcome, f" {probe.get('what')}, after {seconds(number(probe.get('seconds')))}")
