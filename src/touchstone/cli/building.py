"""From options to instances: engines, models, agents. Shared by all commands that let somebody play."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

import msgspec

from ..addresses import without_secrets
from ..agents.command.agent import CommandAgent, CommandSettings
from ..agents.http import HttpAgent, ServiceSettings, refuse_hopeless
from ..agents.mcp.episode import refuse_without_mcp
from ..agents.scripted import Replay, ReplayConfig
from ..agents.secrets import read_header
from ..benchmarks.sql_episode import read_instructions, submission
from ..engines.cache import default_path
from ..engines.sqlite.engine import SqliteEngine
from ..failures import InputError
from ..options import fields
from ..plugins import agent_type, model_config, model_type
from ..protocols import Agent, AgentConfig, AgentContext, Hints, Model, Script
from ..runs import runner
from ..runs.runner import solutions
from .given import refuse_without_effect
from .options import JudgeOptions, ModelOptions, PlayOptions, RunOptions, ServiceOptions

__all__ = ["Script", "read_instructions", "solutions"]


@dataclass(frozen=True)
class ScreenSettings:
    """How tasks on a screen are played: a person sees it in the browser, and unfinished work is judged as it stands."""

    history: int
    """How many earlier turns the model still sees."""


@dataclass(frozen=True)
class Player:
    """Who plays, what a run directory is named after, and what makes its records comparable."""

    agent: Agent
    name: str
    title: str
    identity: Mapping[str, Any]


def build_player(
    play: ModelOptions,
    service: ServiceSettings | None,
    parallel: int,
    stack: AsyncExitStack,
    scripts: Mapping[str, Callable[[], Script]],
    *,
    protocol: str = "lines",
    command: CommandSettings | None = None,
    screen: ScreenSettings | None = None,
    used: Collection[str] = (),
) -> Player:
    """`scripts` makes what the oracle ("solution") and replay ("predictions") play; `protocol` is what react speaks;
    `screen` is for tasks that are played on one; `used` are options that the agent may do without."""
    if command is not None and play.agent != "command":
        raise InputError(f"--command is for --agent command, not {play.agent}")
    plugin = agent_type(play.agent)
    refuse_without_effect(play.agent, plugin, used)
    model = None
    if plugin.needs_model:
        model = build_model(play.model, parallel, base_url=play.base_url, service_tier=play.service_tier)
        stack.push_async_callback(model.close)
    context = AgentContext(
        model=model,
        hints=Hints(text_protocol=protocol, screen=screen is not None),
        solutions=lambda: scripts["solution"](),
        predictions=lambda _, allow_missing: scripts["predictions"](),
    )
    config, agent = _agent(plugin, play, service, command, screen, context)
    if close := getattr(agent, "close", None):
        stack.push_async_callback(close)
    identity = {
        "agent": play.agent,
        "model": model.name if model else None,
        "max_turns": play.max_turns if model else None,
        **config.identity(agent, context),
    }
    if service and play.agent == "http":
        identity["service"] = {"url": without_secrets(service.url), "template": service.template}
    title = f"agent {play.agent}" + (f", model {model.name}" if model else "")
    return Player(agent, model.name if model else play.agent, title, identity)


def build_model(name: str, parallel: int, **options: Any) -> Model:
    """A model; what its provider has no option for is passed over."""
    known = {field.name for field in fields(model_type(name))}
    return model_config(name, **{option: value for option, value in options.items() if option in known}).build(parallel)


def _agent(
    plugin: type[AgentConfig],
    play: ModelOptions,
    service: ServiceSettings | None,
    command: CommandSettings | None,
    screen: ScreenSettings | None,
    context: AgentContext,
) -> tuple[AgentConfig, Agent]:
    names = {field.name for field in fields(plugin)}
    values = {"max_turns": play.max_turns, **({"history": screen.history} if screen else {})}
    config = plugin(**{name: value for name, value in values.items() if name in names})
    if service is not None and plugin.name == "http":
        refuse_hopeless(service)
        return config, HttpAgent(service)
    if command is not None:
        if not 0 < command.timeout < inf:
            raise InputError("--command-timeout must be positive")
        if command.output != "sql":
            refuse_without_mcp()
        return config, CommandAgent(command)
    if isinstance(config, ReplayConfig):
        return config, Replay(context.predictions(Path(), False))
    return config, config.build(context)


def script_of(predictions: Mapping[str, str]) -> Script:
    """Hands in each task's prediction."""
    return lambda key: [submission(predictions[key])] if key in predictions else None


def recorded_calls(run: Path | None) -> Script:
    """The tool calls of each task's first attempt in an earlier run."""
    if run is None:
        raise InputError("the replay agent needs --predictions: a run directory")
    return runner.recorded_calls(run)


def open_engine(judged: JudgeOptions, stack: AsyncExitStack) -> SqliteEngine:
    engine = SqliteEngine(cache=default_path() if judged.cache else None)
    stack.push_async_callback(engine.close)
    return engine


def service_settings(service: ServiceOptions, template: Mapping[str, Any]) -> ServiceSettings | None:
    """How to ask the service under test, if one is given; `template` is what it is sent unless the user has another."""
    if service.api_url is None:
        return None
    if not service.api_url.startswith(("http://", "https://")):
        raise InputError(f"--api-url {service.api_url}: expected an address that begins with http:// or https://")
    refuse_unless_positive(service.api_timeout, "--api-timeout")
    return ServiceSettings(
        url=service.api_url,
        timeout=service.api_timeout,
        headers=dict(map(read_header, service.header)),
        template=_read_template(service.request_template) if service.request_template else template,
        sql_field=service.sql_field,
    )


def refuse_odd_numbers(play: PlayOptions, judged: JudgeOptions, run: RunOptions) -> None:
    refuse_unless_positive(play.epochs, "--epochs")
    refuse_unless_positive(play.max_turns, "--max-turns")
    refuse_unless_positive(run.parallel, "--parallel")
    refuse_unless_positive(judged.sql_timeout, "--sql-timeout")


def refuse_unless_positive(value: float, option: str) -> None:
    if not 0 < value < inf:
        raise InputError(f"{option} {value:g}: expected a positive number")


def _read_template(path: Path) -> dict[str, Any]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError, UnicodeError) as error:
        raise InputError(f"--request-template {path}: expected a JSON object: {error}") from None
