"""Finding benchmarks, agents, models and engines by name, ours and other packages', through entry points.

An entry point of `touchstone.benchmarks`, `.agents` or `.models` names a struct of options: a subclass of `BenchmarkConfig`,
`AgentConfig` or `ModelConfig`. One of `touchstone.engines` names what makes an engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal, TypeVar

from .failures import InputError
from .options import Options, field_names
from .protocols import AgentConfig, BenchmarkConfig, ModelConfig

Kind = Literal["benchmarks", "agents", "models", "engines"]
S = TypeVar("S", bound=Options)


@cache
def available(kind: Kind) -> dict[str, EntryPoint]:
    """Name to entry point, sorted by name."""
    return {point.name: point for point in sorted(entry_points(group=f"touchstone.{kind}"), key=lambda point: point.name)}


def load(kind: Kind, name: str) -> Any:
    """What the entry point names. Raises InputError if there is no such plugin or it cannot be imported."""
    points = available(kind)
    if name not in points:
        raise InputError(f"there is no {kind.removesuffix('s')} named '{name}'; there are: {', '.join(points)}")
    try:
        return points[name].load()
    except (ImportError, AttributeError) as error:
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


def agent_config(name: str, benchmark: type[BenchmarkConfig] | None = None, **options: Any) -> AgentConfig:
    """An agent by its name, with the benchmark's defaults where nothing else is said."""
    kind = agent_type(name)
    names = {field.name for field in field_names(kind).values()}
    theirs: Mapping[str, Any] = benchmark.defaults if benchmark else {}
    defaults = {each: value for each, value in theirs.items() if each in names}
    if ":" in name:
        options = {"function": name, **options}
    _refuse_unknown(f"the agent '{kind.name}'", kind, options)
    return kind(**{**defaults, **options})


def model_config(model: str, **options: Any) -> ModelConfig:
    kind = model_type(model)
    _refuse_unknown(f"models of '{kind.provider}'", kind, options)
    return kind(model=model, **options)


def _refuse_unknown(what: str, kind: type[Options], options: dict[str, Any]) -> None:
    known = {field.name for field in field_names(kind).values()}
    for name in options:
        if name not in known:
            raise InputError(f"{what} has no option '{name}'; there are: {', '.join(sorted(known)) or 'none'}")


def _struct(kind: Kind, name: str, base: type[S]) -> type[S]:
    found = load(kind, name)
    if not (isinstance(found, type) and issubclass(found, base)):
        what = found.__name__ if isinstance(found, type) else type(found).__name__
        value = available(kind)[name].value
        raise InputError(
            f"{value}, the {kind.removesuffix('s')} '{name}': expected a subclass of {base.__name__}, found {what}"
        )
    return found
