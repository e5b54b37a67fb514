"""How the making of layers shows itself: a bar with the last line on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager

from ..benchmarks.desktop.image.building import Listener
from ..benchmarks.desktop.image.recipes import Recipe
from ..benchmarks.desktop.image.store import Layer
from ..terminal import one_line, unfiltered
from .progress import clock

_SECONDS_BETWEEN_LINES = 15.0
_WIDTH = 72


@contextmanager
def listener() -> Generator[Listener]:
    if not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        BarColumn(bar_width=16),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=Console(file=unfiltered(sys.stderr))) as bar:
        yield _Bar(bar)


class _Lines:
    """Every layer's beginning and end, and between them the last line that was printed."""

    def __init__(self) -> None:
        self._name = ""
        self._started = self._said = 0.0

    def waiting(self) -> None:
        _print("another build is going on; waiting for it")

    def begin(self, recipe: Recipe, number: int, total: int) -> None:
        self._name = recipe.name
        self._started = self._said = time.monotonic()
        _print(f"{number}/{total} {recipe.name}: {recipe.about}")

    def line(self, text: str) -> None:
        now = time.monotonic()
        if now - self._said >= _SECONDS_BETWEEN_LINES:
            self._said = now
            _print(f"    {clock(now - self._started)} {self._name}: {text[:_WIDTH]}")

    def done(self, layer: Layer, *, made: bool) -> None:
        _print(outcome(layer, made=made))


class _Bar:
    def __init__(self, bar: object) -> None:
        from rich.progress import Progress

        assert isinstance(bar, Progress)
        self._bar = bar
        self._task = bar.add_task("", total=None)
        self._name = ""

    def waiting(self) -> None:
        self._bar.update(self._task, description="another build is going on; waiting for it")

    def begin(self, recipe: Recipe, number: int, total: int) -> None:
        self._name = recipe.name
        self._bar.update(self._task, completed=number - 1, total=total, description=recipe.name)

    def line(self, text: str) -> None:
        self._bar.update(self._task, description=f"{self._name}: {one_line(text)[:_WIDTH]}")

    def done(self, layer: Layer, *, made: bool) -> None:
        self._bar.console.print(outcome(layer, made=made), markup=False, highlight=False)
        self._bar.update(self._task, advance=1)


def outcome(layer: Layer, *, made: bool) -> str:
    how = f"made in {clock(layer.meta.seconds)}" if made else "is there"
    return f"{layer.folder.name} {how}, {layer.meta.bytes / 1e6:,.0f} MB"


def _print(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
