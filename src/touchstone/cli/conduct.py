"""What every command that runs episodes does after it has built its benchmark and its agent."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..runs.directory import FORMAT, RunDirectory
from ..runs.run import Finished, Plan, owed, run, versions
from ..values import Record
from .progress import progress


@dataclass(frozen=True, kw_only=True)
class Conduct:
    """Where a run goes, and what its configuration says of it."""

    command: str
    arguments: Mapping[str, Any]
    identity: Mapping[str, Any]
    base: Path
    resume: Path | None = None
    describe: Callable[[Record], str] | None = None
    """Printed for each task as it ends."""
    quiet: bool = False
    """Print no summary: the command has something better to show."""


async def conduct(plan: Plan, how: Conduct) -> tuple[Finished, Path]:
    """Runs the plan into a new or resumed directory, shows it, and prints the summary."""
    directory = _directory(plan.title, how)
    try:
        jobs, counted = owed(plan.benchmark.tasks(), plan.epochs, directory)
        if not how.quiet:
            print(f"Run directory: {directory.path}" + (f" ({counted.done} done before)" if counted.done else ""))
        with progress(len(jobs) + counted.done, counted.done, describe=how.describe) as watch:
            finished = await run(plan, directory, jobs, counted, watch, _say)
    finally:
        directory.close()
    if not how.quiet and counted.done:
        print(finished.summary, end="")
    return finished, directory.path


def exit_code(finished: Finished, path: Path, *, resumable: bool = True) -> int:
    """Says how to go on if there is something left to do."""
    what_next = f"; go on with --resume {path}" if resumable else f"; what was done is in {path}"
    if not path.exists():
        what_next = ""
    if finished.stopped:
        print(f"touchstone: the run was stopped: {finished.stopped}{what_next}", file=sys.stderr)
        return 1
    if finished.interrupted:
        print(f"touchstone: interrupted{what_next}", file=sys.stderr)
        return 130
    return 0


def _say(text: str) -> None:
    print(f"touchstone: {text}", file=sys.stderr, flush=True)


def safe_name(text: str) -> str:
    """A model's name as part of a path."""
    return "".join(char if char.isalnum() or char in "._-" else "-" for char in text).strip("-.") or "unnamed"


def _directory(title: str, how: Conduct) -> RunDirectory:
    if how.resume is not None:
        return RunDirectory.resume(how.resume, how.identity)
    config = {
        "format": FORMAT,
        "title": title,
        "command": how.command,
        "arguments": how.arguments,
        "identity": how.identity,
        "versions": versions(),
    }
    return RunDirectory.create(how.base, config)
