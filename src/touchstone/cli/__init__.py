"""The command line: one module per command, each thin (parse, call, print), imported only when it is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..terminal import clean_streams, unfiltered

if TYPE_CHECKING:
    from cyclopts import App

    from .struct_command import StructCommand

COMMANDS = {
    "new": ("new:new", "Create an evaluation of your own: your database, your questions."),
    "run": ("run:command", "Play any benchmark with any agent, and score it."),
    "score": ("score:command", "Score existing predictions, without a model."),
    "summary": ("results:summary", "Print the summary of a run, even one that was killed or is still running."),
    "verify": ("results:verify", "Check that a run was not changed and that its summary follows from its records."),
    "view": ("view:view", "Browse runs in a local web app, or export the pages to a folder."),
    "tag": ("results:tag", "Tag a run, or add a note; the viewer shows both and filters by tag."),
    "history": ("results:history", "Print the scores of runs over time, with intervals."),
    "compare": ("compare:compare", "Compare runs task by task, with exact tests and intervals."),
    "audit": ("audit:command", "Check a benchmark's own gold answers before blaming an agent."),
    "invariants": ("invariants:invariants", "Print the invariants of a database that --proof keeps."),
    "suite": ("suite:command", "Build suites of small databases that expose wrong predictions without a search."),
    "data": ("data:app", "List, fetch and verify benchmark data."),
    "mcp": ("mcp:command", "Serve one task's tools over MCP, for an agent of any kind."),
    "export": ("export:app", "Export a run to the format of another tool."),
    "serve": ("serve:command", "Answer questions over HTTP with any agent."),
    "env": ("env:command", "Serve a benchmark's episodes to trainers."),
    "demo": ("demo:demo", "Watch agents play a small benchmark, without a key or a network."),
    "cache": ("cache:app", "Check the cache of results."),
    "schema": ("schema:schema", "Print the JSON schema of a --config file."),
    "completion": ("completion:completion", "Print a completion script for your shell."),
    "doctor": ("doctor:doctor", "Show what works on this machine and what to install for the rest."),
}
"""Every registered benchmark is a command too, unless its name is one of these."""
GENERATED = ("run", "score", "audit", "mcp", "suite", "serve", "env")
"""Commands whose options are those of structs: what is named behind them, a benchmark for most, decides which."""


def main(argv: Sequence[str] | None = None) -> int:
    """Exit codes: 0 done, 1 the run had to stop, 2 a mistake in the input, 130 interrupted."""
    words = list(sys.argv[1:] if argv is None else argv)
    with clean_streams():
        return _shown(words) if _asks_what_there_is(words) else _main(words)


def _asks_what_there_is(words: list[str]) -> bool:
    return not words or (len(words) == 1 and words[0] in ("--version", "--help", "--help-all", "-h", "help"))


def _shown(words: list[str]) -> int:
    """Asked by scripts and by people who look around: no parser is imported."""
    if words == ["--version"]:
        from .. import __version__

        print(__version__)
    else:
        from .overview import overview

        print(overview())
    return 0


def _main(argv: list[str]) -> int:
    from ..errors import InputError, TouchstoneError
    from ..files import ONLY_ON_LINUX
    from ..options import OptionError

    try:
        return _dispatch(argv)
    except OptionError as error:
        return _say(error.spelled(), 2)
    except InputError as error:
        return _say(error, 2)
    except TouchstoneError as error:
        return _say(error, 1)
    except ModuleNotFoundError as error:
        if error.name not in ONLY_ON_LINUX:
            raise
        return _say(f"this needs Linux: there is no '{error.name}' here (a container will do, see the Dockerfile)", 2)
    except KeyboardInterrupt:
        return _say("interrupted", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads on: not worth a word
        return 141


def _dispatch(argv: list[str]) -> int:
    from cyclopts import App, CycloptsError, Parameter, UnknownOptionError, UnusedCliTokensError

    from .. import __version__
    from ..errors import InputError
    from .help_format import Formatter, default_in_words

    if argv[0] == "help":  # `touchstone help run` is `touchstone run --help`
        argv = [*argv[1:], "--help"]
    argv = _with_command(argv)
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
    if sys.stdout.isatty():
        from rich.console import Console

        app.console = Console(file=unfiltered(sys.stdout))  # help is painted
    argv, called = _filled(app, argv, everything=everything)
    try:
        return app(argv, exit_on_error=False, print_error=False) or 0
    except UnknownOptionError as error:
        if called is None:
            raise InputError(" ".join(str(error).split())) from None
        raise InputError(called.explain(error.token.keyword or error.token.value)) from None
    except UnusedCliTokensError as error:
        raise InputError(f"unexpected argument: {' '.join(error.unused_tokens or ())}") from None
    except CycloptsError as error:
        raise InputError(" ".join(str(error).split())) from None


def _filled(app: App, argv: list[str], *, everything: bool) -> tuple[list[str], StructCommand | None]:
    """Gives the app its commands: of those that are made from structs the one that is called, or all that help shows."""
    from ..plugins import available

    word = argv[0] if argv else ""
    called = None
    for name, (target, text) in COMMANDS.items():
        if name != word or name not in GENERATED:
            app.command(f"touchstone.cli.{target}", name=name, help=text)
    if word in GENERATED:
        called = _called(app, word, argv, everything=everything)
    elif word in available("benchmarks") and word not in COMMANDS:
        from .run import own_app, own_command, translated

        argv = translated(argv)
        called = own_command(word, argv)
        app.command(own_app(word, called, everything=everything))
    elif word not in COMMANDS:
        raise _unknown(word, [*COMMANDS, *available("benchmarks")])
    return argv, called


def _unknown(word: str, names: Sequence[str]) -> Exception:
    from difflib import get_close_matches

    from ..errors import InputError

    close = get_close_matches(word, names, 1)
    hint = f"did you mean {close[0]}?" if close else "touchstone --help lists them"
    return InputError(f"there is no command '{word}'; {hint}")


def _called(app: App, word: str, argv: list[str], *, everything: bool) -> StructCommand | None:
    """`touchstone run NAME`, `score NAME`, `audit NAME`, `mcp --benchmark NAME`."""
    from importlib import import_module

    from cyclopts import App

    from .run import word_app

    module = import_module(f"{__name__}.{word}")
    called: StructCommand | None = module.command(argv)
    if called is None:
        app.command(word_app(word, COMMANDS[word][1]))
    else:
        *outer, last = called.words.split()
        inner = app
        for each in outer:
            inner.command(within := App(name=each))
            inner = within
        inner.command(called.function(everything=everything), name=last)
    return called


def _with_command(argv: list[str]) -> list[str]:
    """What stands behind `--` is the program that plays."""
    if "--" not in argv:
        return argv
    import shlex

    at = argv.index("--")
    return [*argv[:at], f"--command={shlex.join(argv[at + 1 :])}"]


def _say(error: object, code: int) -> int:
    print(f"touchstone: {error}", file=sys.stderr)
    return code
