"""`touchstone audit suspects`: golds that several systems agree against, for a person to read."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import asdict
from pathlib import Path

import msgspec

from ..benchmarks.bird.config import BirdConfig
from ..distribution import refuse_without
from ..failures import InputError
from .building import open_engine, refuse_unless_positive
from .options import JudgeOptions, SelectOptions
from .progress import counting
from .proof_systems import DEFAULTS, SearchOptions, predictions_of, systems_of, write_whole
from .terminal import say


def suspects(
    *predictions: Path,
    data: Path,
    databases: Path | None = None,
    json: Path | None = None,
    top: int = 10,
    selected: SelectOptions = SelectOptions(),
    search: SearchOptions = DEFAULTS,
) -> int:
    """List BIRD golds that several systems agree against on a small database, the most suspect first.

    Parameters
    ----------
    predictions
        Prediction files or run directories, one for each system.
    data
        BIRD's task file; alone, the name of a dataset, such as demo.
    databases
        The directory that holds <db_id>/<db_id>.sqlite.
    json
        Write the whole list to this file.
    top
        Print so many of them.
    """
    refuse_without("sqlglot", "touchstone audit suspects", "proof")
    refuse_unless_positive(top, "--top")
    search.refuse_odd("--json", json)
    if not predictions:
        raise InputError("expected prediction files or run directories, one for each system")
    config = BirdConfig(data, databases, **asdict(selected), cache=search.cache)
    chosen = config.chosen(say)
    systems = systems_of(predictions)
    assert config.tasks is not None
    handed_in = predictions_of(systems, config.tasks)

    async def main() -> int:
        from ..benchmarks.bird.suspecting import SuspectList, suspect_golds, suspects_text

        async with AsyncExitStack() as stack:
            engine = open_engine(JudgeOptions(cache=search.cache), stack)
            benchmark = config.built(chosen, engine, say)
            with counting("tasks tried") as watch:
                found, not_tried = await suspect_golds(benchmark, engine, handed_in, parallel=search.parallel, watch=watch)
        listed = SuspectList(
            benchmark=benchmark.name,
            systems={name: str(path) for name, path in systems.items()},
            tasks=len(chosen),
            not_tried=not_tried,
            suspects=found,
        )
        print(suspects_text(listed, top), end="")
        if json:
            write_whole("--json", json, msgspec.json.format(msgspec.json.encode(listed), indent=2) + b"\n")
        return 0

    return asyncio.run(main())
