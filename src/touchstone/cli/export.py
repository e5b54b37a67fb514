"""`touchstone export`: runs in the form of somebody else's tool."""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from ..distribution import pip_install
from ..errors import InputError
from ..plugins import available, benchmark_type
from .terminal import refuse_no_file, write_file

Format = Literal["csv", "parquet", "latex", "markdown", "html", "inspect", "mlflow", "wandb-offline"]
_DEFAULTS = {"parquet": "runs.parquet", "html": "runs.html", "inspect": ".", "mlflow": "mlruns", "wandb-offline": "."}
_MODULES = {"inspect": ("inspect_ai", "inspect"), "mlflow": ("mlflow", "mlflow"), "wandb-offline": ("wandb", "wandb")}

app = App(name="export", help="Write runs in another tool's format.")
for _name in available("benchmarks"):
    with suppress(InputError):  # one that cannot be loaded says so when it is called
        if _target := benchmark_type(_name).commands.get("export"):
            app.command(_target, name=_name, help=f"Write a run of {benchmark_type(_name).label} as the original harness does.")


@app.default
def export(
    *run_dir: Annotated[Path, Parameter(name="RUN_DIR")],
    to: Format,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    project: str = "touchstone",
) -> int:
    """Write runs as a table, a report, or the log of another tool.

    Parameters
    ----------
    run_dir
        One or more run directories.
    to
        csv or parquet: a row per attempt, with run, benchmark, agent and model in each. latex or markdown: a row per run,
        with intervals. html: a report with plots in one file. inspect: a log of Inspect AI per run. mlflow: runs in a file
        store of MLflow, or at a tracking address. wandb-offline: offline runs of Weights & Biases, for `wandb sync`.
    output
        The file, or for inspect, mlflow and wandb-offline the folder. Without it csv, latex and markdown are printed.
    project
        The experiment of MLflow, or the project of Weights & Biases.
    """
    if not run_dir:
        raise InputError("export needs a run directory")
    if missing := _MODULES.get(to):
        module, extra = missing
        if find_spec(module) is None:
            raise InputError(f"--to {to} needs {module}: {pip_install(extra)}")
    if to in ("inspect", "mlflow", "wandb-offline"):
        return _into_tool(run_dir, to, output or Path(_DEFAULTS[to]), project)
    target = output or (Path(_DEFAULTS[to]) if to in _DEFAULTS else None)
    refuse_no_file("--output", target)
    return _into_file(run_dir, to, target)


def _into_file(paths: tuple[Path, ...], to: Format, target: Path | None) -> int:
    from ..reports import tables

    runs = tables.opened(paths)
    if target is None:
        sys.stdout.write(tables.TEXTS[to](runs).decode())
        return 0
    if to == "parquet":
        tables.write_parquet(tables.attempts(runs), target)
    elif to == "html":
        from ..reports.html_report import html_report

        write_file("--output", target, html_report(runs).encode("utf-8", "replace"))
    else:
        write_file("--output", target, tables.TEXTS[to](runs))
    print(target)
    return 0


def _into_tool(paths: tuple[Path, ...], to: Format, target: Path, project: str) -> int:
    if to == "inspect":
        from ..integrations.inspect import export as write

        if not target.exists() and not target.suffix:
            target.mkdir(parents=True)
        if len(paths) > 1 and not target.is_dir():
            raise InputError(f"--output {target}: several runs need a folder")
        for path in paths:
            print(write(path, target))
        return 0
    from ..integrations.trackers import write_mlflow, write_wandb
    from ..reports.tables import opened

    runs = opened(paths)
    for address in (write_mlflow if to == "mlflow" else write_wandb)(runs, target, project):
        print(address)
    return 0


@app.command
def inspect(run_dir: Path, out: Path) -> int:
    """Write a run as a log of Inspect AI, for its viewer and its analyses.

    Parameters
    ----------
    run_dir
        The run directory.
    out
        The log: a file named .eval or .json, or a directory, in which it gets a name as Inspect gives it.
    """
    return export(run_dir, to="inspect", output=out)
