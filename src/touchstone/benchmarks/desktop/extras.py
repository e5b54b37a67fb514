"""Libraries that only this benchmark needs, imported when they are used.

They come without types, hence `Any`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ...distribution import pip_install
from ...errors import InputError


def need(module: str, extra: str = "desktop") -> Any:
    """A module of an optional library, or a line that says how to install it."""
    try:
        return import_module(module)
    except ImportError:
        raise InputError(f"{module} is not installed: {pip_install(extra)}") from None
