"""Finding benchmarks, agents, models and engines by name, ours and other packages', through entry points.

An entry point of `touchstone.benchmarks`, `.agents`, `.models` or `.engines` names a struct of options: a subclass of
`BenchmarkConfig`, `AgentConfig`, `ModelConfig` or `EngineConfig`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Literal, TypeVar, cast, get_args, get_type_hints

from .errors import InputError, WrongReturn
from .files import ONLY_ON_LINUX
from .options import Options, field_names
from .protocols import AgentConfig, BenchmarkConfig, Engine, EngineConfig, EpisodeDatabase, ModelConfig, Opening
from .types import Limits, Observation, Table

__all__ = [
    "Kind",
    "agent_config",
    "agent_type",
    "available",
    "benchmark_type",
    "engine_at",
    "engine_type",
    "installed",
    "load",
    "model_config",
    "model_type",
    "open_engine",
    "structs_with",
]

Kind = Literal["benchmarks", "agents", "models", "engines"]
S = TypeVar("S", bound=Options)
T = TypeVar("T")


@cache
def installed() -> dict[str, dict[str, EntryPoint]]:
    """Kind to name to entry point, sorted by name: for all kinds at once, since every installed package is looked through."""
    points = entry_points()
    groups = {kind: sorted(points.select(group=f"touchstone.{kind}"), key=lambda point: point.name) for kind in get_args(Kind)}
    return {kind: {point.name: point for point in group} for kind, group in groups.items()}


def available(kind: Kind) -> dict[str, EntryPoint]:
    """Name to entry point, sorted by name."""
    return installed()[kind]


def load(kind: Kind, name: str) -> Any:
    """What the entry point names. Raises InputError if there is no such plugin or it cannot be imported."""
    points = available(kind)
    if name not in points:
        raise InputError(f"there is no {kind.removesuffix('s')} named '{name}'; there are: {', '.join(points)}")
    try:
        return points[name].load()
    except (ImportError, AttributeError) as error:
        if isinstance(error, ModuleNotFoundError) and error.name in ONLY_ON_LINUX:
            raise InputError(
                f"the {kind.removesuffix('s')} '{name}' needs Linux (a container will do, see the Dockerfile)"
            ) from None
        raise InputError(f"the {kind.removesuffix('s')} '{name}' cannot be loaded: {error}") from None


def benchmark_type(name: str) -> type[BenchmarkConfig]:
    return _struct("benchmarks", name, BenchmarkConfig)


def agent_type(name: str) -> type[AgentConfig]:
    """By its name; `file.py:function` and `module:function` are played by the agent that plays functions."""
    return _struct("agents", "function" if ":" in name else name, AgentConfig)


def model_type(model: str) -> type[ModelConfig]:
    """By what stands before the first `/` or `:`, if that is a provider; any other name is an OpenAI-compatible model's."""
    prefix = model.replace(":", "/").partition("/")[0]
    return _struct("models", prefix if prefix in available("models") else "openai", ModelConfig)


def engine_type(name: str) -> type[EngineConfig]:
    return _struct("engines", name, EngineConfig)


def structs_with(kind: Kind, capability: str, *, named: str | None = None) -> Iterator[Any]:
    """The structs of this kind, or the one of this name, that have such a method or attribute. One that cannot be loaded has
    none: whoever calls it is told why."""
    for name in available(kind):
        if named in (None, name):
            struct = None
            with suppress(Exception):  # whatever a foreign module does when it is imported
                struct = load(kind, name)
            if hasattr(struct, capability):
                yield struct


def engine_at(place: str | Path) -> str:
    """The name of the engine that opens an address, or a file. Raises InputError if none does."""
    scheme, _, rest = str(place).partition("://")
    suffix = Path(place).suffix.lower()
    for name in available("engines"):
        kind = engine_type(name)
        if (rest and scheme in kind.schemes) or (not rest and suffix in kind.suffixes):
            return name
    raise InputError(f"{place}: no engine opens this; there are: {', '.join(available('engines'))}")


async def open_engine(name: str, opening: Opening, **options: Any) -> Engine:
    """An engine by its name, which the opening's stack closes."""
    kind = engine_type(name)
    refuse_unknown(f"the engine '{name}'", kind, options)
    return checked_engine(await kind(**options).open(opening), f"the engine '{name}'")


