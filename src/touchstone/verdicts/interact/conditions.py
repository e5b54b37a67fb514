"""What a task says about how its results are to be compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct


class Conditions(Struct, frozen=True):
    decimal: int | None = None
    """Places that numbers are rounded to. None or a negative number: not said."""
    distinct: bool = False
    order: bool = False
    """Rows must come in gold's order."""

    @property
    def places(self) -> int | None:
        return None if self.decimal is None or self.decimal < 0 else self.decimal

    @classmethod
    def read(cls, data: Mapping[str, Any] | None) -> Conditions:
        """From the dataset. What is missing, null or unknown does not count; a wrong type is a ValueError."""
        data = data or {}
        return cls(_integer(data, "decimal"), _flag(data, "distinct"), _flag(data, "order"))


def _integer(data: Mapping[str, Any], name: str) -> int | None:
    value = data.get(name)
    if value is not None and type(value) is not int:
        raise ValueError(f"conditions.{name} must be an integer, not {value!r}")
    return value


def _flag(data: Mapping[str, Any], name: str) -> bool:
    value = data.get(name)
    if value is not None and type(value) is not bool:
        raise ValueError(f"conditions.{name} must be true or false, not {value!r}")
    return bool(value)
