"""`touchstone desktop image`: makes, lists and removes the layers of which a desktop's root file system is made."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated

from ...errors import InputError
from ...options import Opt, Options
from ...terminal import clock
from .config import TaskChoice
from .image.build import BuildFailure, Supplies, obstacle
from .image.build import build as build_layers
from .image.recipes import ALWAYS, Recipe, layers_for, not_given, recipes
from .image.store import Layer, Store
from .needed import applications
from .status_line import StatusLine
from .tasks import Dataset, load_tasks

_DAY = 86_400
_SECONDS_BETWEEN_LINES = 15.0
_WIDTH = 72


class ImageBuildOptions(TaskChoice, frozen=True):
    layers: Annotated[tuple[str, ...], Opt(positional=True)] = ()
    """Such as jupyter, dbt, dagster, airflow, superset, postgresql, mysql, duckdb, vscode, metabase; without any, the desktop
    alone."""
    for_tasks: Path | None = None
    """The layers that the tasks in these evaluation_examples need, or those of them that are selected."""
    every: Annotated[bool, Opt(names=("--all",))] = False
    """All that can be made."""
    mirror: str | None = None
    """Where Debian's packages come from; by default mmdebstrap's own choice."""
    metabase_jar: Path | None = None
    """The program of Metabase, for the layer metabase."""


class ImageListOptions(Options, frozen=True):
    pass


class ImageRemoveOptions(Options, frozen=True):
    names: Annotated[tuple[str, ...], Opt(positional=True)] = ()
    """Layers, such as jupyter, or one of several by jupyter-<digest>."""
    stale: bool = False
    """All that today's recipes would make otherwise."""
    every: Annotated[bool, Opt(names=("--all",))] = False
    """All, with the downloaded packages and the logs."""


def build(options: ImageBuildOptions) -> int:
    """Make layers, with those that they stand on. What is there already is not made again; a build that stopped goes on."""
    supplies = Supplies(mirror=options.mirror, files={"metabase.jar": options.metabase_jar} if options.metabase_jar else {})
    wanted = [*ALWAYS, *options.layers]
    if options.for_tasks is not None:
        wanted += _for_tasks(options, Dataset(options.for_tasks), supplies)
    if options.every:
        wanted += _possible(None, supplies)
    try:
        asyncio.run(build_layers(Store(), list(dict.fromkeys(wanted)), supplies, _BuildStatus(_SECONDS_BETWEEN_LINES)))
    except BuildFailure as error:
        print(error.tail, file=sys.stderr)
        raise
    return 0


def list_layers(options: ImageListOptions) -> int:
    """List the layers: size, age, the time it took to make them, and whether today's recipe would make the same."""
    store = Store()
    layers = store.layers()
    print(store.root)
    print(f"{'layer':<12}{'digest':<14}{'size':>9}{'age':>12}{'made in':>9}  {'state':<8}what it brings")
    known = recipes()
    for layer in layers:
        about = known[layer.meta.name].about if layer.meta.name in known else ""
        state = "current" if layer.current else "stale"
        size, age = f"{layer.meta.bytes / 1e6:,.0f} MB", _age(time.time() - layer.meta.made)
        print(f"{layer.meta.name:<12}{layer.meta.digest:<14}{size:>9}{age:>12}{layer.meta.seconds:>7.0f} s  {state:<8}{about}")
    there = {layer.meta.name for layer in layers}
    for name in known:
        if name not in there:
            print(f"{name:<12}{'-':<14}{'':>9}{'':>12}{'':>9}  {'not made':<8} {known[name].about}")
    return 0


def remove(options: ImageRemoveOptions) -> int:
    """Remove layers. Not while a desktop is running on them."""
    if not (options.names or options.stale or options.every):
        raise InputError("name layers, or use --stale or --all")
    store = Store()
    doomed = [
        layer
        for layer in store.layers()
        if options.every or (options.stale and not layer.current) or _is_named(layer, options.names)
    ]
    for name in options.names:
        if not any(_is_named(layer, [name]) for layer in doomed):
            raise InputError(f"{name}: no such layer; see touchstone desktop image list")
    asyncio.run(_remove(store, doomed, options.every))
    return 0


def _for_tasks(choice: TaskChoice, dataset: Dataset, supplies: Supplies) -> list[str]:
    apps = [applications(task) for task in choice.select(load_tasks(dataset), dataset)]
    for app_name, why in not_given(chain.from_iterable(apps)).items():
        print(f"touchstone: left out: {app_name}: {why}", file=sys.stderr)
    return _possible(sorted(set(chain.from_iterable(map(layers_for, apps)))), supplies)


def _possible(names: Sequence[str] | None, supplies: Supplies) -> list[str]:
    """Those that can be made here; of the others it is said why not."""
    possible: list[str] = []
    for recipe in recipes().values():
        if names is not None and recipe.name not in names:
            continue
        if why := obstacle(recipe, supplies):
            print(f"touchstone: left out: {why}", file=sys.stderr)
        else:
            possible.append(recipe.name)
    return possible


def _is_named(layer: Layer, names: Sequence[str]) -> bool:
    return layer.meta.name in names or layer.folder.name in names


async def _remove(store: Store, doomed: Sequence[Layer], every: bool) -> None:
    async with store.locked():
        await store.tidy()
        for layer in doomed:
            await store.remove(layer)
            print(f"removed {layer.folder.name} ({layer.meta.bytes / 1e6:,.0f} MB)")
        if every:
            await store.remove_others()


def _age(seconds: float) -> str:
    if seconds < 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h" if seconds < 2 * _DAY else f"{seconds / _DAY:.0f} days"


class _BuildStatus(StatusLine):
    """Every layer's beginning and end, and between them the last line that was printed."""

    def waiting(self) -> None:
        self.say("another build is running; waiting for it")

    def begin(self, recipe: Recipe, number: int, total: int) -> None:
        self._name, self._started = recipe.name, time.monotonic()
        self.say(f"{number}/{total} {recipe.name}: {recipe.about}")

    def line(self, text: str) -> None:
        self.show(f"    {clock(time.monotonic() - self._started)} {self._name}: {text[:_WIDTH]}")

    def done(self, layer: Layer, *, made: bool) -> None:
        how = f"made in {clock(layer.meta.seconds)}" if made else "is there"
        self.say(f"{layer.folder.name} {how}, {layer.meta.bytes / 1e6:,.0f} MB")
