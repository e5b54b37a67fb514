"""Options of the command agent."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Group, Parameter

from ..agents.command.agent import CommandSettings
from ..failures import InputError

_COMMAND = Group("A program as the agent", sort_key=6)


@Parameter(name="*", group=_COMMAND)
@dataclass(frozen=True, kw_only=True)
class CommandOptions:
    command: str | None = None
    """The program that plays (with --agent command), and its arguments, as a shell would take them. The same at the very end:
    -- PROGRAM ARGUMENT …"""
    command_output: Literal["none", "sql"] = "none"
    """sql: hand in what the program prints; otherwise it plays through MCP, and what it prints is only kept."""
    command_timeout: float = 600.0
    """Seconds for each task."""
    command_network: bool = True
    """Let the program use the network, which its model may need; without, it reaches its task and nothing else."""
    command_read: Annotated[tuple[Path, ...], Parameter(negative="")] = ()
    """A file or folder that the program may read, besides the system and the folders of the files that its command line names
    (repeatable)."""
    pass_env: Annotated[tuple[str, ...], Parameter(negative="")] = ()
    """A variable that the program may see, such as its API key (repeatable)."""
    allow_visible_gold: Annotated[bool, Parameter(negative="")] = False
    """Run the program although a file that it can read holds the gold; the run says so."""
    confine: bool = True
    """Keep the program from all files but those that it may read, and from other processes."""


def command_settings(given: CommandOptions, hidden: Sequence[Path | None]) -> CommandSettings | None:
    """`hidden` is where the references are, and where the run goes."""
    if given.command is None:
        return None
    readable = list(given.command_read)
    for path in readable:
        if not path.exists() or path.resolve() == Path("/"):
            raise InputError(f"--command-read {path}: expected a file or a folder, and not all there is")
    return CommandSettings(
        words=_words(given.command),
        output=given.command_output,
        timeout=given.command_timeout,
        pass_env=given.pass_env,
        confine=given.confine,
        network=given.command_network,
        readable=readable,
        allow_visible_gold=given.allow_visible_gold,
        hidden=[path for path in hidden if path is not None],
    )


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise InputError(f"--command {text}: {str(error).lower()}") from None
