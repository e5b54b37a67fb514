"""`touchstone desktop image`: makes, lists and removes the layers of which a desktop's root file system is made."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from ..failures import InputError
from .desktop import EVERY_TASK, DesktopSelect

if TYPE_CHECKING:
    from ..benchmarks.desktop.image.building import Supplies
    from ..benchmarks.desktop.image.store import Layer, Store

app = App(name="image", help="The desktop's root file system, in layers.")
_DAY = 86_400


@app.command
def build(
    *layers: str,
    for_tasks: Path | None = None,
    select: DesktopSelect = EVERY_TASK,
    every: Annotated[bool, Parameter(name="--all", negative="")] = False,
    mirror: str | None = None,
    metabase_jar: Path | None = None,
) -> int:
    """Make layers, with those that they stand on. What is there already is not made again; a build that stopped goes on.

    Parameters
    ----------
    layers
        Such as jupyter, dbt, dagster, airflow, superset, postgresql, mysql, duckdb, vscode, metabase; without any, the
        desktop alone.
    for_tasks
        The layers that the tasks in these evaluation_examples need, or those of them that are selected.
    every
        All that can be made.
    mirror
        Where Debian's packages come from; by default mmdebstrap's own choice.
    metabase_jar
        The program of Metabase, for the layer metabase.
    """
    from ..benchmarks.desktop.image.building import Supplies
    from ..benchmarks.desktop.image.recipes import ALWAYS
    from ..benchmarks.desktop.image.store import Store

    supplies = Supplies(mirror=mirror, files={"metabase.jar": metabase_jar} if metabase_jar else {})
    wanted = [*ALWAYS, *layers]
    if for_tasks is not None:
        wanted += _for_tasks(for_tasks, select, supplies)
    if every:
        wanted += _possible(None, supplies)
    return _build(Store(), list(dict.fromkeys(wanted)), supplies)


@app.command(name="list")
def list_layers() -> int:
    """List the layers: size, age, the time it took to make them, and whether today's recipe would make the same."""
    from ..benchmarks.desktop.image.recipes import recipes
    from ..benchmarks.desktop.image.store import Store

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


@app.command
def rm(
    *names: str,
    stale: Annotated[bool, Parameter(negative="")] = False,
    every: Annotated[bool, Parameter(name="--all", negative="")] = False,
) -> int:
    """Remove layers. Not while a desktop is running on them.

    Parameters
    ----------
    names
        Layers, such as jupyter, or one of several by jupyter-<digest>.
    stale
        All that today's recipes would make otherwise.
    every
        All, with the downloaded packages and the logs.
    """
    from ..benchmarks.desktop.image.store import Store

    if not (names or stale or every):
        raise InputError("say which layers, or --stale or --all")
    store = Store()
    doomed = [layer for layer in store.layers() if every or (stale and not layer.current) or _is_named(layer, names)]
    for name in names:
        if not any(_is_named(layer, [name]) for layer in doomed):
            raise InputError(f"{name}: no such layer; see touchstone desktop image list")
    asyncio.run(_remove(store, doomed, every))
    return 0


def _build(store: Store, names: Sequence[str], supplies: Supplies) -> int:
    from ..benchmarks.desktop.image.building import BuildFailure, build
    from .desktop_image_progress import listener

    with listener() as shown:
        try:
            asyncio.run(build(store, names, supplies, shown))
        except BuildFailure as error:
            print(error.tail, file=sys.stderr)
            raise
    return 0


def _for_tasks(dataset: Path, select: DesktopSelect, supplies: Supplies) -> list[str]:
    from ..benchmarks.desktop.dataset import Dataset
    from ..benchmarks.desktop.image.needs import layers_for, not_given
    from ..benchmarks.desktop.selecting import select as chosen_of
    from ..benchmarks.desktop.tasks import load_tasks

    source = Dataset(dataset)
    tasks = chosen_of(load_tasks(source), select.selection(), source)
    apps = {app for task in tasks for app in task.form.related_apps}
    for app_name, why in not_given(apps).items():
        print(f"touchstone: left out: {app_name}: {why}", file=sys.stderr)
    return _possible(layers_for(apps), supplies)


def _possible(names: Sequence[str] | None, supplies: Supplies) -> list[str]:
    """Those that can be made here; of the others it is said why not."""
    from ..benchmarks.desktop.image.building import obstacle
    from ..benchmarks.desktop.image.recipes import recipes

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
