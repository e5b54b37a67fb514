"""Steps on the guest itself: files, commands, windows."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from ....errors import WorkerFailure
from ..desktop import Execution
from ..evaluation_context import EvaluationContext
from ..registry import STEPS
from ..setup import KIND, LATE, run_traced, window
from ..tasks import SETTINGS

LARGEST_DOWNLOAD = 1 << 30
_TRIES, _PAUSE = 5, 0.3


@STEPS
async def copyfile_from_host_to_guest(evaluation: EvaluationContext, *, src: str, dest: str, json_encode: bool = False) -> None:
    """One file of the dataset; `json_encode` hides the values of a JSON object from a casual look."""
    source = _source(evaluation, src)
    await evaluation.guest.put(_encoded(evaluation, source) if json_encode else source, dest)


@STEPS
async def script_and_execute(evaluation: EvaluationContext, *, src: str, dest: str) -> None:
    """Runs a script of the dataset in the guest and takes it away again."""
    await evaluation.guest.put(_source(evaluation, src), dest)
    await evaluation.guest.execute(["chmod", "a+x", dest])
    await run_traced(
        evaluation.guest, dest, evaluation.log, evaluation.cached(f"traces/{len(evaluation.log.steps)}.txt"), evaluation.seconds
    )
    await evaluation.guest.execute(["rm", "-f", dest])


@STEPS
async def execute(
    evaluation: EvaluationContext,
    *,
    command: Sequence[str] | str,
    shell: bool = False,
    stdout: str = "",
    stderr: str = "",
    until: dict[str, Any] | None = None,
) -> None:
    """A command to its end; with `until`, again and again until it returns or prints that, five times at most."""
    done = Execution("", "", 0)
    for trial in range(_TRIES if until else 1):
        await asyncio.sleep(_PAUSE if trial else 0)
        started = time.monotonic()
        done = await evaluation.guest.execute(command, shell=shell, seconds=evaluation.seconds)
        evaluation.log.note(command, done, time.monotonic() - started)
        if until is None or _reached(done, until):
            break
    for name, text in ((stdout, done.output), (stderr, done.error)):
        if name:
            evaluation.cached(name).write_text(text)
    if done.returncode == LATE:
        raise WorkerFailure(f"the command {command} was stopped after {evaluation.seconds:g} s", kind=KIND)


STEPS.alias("command", execute)


@STEPS
async def launch(evaluation: EvaluationContext, *, command: Sequence[str] | str, shell: bool = False) -> None:
    """A program that stays."""
    evaluation.log.note(command)
    await evaluation.guest.launch(command, shell=shell)


@STEPS
async def open(evaluation: EvaluationContext, *, path: str) -> None:
    """A file with the application for its kind."""
    evaluation.log.expect(window(path.rpartition("/")[2]))
    await evaluation.guest.launch(["xdg-open", path])


@STEPS
async def sleep(evaluation: EvaluationContext, *, seconds: float) -> None:
    await asyncio.sleep(seconds)


@STEPS
async def activate_window(
    evaluation: EvaluationContext, *, window_name: str, strict: bool = False, by_class: bool = False
) -> None:
    """Brings a window to the front; `strict` means its whole title."""
    await evaluation.guest.execute(["wmctrl", *_choice(strict, by_class), "-a", window_name])


@STEPS
async def close_window(
    evaluation: EvaluationContext, *, window_name: str, strict: bool = False, by_class: bool = False
) -> None:
    await evaluation.guest.execute(["wmctrl", *_choice(strict, by_class), "-c", window_name])


@STEPS
async def upload_file(evaluation: EvaluationContext, *, files: Sequence[dict[str, str]]) -> None:
    """Several files of the dataset: local_path, path."""
    for file in files:
        await evaluation.guest.put(_source(evaluation, file["local_path"]), file["path"])


@STEPS
async def download(evaluation: EvaluationContext, *, files: Sequence[dict[str, str]]) -> None:
    """Files from the network: url, path."""
    for file in files:
        copy = evaluation.cached("downloads/" + (urlsplit(file["url"]).path.rpartition("/")[2] or "index"))
        await _fetch(file["url"], copy)
        await evaluation.guest.put(copy, file["path"])


@STEPS
async def change_wallpaper(evaluation: EvaluationContext, *, path: str) -> None:
    await evaluation.guest.execute(["gsettings", "set", "org.gnome.desktop.background", "picture-uri", f"file://{path}"])


def _source(evaluation: EvaluationContext, src: str) -> Path:
    """A file of the dataset, or the settings of an account, which may lie elsewhere."""
    if src.startswith(SETTINGS):
        evaluation.accounts.load(src)
        return evaluation.accounts.path(src)
    return evaluation.dataset.file(src)


def _encoded(evaluation: EvaluationContext, source: Path) -> Path:
    values = json.loads(source.read_text())
    copy = evaluation.cached(f"encoded/{source.name}")
    copy.write_text(json.dumps({key: base64.b64encode(str(value).encode()).decode() for key, value in values.items()}))
    return copy


def _reached(done: Execution, until: dict[str, Any]) -> bool:
    """Any of the conditions is enough."""
    return (
        ("returncode" in until and done.returncode == until["returncode"])
        or ("stdout" in until and until["stdout"] in done.output)
        or ("stderr" in until and until["stderr"] in done.error)
    )


def _choice(strict: bool, by_class: bool) -> list[str]:
    return ["-F"] * strict + ["-x"] * by_class


async def _fetch(url: str, copy: Path) -> None:
    size = 0
    async with httpx.AsyncClient(follow_redirects=True, timeout=60) as client, client.stream("GET", url) as answer:
        answer.raise_for_status()
        with copy.open("wb") as file:
            async for part in answer.aiter_bytes():
                size += len(part)
                if size > LARGEST_DOWNLOAD:
                    raise ValueError(f"{url} is larger than {LARGEST_DOWNLOAD >> 20} MB")
                file.write(part)
