"""Metrics on JSON and YAML files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from ....errors import Unscorable
from ..registry import metric
from ..untrusted import MetricResult, read_json, read_yaml, shown, verdict

OPERATIONS = ("match", "in", "contain", "not_null")


@metric()
def compare_json_file(result: Path, expected: Path) -> MetricResult:
    """Equal when parsed."""
    return verdict(read_json(result) == read_json(expected), "the JSON values differ", "equal JSON values")


@metric()
def check_yaml_file(result: Path, expected: list[Any]) -> MetricResult:
    """Rules of the form [operation, path, value]; all must hold."""
    document = read_yaml(result)
    for operation, path, value in expected:
        if operation not in OPERATIONS:
            raise Unscorable(f"check_yaml_file: unknown operation {operation!r}; expected one of {', '.join(OPERATIONS)}")
        try:
            value_there = _at(document, path)
            held = _holds(operation, value_there, value)
        except (KeyError, IndexError, TypeError, ValueError):
            return MetricResult(0.0, f"there is nothing at {shown(path)}")
        if not held:
            return MetricResult(0.0, f"at {shown(path)}: {operation} {shown(value)} does not hold for {shown(value_there)}")
    return MetricResult(1.0, f"{len(expected)} rules hold")


def _at(value: Any, path: list[Any]) -> Any:
    """Steps are keys, positions, or [key, value]: the element of a list whose key has that value."""
    for step in path:
        if isinstance(value, dict):
            value = cast("dict[Any, Any]", value)[step]
        elif isinstance(step, list):
            key, wanted = cast("list[Any]", step)
            value = next(item for item in value if item[key] == wanted) if _has(value, key, wanted) else _absent(key)
        else:
            value = value[int(step)]
    return value


def _has(items: Any, key: Any, wanted: Any) -> bool:
    return any(item[key] == wanted for item in items)


def _absent(key: Any) -> Any:
    raise KeyError(key)


def _holds(operation: str, value_there: Any, value: Any) -> bool:
    match operation:
        case "match":
            return value_there == value
        case "in":
            return value_there in value
        case "contain":
            return value in value_there
        case _:
            return bool(value_there)
