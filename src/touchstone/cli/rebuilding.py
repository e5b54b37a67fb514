"""A command called again in another process, by its stored arguments, to play what the run's own process tells it to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..failures import InputError
from ..runs.executors.seat import Seat
from .conduct import LeftSeat, seated


def rebuild(payload: tuple[str, Mapping[str, Any]], seat: Seat) -> None:
    """Calls the command as `--resume` does, and has it take the seat where it would conduct a run."""
    command, arguments = payload
    from cyclopts import App, CycloptsError
    from cyclopts.config import Dict

    from . import COMMANDS, forget_environment

    words = command.split()
    stored: dict[str, Any] = dict(arguments)
    for word in reversed(words):
        stored = {word: stored}
    app = App(name="touchstone", result_action="return_value", config=[forget_environment, Dict(stored)])
    app.command(f"touchstone.cli.{COMMANDS[words[0]][0]}", name=words[0])
    seated.set(seat)
    try:
        app(words, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        raise InputError(" ".join(str(error).split())) from None
    except LeftSeat:
        return
    finally:
        seated.set(None)
    raise InputError(f"touchstone {command} cannot be played on a cluster")
