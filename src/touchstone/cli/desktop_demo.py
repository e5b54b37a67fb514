"""`touchstone desktop demo`: tasks of our own on real desktops, played by the oracle and by an agent that does nothing."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..benchmarks.desktop.dataset import Dataset
from ..benchmarks.desktop.image import find, layers_for
from ..benchmarks.desktop.tasks import DesktopTask, load_tasks
from ..datasets import desktop_demo
from ..failures import InputError
from ..runs.directory import read_records
from ..values import Record
from .desktop import NOT_HERE, DesktopSelect
from .desktop_options import DesktopPlay, DesktopRun
from .desktop_run import run

_AGENTS = {"oracle": "1", "nothing": "0"}
"""Who plays, and what that must score."""
_WHAT = """\
{count} tasks of our own in Spider2-V's format, each on a desktop of its own that is clean again after it:

{tasks}

The oracle plays each task's solution with mouse and keyboard, and must score 1 everywhere. Then an agent that does nothing
plays them, and must score 0. Pictures, videos and accessibility trees of all that go to {output}."""


def demo(
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])] = Path("results", "desktop-demo"),
    build: Annotated[bool, Parameter(negative="")] = False,
    parallel: Annotated[int, Parameter(name=["--parallel", "-p"])] = 1,
) -> int:
    """Watch tasks being done on a real desktop: a spreadsheet, a notebook, dbt, a terminal. No key, no network.

    Parameters
    ----------
    output
        Where the run directories are made.
    build
        Make what is missing of the desktop's image first: about 3 GB, ten minutes, and it needs the network.
    parallel
        How many tasks at once, each on a desktop of its own.
    """
    tasks = [task for task in load_tasks(Dataset(desktop_demo())) if not task.verbose]
    print(_WHAT.format(count=len(tasks), tasks="\n".join(map(_described, tasks)), output=output), flush=True)
    layers = layers_for({app for task in tasks for app in task.form.related_apps})
    if code := _image(layers, build):
        return code
    for number, agent in enumerate(_AGENTS, 1):
        print(f"\n{number}. {agent}\n", flush=True)
        chosen = DesktopRun(output=output / agent, parallel=parallel, each=True)
        if code := run(desktop_demo(), select=DesktopSelect(abstract=True), play=DesktopPlay(agent=agent), run=chosen):
            return code
    return _conclude(tasks, output)


def _described(task: DesktopTask) -> str:
    return f"  {task.domain:<10}{task.form.instruction.split('. ')[0].rstrip('.')}."


def _image(layers: Sequence[str], build: bool) -> int:
    """0 when the image is there."""
    try:
        find(layers)
    except InputError as error:
        if build:
            from .desktop_image import build as build_layers

            return build_layers(*layers)
        print(f"touchstone: {error}, or this demo with --build: about 3 GB, ten minutes, with the network", file=sys.stderr)
        return NOT_HERE
    return 0


def _conclude(tasks: Sequence[DesktopTask], output: Path) -> int:
    scores = {agent: _scores(tasks, output / agent / "latest") for agent in _AGENTS}
    print(f"\n{'task':<12}" + "".join(f"{agent:>10}" for agent in _AGENTS))
    for number, task in enumerate(tasks):
        print(f"{task.domain:<12}" + "".join(f"{scores[agent][number]:>10}" for agent in _AGENTS))
    program = "touchstone" if shutil.which("touchstone") else shlex.quote(sys.argv[0])
    place = shlex.quote(str(desktop_demo()))
    print(f"\nThese runs in the browser:\n  {program} view {shlex.quote(str(output))}")
    print(f"The same tasks, played by you:\n  {program} desktop run {place} --abstract --agent human")
    wrong = [agent for agent, must in _AGENTS.items() if set(scores[agent]) != {must}]
    for agent in wrong:
        print(f"touchstone: {agent} must score {_AGENTS[agent]} everywhere, and does not", file=sys.stderr)
    return 1 if wrong else 0


def _scores(tasks: Sequence[DesktopTask], path: Path) -> list[str]:
    """Of what was judged; otherwise why it was not."""
    records = {record.task: record for record in read_records(path)}
    return [_score(records.get(task.key)) for task in tasks]


def _score(record: Record | None) -> str:
    if record is None:
        return "-"
    return f"{record.score:g}" if record.outcome in ("passed", "failed") else str(record.outcome)
