"""Finding benchmarks, agents, models and engines by name, ours and other packages', through entry points."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal

from .failures import InputError
from .protocols import AgentPlugin, Model, ModelSettings

Kind = Literal["benchmarks", "agents", "models", "engines"]


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
    except ImportError as error:
        raise InputError(f"the {kind.removesuffix('s')} '{name}' cannot be loaded: {error}") from None


def agent_plugin(name: str) -> AgentPlugin:
    return load("agents", name)


def build_model(name: str, settings: ModelSettings) -> Model:
    """By what stands before the first `/` or `:`, if that is a plugin; any other name is an OpenAI-compatible model's."""
    prefix = name.replace(":", "/").partition("/")[0]
    if prefix != "openai" and prefix in available("models"):
        return load("models", prefix)(name, settings)
    return load("models", "openai")(name, settings)
