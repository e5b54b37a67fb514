"""What JSON holds, as a page needs it: of the expected shape, or else empty. Records may come from anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast


def mapping(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def listed(value: Any) -> Sequence[Any]:
    return cast("Sequence[Any]", value) if isinstance(value, list) else ()


def objects(value: Any) -> list[Mapping[str, Any]]:
    return [mapping(each) for each in listed(value) if isinstance(each, dict)]


def names(value: Any) -> list[str]:
    return [str(each) for each in listed(value)]


def rows(value: Any) -> list[Sequence[Any]]:
    return [listed(each) for each in listed(value) if isinstance(each, list)]


def number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300 else 0.0
