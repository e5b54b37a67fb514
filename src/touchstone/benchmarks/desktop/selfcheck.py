"""`touchstone desktop selfcheck`: whether the tasks set up, are judged, and can be solved on this machine.

The oracle plays the solutions that there are, and agents that do nothing must score 0: what passes untouched judges nothing.
A check that was broken off goes on where it stopped: what came out right in the runs of its folder counts, and is not repeated.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from msgspec.structs import replace

import touchstone

from ...options import Count, Opt, Positive
from ...protocols import WHO
from ...types import Outcome, Record
from .config import DESKTOP, EXAMPLES, DesktopConfig, TaskChoice
from .setup import KIND
from .solutions import solution
from .tasks import DesktopTask

ORACLE, IDLE = "oracle", ("nothing", "done", "fail")
_JUDGED = (Outcome.passed, Outcome.failed)
_LEFT_OUT = (Outcome.skipped, Outcome.unscorable)
_SHARED = ("solutions", "provider", "address", "reset_command", "network", "offline_web", "settings", "eval_timeout")
"""Options that are those of `run`."""


class SelfcheckOptions(TaskChoice, frozen=True):
    dataset: Annotated[Path, Opt(positional=True)] = EXAMPLES
    """The published evaluation_examples, or another dataset in its form."""
    solutions: Annotated[Path | None, Opt(group=WHO)] = None
    """A folder of your own solutions for the oracle: <task>.py or <task>.sh, named by either form of the task."""
    thorough: Annotated[bool, Opt(group=WHO)] = False
    """Let agents play, too, that only say that the task is done, or that it cannot be done."""
    provider: Annotated[str, Opt(group=DESKTOP)] = "sandbox"
    """Where desktops come from: sandbox, docker, remote (--address), or your module:function, which makes a factory."""
    address: Annotated[str | None, Opt(group=DESKTOP)] = None
    """The controller of a running desktop, such as http://host:5000 (with --provider remote)."""
    reset_command: Annotated[str | None, Opt(group=DESKTOP, verbatim=True)] = None
    """A shell command, run here, that resets the remote desktop before each task."""
    network: Annotated[bool, Opt(group=DESKTOP)] = False
    """Let the desktop use the network; tasks that need it are left out otherwise."""
    offline_web: Annotated[bool, Opt(group=DESKTOP)] = False
    """Let stand-ins on the desktop answer for a few public addresses."""
    settings: Annotated[Path | None, Opt(group=DESKTOP)] = None
    """The accounts' settings; by default those in the dataset."""
    eval_timeout: Annotated[Positive, Opt(group=DESKTOP)] = 300.0
    """Seconds for each script or command of the set-up and of the evaluation, without waiting for a core."""
    parallel: Annotated[Count, Opt(names=("-p",))] = 1
    """How many tasks at once, each on a desktop of its own."""
    output: Annotated[Path, Opt(names=("-o",), target=True)] = Path("results", "desktop-selfcheck")
    """Where to create the run directories. What came out right in earlier ones there is not played again."""
    again: bool = False
    """Play everything, whatever came out earlier."""


def selfcheck(options: SelfcheckOptions) -> int:
    """Check that tasks set up, are judged, and can be solved here, and that nothing passes untouched."""
    own = {name: getattr(options, name) for name in TaskChoice.__struct_fields__}
    shared = {name: getattr(options, name) for name in _SHARED}
    config = DesktopConfig(options.dataset, **own, **shared, video=False)
    data = config.loaded()
    solvable = [task for task in data.chosen if solution(task, data.dataset, options.solutions)]
    agents = (ORACLE, *(IDLE if options.thorough else IDLE[:1]))
    runs = {agent: earlier_records(options.output / agent, data.known) for agent in agents}
    for agent in agents:
        tasks = solvable if agent == ORACLE else data.chosen
        open_tasks = [task.key for task in tasks if options.again or not _right(agent, runs[agent].get(task.key))]
        print(f"\n{agent}: {len(open_tasks)} tasks to play, {len(tasks) - len(open_tasks)} right already\n", flush=True)
        if not open_tasks:
            continue
        chosen = replace(config, task=tuple(open_tasks))
        played = touchstone.run(chosen, agent, output=options.output / agent, parallel=options.parallel, watch=_tell)
        runs[agent] |= {record.task: record for record in played}
        if played.stopped or played.interrupted:
            print("\n" + "\n".join(table(runs)))
            print(f"touchstone: {played.stopped or 'interrupted'}; the same command goes on from here", file=sys.stderr)
            return 1 if played.stopped else 130
    print("\n" + "\n".join(table(runs)))
    print("\n".join(left_out(runs)))
    problems = list(wrong(runs))
    for problem in problems:
        print(f"touchstone: {problem}", file=sys.stderr)
    return 1 if problems else 0


