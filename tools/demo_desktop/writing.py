"""The files of the dataset: for every task two folders, one per form of the instruction, and the lists of tasks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

from demo_desktop.model import HERE, Task

SEED = 1847
FORMS = ("abstract", "verbose")
LEAD_IN = "Here is a step-by-step tutorial from an expert instructing you how to complete it:"
END = (
    "You can exactly follow the detailed plan above or proactively tackle the task based on the real-time environment "
    "interaction by yourself."
)
SOURCE = "touchstone"


def write_dataset(tasks: Sequence[Task], output: Path) -> Iterator[Path]:
    """Write everything, and give each path as soon as it is there."""
    root = output / "evaluation_examples"
    for task in tasks:
        for form in FORMS:
            yield from _write(task, form, root)
    for name, forms in {"all": FORMS, "non_account": FORMS, "abstract": FORMS[:1], "verbose": FORMS[1:]}.items():
        listed = {task.domain: [_key(task, form) for form in forms] for task in tasks}
        yield _written(root / f"test_{name}.json", _json(listed))
    yield _written(root / "test_account.json", _json({}))
    yield _written(root / "test_one.json", _json({tasks[0].domain: [_key(tasks[0], FORMS[0])]}))


def _write(task: Task, form: str, root: Path) -> Iterator[Path]:
    key = _key(task, form)
    folder = root / "examples" / task.domain / key
    for name, content in task.files(Random(f"{SEED}/{task.name}")).items():
        yield _written(folder / name, content)
    yield _written(folder / "verbose_instruction.txt", task.tutorial.encode())
    yield _written(folder / "solution.py", task.solution.encode())
    yield _written(folder / f"{key}.json", _json(_record(task, form, key)))


def _record(task: Task, form: str, key: str) -> dict[str, Any]:
    place = f"evaluation_examples/examples/{task.domain}/{key}/"
    verbose = f"{task.instruction}\n{LEAD_IN}\n{task.tutorial.rstrip()}\n{END}"
    return {
        "id": key,
        "snapshot": task.domain,
        "instruction": verbose if form == "verbose" else task.instruction,
        "source": [SOURCE],
        "action_number": task.actions,
        "config": _placed(list(task.config), place),
        "related_apps": list(task.apps),
        "tags": [task.category, task.interface, form],
        "evaluator": _placed(task.evaluator, place),
        "counterpart": _key(task, next(other for other in FORMS if other != form)),
    }


def _key(task: Task, form: str) -> str:
    return str(UUID(int=Random(f"{SEED}/{task.name}/{form}").getrandbits(128), version=4))


def _placed(value: Any, place: str) -> Any:
    """With the task's own folder in paths."""
    if isinstance(value, str):
        return place + value.removeprefix(HERE) if value.startswith(HERE) else value
    if isinstance(value, dict):
        return {key: _placed(item, place) for key, item in value.items()}
    return [_placed(item, place) for item in value] if isinstance(value, list) else value


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def _written(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path
