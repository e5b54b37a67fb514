"""What passes between the event loop and the worker processes."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Raw, Struct
from msgspec.structs import replace

from ...errors import SqlFault
from ...types import Limits, Observation, Table

# Where a PostgreSQL server is, and as whom to log in.


class PostgresServer(Struct, frozen=True):
    """Crosses to workers. Whoever connects gives the database, and can log in as somebody else."""

    host: str
    """The directory of its Unix socket, or a host's name."""
    port: int
    user: str
    """An administrator: a superuser, or a role with CREATEDB and CREATEROLE."""
    password: str | None = None
    options: dict[str, str] = {}
    """Further libpq parameters from a user's URL: sslmode, …"""
    private: bool = False
    """Ours, so that its processes are known to be this machine's, by their numbers here."""

    def conninfo(self, database: str, user: str | None = None, password: str | None = None, **more: str) -> str:
        """`more` are further parameters, which go before those of the URL."""
        parameters = {"host": self.host, "port": str(self.port), "dbname": database, "user": user or self.user}
        secret = password if user is not None else self.password
        return written({**self.options, **parameters, **({} if secret is None else {"password": secret}), **more})

    def in_time_zone(self, name: str) -> PostgresServer:
        """Its sessions begin in this time zone."""
        return replace(self, options={**self.options, "options": f"{self.options.get('options', '')} -c TimeZone={name}"})

    def as_role(self, role: str, password: str | None) -> PostgresServer:
        return replace(self, user=role, password=password)

    @property
    def needs_passwords(self) -> bool:
        """Roles on a Unix socket log in without one, unless the administrator too has one."""
        return self.password is not None or not self.host.startswith("/")


def written(parameters: Mapping[str, str]) -> str:
    """As libpq reads them. psycopg's own function takes what it has written apart again, as long as half a query takes."""
    return " ".join(f"{name}='{_escaped(value)}'" for name, value in parameters.items())


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("'", "\\'")


CRASHED = "The database ended the connection while this ran, twice."


class Login(Struct, frozen=True):
    """A database, and the role that logs in to it. Every world has logins of its own; no two share a role."""

    database: str
    role: str
    server: PostgresServer
    """With the login's own role and password."""
    owner: str
    """The role that owns everything in the database, as which a login's SQL runs: of a private database the login's own."""
    shown_as: str
    """The database's name in the dataset."""
    private: bool
    """Nobody else uses the database, and it goes with the login."""
    patience: float
    """Seconds for which a server that cannot be reached is tried again."""


class Exploration(Struct, frozen=True):
    login: Login
    sql: str
    limits: Limits
    writes: bool
    """False: a single reading statement, read only. True: any text. Either is rolled back."""
    shown: bool
    """Only the table's text is wanted."""


class QueryJudgement(Struct, frozen=True):
    """A function `(Bench, Request) -> Response` by name, and its encoded request."""

    login: Login
    function: str
    request: Raw
    limits: Limits
    writes: bool
    """False: reading statements, rolled back. True: every text is committed, in a database for this judgement alone."""
    last: bool
    """Whether a lost connection is the fault of the SQL by now, and not to be tried again."""


class PostgresRows(Struct, frozen=True, tag="Rows"):
    table: Table
    spoiled: bool


class PostgresShown(Struct, frozen=True, tag="Shown"):
    """A table, cut to what an agent is shown."""

    seen: Observation
    spoiled: bool


class PostgresFault(Struct, frozen=True, tag="Fault"):
    kind: SqlFault
    message: str
    spoiled: bool
    """The login may not be as it was before: something was committed, or the connection was cut."""


class Applied(Struct, frozen=True, tag=True):
    response: Raw
    timed_out: bool
    """A statement was stopped at its time limit, which may have been another's fault."""
    session: bool = False
    """The function asked for a session of its own."""


class NeedsCopy(Struct, frozen=True, tag=True):
    """This cannot be done by reading alone."""


class Lost(Struct, frozen=True, tag=True):
    """The connection broke. The server may be back already."""


class ServerGone(Struct, frozen=True, tag=True):
    """The server cannot be reached, or lets nobody in."""

    message: str


class Refused(Struct, frozen=True, tag=True):
    """The server refused an administrative statement."""

    state: str
    message: str


class Done(Struct, frozen=True, tag=True):
    pass


class Orders(Struct, frozen=True):
    """Administrative statements, each on its own."""

    server: PostgresServer
    statements: list[str]
    patience: float


class TemplateCheck(Struct, frozen=True):
    server: PostgresServer
    templates: list[str]
    patience: float


class TemplateRights(Struct, frozen=True):
    """What we may do with a template that is there."""

    name: str
    owner: str
    cloned: bool
    """It may be cloned, and everything in it may be given to other roles."""
    read: bool
    options: str
    """Of CREATE DATABASE for one that sorts as it does."""


class Hold(Struct, frozen=True):
    server: PostgresServer
    run: str
    patience: float


class Facts(Struct, frozen=True, tag=True):
    """What the server is."""

    major: int
    version: str
    superuser: bool
    collation: str
    """By which text is sorted: en_US.utf8, ICU en-US, C.UTF-8."""


class Unfit(Struct, frozen=True, tag=True):
    """The server cannot be used, for a reason that its owner can mend."""

    message: str


class BaseClone(Struct, frozen=True):
    """A template to be made ready for cloning."""

    server: PostgresServer
    run: str
    template: str
    ground: str
    base: str
    strategy: str
    superuser: bool
    patience: float
    filled: bool = False
    """The ground is there already, with what the template holds."""


class Laid(Struct, frozen=True, tag=True):
    """A template is ready for cloning."""

    size: int
    """In bytes."""


class CopyOrder(Struct, frozen=True):
    """A private copy to be made: the statement that makes it, those for its roles, and whose things become the login's own."""

    server: PostgresServer
    login: Login
    create: str
    roles: str
    belongs_to: list[str]
    shared: bool
    """Whether that role stays at work elsewhere, and so keeps what it may do."""
    superuser: bool
    patience: float
    session: float | None = None
    """The timeout of statements of the psycopg2 session that is kept open for whoever judges on it in the same worker. Without
    one it is a connection of psycopg's."""


class LoginOrder(Struct, frozen=True):
    """Something to be done with a login that nobody uses any more."""

    server: PostgresServer
    login: Login
    patience: float


class BrokenTemplate(Struct, frozen=True, tag="Broken"):
    """A template that cannot be used, and why."""

    reason: str


class Contents(Struct, frozen=True):
    server: PostgresServer
    base: str
    template: str
    patience: float


class Description(Struct, frozen=True, tag=True):
    """What a database holds."""

    tables: dict[str, int]
    """Rows by table. A table outside of the schema `public` has its schema's name in front."""
    digest: str
