"""Options that several commands share. The text under a field is its help on the command line and in the docs."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from cyclopts import Group, Parameter

Metric = Literal["ex", "multiset", "soft-f1", "r-ves"]

_SELECT = Group("Which tasks", sort_key=1)
_PLAY = Group("Who plays, and how", sort_key=2)
_JUDGE = Group("Judging", sort_key=3)
_SERVICE = Group("A service under test", sort_key=5)
_RUN = Group("The run", sort_key=4)

_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]*@")
_KEYS = re.compile(r"(?<=[?&])[^=&]*(?:key|token|secret|password|sig)[^=&]*=[^&#]*&?", re.IGNORECASE)
_NOT_KEPT = ("resume", "header")
"""A resumed run has another, and headers may hold keys."""


@Parameter(name="*", group=_SELECT)
@dataclass(frozen=True, kw_only=True)
class SelectOptions:
    limit: Annotated[int | None, Parameter(name=["--limit", "-n"])] = None
    """Play at most this many tasks, after all filters."""
    offset: int = 0
    """Leave out this many tasks first."""
    difficulty: str | None = None
    """Only simple, moderate or challenging tasks."""
    database: Annotated[tuple[str, ...], Parameter(negative="")] = ()
    """Only tasks on this database (repeatable)."""
    task: Annotated[tuple[str, ...], Parameter(negative="")] = ()
    """Only the task with this question_id (repeatable)."""


@Parameter(name="*", group=_PLAY)
@dataclass(frozen=True, kw_only=True)
class PlayOptions:
    model: Annotated[str, Parameter(name=["--model", "-m"], env_var="OPENAI_MODEL")] = "gpt-5-mini"
    """A model name at an OpenAI-compatible endpoint, litellm/<provider>/<model>, local, or recorded:<run directory>."""
    base_url: Annotated[str | None, Parameter(env_var="OPENAI_BASE_URL")] = None
    """The endpoint, if it is not OpenAI's. The key comes from OPENAI_API_KEY."""
    agent: str = "tools"
    """tools (function calling), react (plain text), oracle (the reference), replay (--predictions), http (--api-url)."""
    max_turns: int = 20
    """How many replies the model has for one task."""
    service_tier: str | None = None
    """Passed on to the model's service, such as flex."""
    system_prompt: Path | None = None
    """A file with instructions that replace the built-in ones."""
    predictions: Path | None = None
    """What the replay agent plays: a prediction file or a run directory."""
    epochs: int = 1
    """How often to play each task."""


@Parameter(name="*", group=_JUDGE)
@dataclass(frozen=True, kw_only=True)
class JudgeOptions:
    sql_timeout: float = 30.0
    """CPU seconds for each statement, the gold and the prediction apart."""
    cache: bool = True
    """Remember results by content across runs."""


@Parameter(name="*", group=_RUN)
@dataclass(frozen=True, kw_only=True)
class RunOptions:
    parallel: Annotated[int, Parameter(name=["--parallel", "-p"])] = 1
    """How many episodes at once."""
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None
    """Where run directories are made; by default results/<model>-<benchmark>/."""
    resume: Annotated[Path | None, Parameter(name=["--resume", "-r"])] = None
    """Go on with this run directory, with the options it had."""
    max_consecutive_errors: int = 5
    """Stop the run after this many infrastructure errors in a row; 0 never stops."""
    verbose: Annotated[bool, Parameter(name=["--verbose", "-v"], negative="")] = False
    """Print each task's outcome and reason as it ends."""


@Parameter(name="*", group=_SERVICE)
@dataclass(frozen=True, kw_only=True)
class ServiceOptions:
    api_url: Annotated[str | None, Parameter(name=["--api-url", "--api_url"])] = None
    """The address that answers questions (with --agent http)."""
    api_timeout: Annotated[float, Parameter(name=["--api-timeout", "--api_timeout"])] = 600.0
    """Seconds to wait for an answer."""
    header: Annotated[tuple[str, ...], Parameter(negative="")] = ()
    """KEY=VALUE, sent with every request (repeatable). Never written to the run directory."""
    request_template: Path | None = None
    """A JSON file with the body to send; {question}, {database} and {evidence} in its texts are filled in."""
    sql_field: str = "sql"
    """Where the SQL is in the answer: names and positions joined by dots, such as choices.0.sql."""


def as_arguments(*groups: Any, **others: Any) -> dict[str, Any]:
    """Options as they can be given again: by their names on the command line, paths made absolute."""
    values = dict(others)
    for group in groups:
        values |= {field.name: getattr(group, field.name) for field in fields(group)}
    for name in _NOT_KEPT:
        values.pop(name, None)
    return {name.replace("_", "-"): _plain(value) for name, value in values.items() if value is not None}


def without_secrets(text: str) -> str:
    """An address without user, password and key-like parameters; any other text as it is."""
    return _KEYS.sub("", _CREDENTIALS.sub("", text)) if "://" in text else text


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value.absolute())
    if isinstance(value, str):
        return without_secrets(value)
    return msgspec.to_builtins(value)
