"""From options to instances: engines, models, agents. Shared by all commands that let somebody play."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from hashlib import blake2b
from math import inf
from pathlib import Path
from typing import Any

import msgspec

from ..agents.secrets import read_header
from ..benchmarks.sql_episode import submission
from ..engines.cache import default_path
from ..engines.sqlite.engine import SqliteEngine
from ..failures import InputError
from ..plugins import agent_plugin, build_model
from ..protocols import Agent, AgentSettings, Benchmark, CommandSettings, ModelSettings, ServiceSettings
from ..runs.directory import read_records
from ..values import ToolCall, ToolStep
from .given import refuse_without_effect
from .options import JudgeOptions, ModelOptions, PlayOptions, RunOptions, ServiceOptions, without_secrets

Script = Callable[[str], Sequence[ToolCall] | None]


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
    plugin = agent_plugin("live" if screen and play.agent == "human" else play.agent)
    refuse_without_effect(play.agent, plugin, used)
    model = None
    if plugin.needs_model:
        settings = ModelSettings(base_url=play.base_url, service_tier=play.service_tier, concurrency=parallel)
        model = build_model(play.model, settings)
        stack.push_async_callback(model.close)
    script = scripts[plugin.needs_script]() if plugin.needs_script else _nothing
    agent = plugin.build(
        AgentSettings(
            model=model,
            max_turns=play.max_turns,
            service=service,
            command=command,
            script=script,
            protocol=protocol,
            history=screen.history if screen else 3,
            judge_unfinished=screen is not None,
        )
    )
    if close := getattr(agent, "close", None):
        stack.push_async_callback(close)
    identity = {
        "agent": play.agent,
        "model": model.name if model else None,
        "max_turns": play.max_turns if model else None,
        **({"protocol": protocol} if play.agent == "react" else {}),
        **({"history": screen.history if model else None} if screen else {}),
        **({"command": getattr(agent, "identity", None)} if play.agent == "command" else {}),
        "service": {"url": without_secrets(service.url), "template": service.template}
        if service and play.agent == "http"
        else None,
    }
    title = f"agent {play.agent}" + (f", model {model.name}" if model else "")
    return Player(agent, model.name if model else play.agent, title, identity)


def solutions(benchmark: Benchmark) -> Script:
    """The reference of every task."""
    return {task.key: benchmark.solution(task) for task in benchmark.tasks()}.get


def script_of(predictions: Mapping[str, str]) -> Script:
    """Hands in each task's prediction."""
    return lambda key: [submission(predictions[key])] if key in predictions else None


def recorded_calls(run: Path | None) -> Script:
    """The tool calls of each task's first attempt in an earlier run."""
    if run is None:
        raise InputError("the replay agent needs --predictions: a run directory")
    if not (run / "runs.jsonl").is_file():
        raise InputError(f"--predictions {run}: expected a run directory, with runs.jsonl in it")
    calls = {
        record.task: [step.call for step in record.steps if isinstance(step, ToolStep)]
        for record in read_records(run)
        if record.epoch == 0
    }
    return calls.get


def digest_of(predictions: Mapping[str, str]) -> str:
    return blake2b(msgspec.json.encode(sorted(predictions.items())), digest_size=8).hexdigest()


def open_engine(judged: JudgeOptions, stack: AsyncExitStack) -> SqliteEngine:
    engine = SqliteEngine(cache=default_path() if judged.cache else None)
    stack.push_async_callback(engine.close)
    return engine


def read_instructions(path: Path | None) -> str | None:
    try:
        return path.read_text() if path else None
    except (OSError, UnicodeError) as error:
        raise InputError(f"--system-prompt {path}: {error}") from None


def service_settings(service: ServiceOptions, template: Mapping[str, Any]) -> ServiceSettings | None:
    """How to ask the service under test, if one is given; `template` is what it is sent unless the user has another."""
    if service.api_url is None:
        return None
    if not service.api_url.startswith(("http://", "https://")):
        raise InputError(f"--api-url {service.api_url}: expected an address that begins with http:// or https://")
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


def _nothing(_: str) -> None:
    return None


def _read_template(path: Path) -> dict[str, Any]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError, UnicodeError) as error:
        raise InputError(f"--request-template {path}: expected a JSON object: {error}") from None
