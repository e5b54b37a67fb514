"""Runs in trackers of experiments, written by their own clients: MLflow, and offline runs of Weights & Biases.

Both take a run as flat names and numbers: `figures` is what was measured, `parameters` what was set.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ..addresses import address_of
from ..errors import InputError
from ..reports.tables import attempts
from ..reports.web.library import Run
from ..runs.config import stored_options

_FILES = ("config.json", "overall.json", "summary.txt")
_COLUMNS = ("task", "epoch", "outcome", "score", "reason", "seconds", "cost")


def figures(run: Run) -> dict[str, float]:
    """What was measured: shares with their intervals, also by facet, means of metrics, what it took."""
    overall = run.index.aggregate.overall()
    used = sum(run.index.aggregate.usage_by.values(), run.index.aggregate.usage)
    values: dict[str, Any] = {
        **_share("accuracy", overall["overall"]),
        "score": overall["score"],
        **{f"outcomes/{name}": count for name, count in overall["outcomes"].items()},
        **{f"metrics/{name}": value for name, value in overall["metrics"].items()},
        "calls": used.calls,
        "input_tokens": used.input_tokens,
        "output_tokens": used.output_tokens,
        "cost": used.cost,
        "seconds": overall["seconds"],
    }
    for facet, shares in overall.items():
        if facet.startswith("by_"):
            for value, share in shares.items():
                values[f"{facet}/{_plain(value)}"] = share["accuracy"]
    return {name: float(value) for name, value in values.items() if value is not None}


def parameters(run: Run) -> dict[str, Any]:
    """What was set: who played what, and the options that are not left at nothing."""
    options = {name: value for name, value in stored_options(run.config).items() if value not in (None, [], {}, "")}
    return {**options, "benchmark": run.benchmark, "agent": run.agent, "model": run.model}


def _share(name: str, share: dict[str, Any]) -> dict[str, Any]:
    low, high = share["interval"]
    return {name: share["accuracy"], f"{name}_low": low, f"{name}_high": high, "n": share["total"]}


def _plain(value: str) -> str:
    """In characters that every tracker takes in a name."""
    return "".join(char if char.isalnum() or char in "_-. " else "_" for char in value) or "none"


def write_mlflow(runs: Sequence[Run], target: Path, project: str) -> Iterator[str]:
    """Into a file store in the folder, or at the tracking address. Gives where each run is. Raises InputError."""
    os.environ.setdefault("MLFLOW_ALLOW_FILE_STORE", "true")  # else MLflow refuses folders since its version 3.7
    mlflow: Any = import_module("mlflow")
    uri = address_of(target) or target.absolute().as_uri()
    try:
        client = mlflow.MlflowClient(tracking_uri=uri)
        known = client.get_experiment_by_name(project)
        experiment = known.experiment_id if known else client.create_experiment(project)
        for run in runs:
            yield f"{uri}: {project}, run {_write_mlflow_run(mlflow, client, experiment, run)}"
    except mlflow.exceptions.MlflowException as error:
        raise InputError(f"--output {target}: MLflow says: {' '.join(str(error).split())[:300]}") from None


def _write_mlflow_run(mlflow: Any, client: Any, experiment: str, run: Run) -> str:
    began, ended = (round(each.timestamp() * 1000) if each else None for each in (run.index.began, run.index.ended))
    tags = {"touchstone.run": run.label, "mlflow.source.name": "touchstone"}
    made: str = client.create_run(experiment, start_time=began, run_name=run.title, tags=tags).info.run_id
    named = {name: str(value)[:6000] for name, value in parameters(run).items()}
    moment = ended or 0
    client.log_batch(
        made,
        metrics=[mlflow.entities.Metric(name, value, moment, 0) for name, value in figures(run).items()],
        params=[mlflow.entities.Param(name, value) for name, value in named.items()],
    )
    for name in _FILES:
        if (run.path / name).is_file():
            client.log_artifact(made, str(run.path / name))
    client.set_terminated(made, "FINISHED", end_time=ended)
    return made


def write_wandb(runs: Sequence[Run], target: Path, project: str) -> Iterator[str]:
    """Into target/wandb/offline-run-…; gives each folder. Raises InputError."""
    if not target.is_dir():
        raise InputError(f"--output {target}: expected a folder that exists")
    os.environ.setdefault("WANDB_SILENT", "true")
    wandb: Any = import_module("wandb")
    settings = wandb.Settings(mode="offline", disable_git=True, disable_code=True, console="off", x_disable_stats=True)
    folders: list[str] = []
    for run in runs:
        with wandb.init(
            project=project,
            name=run.label,
            dir=str(target),
            config=dict(parameters(run)),
            job_type="evaluation",
            settings=settings,
            reinit="finish_previous",
        ) as made:
            rows = [[row[name] for name in _COLUMNS] for row in attempts([run])]
            made.log({**figures(run), "tasks": wandb.Table(columns=list(_COLUMNS), data=rows)})
            folders.append(str(Path(made.dir).parent))
    wandb.teardown()  # its service writes the end of each file only when it ends itself
    yield from folders
