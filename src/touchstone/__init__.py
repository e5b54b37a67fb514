"""Touchstone runs agents on data benchmarks, scores what they did, and says why.

The names below are all that a notebook needs; each is imported when it is first used, so `import touchstone` costs nothing.
Their types are told to editors and checkers by `__init__.pyi`, which repeats this list (a test keeps the two equal).
"""

from __future__ import annotations

from importlib import import_module

__version__ = "0.1.0"

_PLACES = {
    "api.run": ("benchmark", "configured", "digest", "run", "run_async"),
    "api.results": ("Results", "read"),
    "api.gym": ("Gym", "gym"),
    "agents.function": ("answers",),
    "benchmarks.audit.audited": ("AuditOptions", "Audited"),
    "benchmarks.audit.findings": ("AuditFinding",),
    "benchmarks.data_check": ("Found",),
    "benchmarks.sql_episode": ("PlainEpisode",),
    "benchmarks.task_file": ("Selection",),
    "errors": ("EpisodeFailure", "InputError", "SqlError", "TouchstoneError", "Unscorable"),
    "options": ("Count", "NotNegative", "Opt", "OptionError", "Options", "Positive", "WholeNumber"),
    "protocols": (
        "Agent",
        "AgentConfig",
        "AgentContext",
        "Benchmark",
        "BenchmarkConfig",
        "Engine",
        "EngineConfig",
        "EpisodeDatabase",
        "Episode",
        "Hints",
        "Limits",
        "Model",
        "ModelConfig",
        "Move",
        "Opening",
        "ScoreOptions",
        "Scoring",
        "Session",
        "Stage",
    ),
    "runs.config": ("RunConfig", "RunOptions"),
    "types": (
        "Brief",
        "Message",
        "Observation",
        "Outcome",
        "Record",
        "Reply",
        "PartialScore",
        "Table",
        "Task",
        "Tool",
        "ToolCall",
        "Usage",
        "Verdict",
    ),
}
_PLACE_OF = {name: place for place, names in _PLACES.items() for name in names}

__all__ = ["__version__", *sorted(_PLACE_OF)]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    """One of the names above, or the struct of a benchmark: ours (`touchstone.bird`) or another package's."""
    if name in _PLACE_OF:
        value = getattr(import_module(f"{__name__}.{_PLACE_OF[name]}"), name)
    elif not name.startswith("_") and name in (plugins := import_module(f"{__name__}.plugins")).available("benchmarks"):
        value = plugins.benchmark_type(name)
    else:
        raise AttributeError(f"module 'touchstone' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
