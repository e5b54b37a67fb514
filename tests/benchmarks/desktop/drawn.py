"""A desktop without an image: its screen is drawn, its files are a folder, its code runs as real Python on this machine.

There is one window, with a text field and a button "Save". What is typed goes into the field; a click on the button writes it
to out.csv in the home folder. The mouse and the keyboard are a small module `pyautogui` that works on this window.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from touchstone.benchmarks.desktop.desktop import ACTION_SECONDS, HOME, Execution
from touchstone.errors import Skipped, WorkerFailure

from .support import LocalGuest

WIDTH, HEIGHT = 640, 400
FIELD = (20, 60, 400, 40)
SAVE = (20, 120, 80, 30)
_MODULE = """
import json, os, pathlib
_STATE = pathlib.Path(os.environ["DRAWN_STATE"])

def _change(**changes):
    state = json.loads(_STATE.read_text())
    state.update(changes)
    state["events"] += 1
    whole = _STATE.with_suffix(".new")
    whole.write_text(json.dumps(state))
    whole.replace(_STATE)

def _state():
    return json.loads(_STATE.read_text())

def moveTo(x, y=None, **_):
    x, y = x if y is None else (x, y)
    _change(pointer=[x, y])

def click(x=None, y=None, clicks=1, button="left", **_):
    if x is not None:
        moveTo(x, y)
    px, py = _state()["pointer"]
    if 20 <= px < 100 and 120 <= py < 150:
        (pathlib.Path.home() / "out.csv").write_text(_state()["text"])
        _change(saved=True)
    _change(clicks=_state()["clicks"] + [[px, py, button, clicks]])

def doubleClick(x=None, y=None, **_):
    click(x, y, clicks=2)

def rightClick(x=None, y=None, **_):
    click(x, y, button="right")

def dragTo(x, y, **_):
    _change(pointer=[x, y], dragged=[x, y])

def mouseDown(**_): _change()
def mouseUp(**_): _change()
def scroll(amount, **_): _change(scrolled=_state()["scrolled"] + amount)
vscroll = scroll
def hscroll(amount, **_): _change()

def write(text, **_):
    _change(text=_state()["text"] + text)
typewrite = write

def press(key, **_):
    _change(text=_state()["text"] + {"enter": "\\n", "space": " "}.get(key, ""), keys=_state()["keys"] + [key])

