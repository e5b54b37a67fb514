"""`touchstone interact report`: the tables and curves of runs and sweeps, for a terminal and for a paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from ..failures import InputError
from ..reports.interact_report import InteractReport, interact_report
from ..reports.interact_sweep import is_sweep, load_sweep, plot, steps, sweep_text
from ..reports.interact_tables import as_csv, as_latex, as_text, draw_curves


def report(
    run_dir: Annotated[tuple[Path, ...], Parameter(name="RUN_DIR", negative="")],
    /,
    *,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
) -> int:
    """Show what a paper says of runs: success by category, cost, actions, the simulated user, and curves.

    Parameters
    ----------
    run_dir
        Run directories, or directories of sweeps, which are then compared level by level.
    output
        Write the same as CSV, LaTeX, JSON, PNG and SVG into this directory.
    """
    if not run_dir:
        raise InputError("interact report needs a run directory, or that of a sweep")
    sweeps = [is_sweep(path) for path in run_dir]
    if any(sweeps) and not all(sweeps):
        raise InputError("give runs or sweeps, not both")
    if output is not None:
        _make(output)
    if all(sweeps):
        report_sweeps(run_dir, output)
    else:
        _report_runs([interact_report(path) for path in run_dir], output)
    return 0


def report_sweeps(paths: tuple[Path, ...], output: Path | None) -> None:
    """Also what `touchstone compare` says of sweeps."""
    sweeps = [load_sweep(path) for path in paths]
    found = steps(sweeps)
    print(sweep_text(sweeps, found), end="")
    for path in plot(sweeps, output, found) if output else ():
        print(f"Written: {path}")


def _report_runs(reports: list[InteractReport], output: Path | None) -> None:
    print("\n".join(map(as_text, reports)), end="")
    if output is None:
        return
    texts = {
        "report.csv": as_csv(reports),
        "report.tex": as_latex(reports),
        "report.json": msgspec.json.format(msgspec.json.encode(reports)).decode(),
    }
    for name, text in texts.items():
        (output / name).write_text(text, encoding="utf-8")
    for path in [*(output / name for name in texts), *draw_curves(reports, output)]:
        print(f"Written: {path}")


def _make(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--output {directory}: {error.strerror}") from None