def earlier_records(folder: Path, tasks: Sequence[DesktopTask]) -> dict[str, Record]:
    """The last record of each task in the runs of a folder, unless the task has changed since."""
    digests = {task.key: task.digest for task in tasks}
    runs = sorted(path.parent for path in folder.glob("*/config.json"))
    records = sorted((record for run in runs for record in touchstone.read(run)), key=lambda record: record.started)
    return {record.task: record for record in records if digests.get(record.task) == record.digest}


def _right(agent: str, record: Record | None) -> bool:
    return record is not None and record.outcome is _must(agent)


def _must(agent: str) -> Outcome:
    return Outcome.passed if agent == ORACLE else Outcome.failed


def table(runs: Mapping[str, Mapping[str, Record]]) -> Iterator[str]:
    """Per domain: the tasks that can be played here, of these set up and judged whoever played; of those with a solution the
    solved; of those that were left alone the passed. And one line of what that means in all."""
    columns = ("tasks", "left out", "set up", "graded", "solutions", "solved", "left alone", "passed alone")
    yield f"{'domain':<12}" + "".join(f"{name:>{len(name) + 3}}" for name in columns)
    by_task: dict[str, dict[str, Record]] = {}
    for agent, records in runs.items():
        for record in records.values():
            by_task.setdefault(record.task, {})[agent] = record
    domains = {task: next(iter(records.values())).facets["domain"] for task, records in by_task.items()}
    for domain in [*sorted(set(domains.values())), "all"]:
        standings = [_Standing(by_task[task]) for task in by_task if domain in ("all", domains[task])]
        numbers = [sum(getattr(standing, name.replace(" ", "_")) for standing in standings) for name in columns[1:]]
        cells = zip([len(standings), *numbers], columns, strict=True)
        yield f"{domain:<12}" + "".join(f"{number:>{len(name) + 3}}" for number, name in cells)
    everything = [_Standing(records) for records in by_task.values()]
    playable = [standing for standing in everything if not standing.left_out]
    whole = sum(standing.graded and standing.solved for standing in playable)
    graded, untouched = sum(standing.graded for standing in playable), sum(standing.passed_alone for standing in everything)
    yield (
        f"\n{whole} of {len(playable)} that can be played here: set up, graded and solved; "
        f"{graded}: set up and graded; {untouched} passed untouched"
    )


class _Standing:
    """What all agents together have shown of one task."""

    def __init__(self, records: Mapping[str, Record]) -> None:
        played = {agent: record for agent, record in records.items() if record.outcome not in _LEFT_OUT}
        idle = [record for agent, record in played.items() if agent != ORACLE]
        self.left_out = not played
        self.set_up = bool(played) and not any(failed_set_up(record) for record in played.values())
        self.graded = bool(played) and all(record.outcome in _JUDGED for record in played.values())
        self.solutions = ORACLE in played
        self.solved = self.solutions and played[ORACLE].outcome is Outcome.passed
        self.left_alone = bool(idle)
        self.passed_alone = any(record.outcome is Outcome.passed for record in idle)


def left_out(runs: Mapping[str, Mapping[str, Record]]) -> Iterator[str]:
    """What cannot be played here, by reason."""
    reasons: dict[str, list[str]] = {}
    for record in runs[IDLE[0]].values():
        if record.outcome in _LEFT_OUT:
            reasons.setdefault(_line(record.reason), []).append(record.task.partition("-")[0])
    for reason, tasks in sorted(reasons.items(), key=lambda item: -len(item[1])):
        yield f"left out: {len(tasks)} for {reason}: {' '.join(tasks)}"


def failed_set_up(record: Record) -> bool:
    return record.outcome is Outcome.error and record.evidence.get("kind") == KIND


def wrong(runs: Mapping[str, Mapping[str, Record]]) -> Iterator[str]:
    """What must not be believed, one line each."""
    for agent, records in runs.items():
        for record in records.values():
            if record.outcome is not _must(agent) and record.outcome not in _LEFT_OUT:
                yield f"{agent}: {record.task} ({record.facets['domain']}): {record.outcome}: {_line(record.reason)}"


def _tell(record: Record) -> None:
    print(f"{record.outcome.value:<10} {record.task}  {record.facets['domain']:<10} {_line(record.reason)}", flush=True)


def _line(text: str, width: int = 160) -> str:
    words = " ".join(text.split())
    return words if len(words) <= width else words[: width - 1] + "…"


__all__: Sequence[str] = ("SelfcheckOptions", "selfcheck")
