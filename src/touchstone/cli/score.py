"""`touchstone score BENCHMARK`: predictions that exist already, judged without a model: a run in which replay plays."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..agents.scripted import ReplayConfig
from ..errors import InputError
from ..plugins import benchmark_type, returned
from ..protocols import BenchmarkConfig, ScoreOptions, Scoring
from ..runs.config import RunConfig, RunOptions
from ..runs.records import read_records
from ..runs.runner import run_config
from .progress import one_line
from .struct_command import StructCommand, named_benchmark
from .terminal import Terminal, exit_code

_RUN_OPTIONS = ("parallel", "output", "verbose", "fail_under", "junit", "markdown", "json")


class ScoreCommand(StructCommand):
    def __init__(self, benchmark: type[BenchmarkConfig], argv: Sequence[str]) -> None:
        if not (hasattr(benchmark, "scoring") or hasattr(benchmark, "predictions")):
            raise InputError(f"the benchmark '{benchmark.name}' cannot be scored: its struct has no predictions()")
        self.benchmark, self.kind = benchmark, benchmark.score_options
        super().__init__(
            ["score", benchmark.name],
            argv,
            (self.kind, benchmark),
            help=f"Score predictions for {benchmark.label}, without a model.",
            positional=self.kind,
        )

    def call(self, values: Mapping[str, Any], typed: Mapping[str, Any]) -> int:
        options = self.made(self.kind, values)
        if options.predictions is None:
            raise InputError(f"{self.words} needs PREDICTIONS: the answers to score")
        self.refuse_no_data(self.benchmark, values)
        return score(self.made(self.benchmark, values), options, options.predictions)


def score(benchmark: BenchmarkConfig, options: ScoreOptions, predictions: Path) -> int:
    """Plays the predictions and shows what they are worth."""
    named = predictions.absolute()  # "." has a name too
    own = getattr(benchmark, "scoring", None)
    scoring: Scoring = own(options) if own else default_scoring(benchmark, options, predictions)
    returned(scoring, Scoring, f"the benchmark '{benchmark.name}': scoring()", "a Scoring")
    config = RunConfig(
        benchmark=scoring.benchmark,
        agent=scoring.agent,
        run=RunOptions(**{name: getattr(options, name) for name in _RUN_OPTIONS}),
    )
    played = asyncio.run(
        run_config(
            config,
            interface=Terminal(describe=one_line if options.verbose else None),
            base=Path("results"),
            command=f"score {benchmark.name}",
            name=named.name if named.is_dir() else named.stem,
            heading=named.name,
            only=scoring.only,
        )
    )
    assert played.path is not None
    if played.path.exists():
        scoring.finish(list(read_records(played.path)))
    return exit_code(played, resumable=False)  # a second run finds its results in the cache


def default_scoring(benchmark: BenchmarkConfig, options: ScoreOptions, predictions: Path) -> Scoring:
    """What a run did not play was not asked for, so of a run only that is scored."""
    is_run = (predictions / "runs.jsonl").is_file()
    agent = ReplayConfig(predictions=predictions, allow_missing=options.allow_missing or is_run)
    only = {record.task for record in read_records(predictions)} if is_run and not options.allow_missing else None
    return Scoring(benchmark=benchmark, agent=agent, only=only)


def command(argv: Sequence[str]) -> StructCommand | None:
    name = named_benchmark(argv)
    return ScoreCommand(benchmark_type(name), argv) if name else None
