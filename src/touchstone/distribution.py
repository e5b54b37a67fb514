"""The name under which the package index knows this package, and the words by which a user installs a part of it.

The import name and the command are `touchstone`; on the package index that name belongs to somebody else.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

from .errors import InputError
from .files import module_or_none

NAME = "touchstone-harness"


def pip_install(extra: str) -> str:
    """The command that installs what an optional part needs."""
    return f"pip install '{NAME}[{extra}]'"


def refuse_without_linux(what: str) -> None:
    """Raises InputError on another system."""
    if sys.platform != "linux" or module_or_none("fcntl") is None:
        raise InputError(f"{what} needs Linux (a container will do, see the Dockerfile)")


def refuse_without(module: str, what: str, extra: str) -> None:
    """Raises InputError if what an optional part needs is not installed."""
    try:
        missing = find_spec(module) is None
    except ModuleNotFoundError:  # not even the package that it would be in
        missing = True
    if missing:
        raise InputError(f"{what} needs the package '{module}': {pip_install(extra)}")
