"""Several systems' predictions for the same tasks, and where results go: for the commands that search for small databases."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..benchmarks.bird.predictions import load_predictions
from ..benchmarks.bird.tasks import load_tasks
from ..failures import InputError
from ..runs.directory import replace_file
from .building import refuse_unless_positive


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    cache: bool = True
    """Remember results by content across runs."""
    parallel: Annotated[int, Parameter(name=["--parallel", "-p"])] = min(os.cpu_count() or 1, 8)
    """How many tasks at once; by default as many as there are processors."""

    def refuse_odd(self, option: str, output: Path | None) -> None:
        """Mistakes that are better told before hours of work."""
        refuse_unless_positive(self.parallel, "--parallel")
        if output is not None and (output.is_dir() or not output.absolute().parent.is_dir()):
            raise InputError(f"{option} {output}: expected the name of a file in a directory that exists")


DEFAULTS = SearchOptions()


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


def write_whole(option: str, path: Path, content: bytes) -> None:
    try:
        replace_file(path, content)
    except OSError as error:
        raise InputError(f"{option} {path}: cannot be written: {error.strerror}") from None