def keyDown(key): press("")
def keyUp(key): press("")
def hotkey(*keys, **_): _change(keys=_state()["keys"] + ["+".join(keys)])
"""
_EMPTY = {"text": "", "pointer": [0, 0], "clicks": [], "keys": [], "events": 0, "scrolled": 0}


class DrawnDesktop(LocalGuest):
    """As a provider has it. `lost` makes it behave as one that is gone."""

    made: list[DrawnDesktop]

    def __init__(self, apps: Sequence[str] = ("jupyter", "terminal")) -> None:
        self.base = Path(tempfile.mkdtemp(prefix="drawn-"))
        self.apps = apps
        self.log: list[str] = []
        self.lost = False
        self.recording = False
        self.changing = False
        """The screen never comes to rest, as with a clock on it."""

    async def start(self, apps: Sequence[str] = ()) -> None:
        self._refuse(apps)
        self._renew()
        self.log.append("start")

    async def reset(self, apps: Sequence[str] = ()) -> None:
        self._refuse(apps)
        self._alive()
        self._renew()
        self.log.append("reset")

    async def stop(self) -> None:
        if self.base.exists():
            if hasattr(self, "started"):
                await self.close()
            shutil.rmtree(self.base)
        self.log.append("stop")

    async def act(self, code: str, *, seconds: float = ACTION_SECONDS) -> Execution:
        self._alive()
        env = {**os.environ, "HOME": str(self.home), "PYTHONPATH": str(self.base), "DRAWN_STATE": str(self._file)}
        text = "import pyautogui, time\n" + code.replace(HOME, str(self.home))
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-S", "-", env=env, cwd=self.home, stdin=pipe, stdout=pipe, stderr=pipe
        )
        try:
            out, err = await asyncio.wait_for(process.communicate(text.encode()), seconds)
        except TimeoutError:
            return Execution("", f"stopped after {seconds:g} s", 124)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return Execution(out.decode(), err.decode(), process.returncode or 0)

    async def screenshot(self) -> bytes:
        self._alive()
        if self.changing:
            self.change(events=self.state["events"] + 1)
        return drawn(self.state)

    async def accessibility(self) -> str:
        self._alive()
        return tree(self.state)

    async def get(self, path: str, destination: Path) -> bool:
        self._alive()
        return await super().get(path, destination)

    async def terminal(self) -> str | None:
        return None

    async def start_recording(self) -> None:
        self._alive()
        self.recording = True

    async def stop_recording(self, destination: Path) -> bool:
        self._alive()
        await asyncio.to_thread(destination.write_bytes, b"a video")
        self.recording = False
        return True

    def description(self) -> Mapping[str, Any]:
        return {"provider": "drawn", "image": "none", "stand_ins": ["pyautogui"], "screen": [WIDTH, HEIGHT]}

    @property
    def state(self) -> dict[str, Any]:
        return json.loads(self._file.read_text())

    def change(self, **changes: Any) -> None:
        self._file.write_text(json.dumps({**self.state, **changes}))

    @property
    def _file(self) -> Path:
        return self.base / "state.json"

    def _refuse(self, apps: Sequence[str]) -> None:
        for app in apps:
            if app not in self.apps:
                raise Skipped(f"the image has no {app}", "app")

    def _alive(self) -> None:
        if self.lost:
            raise WorkerFailure("the desktop is gone")

    def _renew(self) -> None:
        shutil.rmtree(self.base / "guest", ignore_errors=True)
        super().__init__(self.base / "guest")
        (self.base / "pyautogui.py").write_text(_MODULE)
        self._file.write_text(json.dumps(_EMPTY))


def drawn(state: Mapping[str, Any]) -> bytes:
    picture = Image.new("RGB", (WIDTH, HEIGHT), (240, 240, 236))
    drawing = ImageDraw.Draw(picture)
    for left, top, width, height in (FIELD, SAVE):
        drawing.rectangle((left, top, left + width - 1, top + height - 1), fill="white", outline="grey")
    drawing.text((28, 72), state["text"][-60:], fill="black")
    drawing.text((40, 128), "Save", fill="black")
    drawing.text((20, 370), f"events {state['events']}", fill="blue")
    x, y = state["pointer"]
    drawing.polygon([(x, y), (x + 8, y + 8), (x, y + 11)], fill="black")
    target = BytesIO()
    picture.save(target, "PNG")
    return target.getvalue()


def tree(state: Mapping[str, Any]) -> str:
    space = "https://accessibility.ubuntu.example.org/ns"
    usable = 'st:showing="true" st:visible="true" st:enabled="true"'

    def node(role: str, name: str, place: tuple[int, int, int, int], text: str = "", states: str = usable) -> str:
        x, y, width, height = place
        escaped = text.replace("&", "&amp;").replace("<", "&lt;")
        return f'<{role} name="{name}" {states} cp:screencoord="({x}, {y})" cp:size="({width}, {height})">{escaped}</{role}>'

    nodes = (
        node("entry", "Content", FIELD, state["text"], f'{usable} st:editable="true"'),
        node("push-button", "Save", SAVE),
        node("push-button", "Hidden", (0, 0, 10, 10), states='st:enabled="true"'),
        node("filler", "Filler", (0, 0, 10, 10)),
        node("label", "Blank", (500, 300, 50, 20)),
    )
    return (
        f'<desktop-frame xmlns:st="{space}/state" xmlns:cp="{space}/component"><application name="Editor">'
        f"{''.join(nodes)}</application></desktop-frame>"
    )


def provider(settings: Any = None) -> Callable[[], DrawnDesktop]:
    """As `--provider module:function` names it."""
    return DrawnDesktop
