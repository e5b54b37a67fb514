"""A benchmark of one task, for `touchstone mcp`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from ..failures import InputError
from ..protocols import Benchmark, Limits, Opening
from .building import open_engine, refuse_unless_positive
from .options import JudgeOptions
from .terminal import say

Name = Literal["bird", "spider2"]
Opened = tuple[Benchmark, Mapping[str, str]]


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Which task, and where it is."""

    benchmark: Name
    task: str
    dataset: Path | None
    data: Path | None
    databases: Path | None
    gold: Path | None
    documents: Path | None
    schema: bool
    judged: JudgeOptions


async def opened(wanted: Wanted, stack: AsyncExitStack) -> Opened:
    """The benchmark with this one task, and the versions of what else has a part in it."""
    _refuse_foreign(wanted)
    refuse_unless_positive(wanted.judged.sql_timeout, "--sql-timeout")
    if wanted.benchmark == "bird":
        return await _bird(wanted, stack), {}
    return _spider2(wanted, stack), {}


def _refuse_foreign(wanted: Wanted) -> None:
    """An option that would have no effect is a mistake."""
    theirs = {"bird": ("data", "databases"), "spider2": ("data", "databases", "gold", "documents")}
    for name in ("dataset", "data", "databases", "gold", "documents"):
        if getattr(wanted, name) is not None and name not in theirs[wanted.benchmark]:
            option = "DATASET" if name == "dataset" else f"--{name}"
            raise InputError(f"{option} is not for --benchmark {wanted.benchmark}")


async def _bird(wanted: Wanted, stack: AsyncExitStack) -> Benchmark:
    from ..benchmarks.bird.config import BirdConfig
    from ..datasets import bird_demo

    data, databases = _given(wanted, "data", "databases") or bird_demo()
    judged = wanted.judged
    config = BirdConfig(
        data,
        databases,
        task=(wanted.task,),
        limit=1,
        schema=wanted.schema,
        sql_timeout=judged.sql_timeout,
        cache=judged.cache,
    )
    return await config.open(Opening(stack=stack, say=say))


def _spider2(wanted: Wanted, stack: AsyncExitStack) -> Benchmark:
    from ..benchmarks.spider2.benchmark import Spider2
    from ..benchmarks.spider2.episode import Settings
    from ..benchmarks.spider2.golden import Golden
    from ..benchmarks.spider2.tasks import load_tasks
    from ..benchmarks.sql_episode import EXPLORING
    from ..datasets import spider2_demo

    data, gold, databases = _given(wanted, "data", "gold", "databases") or spider2_demo()
    golden = Golden(gold)
    tasks = [task for task in load_tasks(data, golden.sql) if task.key == wanted.task]
    if not tasks:
        raise InputError(f"--task {wanted.task}: not in {data}")
    seconds = wanted.judged.sql_timeout
    settings = Settings(exploring=msgspec.structs.replace(EXPLORING, seconds=seconds), judging=Limits(seconds=seconds))
    engine = open_engine(wanted.judged, stack)
    return Spider2(tasks, databases, golden, engine, settings=settings, documents=wanted.documents, schema=wanted.schema)


def _given(wanted: Wanted, *names: str) -> tuple[Path, ...] | None:
    """What the user named, all of it; None: nothing of it, so that the demo is meant."""
    values = [getattr(wanted, name) for name in names]
    if all(value is None for value in values):
        print(f"touchstone: no data was named: the task is of the {wanted.benchmark} demo", file=sys.stderr, flush=True)
        return None
    missing = [f"--{name}" for name, value in zip(names, values, strict=True) if value is None]
    if missing:
        raise InputError(f"--benchmark {wanted.benchmark} needs {' and '.join(missing)} too")
    return tuple(values)
