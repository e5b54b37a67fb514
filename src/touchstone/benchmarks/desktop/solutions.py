"""What the oracle plays: a task's own solution, or its gold files written to where its evaluator looks.

`solution.py` beside a task is Python code for the desktop; a line `# ---` parts it into actions. `solution.sh` is a script for
the shell of the guest's user, for tasks whose gold is a state; the same line parts it, since an action has a time limit.
Somebody's own are `<task>.py` and `<task>.sh` in a folder; one of them serves both forms of a task.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from ...types import ToolCall
from .tasks import Dataset, DesktopTask, MetricCheck, checks

FILES = ("solution.py", "solution.sh")
SEPARATOR = "# ---"
_LENGTH_OF_TEXT = 4_000
PIECE = 45_000
"""Bytes of a gold file in one action: as text 60,000 characters, half of what a command line may hold."""


def solution(task: DesktopTask, dataset: Dataset, solutions: Path | None = None) -> Sequence[ToolCall]:
    """The actions, and then done; nothing if the reference is of another kind. `solutions` is a folder of somebody's own."""
    own = solution_file(task, solutions)
    actions = _own(own) if own else _gold(task, dataset)
    return [*(_act(number, code) for number, code in enumerate(actions, 1)), ToolCall("done", "done", "{}")] if actions else ()


def solution_file(task: DesktopTask, solutions: Path | None = None) -> Path | None:
    """Where its solution is written, if it is."""
    forms = (task.key, task.form.counterpart)
    own = [solutions / f"{form}{suffix}" for form in forms for suffix in (".py", ".sh")] if solutions else []
    return next((path for path in [*own, *(task.folder / name for name in FILES)] if path.is_file()), None)


def gold_files(task: DesktopTask, dataset: Dataset, solutions: Path | None = None) -> Iterator[Path]:
    """What an agent must not find: the solution, and the files that results are compared with."""
    yield from (path for path in [solution_file(task, solutions)] if path)
    for check in checks(task.form.evaluator):
        if check.expected.get("type") == "local_file" and isinstance(check.expected.get("path"), str):
            path = dataset.resolve(check.expected["path"])
            yield from [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file())


_SHELL = """\
import subprocess, sys
done = subprocess.run(["/bin/bash", "-c", {script!r}], stdin=subprocess.DEVNULL)
sys.exit(done.returncode)
"""


def text_of(path: Path) -> str:
    """Of a file that is text: how it begins."""
    try:
        return path.read_bytes()[:_LENGTH_OF_TEXT].decode()
    except (OSError, UnicodeDecodeError):
        return ""


def _own(path: Path) -> list[str]:
    parts: list[list[str]] = [[]]
    for line in path.read_text().splitlines(keepends=True):
        if line.rstrip() == SEPARATOR:
            parts.append([])
        else:
            parts[-1].append(line)
    pieces = [code for part in parts if (code := "".join(part)).strip()]
    return [_SHELL.format(script=script) for script in pieces] if path.suffix == ".sh" else pieces


def files_to_write(task: DesktopTask, dataset: Dataset) -> list[tuple[str, Path]]:
    """Where the evaluator looks for files, and the gold files: all of them, or those there are if one is enough."""
    evaluator = task.form.evaluator
    wanted = [_file(check, dataset) for check in checks(evaluator)]
    files = [each for each in wanted if each is not None]
    return [] if evaluator.conj == "and" and len(files) < len(wanted) else files


def _gold(task: DesktopTask, dataset: Dataset) -> list[str]:
    return [code for target, gold in files_to_write(task, dataset) for code in _writing(target, gold.read_bytes())]


def _file(check: MetricCheck, dataset: Dataset) -> tuple[str, Path] | None:
    """Where a file is expected, and the file that is."""
    target, gold = check.result.get("path"), check.expected.get("path")
    if check.result.get("type") != "vm_file" or check.expected.get("type") != "local_file":
        return None
    if not isinstance(target, str) or not isinstance(gold, str):
        return None
    path = dataset.resolve(gold)
    return (target, path) if path.is_file() else None


def _writing(target: str, data: bytes) -> Iterator[str]:
    for start in range(0, max(len(data), 1), PIECE):
        text = base64.b64encode(data[start : start + PIECE]).decode()
        first = "import base64, pathlib\n"
        folder = "path.parent.mkdir(parents=True, exist_ok=True)\n" if start == 0 else ""
        mode = "wb" if start == 0 else "ab"
        write = f"with path.open({mode!r}) as file:\n    file.write(base64.b64decode({text!r}))\n"
        yield f"{first}path = pathlib.Path({target!r}).expanduser()\n{folder}{write}"


def _act(number: int, code: str) -> ToolCall:
    return ToolCall(f"action-{number}", "pyautogui", msgspec.json.encode({"code": code}).decode())
