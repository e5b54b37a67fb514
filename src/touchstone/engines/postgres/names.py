"""Names of what a run makes on a server. All of them are plain identifiers of less than 64 bytes.

Apart from `administration`, since the event loop names things too and does without the driver.
"""

from __future__ import annotations

import hashlib


def keeper(run: str) -> str:
    """Owns the run's databases."""
    return f"touchstone_keeper_{run}"


def owner(run: str) -> str:
    """Owns what is in those that are cloned and read."""
    return f"touchstone_owner_{run}"


def owner_of_copy(role: str) -> str:
    """Owns what is in a private copy, in which this role logs in."""
    return f"{role}_o"


def of_episodes(run: str) -> str:
    """A pattern of the names of all roles of episodes, and of little else."""
    return f"^ts_{run}_[0-9a-f]{{10}}_[rc][0-9]+(_o)?$"


def template(database: str) -> str:
    """The server cuts a name that is too long, always in the same way."""
    return f"{database}_template"


def prefix(run: str, database: str) -> str:
    return f"ts_{run}_{hashlib.blake2b(database.encode(), digest_size=5).hexdigest()}"


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
