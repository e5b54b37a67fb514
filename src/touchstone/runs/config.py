"""What a run is: a benchmark, an agent, a model, and how they are run. Everything else follows from it.

    RunConfig(benchmark=BirdConfig("tasks.json", "databases"), agent=ToolsConfig(), model=OpenAIConfig(), run=RunOptions())

It is written to config.json as it is, so that the run can be resumed; to config.toml as flat options, so that it can be run
again by `--config`; and it is what a node of a cluster is sent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, cast

from msgspec import Struct
from msgspec.structs import replace

from ..addresses import without_secrets
from ..errors import InputError
from ..foreign import whole
from ..options import Count, Opt, OptionError, Options, Positive, Share, WholeNumber, fields, key, paths, plain, relocated
from ..plugins import agent_type, benchmark_type, model_type
from ..protocols import RUN, AgentConfig, Benchmark, BenchmarkConfig, Model, ModelConfig, Opening

FORMAT = 2
OTEL_BY_VARIABLES = "env"
"""In place of an address of `--otel`: that of the OTEL_EXPORTER_OTLP_* variables."""


class RunOptions(Options, frozen=True, kw_only=True):
    """How a run is run."""

    parallel: Annotated[Count, Opt(names=("-p",), group=RUN)] = 1
    """How many episodes to play at once."""
    epochs: Annotated[Count, Opt(group=RUN)] = 1
    """How often to play each task."""
    output: Annotated[Path | None, Opt(names=("-o",), target=True, group=RUN)] = None
    """Where to create run directories; by default results/<model>-<benchmark>/. An address such as s3://bucket/folder gets a
    copy of the run, which itself is in results/<address>/."""
    max_consecutive_errors: Annotated[WholeNumber, Opt(group=RUN, advanced=True)] = 5
    """Stop the run after this many infrastructure errors in a row; 0 never stops."""
    fail_under: Annotated[Share | None, Opt(group=RUN, advanced=True)] = None
    """Exit with 1 if the accuracy is lower than this; 0.6 is 60%."""
    junit: Annotated[Path | None, Opt(target=True, group=RUN, advanced=True)] = None
    """Write the result of each task to this file as JUnit XML, for a CI service."""
    markdown: Annotated[Path | None, Opt(target=True, group=RUN, advanced=True)] = None
    """Write a summary to this file as Markdown: the figures, and what did not pass."""
    json: Annotated[Path | None, Opt(target=True, group=RUN, advanced=True)] = None
    """Write each task's verdict to this file, by the task's id."""
    max_cost: Annotated[Positive | None, Opt(group=RUN)] = None
    """Start no new task once models have cost this much, in USD."""
    max_tokens_total: Annotated[Count | None, Opt(group=RUN, advanced=True)] = None
    """Start no new task once the models have used this many tokens, input and output. --resume with a higher limit
    continues."""
    requests_per_minute: Annotated[Count | None, Opt(group=RUN, advanced=True)] = None
    """At most this many model requests per minute, over all episodes, spread evenly."""
    tokens_per_minute: Annotated[Count | None, Opt(group=RUN, advanced=True)] = None
    """At most this many model tokens per minute, over all episodes, input and output."""
    reply_cache: Annotated[Path | None, Opt(target=True, group=RUN, advanced=True)] = None
    """Cache model replies in this folder: the same run again costs nothing."""
    otel: Annotated[str | None, Opt(group=RUN, advanced=True)] = None
    """Send the run's spans to this OpenTelemetry collector (OTLP over HTTP), such as http://localhost:4318; env takes the
    address and headers from the OTEL_EXPORTER_OTLP_* variables."""
    verbose: Annotated[bool, Opt(names=("-v",), group=RUN)] = False
    """Print each task's outcome and reason as it ends."""
    tracebacks: Annotated[bool, Opt(names=("-vv",), group=RUN, advanced=True)] = False
    """As --verbose, with tracebacks of internal errors."""
    executor: Annotated[Literal["local", "ray"], Opt(group=RUN, advanced=True)] = "local"
    """Where episodes are played: on this machine, or on every node of a Ray cluster, --parallel at once on each."""
    ray_address: Annotated[str | None, Opt(group=RUN, advanced=True)] = None
    """host:port of the cluster; by default that of RAY_ADDRESS, one that runs on this machine, or a new one for this run."""
    ray_env: Annotated[tuple[str, ...], Opt(group=RUN, advanced=True)] = ()
    """Pass this environment variable to the nodes too (repeatable). They get keys such as OPENAI_API_KEY anyway."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.otel not in (None, OTEL_BY_VARIABLES) and not re.match(r"https?://[^/\s]", self.otel or ""):
            raise OptionError(
                "otel", without_secrets(self.otel or ""), "expected an address such as http://localhost:4318, or env"
            )


class RunConfig(Struct, frozen=True, kw_only=True):
    """All that a run is made of."""

    benchmark: BenchmarkConfig
    agent: AgentConfig
    model: ModelConfig | None = None
    """For an agent that has one."""
    run: RunOptions = RunOptions()

    def __post_init__(self) -> None:
        if self.agent.needs_model and self.model is None:
            raise InputError(f"the agent '{self.agent.name}' needs model=, a model's name")

    @property
    def parts(self) -> tuple[Options, ...]:
        return (self.benchmark, self.agent, *((self.model,) if self.model else ()), self.run)

    @property
    def is_plain(self) -> bool:
        """Whether it can be written down, and built again from that: not with functions or objects of Python's in it."""
        return not any(
            field.opt.internal and getattr(part, field.name) is not None for part in self.parts for field in fields(type(part))
        )

    def paths(self, *, targets: bool = True) -> Iterator[Path]:
        """The files and folders that it names."""
        for part in self.parts:
            yield from paths(part, targets=targets)
        if self.model is not None:
            yield from self.model.paths()

    def relocated(self, move: Callable[[Path], Path]) -> RunConfig:
        """The same with its data elsewhere."""
        model = relocated(self.model, move).relocated(move) if self.model else None
        return replace(self, benchmark=relocated(self.benchmark, move), agent=relocated(self.agent, move), model=model)

    def as_json(self, *, secrets: bool = False) -> dict[str, Any]:
        """For config.json; with its secrets, for another machine that plays it."""
        model = self.model.relocated(Path.absolute) if self.model else None
        return {
            "benchmark": {"name": self.benchmark.name, **plain(self.benchmark, secrets=secrets)},
            "agent": {"name": self.agent.name, **plain(self.agent, secrets=secrets)},
            "model": plain(model, secrets=secrets) if model else None,
            "run": plain(self.run, secrets=secrets),
        }

    def as_options(self) -> dict[str, Any]:
        """Flat, as the command line and a TOML file have them."""
        return {"agent": self.agent.name, **_flat(self.as_json())}


