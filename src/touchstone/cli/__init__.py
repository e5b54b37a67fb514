"""The command line: one module per command, each thin (parse, call, print), imported only when it is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..failures import InputError, TouchstoneError


def main(argv: Sequence[str] | None = None) -> int:
    """Exit codes: 0 done, 1 the run had to stop, 2 a mistake in the input, 130 interrupted."""
    try:
        return _dispatch(list(sys.argv[1:] if argv is None else argv))
    except InputError as error:
        return _say(error, 2)
    except TouchstoneError as error:
        return _say(error, 1)
    except KeyboardInterrupt:
        return _say("interrupted", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads on: not worth a word
        return 141


def _dispatch(argv: list[str]) -> int:
    from cyclopts import App, CycloptsError

    from .. import __version__

    app = App(
        name="touchstone",
        help="Run agents on data benchmarks, score what they did, and say why.",
        version=__version__,
        version_flags=["--version"],
        result_action="return_value",
    )
    app.command("touchstone.cli.bird:bird", name="bird")
    app.command("touchstone.cli.score:app", name="score")
    app.command("touchstone.cli.demo:demo", name="demo")
    app.command("touchstone.cli.summary:summary", name="summary")
    app.command("touchstone.cli.doctor:doctor", name="doctor")
    stored = _arguments_of_resumed_run(argv)
    if stored:
        from cyclopts.config import Dict

        app.config = [Dict(stored, source="the resumed run")]
    try:
        return app(argv, exit_on_error=False, print_error=False) or 0
    except CycloptsError as error:
        raise InputError(" ".join(str(error).split())) from None


def _arguments_of_resumed_run(argv: list[str]) -> dict[str, Any]:
    """A resumed run goes on with the options that it had, unless they are given anew."""
    for option, value in zip(argv, argv[1:], strict=False):
        if option in ("--resume", "-r"):
            from ..runs.directory import read_config

            config = read_config(Path(value))
            return {str(config.get("command", "")): config.get("arguments", {})}
    for option in argv:
        if option.startswith("--resume="):
            return _arguments_of_resumed_run(["--resume", option.partition("=")[2]])
    return {}


def _say(error: object, code: int) -> int:
    print(f"touchstone: {error}", file=sys.stderr)
    return code
