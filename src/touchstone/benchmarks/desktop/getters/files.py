"""Files of the guest, and the output of scripts and commands that run there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ....errors import WorkerFailure
from ..desktop import Execution
from ..evaluation_context import EvaluationContext
from ..registry import RESULTS
from ..setup import LATE


@RESULTS
async def vm_file(evaluation: EvaluationContext, *, path: str, dest: str) -> Path | None:
    """A copy of a guest's file, or None."""
    if evaluation.left is not None:
        return evaluation.left.file(path, dest, by_name=True)
    copy = evaluation.cached(dest)
    return copy if await evaluation.guest.get(path, copy) else None


@RESULTS
async def vm_script_output(evaluation: EvaluationContext, *, src: str, dest: str, shell: bool = False) -> str:
    """What a script of the dataset prints when it runs in the guest."""
    return (await run_script(evaluation, src, dest)).output


@RESULTS
async def vm_command_line(evaluation: EvaluationContext, *, command: Sequence[str] | str, shell: bool = False) -> str:
    """What a command prints."""
    return in_time(
        await evaluation.guest.execute(command, shell=shell, seconds=evaluation.seconds), str(command), evaluation
    ).output


@RESULTS
async def dbt_profiles(evaluation: EvaluationContext, *, dirs: Sequence[str], dest: str) -> Path | None:
    """The first profiles.yml among folders; a folder may be a variable of the guest."""
    for folder in dirs:
        if evaluation.left is not None:
            profiles = None if folder.startswith("$") else evaluation.left.file(f"{folder}/profiles.yml")
        else:
            expanded = await _expanded(evaluation, folder)
            profiles = await vm_file(evaluation, path=f"{expanded}/profiles.yml", dest=dest) if expanded else None
        if profiles is not None:
            return profiles
    return evaluation.left.file(dest) if evaluation.left is not None else None


async def run_script(evaluation: EvaluationContext, src: str, dest: str) -> Execution:
    """Copies a script of the dataset into the guest and runs it there."""
    guest = evaluation.guest
    await guest.put(evaluation.dataset.file(src, "script"), dest)
    await guest.execute(["chmod", "a+x", dest])
    return in_time(await guest.execute(["/bin/bash", dest], seconds=evaluation.seconds), dest, evaluation)


def in_time(done: Execution, what: str, evaluation: EvaluationContext) -> Execution:
    """What was stopped says nothing about the agent's work, whatever it had printed by then."""
    if done.returncode == LATE:
        raise WorkerFailure(
            f"{what}: the evaluation was stopped after {evaluation.seconds:g} s (--eval-timeout)", kind="evaluation"
        )
    return done


async def _expanded(evaluation: EvaluationContext, folder: str) -> str:
    """Variables are those of a login shell: in any other, the ones that users set are not there."""
    if not folder.startswith("$"):
        return folder
    return (await evaluation.guest.execute(["/bin/bash", "-lc", f'echo "{folder}"'])).output.strip()
