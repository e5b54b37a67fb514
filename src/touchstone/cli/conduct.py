"""What every command that runs episodes does after it has built its benchmark and its agent."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..runs import custody
from ..runs.addresses import address_of
from ..runs.directory import FORMAT, RunDirectory, read_config
from ..runs.executors.seat import Seat
from ..runs.remote import Mirror, fetched, local_base, refuse_unknown
from ..runs.run import Finished, Plan, owed, run, versions
from ..values import Record
from .configured import as_toml
from .executing import executing
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
    live: bool = True
    """Show a progress bar on a terminal; otherwise plain lines, because something else is shown there."""
    quiet: bool = False
    """Print no summary: the command has something better to show."""
    begun: Callable[[Path], None] | None = None
    """Told of the run directory before anything is played."""


class LeftSeat(Exception):
    """The command was called to play what another process leases to it, and has been told to leave."""


seated: ContextVar[Seat | None] = ContextVar("seated", default=None)
"""Where a command plays that another process has called (see runs.executors.seat)."""


async def conduct(plan: Plan, how: Conduct) -> tuple[Finished, Path]:
    """Runs the plan into a new or resumed directory, shows it, and prints the summary."""
    reach = await custody.gold_reach(plan.benchmark, plan.agent)
    if reach.detail and not how.quiet:
        say(reach.detail)
    how = replace(how, identity={**how.identity, custody.NAME: reach.answer})
    if (seat := seated.get()) is not None:
        await seat.take(plan.benchmark, plan.agent, how.identity)
        raise LeftSeat
    for place in (how.resume, how.base):
        if place and (address := address_of(place)):
            refuse_unknown(address)
    directory = _directory(plan, how)
    if how.begun:
        how.begun(directory.path)
    mirror = _mirror(how, directory.path)
    try:
        finished = await _play(plan, how, directory, mirror)
    finally:
        directory.close()
        if mirror:
            await mirror.stop()
    if not how.quiet and finished.overall["total"]:
        print(finished.summary, end="")
    if mirror:
        await mirror.finish()
    return finished, directory.path


async def _play(plan: Plan, how: Conduct, directory: RunDirectory, mirror: Mirror | None) -> Finished:
    jobs, counted = owed(plan.benchmark.tasks(), plan.epochs, directory)
    if not how.quiet:
        print(f"Run directory: {directory.path}" + (f" ({counted.done} done before)" if counted.done else ""))
    if mirror:
        await mirror.start()
    async with AsyncExitStack() as stack:
        executor = None
        if jobs:
            executor = await stack.enter_async_context(executing(plan, how.command, how.arguments, how.identity, say))
        with progress(len(jobs) + counted.done, counted.done, describe=how.describe, live=how.live) as watch:
            return await run(plan, directory, jobs, counted, watch, say, executor)


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


def say(text: str) -> None:
    print(f"touchstone: {text}", file=sys.stderr, flush=True)


def safe_name(text: str) -> str:
    """A model's name as part of a path."""
    return "".join(char if char.isalnum() or char in "._-" else "-" for char in text).strip("-.") or "unnamed"


def _directory(plan: Plan, how: Conduct) -> RunDirectory:
    planned = len(plan.benchmark.tasks()) * plan.epochs
    options = as_toml(how.arguments, how.command)
    if how.resume is not None:
        address = address_of(how.resume)
        path = fetched(address) if address else how.resume
        directory = RunDirectory.resume(path, custody.comparable(how.identity, read_config(path)))
        directory.widen(planned, how.arguments, options)
        return directory
    config = {
        "format": FORMAT,
        "title": plan.title,
        "command": how.command,
        "arguments": how.arguments,
        "identity": how.identity,
        "versions": {**versions(), **plan.versions},
        "planned": planned,
    }
    address = address_of(how.base)
    return RunDirectory.create(local_base(address) if address else how.base, config, options)


def _mirror(how: Conduct, path: Path) -> Mirror | None:
    """A run that was fetched goes back to where it came from."""
    if how.resume is not None and (address := address_of(how.resume)):
        return Mirror(path, address, say)
    address = address_of(how.base)
    return Mirror(path, f"{address}/{path.resolve().name}", say) if address else None
