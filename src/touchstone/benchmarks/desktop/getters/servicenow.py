"""What WorkArena's own validation says about the task that a set-up step began."""

from __future__ import annotations

from asyncio import to_thread

from ....failures import Skipped
from ..browser import active_address
from ..clouds import SERVICENOW
from ..scene import Scene
from ..workarena import WorkArena
from .files import vm_file
from .registry import RESULTS


@RESULTS
async def workarena_task_result(
    scene: Scene, *, settings_file: str = SERVICENOW, path: str = "", dest: str = "", close: bool = True
) -> str:
    """ "succeed" or "failed". For a question, the answer is a file of the guest."""
    scene.accounts.load(settings_file)
    arena: WorkArena | None = scene.memory.get("workarena")
    if arena is None:
        raise Skipped("needs the WorkArena task that the set-up step workarena_task_init begins", kind="guest")
    answer = await vm_file(scene, path=path, dest=dest) if path else None
    address = await active_address(scene, "https://")
    try:
        passed = await to_thread(arena.validate, address, answer.read_text(errors="replace") if answer else None)
    finally:
        if close:
            await to_thread(arena.close)
    return "succeed" if passed else "failed"
