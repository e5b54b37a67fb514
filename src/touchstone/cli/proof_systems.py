"""Several systems' predictions for the same tasks, and where results go: for the commands that search for small databases."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from ..benchmarks.bird.predictions import load_predictions
from ..benchmarks.bird.tasks import load_tasks
from ..errors import InputError
from ..options import Count, Opt, Options


class SearchOptions(Options, frozen=True, kw_only=True):
    """What the commands take that search for small databases."""

    predictions: Annotated[tuple[Path, ...], Opt(positional=True)] = ()
    """Prediction files or run directories, one for each system."""
    parallel: Annotated[Count, Opt(names=("-p",))] = min(os.cpu_count() or 1, 8)
    """How many tasks at once; by default as many as there are processors."""


def systems_of(paths: Sequence[Path]) -> dict[str, Path]:
    """By name: that of the file or run, or the whole path where two have the same."""
    short = [path.name if path.is_dir() else path.stem for path in paths]
    names = short if len(set(short)) == len(short) else [str(path) for path in paths]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"{twice}: the predictions are given twice")
    return dict(zip(names, paths, strict=True))


def predictions_of(systems: Mapping[str, Path], tasks: Path) -> dict[str, dict[str, str]]:
    """SQL by system and task; a system need not have all tasks."""
    every = load_tasks(tasks)
    return {name: load_predictions(path, every, allow_missing=True) for name, path in systems.items()}
