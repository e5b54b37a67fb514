"""Where the getters are listed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from ..registry import Registry

RESULTS: Registry[Callable[..., Awaitable[Any]]] = Registry("result getter")
EXPECTED: Registry[Callable[..., Awaitable[Any]]] = Registry("expected getter")
