"""What was done before an agent came: the steps of a set-up with their commands, and the probes of what they left behind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .charts import mapping, number, objects
from .episodes import ShownEpisode
from .layout import Child, badge, h
from .words import count, seconds


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
    failures = f", {count(failed, 'command')} with an exit code other than 0" if failed else ""
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
