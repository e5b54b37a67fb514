"""Benchmarks by name: their files are read and checked at once, their databases are opened when they are played.

Called without files, each is the small dataset that ships with the package.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

import msgspec

from ..benchmarks.bird.config import BirdConfig as bird
from ..failures import InputError
from ..plugins import available, benchmark_type
from ..protocols import Benchmark, BenchmarkConfig, Limits, Opening
from ..values import Task

if TYPE_CHECKING:
    from ..engines.sqlite.engine import SqliteEngine

__all__ = ["Place", "Source", "benchmark", "bird", "digest", "interact", "opened", "spider2"]

Place = str | os.PathLike[str]


class Selection(TypedDict, total=False):
    """Which tasks: by the names of their databases and by their keys, one or several; then how many are left out and taken."""

    database: str | Sequence[str]
    task: str | Sequence[str]
    offset: int
    limit: int | None


class InteractSelection(Selection, total=False):
    category: Literal["Query", "Management"]


@dataclass(frozen=True)
class Source:
    """A benchmark that has not been opened yet."""

    name: str
    tasks: Sequence[Task]
    build: Callable[[AsyncExitStack], Awaitable[Benchmark]]

    def __repr__(self) -> str:
        return f"<{self.name}: {len(self.tasks)} tasks>"


async def opened(given: BenchmarkConfig | Source | Benchmark, stack: AsyncExitStack) -> Benchmark:
    """What the stack closes again; a benchmark of the caller's own is taken as it is."""
    if isinstance(given, BenchmarkConfig):
        return await given.open(Opening(stack=stack))
    return await given.build(stack) if isinstance(given, Source) else given


def spider2(
    tasks: Place | None = None,
    databases: Place | None = None,
    gold: Place | None = None,
    *,
    compat: Literal["strict", "official"] = "strict",
    documents: Place | None = None,
    schema: bool = False,
    instructions: str | None = None,
    sql_timeout: float = 30.0,
    cache: bool = True,
    task: str | Sequence[str] = (),
    limit: int | None = None,
) -> Source:
    """Spider2-lite: the question file, the directory of databases and the gold folder. Questions without gold are left out."""
    from ..benchmarks.spider2 import Golden, Spider2, load_tasks
    from ..benchmarks.spider2.episode import Settings
    from ..benchmarks.sql_episode import EXPLORING
    from ..datasets import spider2_demo

    demo = spider2_demo()
    file, directory = _both(tasks, databases, (demo[0], demo[2]), "databases")
    if tasks is not None and gold is None:
        raise InputError("spider2 needs gold: the folder with exec_result/")
    golden = Golden(Path(gold) if gold is not None else demo[1])
    keys = _several(task)
    chosen = [each for each in load_tasks(file, golden.sql) if golden.has(each.key) and (not keys or each.key in keys)][:limit]
    if not chosen:
        raise InputError(f"{file}: no question is left that has a golden result")
    exploring = msgspec.structs.replace(EXPLORING, seconds=sql_timeout)
    settings = Settings(compat=compat, exploring=exploring, judging=Limits(seconds=sql_timeout))
    folder = Path(documents) if documents is not None else None

    async def build(stack: AsyncExitStack) -> Benchmark:
        engine = _engine(stack, cache)
        return Spider2(
            chosen,
            directory,
            golden,
            engine,
            settings=settings,
            documents=folder,
            schema=schema,
            instructions=instructions,
        )

    return Source("Spider2-lite", chosen, build)


def interact(
    dataset: Place | None = None,
    *,
    mode: Literal["agentic", "conversational", "single"] = "agentic",
    compat: Literal["strict", "batch", "adk", "conv"] = "strict",
    patience: float | None = None,
    user: str = "scripted",
    base_url: str | None = None,
    dumps: Place | None = None,
    instructions: str | None = None,
    sql_timeout: float = 60.0,
    cache: bool = True,
    **selection: Unpack[InteractSelection],
) -> Source:
    """BIRD-Interact: a dataset directory. `user` is a model's name, or scripted; `selection`: category, database, …"""
    from ..benchmarks.interact import Interact, Settings, load_tasks, select
    from ..benchmarks.interact.rules import RULES
    from ..benchmarks.interact.tasks import data_file
    from ..benchmarks.interact.user.building import build_user
    from ..datasets import interact_demo
    from ..plugins import model_config
    from .worlds import open_worlds

    file = data_file(Path(dataset) if dataset is not None else interact_demo())
    chosen = select(load_tasks(file), **_names(selection))
    limits = Limits(seconds=sql_timeout)
    exploring = Limits(seconds=sql_timeout, rows=10_000, cut_rows=True)
    settings = Settings(mode=mode, compat=compat, patience=patience, exploring=exploring, judging=limits)

    async def build(stack: AsyncExitStack) -> Benchmark:
        if user == "scripted":
            answering = build_user("scripted")
        else:
            model = model_config(user, **({"base_url": base_url} if base_url else {})).build()
            stack.push_async_callback(model.close)
            answering = build_user(model, RULES[compat].user_prompt)
        worlds = await open_worlds(file.parent, chosen, Path(dumps) if dumps else None, lambda: _engine(stack, cache), stack)
        return Interact(chosen, file.parent, worlds, answering, settings=settings, instructions=instructions)

    return Source("BIRD-Interact", chosen, build)


def benchmark(name: str, *arguments: Any, **options: Any) -> BenchmarkConfig | Source:
    """One by its name: ours, or one that another package adds through the entry points `touchstone.benchmarks`."""
    ours: dict[str, Any] = {"spider2": spider2, "interact": interact}
    return ours[name](*arguments, **options) if name in unported() else benchmark_type(name)(*arguments, **options)


def unported() -> set[str]:
    """Benchmarks that are not structs yet."""
    return {each for each in ("spider2", "interact") if available("benchmarks")[each].value.endswith(":plugin")}


def digest(content: Any) -> str:
    """Identifies a task by its content, for benchmarks of one's own."""
    return hashlib.blake2b(msgspec.json.encode(content, order="deterministic"), digest_size=8).hexdigest()


def _both(first: Place | None, second: Place | None, demo: tuple[Path, Path], what: str) -> tuple[Path, Path]:
    if first is None and second is None:
        return demo
    if first is None or second is None:
        raise InputError(f"a task file and its {what} belong together: give both, or neither for the dataset that ships")
    return Path(first), Path(second)


def _names(selection: Selection) -> dict[str, Any]:
    """As the loaders take them."""
    given: dict[str, Any] = dict(selection)
    for name, theirs in (("database", "databases"), ("task", "ids")):
        if name in given:
            given[theirs] = _several(given.pop(name))
    return given


def _several(given: str | int | Sequence[str | int]) -> Sequence[str]:
    """One or many; ids of tasks are often written as numbers."""
    return (str(given),) if isinstance(given, str | int) else [str(each) for each in given]


def _engine(stack: AsyncExitStack, cache: bool) -> SqliteEngine:
    """Made where it is used: its processes and its cache belong to one event loop."""
    from ..engines.cache import default_path
    from ..engines.sqlite.engine import SqliteEngine

    engine = SqliteEngine(cache=default_path() if cache else None)
    stack.push_async_callback(engine.close)
    return engine
