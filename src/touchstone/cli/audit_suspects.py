"""`touchstone audit suspects`: golds that several systems agree against, for a person to read."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated

import msgspec

from ..benchmarks.bird.config import BirdConfig
from ..distribution import refuse_without
from ..errors import InputError
from ..options import Count, Opt
from ..protocols import Opening
from .progress import counting
from .proof_systems import SearchOptions, predictions_of, systems_of
from .terminal import refuse_no_file, say, write_file


class SuspectOptions(SearchOptions, frozen=True, kw_only=True):
    json: Annotated[Path | None, Opt(target=True)] = None
    """Write the whole list to this file."""
    top: Count = 10
    """How many to print."""


def suspects(config: BirdConfig, options: SuspectOptions) -> int:
    """List BIRD golds that several systems agree against on a small database, the most suspect first."""
    refuse_without("sqlglot", "touchstone audit suspects", "proof")
    refuse_no_file("--json", options.json)
    if not options.predictions:
        raise InputError("expected prediction files or run directories, one for each system")
    chosen = config.chosen(say)
    systems = systems_of(options.predictions)
    assert config.tasks is not None
    handed_in = predictions_of(systems, config.tasks)

    async def main() -> int:
        from ..benchmarks.bird.suspects import SuspectList, suspect_golds, suspects_text

        async with AsyncExitStack() as stack:
            engine = await config.sqlite_engine(Opening(stack=stack))
            benchmark = config.built(chosen, engine, say)
            with counting("tasks tried") as watch:
                found, not_tried = await suspect_golds(benchmark, engine, handed_in, parallel=options.parallel, watch=watch)
        listed = SuspectList(
            benchmark=benchmark.name,
            systems={name: str(path) for name, path in systems.items()},
            tasks=len(chosen),
            not_tried=not_tried,
            suspects=found,
        )
        print(suspects_text(listed, options.top), end="")
        if options.json:
            write_file("--json", options.json, msgspec.json.format(msgspec.json.encode(listed), indent=2) + b"\n")
        return 0

    return asyncio.run(main())
