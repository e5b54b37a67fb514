"""`touchstone compare`: runs held against each other, task by task."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from ..errors import InputError
from ..plugins import structs_with
from ..reports.comparison import Comparison, RunPair, as_text, load
from ..reports.comparison import compare as compare_runs
from .terminal import refuse_no_file, write_file

_SIGNIFICANT = 0.05
Flag = Annotated[bool, Parameter(negative="")]


def compare(
    run_dir: Annotated[tuple[Path, ...], Parameter(name="RUN_DIR", negative="")],
    /,
    *,
    force: Flag = False,
    baseline: Flag = False,
    without_errors: Flag = False,
    detect: float = 0.05,
    all: Flag = False,
    json: Path | None = None,
    markdown: Path | None = None,
    fail_if_worse: Flag = False,
    by: float = 0.0,
    seed: int = 0,
    resamples: int = 10_000,
) -> int:
    """Compare runs task by task, with exact tests and intervals.

    Parameters
    ----------
    run_dir
        Two or more run directories. Differences are the later minus the earlier. Or directories of sweeps: then levels and
        agents are compared along them.
    force
        Compare runs even if they measure different things (another metric, dataset, limit or rule).
    baseline
        Compare each run with the first only, instead of all with all.
    without_errors
        Leave out attempts in which the model's service or our machinery failed, instead of counting them as failed.
    detect
        Print how many tasks it takes to detect a difference in accuracy of this size; 0.05 is five points.
    all
        Show all tasks on which two runs differ, not just the first 20.
    json
        Write everything to this file.
    markdown
        Write what broke and what was fixed to this file, such as the step summary of a CI service.
    fail_if_worse
        Exit with 1 if the last run is worse than the first: a lower accuracy that the paired test (p < 0.05) does not put down
        to chance.
    by
        With --fail-if-worse: only if it is worse by more than this; 0.03 is three points.
    seed
        Seed of the resampling: the same seed gives the same numbers.
    resamples
        How often to resample.
    """
    refuse_no_file("--json", json)
    refuse_no_file("--markdown", markdown)
    if not 0 <= by < 1 or (by and not fail_if_worse):
        raise InputError(f"--by {by:g}: expected a fraction such as 0.03, for three points, together with --fail-if-worse")
    if (text := _by_benchmark(run_dir)) is not None:
        print(text, end="")
        return 0
    comparison = compare_runs(
        [load(path) for path in run_dir],
        force=force,
        seed=seed,
        resamples=resamples,
        baseline=baseline,
        without_errors=without_errors,
        detect=detect,
    )
    print(as_text(comparison, all_flips=all), end="")
    if json is not None:
        write_file("--json", json, msgspec.json.format(msgspec.json.encode(comparison), indent=1) + b"\n")
    pair = next(each for each in comparison.pairs if each.first == 0 and each.second == len(run_dir) - 1)
    if markdown is not None:
        write_file("--markdown", markdown, _summary(comparison, pair).encode())
    measure = pair.accuracy
    if fail_if_worse and measure.difference < -by and measure.p is not None and measure.p < _SIGNIFICANT:
        print(f"Worse: accuracy {measure.difference * 100:+.1f} points, p = {measure.p:.2g}.")
        return 1
    return 0


def _by_benchmark(directories: Sequence[Path]) -> str | None:
    """The comparison of directories that are no runs but something that a benchmark knows, such as sweeps."""
    if not directories or any((path / "runs.jsonl").exists() for path in directories):
        return None
    texts = (benchmark.compared(directories) for benchmark in structs_with("benchmarks", "compared"))
    return next((text for text in texts if text is not None), None)


def _summary(comparison: Comparison, pair: RunPair) -> str:
    """As Markdown: the two accuracies, then the tasks that one run passes and the other does not."""
    first, second, measure = comparison.runs[pair.first], comparison.runs[pair.second], pair.accuracy
    p = "" if measure.p is None else f", p = {measure.p:.2g}"
    lines = [
        f"## {second.title}",
        "",
        "| run | accuracy | tasks |",
        "| --- | --- | --- |",
        f"| {first.path} | {measure.first:.1%} | {measure.tasks} |",
        f"| {second.path} | {measure.second:.1%} | {measure.tasks} |",
        "",
        f"Difference: {measure.difference * 100:+.1f} points{p}. Broke: {pair.first_wins}, fixed: {pair.second_wins}.",
    ]
    for title, flips in (("Broke", pair.only_first_right), ("Fixed", pair.only_second_right)):
        lines += ["", f"### {title}", ""] if flips else []
        lines += [f"- `{flip.task}`: {' '.join(flip.second.reason.split())[:200]}" for flip in flips]
    return "\n".join(lines) + "\n"
