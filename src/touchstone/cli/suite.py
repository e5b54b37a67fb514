"""`touchstone suite`: the few small databases of each task, frozen in one file."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from ..benchmarks.bird.config import BirdConfig
from ..distribution import refuse_without
from ..failures import InputError
from .building import open_engine
from .options import JudgeOptions, SelectOptions
from .progress import counting
from .proof_systems import DEFAULTS, SearchOptions, predictions_of, systems_of, write_whole
from .terminal import say

app = App(name="suite", help="Freeze the few small databases that tell wrong predictions from the gold.")


@app.command
def build(
    *predictions: Path,
    data: Path,
    databases: Path | None = None,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    selected: SelectOptions = SelectOptions(),
    search: SearchOptions = DEFAULTS,
) -> int:
    """Build a suite for BIRD: per task the databases that tell the most mutants and wrong predictions from the gold.

    Parameters
    ----------
    predictions
        Prediction files or run directories to tell apart, besides the one-step mutants of each gold.
    data
        BIRD's task file; alone, the name of a dataset, such as demo.
    databases
        The directory that holds <db_id>/<db_id>.sqlite.
    output
        The file to write, for touchstone score bird --suite.
    """
    refuse_without("sqlglot", "touchstone suite", "proof")
    search.refuse_odd("--output", output)
    config = BirdConfig(data, databases, **asdict(selected), cache=search.cache)
    chosen = config.chosen(say)
    assert config.tasks is not None
    handed_in = predictions_of(systems_of(predictions), config.tasks)

    async def main() -> int:
        from ..benchmarks.bird.distilling import distilled_suite

        async with AsyncExitStack() as stack:
            engine = open_engine(JudgeOptions(cache=search.cache), stack)
            benchmark = config.built(chosen, engine, say)
            with counting("tasks distilled") as watch:
                suite, not_tried = await distilled_suite(
                    benchmark, engine, list(handed_in.values()), parallel=search.parallel, watch=watch
                )
        if not_tried:
            task, reason = next(iter(not_tried.items()))
            if not suite.tasks:
                raise InputError(f"no suite is written: none of the {len(chosen)} tasks could be tried: {reason}")
            say(f"{len(not_tried)} tasks are not in the suite, the first is {task}: {reason}")
        content = suite.file_content()
        write_whole("--output", output, content)
        tasks = suite.tasks.values()
        held = sum(bool(task.databases) for task in tasks)
        print(f"Tasks:      {len(tasks)}, {held} of them with databases")
        print(f"Databases:  {sum(len(task.databases) for task in tasks)}")
        print(
            f"Tell apart: {sum(task.told for task in tasks)} of {sum(task.targets for task in tasks)} mutants and predictions"
        )
        print(f"Digest:     {suite.digest}")
        print(f"{output}: {len(content):,} bytes")
        return 0

    return asyncio.run(main())
