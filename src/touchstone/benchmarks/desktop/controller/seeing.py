"""Endpoints that look at the desktop."""

from __future__ import annotations

import platform

from . import pointer
from .routes import Answer, Request, Routes, as_json, failure, text
from .screen import screenshot
from .starting import await_windows
from .state import State

STARTING_SECONDS = 8.0
TREE_SECONDS, TREE_GRACE = 20.0, 10.0
LARGEST_TREE = 64 << 20
ROUTES = Routes()


@ROUTES("GET", "/screenshot")
def picture(state: State, request: Request) -> Answer:
    return Answer(screenshot(), "image/png")


@ROUTES("GET", "/accessibility")
def accessibility(state: State, request: Request) -> Answer:
    """{AT: xml}"""
    await_windows(STARTING_SECONDS)
    job = {"what": "tree", "seconds": TREE_SECONDS}
    done = state.tree.run(job, TREE_SECONDS + TREE_GRACE, LARGEST_TREE)
    if done.returncode:
        return failure(done.message or done.error or "the accessibility tree could not be read")
    return as_json({"AT": done.output})


@ROUTES("GET", "/terminal")
def terminal(state: State, request: Request) -> Answer:
    """{output}: null if no terminal is in front."""
    await_windows(STARTING_SECONDS)
    done = state.tree.run({"what": "terminal"}, TREE_SECONDS)
    if done.returncode:
        return failure(done.message or done.error or "the terminal could not be read")
    return as_json({"status": "success", "output": done.output[1:] if done.output else None})


@ROUTES("POST", "/screen_size")
def screen_size(state: State, request: Request) -> Answer:
    with pointer.screen() as display:
        width, height = pointer.size(display)
    return as_json({"width": width, "height": height})


@ROUTES("GET", "/cursor_position")
def cursor_position(state: State, request: Request) -> Answer:
    with pointer.screen() as display:
        return as_json(list(pointer.position(display)))


@ROUTES("GET", "/platform")
def system(state: State, request: Request) -> Answer:
    return text(platform.system())


@ROUTES("GET", "/ready")
def ready(state: State, request: Request) -> Answer:
    """503 with what is missing, until the desktop can be used."""
    missing = [why for why in (_no_desktop(), state.hands.ready(), state.tree.ready()) if why]
    return as_json({"status": "starting" if missing else "ready", "missing": missing}, 503 if missing else 200)


@ROUTES("POST", "/start_recording")
def start_recording(state: State, request: Request) -> Answer:
    if not state.recorder.start():
        return failure("Recording is already in progress.", 400)
    return as_json({"status": "success", "message": "Started recording."})


@ROUTES("POST", "/end_recording")
def end_recording(state: State, request: Request) -> Answer:
    """The video."""
    file = state.recorder.stop()
    return failure("there is no recording", 404) if file is None else Answer(file, "video/mp4")


def _no_desktop() -> str:
    try:
        with pointer.screen() as display:
            return "" if pointer.window_manager(display) else "no window manager yet"
    except Exception as error:
        return f"no screen yet: {error}"
