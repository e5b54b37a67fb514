"""Files of the guest, and the output of scripts and commands that run there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ....failures import Unscorable, WorkerFailure
from ..guests import Execution
from ..scene import Scene
from ..setup import LATE
from .registry import RESULTS


@RESULTS
async def vm_file(scene: Scene, *, path: str, dest: str) -> Path | None:
    """A copy of a guest's file, or None."""
    if scene.given is not None:
        return scene.given.file(path, dest, by_name=True)
    copy = scene.cached(dest)
    return copy if await scene.guest.get(path, copy) else None


@RESULTS
async def vm_script_output(scene: Scene, *, src: str, dest: str, shell: bool = False) -> str:
    """What a script of the dataset prints when it runs in the guest."""
    return (await run_script(scene, src, dest)).output


@RESULTS
async def vm_command_line(scene: Scene, *, command: Sequence[str] | str, shell: bool = False) -> str:
    """What a command prints."""
    return in_time(await scene.guest.execute(command, shell=shell, seconds=scene.seconds), str(command), scene).output


@RESULTS
async def dbt_profiles(scene: Scene, *, dirs: Sequence[str], dest: str) -> Path | None:
    """The first profiles.yml among folders; a folder may be a variable of the guest."""
    for folder in dirs:
        if scene.given is not None:
            found = None if folder.startswith("$") else scene.given.file(f"{folder}/profiles.yml")
        else:
            place = await _expanded(scene, folder)
            found = await vm_file(scene, path=f"{place}/profiles.yml", dest=dest) if place else None
        if found is not None:
            return found
    return scene.given.file(dest) if scene.given is not None else None


async def run_script(scene: Scene, src: str, dest: str) -> Execution:
    """Copies a script of the dataset into the guest and runs it there."""
    guest, script = scene.guest, scene.dataset.resolve(src)
    if not script.is_file():
        raise Unscorable(f"{src}: the script is not in the dataset", kind="gold_missing")
    await guest.put(script, dest)
    await guest.execute(["chmod", "a+x", dest])
    return in_time(await guest.execute(["/bin/bash", dest], seconds=scene.seconds), dest, scene)


def in_time(done: Execution, what: str, scene: Scene) -> Execution:
    """What was stopped says nothing about the agent's work, whatever it had printed by then."""
    if done.returncode == LATE:
        raise WorkerFailure(f"{what}: the evaluation was stopped after {scene.seconds:g} s (--eval-timeout)", kind="evaluation")
    return done


async def _expanded(scene: Scene, folder: str) -> str:
    """Variables are those of a login shell: in any other, the ones that users set are not there."""
    if not folder.startswith("$"):
        return folder
    return (await scene.guest.execute(["/bin/bash", "-lc", f'echo "{folder}"'])).output.strip()
