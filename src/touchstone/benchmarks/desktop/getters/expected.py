"""Where the reference comes from: a rule in the task file, a file of the dataset, or a file that was made in the guest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ....errors import Unscorable
from ..evaluation_context import EvaluationContext
from ..registry import EXPECTED


@EXPECTED
async def rule(evaluation: EvaluationContext, *, rules: Any) -> Any:
    """The rules as they stand in the task."""
    return rules


async def _list(evaluation: EvaluationContext, *, list: list[Any]) -> list[Any]:
    return list


EXPECTED.alias("list", _list)


@EXPECTED
async def local_file(evaluation: EvaluationContext, *, path: str, dest: str = "") -> Path:
    """A file or folder of the dataset, read where it is."""
    file = evaluation.dataset.resolve(path)
    if not file.exists():
        raise Unscorable(f"{path}: the reference is not in the dataset", kind="gold_missing")
    return file


@EXPECTED
async def vm_file(evaluation: EvaluationContext, *, path: str, dest: str) -> Path:
    """A file that the evaluator itself put or made in the guest. Files that an agent left are never taken by their name."""
    if evaluation.left is not None:
        file = evaluation.left.file(path, dest)
    else:
        copy = evaluation.cached(f"expected/{dest}")
        file = copy if await evaluation.guest.get(path, copy) else None
    if file is None:
        raise Unscorable(f"{path}: the reference is not in the guest", kind="gold_missing")
    return file
