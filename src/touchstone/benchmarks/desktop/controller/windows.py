"""Endpoints for windows and the desktop's background, by wmctrl, xdg-open and gsettings."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from .commands import launch, run
from .routes import Answer, Request, Routes, as_json, failure, text, wanted
from .state import State

_BACKGROUND = "org.gnome.desktop.background"
_SECONDS = 10.0
ROUTES = Routes()


@ROUTES("POST", "/setup/activate_window")
def activate_window(state: State, request: Request) -> Answer:
    """{window_name, strict, by_class}"""
    return _window(request, "-a", "Window activated successfully")


@ROUTES("POST", "/setup/close_window")
def close_window(state: State, request: Request) -> Answer:
    """{window_name, strict, by_class}"""
    return _window(request, "-c", "Window closed successfully")


@ROUTES("POST", "/window_size")
def window_size(state: State, request: Request) -> Answer:
    """Of the first window of the class app_class_name."""
    wanted_class = wanted(request.form(), "app_class_name")
    for line in run(["wmctrl", "-l", "-G", "-x"], False, _SECONDS).output.splitlines():
        columns = line.split(None, 7)
        if len(columns) > 6 and wanted_class.lower() in columns[6].lower().split("."):
            return as_json({"width": int(columns[4]), "height": int(columns[5])})
    return failure(f"there is no window of class {wanted_class}", 404)


@ROUTES("POST", "/setup/open_file")
def open_file(state: State, request: Request) -> Answer:
    """{path} with the application for its kind."""
    path = Path(wanted(request.json(), "path")).expanduser()
    if not path.exists():
        return failure(f"{path} does not exist", 404)
    launch(["xdg-open", str(path)], False)
    return text("File opened successfully")


@ROUTES("POST", "/setup/change_wallpaper")
def change_wallpaper(state: State, request: Request) -> Answer:
    """{path}"""
    path = Path(wanted(request.json(), "path")).expanduser()
    if not path.is_file():
        return failure(f"{path} does not exist", 404)
    done = run(["gsettings", "set", _BACKGROUND, "picture-uri", path.resolve().as_uri()], False, _SECONDS)
    return failure(done.error) if done.returncode else text("Wallpaper changed successfully")


@ROUTES("POST", "/wallpaper")
def wallpaper(state: State, request: Request) -> Answer:
    """The picture that is set."""
    done = run(["gsettings", "get", _BACKGROUND, "picture-uri"], False, _SECONDS)
    path = Path(unquote(urlsplit(done.output.strip().strip("'")).path))
    return Answer(path, "application/octet-stream") if path.is_file() else failure("there is no wallpaper", 404)


def _window(request: Request, action: str, success: str) -> Answer:
    asked = request.json()
    name = wanted(asked, "window_name")
    choice = ["-F"] * bool(asked.get("strict")) + ["-x"] * bool(asked.get("by_class"))
    done = run(["wmctrl", *choice, action, name], False, _SECONDS)
    return failure(done.error.strip() or f"there is no window {name!r}", 404) if done.returncode else text(success)
