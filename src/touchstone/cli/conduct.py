"""For commands that are not made from structs of options yet: what they do once benchmark and agent are built."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..runs import custody
from ..runs.executors.seat import Seat
from ..runs.run import Finished, Plan
from ..runs.runner import RunSpec, play_plan, safe_name
from ..runs.toml import as_toml
from ..values import Record
from .executing import executing
from .terminal import Terminal, exit_code, say

__all__ = ["Conduct", "LeftSeat", "conduct", "exit_code", "safe_name", "say", "seated"]


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
    facts: Mapping[str, Any] = field(default_factory=lambda: {})
    """What else the run's configuration says, such as how many of its tasks can be scored."""


class LeftSeat(Exception):
    """The command was called to play what another process leases to it, and has been told to leave."""


seated: ContextVar[Seat | None] = ContextVar("seated", default=None)
"""Where a command plays that another process has called (see runs.executors.seat)."""


@dataclass(kw_only=True)
class _Telling(Terminal):
    told: Callable[[Path], None] | None = None

    def begun(self, title: str, run: Path | None, done: int) -> None:
        if self.told and run:
            self.told(run)
        super().begun(title, run, done)


async def conduct(plan: Plan, how: Conduct) -> tuple[Finished, Path]:
    """Runs the plan into a new or resumed directory, shows it, and prints the summary."""
    reach = await custody.gold_reach(plan.benchmark, plan.agent)
    if reach.detail and not how.quiet:
        say(reach.detail)
    how = replace(how, identity={**how.identity, custody.NAME: reach.answer})
    if (seat := seated.get()) is not None:
        await seat.take(plan.benchmark, plan.agent, how.identity)
        raise LeftSeat
    spec = RunSpec(
        command=how.command,
        config={"format": 1, "arguments": how.arguments, **how.facts},
        options=as_toml(how.arguments, how.command),
        identity=how.identity,
        base=how.base,
        resume=how.resume,
    )
    interface = _Telling(describe=how.describe, live=how.live, quiet=how.quiet, told=how.begun)
    played = await play_plan(plan, spec, interface, lambda: executing(plan, how.command, how.arguments, how.identity, say))
    assert played.path is not None
    return played.finished, played.path
