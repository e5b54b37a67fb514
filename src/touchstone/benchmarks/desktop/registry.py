"""Functions by their published names, with their parameters checked before they are called.

A task file names a function and gives its parameters as JSON. The function's own signature is the only description
of these parameters: a name that it does not have, a missing one or one of a wrong type is told in one line.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache, wraps
from typing import Any, Generic, TypeVar, get_type_hints

import msgspec

from ...errors import InputError
from .untrusted import MetricResult

F = TypeVar("F", bound=Callable[..., Any])


class Registry(Generic[F]):
    """Functions of one kind. Used as a decorator, it registers a function under its own name."""

    def __init__(self, kind: str, *passed: str) -> None:
        """`passed` are parameters that do not come from the task file."""
        self.kind, self._passed = kind, passed
        self._functions: dict[str, F] = {}

    def __call__(self, function: F) -> F:
        self._functions[function.__name__] = function
        return function

    def alias(self, name: str, function: F) -> F:
        self._functions[name] = function
        return function

    @property
    def names(self) -> list[str]:
        return sorted(self._functions)

    def find(self, name: str) -> F:
        if name not in self._functions:
            near = get_close_matches(name, self._functions, 1)
            raise InputError(f"unknown {self.kind} '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""))
        return self._functions[name]

    def problem(self, name: str, parameters: Mapping[str, Any]) -> str | None:
        """What is wrong with a call, or None."""
        try:
            function = self.find(name)
        except InputError as error:
            return str(error)
        return _misuse(function, parameters, self._passed)

    def refuse(self, name: str, parameters: Mapping[str, Any]) -> None:
        """Raises what `problem` finds."""
        if problem := _misuse(self.find(name), parameters, self._passed):
            raise InputError(f"{self.kind} {name}: {problem}")


def _misuse(function: Callable[..., Any], parameters: Mapping[str, Any], passed: Sequence[str]) -> str | None:
    known = {key: value for key, value in inspect.signature(function).parameters.items() if key not in passed}
    for key in parameters:
        if key not in known:
            return f"has no parameter '{key}' (it has {', '.join(known) or 'none'})"
    for key, parameter in known.items():
        if key not in parameters and parameter.default is inspect.Parameter.empty:
            return f"needs the parameter '{key}'"
    hints = _hints(function)
    for key, value in parameters.items():
        try:
            msgspec.convert(value, hints[key])
        except msgspec.ValidationError as error:
            return f"parameter '{key}': {str(error).replace('`', chr(39))}"
    return None


@cache
def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    return get_type_hints(function)


# Where the getters are listed.


RESULTS: Registry[Callable[..., Awaitable[Any]]] = Registry("result getter", "evaluation")
EXPECTED: Registry[Callable[..., Awaitable[Any]]] = Registry("expected getter", "evaluation")


# Where the metrics are listed.


Metric = Callable[..., MetricResult]
METRICS: Registry[Metric] = Registry("metric", "result", "expected", "evaluation")


def metric(missing: str = "result file") -> Callable[[Metric], Metric]:
    """Registers a metric that is not asked when there is nothing to judge: that scores 0."""

    def register(function: Metric) -> Metric:
        @wraps(function)
        def judged(result: Any, *arguments: Any, **options: Any) -> MetricResult:
            return MetricResult(0.0, f"there is no {missing}") if result is None else function(result, *arguments, **options)

        return METRICS(judged)

    return register


# Where the set-up steps are listed.


STEPS: Registry[Callable[..., Awaitable[None]]] = Registry("set-up step", "evaluation")
