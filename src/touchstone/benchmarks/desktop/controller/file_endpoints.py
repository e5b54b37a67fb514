"""Endpoints for files."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from .routes import BadRequest, HttpResponse, Request, as_json, failure, route, text, wanted
from .workers import State

_DOWNLOAD_SECONDS = 60
_DEEPEST, _MOST = 12, 10_000


@route("POST", "/file")
def file(state: State, request: Request) -> HttpResponse:
    """The bytes of the file at file_path."""
    path = _path(wanted(request.form().fields, "file_path"))
    return HttpResponse(path, "application/octet-stream") if path.is_file() else text("File not found", 404)


@route("POST", "/setup/upload")
def upload(state: State, request: Request) -> HttpResponse:
    """file_data to file_path; folders are made, and a new file is there whole or not at all."""
    form = request.form()
    path = _path(wanted(form.fields, "file_path"))
    if "file_data" not in form.files:
        raise BadRequest("file_data is missing")
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            path.write_bytes(form.files["file_data"])  # it keeps its rights
        else:
            part.write_bytes(form.files["file_data"])
            part.rename(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        return failure(str(error))
    return text("File Uploaded")


@route("POST", "/setup/download_file")
def download_file(state: State, request: Request) -> HttpResponse:
    """{url, path}"""
    asked = request.json()
    url, path = wanted(asked, "url"), _path(wanted(asked, "path"))
    if not url.startswith(("http://", "https://")):
        raise BadRequest("url is not an address of the web")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with urlopen(url, timeout=_DOWNLOAD_SECONDS) as source, path.open("wb") as target:
            shutil.copyfileobj(source, target)
    except OSError as error:
        return failure(f"{url} could not be downloaded: {error}")
    return text("File downloaded successfully")


@route("POST", "/desktop_path")
def desktop_path(state: State, request: Request) -> HttpResponse:
    path = Path.home() / "Desktop"
    return as_json({"desktop_path": str(path)}) if path.is_dir() else failure("there is no desktop folder", 404)


@route("POST", "/list_directory")
def list_directory(state: State, request: Request) -> HttpResponse:
    """{path} with all that is below it, within limits."""
    path = _path(wanted(request.json(), "path"))
    if not path.is_dir():
        return failure(f"{path} is not a folder", 404)
    return as_json({"directory_tree": _listed(path, 0, [_MOST])})


def _listed(path: Path, depth: int, left: list[int]) -> dict[str, Any]:
    left[0] -= 1
    if path.is_symlink() or not path.is_dir():
        return {"type": "file", "name": path.name}
    children: list[dict[str, Any]] = []
    try:
        below = sorted(path.iterdir()) if depth < _DEEPEST else []
        children.extend(_listed(child, depth + 1, left) for child in below if left[0] > 0)
    except PermissionError:
        pass
    return {"type": "directory", "name": path.name, "children": children}


def _path(words: str) -> Path:
    """Of the desktop's user, with variables."""
    return Path(os.path.expandvars(words)).expanduser()
