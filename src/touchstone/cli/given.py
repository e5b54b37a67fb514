"""What was typed: options that mean nothing with the chosen agent are refused instead of ignored, and so is half a number.

Cyclopts rounds what it takes for a whole number, and does not tell a default from a value that was given; `look` sees every
option with its source before that.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from contextvars import ContextVar
from dataclasses import fields
from types import UnionType
from typing import Any, Union, get_args, get_origin

from ..failures import InputError
from ..protocols import AgentConfig
from .command_options import CommandOptions
from .options import ServiceOptions

_WHOLE = re.compile(r"[+-]?\d[\d_]*|0[xXoObB]\w+")
_typed: ContextVar[frozenset[str]] = ContextVar("typed", default=frozenset())


def _names(group: type) -> list[str]:
    return [f"--{field.name.replace('_', '-')}" for field in fields(group)]


_ONLY_FOR = {"http": _names(ServiceOptions), "command": _names(CommandOptions), "replay": ["--predictions"]}
_FOR_A_MODEL = ("--model", "--base-url", "--service-tier", "--max-turns", "--max-steps")


def look(app: Any, commands: tuple[str, ...], arguments: Any) -> None:
    """A step of cyclopts' configuration."""
    typed: set[str] = set()
    for argument in arguments:
        for token in argument.tokens:
            if _is_whole(argument.hint) and token.value and not _WHOLE.fullmatch(token.value.strip()):
                raise InputError(f'Invalid value "{token.value}" for {argument.name}: expected a whole number.')
            if token.source == "cli" and not _says_nothing(argument, token):
                typed.update(argument.names)
    _typed.set(frozenset(typed))


def _says_nothing(argument: Any, token: Any) -> bool:
    """The default in so many words; or an option of the published scripts, which give them all."""
    default = argument.field_info.default
    return token.value == str(default) or token.implicit_value is default or "_" in (token.keyword or "")


def refuse_without_effect(agent: str, plugin: type[AgentConfig], used: Collection[str] = ()) -> None:
    """`used` are options that somebody other than the agent makes use of."""
    typed = _typed.get()
    for owner, names in _ONLY_FOR.items():
        if owner != agent and (idle := next((name for name in names if name in typed), None)):
            raise InputError(f"{idle} is for --agent {owner}, not {agent}")
    if not plugin.needs_model and (idle := next((name for name in _FOR_A_MODEL if name in typed.difference(used)), None)):
        raise InputError(f"{idle} is for an agent with a model, which {agent} has not")
    if not plugin.reads_instructions and "--system-prompt" in typed:
        raise InputError(f"--system-prompt is for an agent that reads it, which {agent} does not")


def _is_whole(hint: Any) -> bool:
    if get_origin(hint) in (Union, UnionType):
        return any(map(_is_whole, get_args(hint)))
    return hint is int
