"""`touchstone completion SHELL`: a script that completes commands and options, other packages' benchmarks included."""

from __future__ import annotations

from contextlib import suppress
from typing import Literal

from cyclopts import App

from ..errors import InputError
from ..plugins import available
from . import COMMANDS, GENERATED
from .run import own_app, word_app

_ZSH = """
if [ "$funcstack[1]" = "_touchstone" ]; then  # a file in fpath is the function itself
  _cyclopts_touchstone "$@"
else
  compdef _cyclopts_touchstone touchstone
fi"""


def completion(shell: Literal["bash", "zsh", "fish"]) -> int:
    """Print a completion script for your shell.

        touchstone completion bash > ~/.local/share/bash-completion/completions/touchstone

    Parameters
    ----------
    shell
        bash, zsh or fish.
    """
    print(whole_app().generate_completion(prog_name="touchstone", shell=shell).rstrip())
    if shell == "zsh":
        print(_ZSH)
    return 0


def whole_app() -> App:
    """The command line with every command at once."""
    app = App(name="touchstone", help_format="plaintext")
    for name, (target, text) in COMMANDS.items():
        if name in GENERATED:
            app.command(word_app(name, text))
        else:
            app.command(f"touchstone.cli.{target}", name=name, help=text)
    for name in available("benchmarks"):
        if name not in COMMANDS:
            with suppress(InputError):  # one that cannot be loaded
                app.command(own_app(name, None))
    return app
