"""Endpoints that do something: commands and the agent's actions."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from .commands import Command, Done, launch, run
from .routes import BadRequest, HttpResponse, Request, as_json, failure, route, text, wanted
from .workers import State, WorkerGone

SECONDS, ACTION_SECONDS = 300.0, 90.0


@route("POST", "/execute", "/setup/execute")
def execute(state: State, request: Request) -> HttpResponse:
    """{command, shell, seconds} to its end."""
    asked = request.json()
    try:
        return _told(run(_command(asked), bool(asked.get("shell")), _seconds(asked, SECONDS)))
    except (OSError, ValueError) as error:
        return failure(str(error), returncode=127)


@route("POST", "/setup/launch")
def start(state: State, request: Request) -> HttpResponse:
    """{command, shell}, not waited for."""
    asked = request.json()
    command = _command(asked)
    try:
        launch(command, bool(asked.get("shell")))
    except (OSError, ValueError) as error:
        return failure(str(error))
    return text(f"{command if isinstance(command, str) else shlex.join(command)} launched successfully")


@route("POST", "/act")
def act(state: State, request: Request) -> HttpResponse:
    """{code, seconds}: Python with pyautogui and time at hand."""
    asked = request.json()
    if not isinstance(asked.get("code"), str):
        raise BadRequest("code is missing")
    try:
        return _told(state.input_worker.run({"code": asked["code"]}, _seconds(asked, ACTION_SECONDS)))
    except WorkerGone as error:
        return failure(str(error), 503)


def _told(done: Done) -> HttpResponse:
    """What was ended at its time limit is an error, with what it had printed until then."""
    result: dict[str, Any] = {"output": done.output, "error": done.error, "returncode": done.returncode}
    return failure(done.message, **result) if done.message else as_json({"status": "success", **result})


def _command(asked: dict[str, Any]) -> Command:
    command: Any = asked.get("command")
    if isinstance(command, str) and command.strip():
        return command
    if isinstance(command, list) and command and all(isinstance(word, str) for word in command):  # pyright: ignore[reportUnknownVariableType]
        return command  # pyright: ignore[reportUnknownVariableType]
    raise BadRequest("command is missing, or neither text nor a list of words")


def _seconds(asked: dict[str, Any], usual: float) -> float:
    seconds = asked.get("seconds", usual)
    if not isinstance(seconds, int | float) or not 0 < seconds <= 24 * 3600:
        raise BadRequest("seconds must be a positive number")
    return float(seconds)


# Endpoints for windows and the desktop's background, by wmctrl, xdg-open and gsettings.


_BACKGROUND = "org.gnome.desktop.background"
_SECONDS = 10.0


@route("POST", "/setup/activate_window")
def activate_window(state: State, request: Request) -> HttpResponse:
    """{window_name, strict, by_class}"""
    return _window(request, "-a", "Window activated successfully")


@route("POST", "/setup/close_window")
def close_window(state: State, request: Request) -> HttpResponse:
    """{window_name, strict, by_class}"""
    return _window(request, "-c", "Window closed successfully")


@route("POST", "/window_size")
def window_size(state: State, request: Request) -> HttpResponse:
    """Of the first window of the class app_class_name."""
    wanted_class = wanted(request.form().fields, "app_class_name")
    for line in run(["wmctrl", "-l", "-G", "-x"], False, _SECONDS).output.splitlines():
        columns = line.split(None, 7)
        if len(columns) > 6 and wanted_class.lower() in columns[6].lower().split("."):
            return as_json({"width": int(columns[4]), "height": int(columns[5])})
    return failure(f"there is no window of class {wanted_class}", 404)


@route("POST", "/setup/open_file")
def open_file(state: State, request: Request) -> HttpResponse:
    """{path} with the application for its kind."""
    path = Path(wanted(request.json(), "path")).expanduser()
    if not path.exists():
        return failure(f"{path} does not exist", 404)
    launch(["xdg-open", str(path)], False)
    return text("File opened successfully")


@route("POST", "/setup/change_wallpaper")
def change_wallpaper(state: State, request: Request) -> HttpResponse:
    """{path}"""
    path = Path(wanted(request.json(), "path")).expanduser()
    if not path.is_file():
        return failure(f"{path} does not exist", 404)
    done = run(["gsettings", "set", _BACKGROUND, "picture-uri", path.resolve().as_uri()], False, _SECONDS)
    return failure(done.error) if done.returncode else text("Wallpaper changed successfully")


@route("POST", "/wallpaper")
def wallpaper(state: State, request: Request) -> HttpResponse:
    """The picture that is set."""
    done = run(["gsettings", "get", _BACKGROUND, "picture-uri"], False, _SECONDS)
    path = Path(unquote(urlsplit(done.output.strip().strip("'")).path))
    return HttpResponse(path, "application/octet-stream") if path.is_file() else failure("there is no wallpaper", 404)


def _window(request: Request, action: str, success: str) -> HttpResponse:
    asked = request.json()
    name = wanted(asked, "window_name")
    choice = ["-F"] * bool(asked.get("strict")) + ["-x"] * bool(asked.get("by_class"))
    done = run(["wmctrl", *choice, action, name], False, _SECONDS)
    return failure(done.error.strip() or f"there is no window {name!r}", 404) if done.returncode else text(success)
