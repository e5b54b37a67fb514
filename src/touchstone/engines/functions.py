"""Functions of benchmarks that run beside the data: known by name, so that a worker process can find them."""

from __future__ import annotations

import importlib
import typing
from collections.abc import Callable
from functools import cache
from typing import Any


def name_of(function: Callable[..., Any]) -> str:
    return f"{function.__module__}:{function.__qualname__}"


@cache
def found(name: str) -> tuple[Callable[[Any, Any], Any], Any]:
    """The function `(where it works, request) -> response`, and the type of its request."""
    module, _, attribute = name.partition(":")
    function = getattr(importlib.import_module(module), attribute)
    hints = typing.get_type_hints(function)
    hints.pop("return")
    return function, list(hints.values())[1]


@cache
def result_type(function: Callable[..., Any]) -> Any:
    return typing.get_type_hints(function)["return"]
