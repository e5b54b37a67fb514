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

from ....failures import Unscorable, WorkerFailure
from ..dataset import NAME
from ..guests import Execution
from ..scene import Scene
from ..setup import KIND, LATE, run_traced, window
from .registry import STEPS

LARGEST_DOWNLOAD = 1 << 30
SETTINGS = f"{NAME}/settings/"
_TRIES, _PAUSE = 5, 0.3


@STEPS
async def copyfile_from_host_to_guest(scene: Scene, *, src: str, dest: str, json_encode: bool = False) -> None:
    """One file of the dataset; `json_encode` hides the values of a JSON object from a casual look."""
    source = _source(scene, src)
    await scene.guest.put(_encoded(scene, source) if json_encode else source, dest)


@STEPS
async def script_and_execute(scene: Scene, *, src: str, dest: str) -> None:
    """Runs a script of the dataset in the guest and takes it away again."""
    await scene.guest.put(_source(scene, src), dest)
    await scene.guest.execute(["chmod", "a+x", dest])
    await run_traced(scene.guest, dest, scene.log, scene.cached(f"traces/{len(scene.log.steps)}.txt"), scene.seconds)
    await scene.guest.execute(["rm", "-f", dest])


@STEPS
async def execute(
    scene: Scene,
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
        done = await scene.guest.execute(command, shell=shell, seconds=scene.seconds)
        scene.log.note(command, done, time.monotonic() - started)
        if until is None or _reached(done, until):
            break
    for name, text in ((stdout, done.output), (stderr, done.error)):
        if name:
            scene.cached(name).write_text(text)
    if done.returncode == LATE:
        raise WorkerFailure(f"the command {command} was stopped after {scene.seconds:g} s", kind=KIND)


STEPS.alias("command", execute)


@STEPS
async def launch(scene: Scene, *, command: Sequence[str] | str, shell: bool = False) -> None:
    """A program that stays."""
    scene.log.note(command)
    await scene.guest.launch(command, shell=shell)


@STEPS
async def open(scene: Scene, *, path: str) -> None:
    """A file with the application for its kind."""
    scene.log.expect(window(path.rpartition("/")[2]))
    await scene.guest.launch(["xdg-open", path])


@STEPS
async def sleep(scene: Scene, *, seconds: float) -> None:
    await asyncio.sleep(seconds)


@STEPS
async def activate_window(scene: Scene, *, window_name: str, strict: bool = False, by_class: bool = False) -> None:
    """Brings a window to the front; `strict` means its whole title."""
    await scene.guest.execute(["wmctrl", *_choice(strict, by_class), "-a", window_name])


@STEPS
async def close_window(scene: Scene, *, window_name: str, strict: bool = False, by_class: bool = False) -> None:
    await scene.guest.execute(["wmctrl", *_choice(strict, by_class), "-c", window_name])


@STEPS
async def upload_file(scene: Scene, *, files: Sequence[dict[str, str]]) -> None:
    """Several files of the dataset: local_path, path."""
    for file in files:
        await scene.guest.put(_source(scene, file["local_path"]), file["path"])


@STEPS
async def download(scene: Scene, *, files: Sequence[dict[str, str]]) -> None:
    """Files from the network: url, path."""
    for file in files:
        copy = scene.cached("downloads/" + (urlsplit(file["url"]).path.rpartition("/")[2] or "index"))
        await _fetch(file["url"], copy)
        await scene.guest.put(copy, file["path"])


@STEPS
async def change_wallpaper(scene: Scene, *, path: str) -> None:
    await scene.guest.execute(["gsettings", "set", "org.gnome.desktop.background", "picture-uri", f"file://{path}"])


def _source(scene: Scene, src: str) -> Path:
    """A file of the dataset, or the settings of an account, which may lie elsewhere."""
    if src.startswith(SETTINGS):
        scene.accounts.load(src)
        return scene.accounts.path(src)
    file = scene.dataset.resolve(src)
    if not file.is_file():
        raise Unscorable(f"{src}: the file is not in the dataset", kind="gold_missing")
    return file


def _encoded(scene: Scene, source: Path) -> Path:
    values = json.loads(source.read_text())
    copy = scene.cached(f"encoded/{source.name}")
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
