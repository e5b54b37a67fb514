"""Where a PostgreSQL server is, and as whom to log in."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace


class Server(Struct, frozen=True):
    """Crosses to workers. Whoever connects gives the database, and can log in as somebody else."""

    host: str
    """The directory of its Unix socket, or a host's name."""
    port: int
    user: str
    """An administrator: a superuser, or a role with CREATEDB and CREATEROLE."""
    password: str | None = None
    options: dict[str, str] = {}
    """Further libpq parameters from a user's URL: sslmode, …"""

    def conninfo(self, database: str, user: str | None = None, password: str | None = None) -> str:
        from psycopg.conninfo import make_conninfo  # psycopg is for worker processes

        given = {"host": self.host, "port": self.port, "dbname": database, "user": user or self.user}
        secret = password if user is not None else self.password
        return make_conninfo("", **self.options, **given, **({} if secret is None else {"password": secret}))

    def as_role(self, role: str, password: str | None) -> Server:
        return replace(self, user=role, password=password)

    @property
    def needs_passwords(self) -> bool:
        """Roles on a Unix socket log in without one, unless the administrator too has one."""
        return self.password is not None or not self.host.startswith("/")
