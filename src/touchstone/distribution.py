"""The name under which the package index knows this package, and the words by which a user installs a part of it.

The import name and the command are `touchstone`; on the package index that name belongs to somebody else.
"""

from __future__ import annotations

NAME = "touchstone-harness"


def pip_install(extra: str) -> str:
    """The command that installs what an optional part needs."""
    return f"pip install '{NAME}[{extra}]'"
