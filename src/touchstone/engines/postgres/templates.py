"""Templates that another role owns, on a server where we are no superuser.

A clone keeps the owners of what is in it, and only an owner can hand things over to the roles of episodes. So a template in
which everything is ours, or belongs to a role that we are a member of, is cloned; one that we may only read is copied with
pg_dump. What is missing for either is found out before anything runs.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from ...errors import DatabaseFailure, InputError
from . import binaries
from .messages import PostgresServer, TemplateRights, written
from .names import quoted

_FILTER = "1,40{/^SET transaction_timeout = 0;$/d}"
"""A newer pg_dump begins with settings that an older server does not know."""
_DUMP = "--no-owner --no-privileges --no-comments --no-security-labels --no-publications --no-subscriptions --no-tablespaces"


class Programs(Struct, frozen=True):
    """Of the client, of one version."""

    pg_dump: Path
    psql: Path


def to_copy(templates: Sequence[TemplateRights], role: str, major: int) -> Mapping[str, TemplateRights]:
    """The templates that must be copied by reading them. Raises InputError if that is not possible either."""
    others = [template for template in templates if not template.cloned]
    if unread := [template for template in others if not template.read]:
        names = ", ".join(template.name for template in unread)
        owners = ", ".join(sorted({template.owner for template in unread}))
        raise InputError(
            f"the role {role} may not read {names} (owner: {owners}) on the PostgreSQL server; a superuser can run: "
            f"GRANT pg_read_all_data TO {quoted(role)}"
        )
    if others and client_programs(major) is None:
        raise InputError(
            f"{others[0].name} belongs to {others[0].owner}, not to {role}: to copy it, pg_dump and psql of version {major} "
            f"or later are needed (`apt install postgresql-client`), or GRANT {quoted(others[0].owner)} TO {quoted(role)}"
        )
    return {template.name: template for template in others}


def client_programs(major: int) -> Programs | None:
    """That know a server of this version."""
    folders = [directory for directory in binaries.places() if (binaries.version(directory) or 0) >= major]
    own = shutil.which("pg_dump")
    for directory in [*folders, *([Path(own).parent] if own else [])]:
        programs = Programs(directory / "pg_dump", directory / "psql")
        if os.access(programs.pg_dump, os.X_OK) and os.access(programs.psql, os.X_OK):
            return programs
    return None


async def copy_contents(server: PostgresServer, template: str, target: str, major: int) -> None:
    """Fills an empty database with what the template holds. Raises DatabaseFailure."""
    programs = client_programs(major)
    assert programs is not None
    environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"}
    if server.password is not None:
        environment["PGPASSWORD"] = server.password  # not among the arguments, which everybody can see
    pipe = asyncio.subprocess.PIPE
    dump = [*_DUMP.split(), "--dbname", _address(server, template)]
    load = ["--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--dbname", _address(server, target)]
    commands = [("pg_dump", [programs.pg_dump, *dump]), ("sed", ["sed", _FILTER]), ("psql", [programs.psql, *load])]
    started: list[asyncio.subprocess.Process] = []
    feed: int = asyncio.subprocess.DEVNULL
    for number, (_, command) in enumerate(commands):
        following, out = os.pipe() if number < len(commands) - 1 else (None, asyncio.subprocess.DEVNULL)
        try:
            started.append(await asyncio.create_subprocess_exec(*command, stdin=feed, stdout=out, stderr=pipe, env=environment))
        finally:
            for end in (feed, out):
                if end >= 0:
                    os.close(end)
        feed = following if following is not None else asyncio.subprocess.DEVNULL
    answers = await asyncio.gather(*(program.communicate() for program in started))
    for program, (name, _), (_, output) in zip(started, commands, answers, strict=True):
        if program.returncode:
            raise DatabaseFailure(f"{template} cannot be copied: {name}: {' '.join(output.decode(errors='replace').split())}")


def _address(server: PostgresServer, database: str) -> str:
    parameters = {**server.options, "host": server.host, "port": str(server.port), "dbname": database, "user": server.user}
    return written(parameters)
