"""A run on the terminal: where it goes, how far it is, what came of it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from ..failures import InputError
from ..runs.config import RunConfig
from ..runs.directory import replace_file
from ..runs.run import Finished, Watch
from ..runs.runner import run_config
from ..values import Record
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

    def finished(self, finished: Finished) -> None:
        if not self.quiet and finished.overall["total"]:
            print(finished.summary, end="")


def play(config: RunConfig, *, command: str | None = None, resume: Path | None = None) -> int:
    """Plays a run and shows it."""
    interface = Terminal(describe=one_line if config.run.verbose else None, live=not config.agent.at_terminal)
    played = asyncio.run(run_config(config, interface=interface, base=Path("results"), resume=resume, command=command))
    assert played.path is not None
    return exit_code(played.finished, played.path)


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


def refuse_no_file(option: str, path: Path | None) -> None:
    """A place that cannot be written to is better told before anything runs."""
    if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
        raise InputError(f"{option} {path}: expected the name of a file in a directory that exists")


def write_file(option: str, path: Path, content: bytes) -> None:
    """Whole, or not at all."""
    try:
        replace_file(path, content)
    except OSError as error:
        raise InputError(f"{option} {path}: cannot be written: {error.strerror}") from None
