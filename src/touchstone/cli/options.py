"""Options that several commands share. The text under a field is its help on the command line and in the docs."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import msgspec
from cyclopts import Group, Parameter

from ..addresses import address_of, without_secrets
from ..agents.secrets import is_reference

SELECT = Group("Which tasks", sort_key=1)
PLAY = Group("Who plays, and how", sort_key=2)
JUDGE = Group("Judging", sort_key=3)
_SERVICE = Group("A service under test", sort_key=5)
RUN = Group("The run", sort_key=4)

_RECORDED = "recorded:"
_NOT_KEPT = ("resume", "config")
"""A resumed run has another."""


@Parameter(name="*", group=SELECT)
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
    exclude_audit: Path | None = None
    """Leave out the tasks that this list of touchstone audit names."""


@Parameter(name="*", group=PLAY)
@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """Who answers, be it tasks or questions."""

    model: Annotated[str, Parameter(name=["--model", "-m"], env_var="OPENAI_MODEL")] = "gpt-5-mini"
    """A model name at an OpenAI-compatible endpoint, litellm/<provider>/<model>, local, or recorded:<run directory>."""
    base_url: Annotated[str | None, Parameter(env_var="OPENAI_BASE_URL")] = None
    """The endpoint, if it is not OpenAI's. The key comes from OPENAI_API_KEY."""
    agent: str = "tools"
    """tools (function calling), react (plain text), oracle (the reference), replay (--predictions), http (--api-url), human,
    command (--command)."""
    max_turns: int = 20
    """How many replies the model has for one task."""
    service_tier: str | None = None
    """Passed on to the model's service, such as flex."""
    system_prompt: Path | None = None
    """A file with instructions that replace the built-in ones."""


@Parameter(name="*", group=PLAY)
@dataclass(frozen=True, kw_only=True)
class PlayOptions(ModelOptions):
    predictions: Path | None = None
    """What the replay agent plays: a prediction file or a run directory."""
    epochs: int = 1
    """How often to play each task."""


@Parameter(name="*", group=JUDGE)
@dataclass(frozen=True, kw_only=True)
class JudgeOptions:
    sql_timeout: float = 30.0
    """Seconds for each statement, the gold and the prediction apart. On SQLite they are counted as work, 70 million steps
    each, so a busy machine changes no verdict; on PostgreSQL they are the wall clock's."""
    cache: bool = True
    """Remember results by content across runs."""


@Parameter(name="*", group=RUN)
@dataclass(frozen=True, kw_only=True)
class RunOptions:
    parallel: Annotated[int, Parameter(name=["--parallel", "-p"])] = 1
    """How many episodes at once."""
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None
    """Where run directories are made; by default results/<model>-<benchmark>/. An address such as s3://bucket/folder gets a
    copy of the run, which is then in results/<address>/."""
    resume: Annotated[Path | None, Parameter(name=["--resume", "-r"])] = None
    """Go on with this run directory, or the run at this address, with the options it had."""
    config: Path | None = None
    """A TOML file of options, such as the config.toml of a run; what is given on the command line counts more."""
    max_consecutive_errors: int = 5
    """Stop the run after this many infrastructure errors in a row; 0 never stops."""
    verbose: Annotated[bool, Parameter(name=["--verbose", "-v"], negative="")] = False
    """Print each task's outcome and reason as it ends."""
    executor: Literal["local", "ray"] = "local"
    """Where episodes are played: on this machine, or on every node of a Ray cluster, --parallel at once on each."""
    ray_address: str | None = None
    """host:port of the cluster; by default that of RAY_ADDRESS, one that runs on this machine, or a new one for this run."""
    ray_env: Annotated[tuple[str, ...], Parameter(negative="")] = ()
    """Give the nodes this variable of the environment too (repeatable). Keys such as OPENAI_API_KEY they are given anyway."""


@Parameter(name="*", group=_SERVICE)
@dataclass(frozen=True, kw_only=True)
class ServiceOptions:
    api_url: Annotated[str | None, Parameter(name=["--api-url", "--api_url"])] = None
    """The address that answers questions (with --agent http)."""
    api_timeout: Annotated[float, Parameter(name=["--api-timeout", "--api_timeout"])] = 600.0
    """Seconds to wait for an answer."""
    header: Annotated[tuple[str, ...], Parameter(negative="")] = ()
    """NAME=VALUE, sent with every request (repeatable). The last word of VALUE may be env:VARIABLE or file:PATH, where the
    key is; such a header is kept for --resume, any other is never written down."""
    request_template: Path | None = None
    """A JSON file with the body to send; {question}, {database} and {evidence} in its texts are filled in."""
    sql_field: str = "sql"
    """Where the SQL is in the answer: names and positions joined by dots, such as choices.0.sql."""


class Arguments(dict[str, Any]):
    """Options as they can be given again and are written down: without secrets."""

    given: dict[str, Any]
    """All of them as they are, for other processes of this very run. Never written."""


def as_arguments(*groups: Any, **others: Any) -> Arguments:
    """Options by their names on the command line, paths made absolute."""
    values = dict(others)
    for group in groups:
        values |= {field.name: getattr(group, field.name) for field in fields(group)}
    given = {name.replace("_", "-"): _plain(value) for name, value in values.items() if value is not None}
    arguments = Arguments({name: _kept(name, value) for name, value in given.items() if name not in _NOT_KEPT})
    arguments.given = given
    return arguments


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return address_of(value) or str(value.absolute())
    if isinstance(value, tuple):
        return [_plain(each) for each in cast("tuple[Any, ...]", value)]
    if isinstance(value, str) and value.startswith(_RECORDED):
        return _RECORDED + str(Path(value.removeprefix(_RECORDED)).absolute())
    return msgspec.to_builtins(value)


def _kept(name: str, value: Any) -> Any:
    """A program's command line is kept as it is, since a part of it would be another program's."""
    if name == "header":
        return [header for header in value if is_reference(header)]
    return without_secrets(value) if isinstance(value, str) and name != "command" else value
