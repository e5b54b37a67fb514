"""Steps that begin a WorkArena task in the guest's browser."""

from __future__ import annotations

from asyncio import to_thread
from typing import Any

from ..browser import PORT
from ..clouds import SERVICENOW
from ..scene import Scene
from ..workarena import WorkArena
from .registry import STEPS


@STEPS
async def workarena_task_init(
    scene: Scene,
    *,
    task_name: str,
    task_kwargs: dict[str, Any] | None = None,
    listening_port: int = PORT,
    settings_file: str = SERVICENOW,
) -> None:
    """The task stays in the scene, for its unique fields and for its validation."""
    settings = scene.accounts.load(settings_file)
    address = await scene.guest.endpoint(listening_port)
    scene.memory["workarena"] = await to_thread(WorkArena, task_name, task_kwargs or {}, settings, address)


@STEPS
async def workarena_unique_fields(
    scene: Scene, *, field_mappings: dict[str, str], path: str = "/home/user/Desktop/unique_fields.txt"
) -> None:
    """Values that the task made up, one "label: value" per line, in a file of the guest."""
    arena: WorkArena | None = scene.memory.get("workarena")
    if arena is None:
        raise RuntimeError("workarena_task_init must come first")
    lines = [f"{label}: {await to_thread(arena.field, name)}\n" for name, label in field_mappings.items()]
    copy = scene.cached("unique_fields.txt")
    copy.write_text("".join(lines))
    await scene.guest.put(copy, path)
