"""How a run shows itself: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import TracebackType
from typing import Protocol

from ..runs.aggregate import Aggregate
from ..runs.summary import money
from ..terminal import clean, clean_streams, clock, unfiltered
from ..terminal import one_line as shown
from ..types import Outcome, Record

_SECONDS_BETWEEN_LINES = 10.0


class Progress(Protocol):
    def __enter__(self) -> Progress: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...

    def __call__(self, record: Record, aggregate: Aggregate) -> None: ...


def progress(total: int, done: int, *, describe: Callable[[Record], str] | None = None, live: bool = True) -> Progress:
    """`total` counts the whole run, `done` what an earlier sitting has finished. Not `live`: the terminal is used otherwise."""
    return _Live(total, done, describe) if live and sys.stderr.isatty() else _Lines(total, done, describe)


class _Lines:
    """A line now and then; with `describe`, its text for each task."""

    def __init__(self, total: int, done: int, describe: Callable[[Record], str] | None) -> None:
        self._total = total
        self._before = done
        self._describe = describe
        self._started = self._said = time.monotonic()

    def __enter__(self) -> _Lines:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        return None

    def __call__(self, record: Record, aggregate: Aggregate) -> None:
        now = time.monotonic()
        if self._describe:
            print(self._describe(record), file=sys.stderr, flush=True)
        if aggregate.done < self._total and now - self._said < _SECONDS_BETWEEN_LINES:
            return
        self._said = now
        rate = (aggregate.done - self._before) / max(now - self._started, 1e-9)
        left = (self._total - aggregate.done) / rate if rate else 0
        print(
            f"{aggregate.done}/{self._total} done, {status(aggregate, rate)}, {clock(left)} left", file=sys.stderr, flush=True
        )


class _Live:
    """A progress bar with what matters beside it."""

    def __init__(self, total: int, done: int, describe: Callable[[Record], str] | None) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[status]}"),
            console=Console(file=unfiltered(sys.stderr)),
            refresh_per_second=5,
        )
        self._task = self._bar.add_task("", total=total, completed=done, status="")
        self._total = total
        self._before = done
        self._describe = describe
        self._started = time.monotonic()

    def __enter__(self) -> _Live:
        self._bar.start()  # which puts streams of its own in place, so that others can print above the bar
        self._cleaning = clean_streams()
        self._cleaning.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._cleaning.__exit__(None, None, None)
        self._bar.stop()

    def __call__(self, record: Record, aggregate: Aggregate) -> None:
        rate = (aggregate.done - self._before) / max(time.monotonic() - self._started, 1e-9)
        left = clock((self._total - aggregate.done) / rate) if rate else "?"
        self._bar.update(self._task, completed=aggregate.done, status=f"{status(aggregate, rate)}, {left} left")
        if self._describe:
            self._bar.console.print(clean(self._describe(record)), markup=False, highlight=False)


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
