"""A run on the terminal: where it goes, how far it is, what came of it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec

from ..errors import InputError, os_errors_as
from ..plugins import returned
from ..protocols import Benchmark
from ..runs.config import RunConfig
from ..runs.directory import replace_file
from ..runs.run import Finished, Watch
from ..runs.runner import Played, run_config
from ..types import ModelStep, NoteStep, Record, ServiceStep, Step, ToolCall, ToolStep
from .progress import one_line, progress


@dataclass(kw_only=True)
class Terminal:
    """Shows a run to whoever sits at the terminal."""

    describe: Callable[[Record], str] | None = None
    """Printed for each task as it ends."""
    live: bool = True
    """Show a progress bar on a terminal; otherwise plain lines, because something else is shown there."""
    quiet: bool = False
    """Print no summary: the command has something better to show."""

    def say(self, text: str) -> None:
        say(text)

    def begun(self, title: str, run: Path | None, done: int) -> None:
        if not self.quiet:
            print(f"Run directory: {run}" + (f" ({done} done before)" if done else ""))

    def progress(self, total: int, done: int) -> AbstractContextManager[Watch]:
        return progress(total, done, describe=self.describe, live=self.live)

    def finished(self, finished: Finished, more: str | None = None) -> None:
        if not self.quiet and finished.overall["total"]:
            print(finished.summary, end="")
        if more:
            print(more)

    def follow(self, benchmark: Benchmark) -> Callable[[Step], None] | None:
        """With -v a single episode is shown as it is played, if the benchmark can say what is asked."""
        asked = getattr(benchmark, "request_in_words", None)
        if self.describe is None or asked is None:
            return None
        self.live = False
        show_request(asked(benchmark.tasks()[0]))
        return show


def play(config: RunConfig, *, command: str | None = None, resume: Path | None = None) -> int:
    """Plays a run and shows it."""
    verbose = config.run.verbose or config.run.tracebacks
    terminal = Terminal(describe=partial(_described, config) if verbose else None, live=not config.agent.at_terminal)
    base = Path("results")
    played = asyncio.run(
        run_config(config, interface=terminal, base=base, resume=resume, command=command, follow=terminal.follow)
    )
    return exit_code(played)


def _described(config: RunConfig, record: Record) -> str:
    """A record in a line, and what the benchmark has to say of it besides, if its struct has the method `described`."""
    more = getattr(config.benchmark, "described", None)
    whose = f"the benchmark '{config.benchmark.name}': described()"
    own = () if more is None else returned(more(record), list | tuple, whose, "a list of lines")
    lines = [one_line(record), *(f"  {line}" for line in own)]
    if config.run.tracebacks and "traceback" in record.evidence:
        lines.append(str(record.evidence["traceback"]))
    return "\n".join(lines)


def exit_code(played: Played, *, resumable: bool = True) -> int:
    """Says how to go on if there is something left to do."""
    finished, path = played.finished, played.path
    assert path is not None
    what_next = f"; continue with --resume {path}" if resumable else f"; what was done is in {path}"
    if not path.exists():
        what_next = ""
    if finished.stopped:
        print(f"touchstone: the run was stopped: {finished.stopped}{what_next}", file=sys.stderr)
        return 1
    if finished.interrupted:
        print(f"touchstone: interrupted{what_next}", file=sys.stderr)
        return 130
    if played.shortfall:
        print(f"touchstone: {played.shortfall}", file=sys.stderr)
        return 1
    return 0


def say(text: str) -> None:
    print(f"touchstone: {text}", file=sys.stderr, flush=True)


def refuse_no_file(option: str, path: Path | None) -> None:
    """A place that cannot be written to is better told before anything runs."""
    if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
        raise InputError(f"{option} {path}: expected the name of a file in a directory that exists")


def write_file(option: str, path: Path, content: bytes) -> None:
    """Whole, or not at all."""
    with os_errors_as(InputError, f"{option} {path}: cannot be written"):
        replace_file(path, content)


# An episode on the terminal as it happens: what the agent thinks, does and sees.


_LONGEST = 2_000
_MOST_LINES = 12


def show(step: Step) -> None:
    match step:
        case ModelStep():
            text = step.reply.text.strip()
            if text:
                _say("agent", text)
        case ToolStep():
            _say("action", in_words(step.call))
            _say("observation", step.observation.text)
            _tell_details(step)
        case NoteStep():
            _say("note", step.text)
        case ServiceStep():
            _say("service", f"status {step.status}")


def show_request(asked: str) -> None:
    _say("request", asked)


def in_words(call: ToolCall) -> str:
    """`execute(sql)` with its text over as many lines as it has."""
    try:
        arguments = msgspec.json.decode(call.arguments or "{}", type=dict[str, str])
    except (msgspec.DecodeError, UnicodeError):
        return f"{call.name} {call.arguments}"
    values = list(arguments.values())
    return (
        f"{call.name} {' '.join(values)}".rstrip()
        if len(values) < 2 or "\n" not in "".join(values)
        else f"{call.name} {arguments}"
    )


def _tell_details(step: ToolStep) -> None:
    user = step.observation.details.get("user")
    if user:
        about = f" ({user['about']})" if user.get("about") else ""
        kinds = (("leak", user["leaks"]), ("withheld leak", user["withheld"]), ("fault", user["faults"]))
        odd = "".join(f"; {kind}: {each}" for kind, texts in kinds for each in texts)
        _say("user", f"chose {user['choice']}{about}{odd}")
    finding = step.observation.details.get("finding")
    if finding:
        _say("judge", finding["reason"])


def _say(who: str, text: str) -> None:
    lines = text[:_LONGEST].splitlines() or [""]
    if len(text) > _LONGEST or len(lines) > _MOST_LINES:
        lines = [*lines[:_MOST_LINES], f"… ({len(text):,} characters; the record has all of it)"]
    first, *others = lines
    print(f"{who:>12} │ {first}", *(f"{'':>12} │ {line}" for line in others), sep="\n", file=sys.stderr, flush=True)
