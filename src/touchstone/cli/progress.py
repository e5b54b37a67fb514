"""How a run shows itself: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from ..runs.aggregate import Aggregate
from ..runs.summary import money
from ..terminal import clean, clean_streams, clock, unfiltered
from ..terminal import one_line as shown
from ..types import Outcome, Record

_SECONDS_BETWEEN_LINES = 10.0


_Show = tuple[Callable[[str], None], Callable[[int, str], None]]
"""Prints a text for good, and says how many are done and how it stands."""


@contextmanager
def progress(
    total: int, done: int, *, describe: Callable[[Record], str] | None = None, live: bool = True
) -> Generator[Callable[[Record, Aggregate], None]]:
    """`total` counts the whole run, `done` what an earlier sitting has finished; `describe` gives a text for each task. Not
    `live`: the terminal is used otherwise."""
    started = time.monotonic()
    with _bar(total, done) if live and sys.stderr.isatty() else _lines(total) as (tell, update):

        def watch(record: Record, aggregate: Aggregate) -> None:
            if describe:
                tell(describe(record))
            rate = (aggregate.done - done) / max(time.monotonic() - started, 1e-9)
            left = clock((total - aggregate.done) / rate) if rate else "?"
            update(aggregate.done, f"{status(aggregate, rate)}, {left} left")

        yield watch


@contextmanager
def _lines(total: int) -> Generator[_Show]:
    """A line now and then."""
    last_line = time.monotonic()

    def update(done: int, text: str) -> None:
        nonlocal last_line
        if done >= total or time.monotonic() - last_line >= _SECONDS_BETWEEN_LINES:
            last_line = time.monotonic()
            _print(f"{done}/{total} done, {text}")

    yield _print, update


@contextmanager
def _bar(total: int, done: int) -> Generator[_Show]:
    """A progress bar with what matters beside it."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    console = Console(file=unfiltered(sys.stderr))
    columns = (BarColumn(bar_width=24), MofNCompleteColumn(), TextColumn("{task.fields[status]}"))
    bar = Progress(*columns, console=console, refresh_per_second=5)
    task = bar.add_task("", total=total, completed=done, status="")
    with bar, clean_streams():  # the bar puts streams of its own in place, so that others can print above it
        yield (
            lambda text: console.print(clean(text), markup=False, highlight=False),
            lambda count, text: bar.update(task, completed=count, status=text),
        )


def _print(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def status(aggregate: Aggregate, rate: float) -> str:
    """What has happened so far, in a few words."""
    passed = aggregate.outcomes[Outcome.passed]
    parts = [f"{passed}/{aggregate.counted} passed", f"{rate:.1f}/s" if rate >= 1 else f"{60 * rate:.1f}/min"]
    if aggregate.usage.calls:
        parts += [
            f"{(aggregate.usage.input_tokens + aggregate.usage.output_tokens) / 1000:,.1f}k tokens",
            f"cost {money(aggregate.usage.cost)}",
        ]
    if errors := aggregate.outcomes[Outcome.error]:
        parts.append(f"{errors} errors")
    return ", ".join(parts)


def one_line(record: Record) -> str:
    epoch = f" ({record.epoch + 1})" if record.epoch else ""
    where = record.facets.get("database", "")
    return f"{record.outcome.value:<10} {shown(f'{record.task}{epoch}')}  {shown(where)}  {shown(record.reason)}"


@contextmanager
def counting(what: str) -> Generator[Callable[[int, int], None]]:
    """A line that counts on a terminal, and one now and then elsewhere."""
    live = sys.stderr.isatty()
    last_line = time.monotonic()

    def watch(done: int, total: int) -> None:
        nonlocal last_line
        if live:
            print(f"\r{done}/{total} {what}", end="\n" if done == total else "", file=unfiltered(sys.stderr), flush=True)
        elif time.monotonic() - last_line >= _SECONDS_BETWEEN_LINES:
            last_line = time.monotonic()
            print(f"{done}/{total} {what}", file=sys.stderr, flush=True)

    yield watch
