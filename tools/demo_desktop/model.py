"""What a demo task is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from textwrap import dedent
from typing import Any

HERE = "HERE/"
"""In a path: the folder of the task, as task files name it."""
Step = dict[str, Any]


@dataclass(frozen=True)
class Task:
    name: str
    domain: str
    instruction: str
    tutorial: str
    category: str
    interface: str
    actions: int
    apps: tuple[str, ...]
    config: tuple[Step, ...]
    evaluator: dict[str, Any]
    solution: str
    files: Callable[[Random], dict[str, bytes]]
    """Inputs and gold, by name. They lie beside the task, in both forms."""


def step(kind: str, **parameters: Any) -> Step:
    return {"type": kind, "parameters": parameters}


def copied(name: str, destination: str) -> Step:
    return step("copyfile_from_host_to_guest", src=HERE + name, dest=destination)


def script(name: str) -> Step:
    return step("script_and_execute", src=HERE + name, dest=f"/home/user/{name}")


def terminal(folder: str) -> Step:
    return step("launch", command=["gnome-terminal", "--maximize", f"--working-directory={folder}"])


def gold(name: str) -> dict[str, str]:
    return {"type": "local_file", "path": HERE + name, "dest": name}


def left(path: str) -> dict[str, str]:
    return {"type": "vm_file", "path": path, "dest": path.rpartition("/")[2]}


def text(block: str) -> str:
    """Lines kept, the indentation of this program taken away, one line break at the end."""
    return dedent(block).strip() + "\n"


def saved(title: str) -> list[Step]:
    """What published tasks do before they look at a file: the window to the front, and Ctrl+S."""
    press = ["python", "-c", 'import pyautogui; pyautogui.hotkey("ctrl", "s");']
    window = step("activate_window", window_name=title, strict=True)
    return [window, step("sleep", seconds=0.5), step("execute", command=press), step("sleep", seconds=1)]
