"""Where the set-up steps are listed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from ..registry import Registry

STEPS: Registry[Callable[..., Awaitable[None]]] = Registry("set-up step")