def from_json(stored: Mapping[str, Any]) -> RunConfig:
    """What `as_json` wrote. Raises InputError."""
    benchmark, agent, model = dict(stored["benchmark"]), dict(stored["agent"]), stored.get("model")
    return RunConfig(
        benchmark=benchmark_type(benchmark.pop("name"))(**benchmark),
        agent=agent_type(agent.pop("name"))(**agent),
        model=model_type(model["model"])(**model) if model else None,
        run=RunOptions(**stored["run"]),
    )


def stored_options(config: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a run directory's configuration, flat, whatever format it is in."""
    if config.get("format", 1) == 1:
        return dict(config.get("arguments") or {})
    agent: Mapping[str, Any] = config.get("agent") or {}
    return {"agent": agent.get("name"), **_flat(config)}


def _flat(config: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name in ("benchmark", "agent", "model", "run"):
        part: Mapping[str, Any] = config.get(name) or {}
        flat |= {key(option): value for option, value in part.items() if option != "name"}
    return flat


class OpenBenchmark(BenchmarkConfig, frozen=True, kw_only=True):
    """A benchmark that the caller has opened."""

    name: ClassVar[str] = "python"

    opened: Annotated[Any, Opt(internal=True)] = None

    async def open(self, opening: Opening) -> Benchmark:
        return cast(Benchmark, self.opened)

    def title(self, who: str) -> str:
        return f"{self.opened.name}: {who}"


class OpenModel(ModelConfig, frozen=True, kw_only=True):
    """A model that the caller has made, and closes."""

    provider: ClassVar[str] = "python"

    opened: Annotated[Any, Opt(internal=True)] = None

    def build(self, concurrency: int = 16) -> Model:
        return cast(Model, self.opened)


# Options as a TOML file, which every run directory has: `--config` takes it to do the same again.


COMMAND = "touchstone"


def as_toml(arguments: Mapping[str, Any], command: str = "") -> str:
    """A file with these options. None is left out: TOML has no word for it, and an option left out is the same."""
    import tomli_w

    first = {COMMAND: command} if command else {}
    return tomli_w.dumps(_writable({**first, **arguments}))


def _writable(value: Any) -> Any:
    """Without None, and without halves of characters, which no file can hold."""
    match value:
        case str():
            return whole(value)
        case Mapping():
            items = cast("Mapping[str, Any]", value).items()
            return {whole(name): _writable(each) for name, each in items if each is not None}
        case list() | tuple():
            return [_writable(each) for each in cast("Sequence[Any]", value)]
        case _:
            return value