def checked_engine(engine: Engine, whose: str) -> Engine:
    """The engine, if it is one. What another package's answers later is checked, too. Raises WrongReturn."""
    expected_of(engine, f"{whose}: open()", "an Engine", "database", "digests", "close")
    ours = type(engine).__module__.partition(".")[0] == __package__
    return engine if ours else cast(Engine, _CheckedEngine(engine, whose))


class _CheckedEngine:
    """Another package's engine, whose answers are checked, so that a wrong one names it."""

    def __init__(self, engine: Engine, whose: str) -> None:
        self._engine = engine
        self._whose = whose
        returned(getattr(engine, "name", None), str, f"{whose}: name", "a string")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    @property
    def versions(self) -> Mapping[str, str]:
        return returned(self._engine.versions, Mapping, f"{self._whose}: versions", "a mapping of strings")

    def database(self, name: str, key: str = "") -> _CheckedDatabase:
        methods = ("explore", "show", "judge", "advance", "close")
        database = expected_of(self._engine.database(name, key), f"{self._whose}: database()", "an EpisodeDatabase", *methods)
        return _CheckedDatabase(database, self._whose)

    async def digests(self, names: Sequence[str]) -> Mapping[str, str | None]:
        return returned(
            await self._engine.digests(names), Mapping, f"{self._whose}: digests()", "a mapping of names to digests"
        )


class _CheckedDatabase:
    """The same for one of its databases."""

    def __init__(self, database: EpisodeDatabase, whose: str) -> None:
        self._database = database
        self._whose = whose

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    async def explore(self, sql: str, limits: Limits) -> Table:
        return returned(await self._database.explore(sql, limits), Table, f"{self._whose}: explore()", "a Table")

    async def show(self, sql: str, limits: Limits) -> Observation:
        return returned(await self._database.show(sql, limits), Observation, f"{self._whose}: show()", "an Observation")

    async def judge(self, function: Callable[[Any, Any], Any], request: Any, limits: Limits, **more: Any) -> Any:
        response = await self._database.judge(function, request, limits, **more)
        kind = get_type_hints(function).get("return")
        what = f"what {function.__name__}() returned"
        return returned(response, kind, f"{self._whose}: judge()", what) if isinstance(kind, type) else response


def expected_of(value: T, who: str, what: str, *methods: str) -> T:
    """The value, if it has these methods. Raises WrongReturn, which names the plug-in and what it should have returned."""
    if missing := [name for name in methods if not callable(getattr(value, name, None))]:
        raise WrongReturn(f"{who} returned {described(value)}, expected {what} (it has no {missing[0]}())")
    return value


def returned(value: T, kind: Any, who: str, what: str) -> T:
    """The value, if it is of this type. Raises WrongReturn."""
    if not isinstance(value, kind):
        raise WrongReturn(f"{who} returned {described(value)}, expected {what}")
    return value


def described(value: Any) -> str:
    if inspect.iscoroutine(value):
        value.close()
        return "a coroutine (is an await missing?)"
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def agent_config(name: str, benchmark: type[BenchmarkConfig] | None = None, **options: Any) -> AgentConfig:
    """An agent by its name, with the benchmark's defaults where nothing else is said."""
    kind = agent_type(name)
    names = {field.name for field in field_names(kind).values()}
    theirs: Mapping[str, Any] = benchmark.defaults if benchmark else {}
    defaults = {each: value for each, value in theirs.items() if each in names}
    if ":" in name:
        options = {"function": name, **options}
    refuse_unknown(f"the agent '{kind.name}'", kind, options)
    return kind(**{**defaults, **options})


def model_config(model: str, **options: Any) -> ModelConfig:
    kind = model_type(model)
    refuse_unknown(f"models of '{kind.provider}'", kind, options)
    return kind(model=model, **options)


def refuse_unknown(what: str, kind: type[Options], options: dict[str, Any]) -> None:
    known = {field.name for field in field_names(kind).values()}
    for name in options:
        if name not in known:
            raise InputError(f"{what} has no option '{name}'; there are: {', '.join(sorted(known)) or 'none'}")


def _struct(kind: Kind, name: str, base: type[S]) -> type[S]:
    struct = load(kind, name)
    if not (isinstance(struct, type) and issubclass(struct, base)):
        what = struct.__name__ if isinstance(struct, type) else type(struct).__name__
        value = available(kind)[name].value
        raise InputError(
            f"{value}, the {kind.removesuffix('s')} '{name}': expected a subclass of {base.__name__}, found {what}"
        )
    return struct
