"""`touchstone desktop selfcheck`: whether the tasks set up, are judged, and can be solved on this machine.

The oracle plays the solutions that there are, and agents that do nothing must score 0: what passes untouched judges nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from msgspec.structs import replace

import touchstone

from ...options import Count, Opt
from ...protocols import WHO
from ...types import Outcome, Record
from .config import DESKTOP, EXAMPLES, DesktopConfig, TaskChoice
from .setup import KIND
from .solutions import solution

ORACLE, IDLE = "oracle", ("nothing", "done", "fail")
_JUDGED = (Outcome.passed, Outcome.failed)
_LEFT_OUT = (Outcome.skipped, Outcome.unscorable)


class SelfcheckOptions(TaskChoice, frozen=True):
    dataset: Annotated[Path, Opt(positional=True)] = EXAMPLES
    """The published evaluation_examples, or another dataset in its form."""
    solutions: Annotated[Path | None, Opt(group=WHO)] = None
    """A folder of your own solutions for the oracle: <task>.py or <task>.sh."""
    thorough: Annotated[bool, Opt(group=WHO)] = False
    """Let agents play, too, that only say that the task is done, or that it cannot be done."""
    network: Annotated[bool, Opt(group=DESKTOP)] = False
    """Let the desktop use the network; tasks that need it are left out otherwise."""
    offline_web: Annotated[bool, Opt(group=DESKTOP)] = False
    """Let stand-ins on the desktop answer for a few public addresses."""
    settings: Annotated[Path | None, Opt(group=DESKTOP)] = None
    """The accounts' settings; by default those in the dataset."""
    parallel: Annotated[Count, Opt(names=("-p",))] = 1
    """How many tasks at once, each on a desktop of its own."""
    output: Annotated[Path, Opt(names=("-o",), target=True)] = Path("results", "desktop-selfcheck")
    """Where to create the run directories."""


def selfcheck(options: SelfcheckOptions) -> int:
    """Check that tasks set up, are judged, and can be solved here, and that nothing passes untouched."""
    own = {name: getattr(options, name) for name in TaskChoice.__struct_fields__}
    shared = {name: getattr(options, name) for name in ("solutions", "network", "offline_web", "settings")}
    config = DesktopConfig(options.dataset, **own, **shared, video=False)
    data = config.loaded()
    solvable = tuple(task.key for task in data.chosen if solution(task, data.dataset, options.solutions))
    runs: dict[str, dict[str, Record]] = {}
    for agent in (ORACLE, *(IDLE if options.thorough else IDLE[:1])):
        chosen = replace(config, task=solvable) if agent == ORACLE else config
        if agent == ORACLE and not solvable:
            runs[agent] = {}
            continue
        print(f"\n{agent}\n", flush=True)
        played = touchstone.run(chosen, agent, output=options.output / agent, parallel=options.parallel, watch=_tell)
        if played.stopped or played.interrupted:
            print(f"touchstone: {played.stopped or 'interrupted'}", file=sys.stderr)
            return 1 if played.stopped else 130
        runs[agent] = {record.task: record for record in played}
    print("\n" + "\n".join(table(runs)))
    problems = list(wrong(runs))
    for problem in problems:
        print(f"touchstone: {problem}", file=sys.stderr)
    return 1 if problems else 0


def table(runs: Mapping[str, Mapping[str, Record]]) -> Iterator[str]:
    """Per domain: the tasks that can be played here, of these set up and judged, and of those with a solution the solved."""
    columns = ("tasks", "left out", "set up", "graded", "solutions", "solved", "passed untouched")
    yield f"{'domain':<12}" + "".join(f"{name:>{len(name) + 3}}" for name in columns)
    records = runs[IDLE[0]]
    domains = sorted({record.facets["domain"] for record in records.values()})
    for domain in [*domains, "all"]:
        mine = [record for record in records.values() if domain in ("all", record.facets["domain"])]
        played = [record for record in mine if record.outcome not in _LEFT_OUT]
        solved = [record for record in runs[ORACLE].values() if domain in ("all", record.facets["domain"])]
        idle = [one for agent in runs if agent != ORACLE for one in runs[agent].values() if one.outcome is Outcome.passed]
        numbers = (
            len(mine),
            len(mine) - len(played),
            sum(not failed_set_up(record) for record in played),
            sum(record.outcome in _JUDGED for record in played),
            len(solved),
            sum(record.outcome is Outcome.passed for record in solved),
            sum(domain in ("all", record.facets["domain"]) for record in idle),
        )
        yield f"{domain:<12}" + "".join(f"{n:>{len(name) + 3}}" for n, name in zip(numbers, columns, strict=True))


def failed_set_up(record: Record) -> bool:
    return record.outcome is Outcome.error and record.evidence.get("kind") == KIND


def wrong(runs: Mapping[str, Mapping[str, Record]]) -> Iterator[str]:
    """What must not be believed, one line each."""
    for agent, records in runs.items():
        must = Outcome.passed if agent == ORACLE else Outcome.failed
        for record in records.values():
            if record.outcome is not must and record.outcome not in _LEFT_OUT:
                yield f"{agent}: {record.task} ({record.facets['domain']}): {record.outcome}: {_line(record.reason)}"


def _tell(record: Record) -> None:
    print(f"{record.outcome.value:<10} {record.task}  {record.facets['domain']:<10} {_line(record.reason)}", flush=True)


def _line(text: str, width: int = 160) -> str:
    words = " ".join(text.split())
    return words if len(words) <= width else words[: width - 1] + "…"


__all__: Sequence[str] = ("SelfcheckOptions", "selfcheck")
