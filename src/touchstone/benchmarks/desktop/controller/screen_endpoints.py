"""Endpoints that look at the desktop."""

from __future__ import annotations

import os
import platform
import struct
import zlib
from importlib import import_module
from typing import Any

from . import pointer
from .commands import await_windows
from .routes import HttpResponse, Request, as_json, failure, route, text
from .workers import State

# Pictures of the screen with the mouse pointer in them, as PNG.
#
# The PNG is made by hand without line filters: on desktops it is as small as with them and takes a third of the time.


_LEVEL = 1


def screenshot() -> bytes:
    grab: Any = import_module("PIL.ImageGrab")
    image: Any = grab.grab(xdisplay=os.environ["DISPLAY"]).convert("RGB")
    with pointer.screen() as display:
        arrow = pointer.picture(display)
    if arrow is not None and arrow.width and arrow.height:
        _paste(image, arrow)
    return png(image.width, image.height, image.tobytes())


def png(width: int, height: int, pixels: bytes) -> bytes:
    """Of three bytes a pixel."""
    line = 3 * width
    rows = b"".join(b"\0" + pixels[at : at + line] for at in range(0, line * height, line))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, _LEVEL)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _paste(image: Any, arrow: pointer.Pointer) -> None:
    """What is behind the pointer, dimmed by its opacity, plus its own colours."""
    images: Any = import_module("PIL.Image")
    chops: Any = import_module("PIL.ImageChops")
    size = (arrow.width, arrow.height)
    blue, green, red, opacity = images.frombytes("RGBA", size, arrow.picture).split()
    box = (arrow.left, arrow.top, arrow.left + arrow.width, arrow.top + arrow.height)
    around = chops.invert(opacity)
    behind = chops.multiply(image.crop(box), images.merge("RGB", (around, around, around)))
    image.paste(chops.add(behind, images.merge("RGB", (red, green, blue))), box[:2])


STARTING_SECONDS = 8.0
TREE_SECONDS, TREE_GRACE = 20.0, 10.0
LARGEST_TREE = 64 << 20


@route("GET", "/screenshot")
def picture(state: State, request: Request) -> HttpResponse:
    return HttpResponse(screenshot(), "image/png")


@route("GET", "/accessibility")
def accessibility(state: State, request: Request) -> HttpResponse:
    """{AT: xml}"""
    await_windows(STARTING_SECONDS)
    job = {"what": "tree", "seconds": TREE_SECONDS}
    done = state.tree.run(job, TREE_SECONDS + TREE_GRACE, LARGEST_TREE)
    if done.returncode:
        return failure(done.message or done.error or "the accessibility tree could not be read")
    return as_json({"AT": done.output})


@route("GET", "/terminal")
def terminal(state: State, request: Request) -> HttpResponse:
    """{output}: null if no terminal is in front."""
    await_windows(STARTING_SECONDS)
    done = state.tree.run({"what": "terminal"}, TREE_SECONDS)
    if done.returncode:
        return failure(done.message or done.error or "the terminal could not be read")
    return as_json({"status": "success", "output": done.output[1:] if done.output else None})


@route("POST", "/screen_size")
def screen_size(state: State, request: Request) -> HttpResponse:
    with pointer.screen() as display:
        width, height = pointer.size(display)
    return as_json({"width": width, "height": height})


@route("GET", "/cursor_position")
def cursor_position(state: State, request: Request) -> HttpResponse:
    with pointer.screen() as display:
        return as_json(list(pointer.position(display)))


@route("GET", "/platform")
def system(state: State, request: Request) -> HttpResponse:
    return text(platform.system())


@route("GET", "/ready")
def ready(state: State, request: Request) -> HttpResponse:
    """503 with what is missing, until the desktop can be used."""
    missing = [why for why in (_no_desktop(), state.input_worker.ready(), state.tree.ready()) if why]
    return as_json({"status": "starting" if missing else "ready", "missing": missing}, 503 if missing else 200)


@route("POST", "/start_recording")
def start_recording(state: State, request: Request) -> HttpResponse:
    if not state.recorder.start():
        return failure("Recording is already in progress.", 400)
    return as_json({"status": "success", "message": "Started recording."})


@route("POST", "/end_recording")
def end_recording(state: State, request: Request) -> HttpResponse:
    """The video."""
    file = state.recorder.stop()
    return failure("there is no recording", 404) if file is None else HttpResponse(file, "video/mp4")


def _no_desktop() -> str:
    try:
        with pointer.screen() as display:
            return "" if pointer.window_manager(display) else "no window manager yet"
    except Exception as error:
        return f"no screen yet: {error}"
