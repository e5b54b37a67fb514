"""Where the episodes of a run are played, by its options."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from ..failures import InputError
from ..runs.batch import Say
from ..runs.executors import Executor
from ..runs.run import Plan

_WRITTEN = ("output", "resume", "results", "runs")
"""Arguments that say where something goes, not where it comes from."""


@asynccontextmanager
async def executing(
    plan: Plan, command: str, arguments: Mapping[str, Any], identity: Mapping[str, Any], say: Say
) -> AsyncGenerator[Executor | None]:
    """None stands for this process."""
    if arguments.get("executor", "local") == "local":
        yield None
        return
    if arguments.get("agent") == "human":
        raise InputError("--executor ray: a person plays at this terminal, not on a cluster")
    from ..runs.executors.cluster import Work, environment, ray_cluster
    from ..runs.executors.shipping import listed, moved
    from .rebuilding import rebuild

    given: dict[str, Any] = absolute(getattr(arguments, "given", arguments))
    sent = {name: value for name, value in given.items() if name != "resume"}
    work = Work(
        build=rebuild,
        payload=lambda places: (command, {name: moved(value, places) for name, value in sent.items()}),
        identity=identity,
        listings=[listed(path) for path in dict.fromkeys(inputs(given))],
        environment=environment(given.get("ray-env", ())),
        parallel=plan.parallel,
    )
    async with ray_cluster(work, given.get("ray-address"), say) as cluster:
        yield cluster


def absolute(given: Mapping[str, Any]) -> dict[str, Any]:
    """The paths that stand in texts made absolute too, since a node is elsewhere: recordings and prompts."""
    from ..runs.executors.shipping import RECORDED

    changed = dict(given)
    for name, value in given.items():
        if isinstance(value, str) and value.startswith(RECORDED):
            changed[name] = RECORDED + str(Path(value.removeprefix(RECORDED)).absolute())
        elif name == "user-prompt" and Path(value).is_dir():
            changed[name] = str(Path(value).absolute())
    return changed


def inputs(given: Mapping[str, Any]) -> Iterator[Path]:
    """The files and folders that the arguments name."""
    from ..runs.executors.shipping import RECORDED

    for name, value in given.items():
        if name in _WRITTEN or not isinstance(value, str):
            continue
        path = Path(value.removeprefix(RECORDED))
        if path.is_absolute() and path.exists():
            yield path.parent if name == "dataset" and path.is_file() else path  # its databases are beside it
