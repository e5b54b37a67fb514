"""`touchstone suite build`, `touchstone audit suspects` and `ro-eval`. Imported when one of them is called."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import msgspec

from ...cli.progress import counting
from ...cli.terminal import refuse_no_file, say, write_file
from ...distribution import refuse_without
from ...errors import InputError
from ...options import Count, Opt, Options
from ...protocols import Opening
from .config import BirdConfig
from .predictions import load_predictions
from .tasks import BirdTask, load_tasks

if TYPE_CHECKING:
    from ...engines.sqlite.worker import Reader
    from .proof import Votes

R = TypeVar("R")


class ProofSearchOptions(Options, frozen=True, kw_only=True):
    """What the commands take that search for small databases."""

    predictions: Annotated[tuple[Path, ...], Opt(positional=True)] = ()
    """Prediction files or run directories, one for each system."""
    parallel: Annotated[Count, Opt(names=("-p",))] = min(os.cpu_count() or 1, 8)
    """How many tasks at once; by default the number of processors."""


class SuiteOptions(ProofSearchOptions, frozen=True, kw_only=True):
    output: Annotated[Path | None, Opt(names=("-o",), target=True)] = None
    """The file to write, for touchstone score bird --suite."""


def build(config: BirdConfig, options: SuiteOptions) -> int:
    """Build a suite for BIRD: per task the small databases that expose the most mutants and wrong predictions."""
    refuse_without("sqlglot", "touchstone suite", "proof")
    output = options.output
    if output is None:
        raise InputError("suite build needs --output: the file to write")
    refuse_no_file("--output", output)
    from ...proof import Suite
    from .proof import distilled

    chosen, made, not_tried = _searched(config, options, distilled, "tasks distilled")
    suite = Suite(made)
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
    print(f"Detected: {sum(task.told for task in tasks)} of {sum(task.targets for task in tasks)} mutants and predictions")
    print(f"Digest:     {suite.digest}")
    print(f"{output}: {len(content):,} bytes")
    return 0


class SuspectOptions(ProofSearchOptions, frozen=True, kw_only=True):
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
    from .proof import suspected
    from .suspects import SuspectList, suspect_golds, suspects_text

    chosen, cases, not_tried = _searched(config, options, suspected, "tasks tried", voted=True)
    listed = SuspectList(
        benchmark=config.name,
        systems={name: str(path) for name, path in _systems(options.predictions).items()},
        tasks=len(chosen),
        not_tried=not_tried,
        suspects=suspect_golds(chosen, cases.values()),
    )
    print(suspects_text(listed, options.top), end="")
    if options.json:
        write_file("--json", options.json, msgspec.json.format(msgspec.json.encode(listed), indent=2) + b"\n")
    return 0


def _searched(
    config: BirdConfig, options: ProofSearchOptions, function: Callable[[Reader, Votes], R], what: str, *, voted: bool = False
) -> tuple[list[BirdTask], dict[str, R], dict[str, str]]:
    """The chosen tasks, what a function makes of each with the predictions of every system, and why of others it makes nothing.
    `voted` leaves out the tasks that no system has a prediction for."""
    from .proof import over_tasks, votes_on

    assert config.tasks is not None
    chosen, every = config.chosen(say), load_tasks(config.tasks)
    named = _systems(options.predictions).items()
    systems = {name: load_predictions(path, every, allow_missing=True) for name, path in named}

    async def main() -> tuple[dict[str, R], dict[str, str]]:
        async with AsyncExitStack() as stack:
            engine = await config.sqlite_engine(Opening(stack=stack))
            benchmark = config.built(chosen, engine, say)
            votes = [each for each in votes_on(benchmark, systems) if each.predictions or not voted]
            with counting(what) as watch:
                return await over_tasks(benchmark, engine, function, votes, parallel=options.parallel, watch=watch)

    return chosen, *asyncio.run(main())


def _systems(paths: Sequence[Path]) -> dict[str, Path]:
    """By name: that of the file or run, or the whole path where two have the same."""
    short = [path.name if path.is_dir() else path.stem for path in paths]
    names = short if len(set(short)) == len(short) else [str(path) for path in paths]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"{twice}: the predictions are given twice")
    return dict(zip(names, paths, strict=True))


def ro_eval() -> int:
    """The command of another harness, whose own comparison then decides unless another metric is named."""
    from ...cli import main

    argv = sys.argv[1:]
    named = {word.partition("=")[0] for word in argv}
    if argv[:1] == [BirdConfig.name] and not named & {"--metric", "--resume", "-r", "--config", "--help", "-h", "--help-all"}:
        print("touchstone: as in ro-eval, rows are compared with their number (--metric ex is BIRD's own)", file=sys.stderr)
        argv[1:1] = ["--metric=multiset"]
    return main(argv)
