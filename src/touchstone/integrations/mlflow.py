"""Runs in MLflow, written by its own client: parameters, figures, tags, and the run's files as artifacts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ..addresses import address_of
from ..errors import InputError
from ..reports.web.library import Run
from .figures import figures, parameters

_FILES = ("config.json", "overall.json", "summary.txt")


def write_runs(runs: Sequence[Run], target: Path, project: str) -> Iterator[str]:
    """Into a file store in the folder, or at the tracking address. Gives where each run is. Raises InputError."""
    os.environ.setdefault("MLFLOW_ALLOW_FILE_STORE", "true")  # else MLflow refuses folders since its version 3.7
    mlflow: Any = import_module("mlflow")
    uri = address_of(target) or target.absolute().as_uri()
    try:
        client = mlflow.MlflowClient(tracking_uri=uri)
        known = client.get_experiment_by_name(project)
        experiment = known.experiment_id if known else client.create_experiment(project)
        for run in runs:
            yield f"{uri}: {project}, run {_write(mlflow, client, experiment, run)}"
    except mlflow.exceptions.MlflowException as error:
        raise InputError(f"--output {target}: MLflow says: {' '.join(str(error).split())[:300]}") from None


def _write(mlflow: Any, client: Any, experiment: str, run: Run) -> str:
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
