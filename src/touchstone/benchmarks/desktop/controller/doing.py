"""Endpoints that do something: commands and the agent's actions."""

from __future__ import annotations

import shlex
from typing import Any

from .captures import Done
from .commands import Command, launch, run
from .routes import Answer, BadRequest, Request, Routes, as_json, failure, text
from .state import State
from .workers import WorkerGone

SECONDS, ACTION_SECONDS = 300.0, 90.0
ROUTES = Routes()


@ROUTES("POST", "/execute", "/setup/execute")
def execute(state: State, request: Request) -> Answer:
    """{command, shell, seconds} to its end."""
    asked = request.json()
    try:
        return _told(run(_command(asked), bool(asked.get("shell")), _seconds(asked, SECONDS)))
    except (OSError, ValueError) as error:
        return failure(str(error), returncode=127)


@ROUTES("POST", "/setup/launch")
def start(state: State, request: Request) -> Answer:
    """{command, shell}, not waited for."""
    asked = request.json()
    command = _command(asked)
    try:
        launch(command, bool(asked.get("shell")))
    except (OSError, ValueError) as error:
        return failure(str(error))
    return text(f"{command if isinstance(command, str) else shlex.join(command)} launched successfully")


@ROUTES("POST", "/act")
def act(state: State, request: Request) -> Answer:
    """{code, seconds}: Python with pyautogui and time at hand."""
    asked = request.json()
    if not isinstance(asked.get("code"), str):
        raise BadRequest("code is missing")
    try:
        return _told(state.hands.run({"code": asked["code"]}, _seconds(asked, ACTION_SECONDS)))
    except WorkerGone as error:
        return failure(str(error), 503)


def _told(done: Done) -> Answer:
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
