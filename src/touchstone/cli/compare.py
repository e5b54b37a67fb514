"""`touchstone compare`: runs held against each other, task by task."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from ..errors import InputError
from ..reports.comparison import Comparison, as_text, load
from ..reports.comparison import compare as compare_runs
from ..reports.interact_sweep import is_sweep, load_sweep, steps, sweep_text
from ..runs.directory import replace_file

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
    seed: int = 0,
    resamples: int = 10_000,
) -> int:
    """Compare runs task by task, and say what the difference is worth.

    Parameters
    ----------
    run_dir
        Two or more run directories. Differences are the later minus the earlier. Or directories of sweeps (of interact): then
        levels and agents are compared along them.
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
    seed
        Seed of the resampling: the same seed gives the same numbers.
    resamples
        How often to resample.
    """
    if json is not None and not json.absolute().parent.is_dir():
        raise InputError(f"--json {json}: there is no directory {json.parent}")
    if run_dir and len([path for path in run_dir if is_sweep(path)]) == len(run_dir):
        sweeps = [load_sweep(path) for path in run_dir]
        print(sweep_text(sweeps, steps(sweeps)), end="")
        return 0
    if len(run_dir) < 2:
        raise InputError("compare needs two run directories or more")
    if not 0 < detect < 1:
        raise InputError(f"--detect {detect:g}: expected a fraction such as 0.05, for five points")
    if resamples < 100:
        raise InputError(f"--resamples {resamples}: expected 100 or more")
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
        _write(json, comparison)
    return 0


def _write(target: Path, comparison: Comparison) -> None:
    try:
        replace_file(target, msgspec.json.format(msgspec.json.encode(comparison), indent=1) + b"\n")
    except OSError as error:
        raise InputError(f"--json {target}: {error.strerror}") from None
