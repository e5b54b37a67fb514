"""`touchstone suite`: the few small databases of each task, frozen in one file."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App

from ..benchmarks.bird.config import BirdConfig
from ..distribution import refuse_without
from ..errors import InputError
from ..options import Opt
from ..protocols import Opening
from .progress import counting
from .proof_systems import SearchOptions, predictions_of, systems_of
from .struct_command import FunctionCommand, StructCommand
from .terminal import refuse_no_file, say, write_file


class SuiteOptions(SearchOptions, frozen=True, kw_only=True):
    output: Annotated[Path | None, Opt(names=("-o",), target=True)] = None
    """The file to write, for touchstone score bird --suite."""


def build(config: BirdConfig, options: SuiteOptions) -> int:
    """Build a suite for BIRD: per task the databases that tell the most mutants and wrong predictions from the gold."""
    refuse_without("sqlglot", "touchstone suite", "proof")
    output = options.output
    if output is None:
        raise InputError("suite build needs --output: the file to write")
    refuse_no_file("--output", output)
    chosen = config.chosen(say)
    assert config.tasks is not None
    handed_in = predictions_of(systems_of(options.predictions), config.tasks)

    async def main() -> int:
        from ..benchmarks.bird.proof import distilled_suite

        async with AsyncExitStack() as stack:
            engine = await config.sqlite_engine(Opening(stack=stack))
            benchmark = config.built(chosen, engine, say)
            with counting("tasks distilled") as watch:
                suite, not_tried = await distilled_suite(
                    benchmark, engine, list(handed_in.values()), parallel=options.parallel, watch=watch
                )
        if not_tried:
            task, reason = next(iter(not_tried.items()))
            if not suite.tasks:
                raise InputError(f"no suite is written: none of the {len(chosen)} tasks could be tried: {reason}")
            say(f"{len(not_tried)} tasks are not in the suite, the first is {task}: {reason}")
        content = suite.file_content()
        write_file("--output", output, content)
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


def command(argv: Sequence[str]) -> StructCommand | None:
    if argv[1:2] != ["build"]:
        return None
    return FunctionCommand(["suite", "build"], argv, build, positional=SuiteOptions, needs_data=BirdConfig)


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(name)
    app = App(name="suite", help="Freeze the few small databases that tell wrong predictions from the gold.")
    app.command(FunctionCommand(["suite", "build"], [], build, positional=SuiteOptions).function(), name="build")
    return app
