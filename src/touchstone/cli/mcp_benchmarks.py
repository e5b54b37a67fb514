"""A benchmark of one task, for `touchstone mcp`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

from ..failures import InputError
from ..protocols import Benchmark, Opening
from .building import build_model, refuse_unless_positive
from .interact_options import DatabaseOptions, InteractionOptions
from .options import JudgeOptions
from .terminal import say

Name = Literal["bird", "interact"]
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
    interaction: InteractionOptions
    storage: DatabaseOptions


async def opened(wanted: Wanted, stack: AsyncExitStack) -> Opened:
    """The benchmark with this one task, and the versions of what else has a part in it."""
    _refuse_foreign(wanted)
    refuse_unless_positive(wanted.judged.sql_timeout, "--sql-timeout")
    if wanted.benchmark == "bird":
        return await _bird(wanted, stack), {}
    return await _interact(wanted, stack)


def _refuse_foreign(wanted: Wanted) -> None:
    """An option that would have no effect is a mistake."""
    theirs = {"bird": ("data", "databases"), "interact": ("dataset",)}
    for name in ("dataset", "data", "databases", "gold", "documents"):
        if getattr(wanted, name) is not None and name not in theirs[wanted.benchmark]:
            option = "DATASET" if name == "dataset" else f"--{name}"
            raise InputError(f"{option} is not for --benchmark {wanted.benchmark}")
    if wanted.benchmark != "interact":
        for given in (wanted.interaction, wanted.storage):
            for field in fields(given):
                from_environment = field.name == "database_url"  # may be set for other commands
                if getattr(given, field.name) != field.default and not from_environment:
                    raise InputError(f"--{field.name.replace('_', '-')} is not for --benchmark {wanted.benchmark}")


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


async def _interact(wanted: Wanted, stack: AsyncExitStack) -> Opened:
    from ..benchmarks.interact.benchmark import Interact
    from ..benchmarks.interact.rules import RULES
    from ..benchmarks.interact.tasks import data_file, load_tasks, select
    from ..benchmarks.interact.user.building import build_user
    from ..datasets import interact_demo
    from .interact import Request, settings_of
    from .interact_databases import open_worlds
    from .interact_options import InteractJudge, InteractPlay, InteractRun, InteractSelect

    given = wanted.interaction
    request = Request(
        dataset=(_given(wanted, "dataset") or (interact_demo(),))[0],
        selected=InteractSelect(task=(wanted.task,)),
        play=InteractPlay(),
        interaction=given,
        databases=wanted.storage,
        judged=InteractJudge(sql_timeout=wanted.judged.sql_timeout, cache=wanted.judged.cache),
        run=InteractRun(),
    )
    file = data_file(request.dataset)
    tasks = select(load_tasks(file), ids=(wanted.task,))
    user = build_user("scripted")
    if given.user_model not in (None, "scripted"):
        model = build_model(given.user_model, 1, base_url=given.user_base_url)
        stack.push_async_callback(model.close)
        user = build_user(model, given.user_prompt or RULES[given.compat].user_prompt)
    worlds = await open_worlds(file.parent, tasks, wanted.storage, wanted.judged, stack)
    return Interact(tasks, file.parent, worlds, user, settings=settings_of(request)), worlds.versions


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
