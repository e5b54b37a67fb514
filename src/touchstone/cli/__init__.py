"""The command line: one module per command, each thin (parse, call, print), imported only when it is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..failures import InputError, TouchstoneError
from ..options import OptionError
from ..terminal import clean_streams, unfiltered

if TYPE_CHECKING:
    from .run import BenchmarkCommand

COMMANDS = {
    "run": ("run:app", "Play any benchmark with any agent, and score it."),
    "bird": ("run:bird", "Play BIRD text-to-SQL tasks with an agent, and score it."),
    "interact": ("run:interact", "Play BIRD-Interact: ambiguous requests, a simulated user, a budget."),
    "spider2": ("spider2:app", "Evaluate a text-to-SQL service or an agent on Spider2-lite."),
    "score": ("score:app", "Score existing predictions, without a model."),
    "summary": ("summary:summary", "Print the summary of a run, even one that was killed or is still running."),
    "verify": ("verify:verify", "Check that a run was not changed and that its summary follows from its records."),
    "view": ("view:view", "Browse runs in a local web app, or export the pages to a folder."),
    "compare": ("compare:compare", "Compare runs task by task, with exact tests and intervals."),
    "audit": ("audit:app", "Check a benchmark's own gold answers before blaming an agent."),
    "invariants": ("invariants:invariants", "Print the invariants mined from a database, which proofs keep."),
    "suite": ("suite:app", "Freeze the few small databases that tell wrong predictions from the gold."),
    "data": ("data:app", "List, fetch and verify benchmark data."),
    "mcp": ("mcp:mcp", "Serve one task's tools over MCP, for an agent of any kind."),
    "export": ("export:app", "Export a run to the format of another tool."),
    "desktop": ("desktop:app", "Play Spider2-V: data-engineering work on a real desktop, made here."),
    "serve": ("serve:serve", "Answer questions over HTTP with any agent."),
    "demo": ("demo:demo", "Watch agents play a small benchmark, without a key or a network."),
    "cache": ("cache:app", "Check the cache of results."),
    "doctor": ("doctor:doctor", "Show what works on this machine and what to install for the rest."),
}
_GENERATED = ("bird", "interact")
"""Benchmarks that are commands by themselves, besides `touchstone run NAME`."""


def main(argv: Sequence[str] | None = None) -> int:
    """Exit codes: 0 done, 1 the run had to stop, 2 a mistake in the input, 130 interrupted."""
    with clean_streams():
        return _main(list(sys.argv[1:] if argv is None else argv))


def _main(argv: list[str]) -> int:
    try:
        return _dispatch(argv)
    except OptionError as error:
        return _say(error.spelled(), 2)
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
    from cyclopts import App, CycloptsError, Parameter, UnknownOptionError, UnusedCliTokensError

    from .. import __version__
    from .given import look
    from .helping import Formatter, default_in_words

    argv = _with_command(argv)
    if argv[:1] == ["interact"]:
        from ..benchmarks.interact.published_flags import as_ours
        from .terminal import say

        argv = as_ours(argv, say)
    generated = _generated(argv)
    everything = "--help-all" in argv
    argv = ["--help" if word == "--help-all" else word for word in argv]

    app = App(
        name="touchstone",
        help="Run agents on data benchmarks, score what they did, and say why.",
        version=__version__,
        version_flags=["--version"],
        help_format="plaintext",  # no Markdown parser to import
        help_formatter=Formatter(),
        default_parameter=Parameter(show_default=default_in_words),
        result_action="return_value",
    )
    words = generated.words.split() if generated else []
    for name, (target, help) in COMMANDS.items():
        if name not in words[:1]:
            app.command(f"touchstone.cli.{target}", name=name, help=help)
    if sys.stdout.isatty():
        from rich.console import Console

        app.console = Console(file=unfiltered(sys.stdout))  # help is painted
    if generated is not None:
        inner = app
        for word in words[:-1]:
            inner = App(name=word)
            app.command(inner)
        inner.command(generated.function(everything=everything), name=words[-1])
    else:
        app.config = _configuration(app, argv)
        app.config = [*app.config, look]
    try:
        return app(argv, exit_on_error=False, print_error=False) or 0
    except UnknownOptionError as error:
        if generated is None:
            raise InputError(" ".join(str(error).split())) from None
        raise InputError(generated.explain(error.token.keyword or error.token.value)) from None
    except UnusedCliTokensError as error:
        raise InputError(f"unexpected argument: {' '.join(error.unused_tokens or ())}") from None
    except CycloptsError as error:
        raise InputError(" ".join(str(error).split())) from None


def _generated(argv: list[str]) -> BenchmarkCommand | None:
    """The command, if it is one that is made from a benchmark's options."""
    words = argv[:2] if argv[:1] == ["run"] else argv[:1]
    if not words or words[-1].startswith("-") or words == ["run"] or words[0] not in ("run", *_GENERATED):
        return None
    from .run import BenchmarkCommand

    return BenchmarkCommand(words[-1], words, argv)


def _configuration(app: Any, argv: list[str]) -> list[Any]:
    """For commands that are not generated: the options of a resumed run or of a file."""
    stored, source = _arguments_of_resumed_run(argv), "the resumed run"
    if not stored and any(word.startswith("--config") for word in argv):
        from .configured import configuration

        stored, source = configuration(app, argv)
    if not stored:
        return []
    from cyclopts.config import Dict

    forget = forget_environment if source == "the resumed run" else _forget_what_is_in(stored)
    return [forget, Dict(stored, source=source)]


def _with_command(argv: list[str]) -> list[str]:
    """What stands behind `--` is the program that plays."""
    if "--" not in argv:
        return argv
    import shlex

    at = argv.index("--")
    return [*argv[:at], f"--command={shlex.join(argv[at + 1 :])}"]


def _arguments_of_resumed_run(argv: list[str]) -> dict[str, Any]:
    """A resumed run goes on with the options that it had, unless they are given anew."""
    separate = (value for option, value in pairwise(argv) if option in ("--resume", "-r"))
    joined = (option.removeprefix("--resume=") for option in argv if option.startswith("--resume="))
    path = next(chain(separate, joined), None)
    if path is None:
        return {}
    from ..runs.directory import read_config

    config = read_config(Path(path))
    words = str(config.get("command", "")).split()
    given = argv[: len(words)]
    if words != given:
        raise InputError(
            f"{path}: a run of 'touchstone {' '.join(words)}' cannot be resumed with 'touchstone {' '.join(given)}'"
        )
    stored: dict[str, Any] = config.get("arguments", {})
    for word in reversed(words):
        stored = {word: stored}
    return stored


def forget_environment(app: Any, commands: tuple[str, ...], arguments: Any) -> None:
    """What the resumed run had counts more than what a variable says today."""
    for argument in arguments:
        argument.tokens[:] = [token for token in argument.tokens if token.source != "env"]


def _forget_what_is_in(stored: dict[str, Any]) -> Any:
    """What a file says counts more than a variable; of what it does not say, the variable counts."""
    options: Any = stored
    while len(options) == 1 and isinstance(inner := next(iter(options.values())), dict):
        options = cast("dict[str, Any]", inner)

    def forget(app: Any, commands: tuple[str, ...], arguments: Any) -> None:
        for argument in arguments:
            if any(name.lstrip("-").replace("_", "-") in options for name in argument.names):
                argument.tokens[:] = [token for token in argument.tokens if token.source != "env"]

    return forget


def _say(error: object, code: int) -> int:
    print(f"touchstone: {error}", file=sys.stderr)
    return code
