"""Runs as offline runs of Weights & Biases, written by its own library: nothing is sent before `wandb sync`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..reports.tables import attempts
from ..reports.web.library import Run
from .figures import figures, parameters

_COLUMNS = ("task", "epoch", "outcome", "score", "reason", "seconds", "cost")


def write_runs(runs: Sequence[Run], target: Path, project: str) -> Iterator[str]:
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
