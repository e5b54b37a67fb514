"""PostgreSQL as an engine: a server of the user's by its address, or a private one made from a folder of dumps."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import parse_qsl, unquote, urlsplit

from ...distribution import pip_install, refuse_without_linux
from ...errors import InputError, TouchstoneError
from ...options import OptionError
from ...protocols import Check, EngineConfig, Opening

if TYPE_CHECKING:
    from .engine import PostgresEngine
    from .live import LiveEngine
    from .messages import PostgresServer


class PostgresConfig(EngineConfig, frozen=True, kw_only=True):
    """PostgreSQL. Each database is a template <name>_template on the server, which is never written to."""

    name: ClassVar[str] = "postgres"
    schemes: ClassVar[tuple[str, ...]] = ("postgresql", "postgres")

    locale: str | None = None
    """How the private server sorts, such as en_US.utf8."""
    time_zone: str | None = None
    """Of all sessions, such as Asia/Hong_Kong; by default the server's, which is UTC for the private one."""

    async def open(self, opening: Opening) -> PostgresEngine | LiveEngine:
        refuse_without_driver()
        if self.live:
            from .live import open_live

            return await open_live(str(self.place), opening)
        from .engine import PostgresEngine

        only = self._only()
        engine = PostgresEngine(await self._server(opening), today=self.today, only=only, time_zone=self.time_zone)
        opening.stack.push_async_callback(engine.close)
        await engine.start([only] if only else ())
        return engine

    @classmethod
    def checks(cls) -> Iterator[Check]:
        """Starts a private server, as a run would."""
        from ..today import INSTALL, faketime

        try:
            refuse_without_driver()
            from . import binaries
            from .private_server import started

            clock = time.perf_counter()
            version = binaries.find().major
            with started():
                spent = f"a private server after {time.perf_counter() - clock:.2f} s"
            yield Check(True, "PostgreSQL", f"version {version}, {spent}")
        except TouchstoneError as error:
            yield Check(False, "PostgreSQL", str(error))
        library = faketime()
        yield Check(library is not None, "libfaketime", f"--today on PostgreSQL: {library or INSTALL}")

    def _only(self) -> str | None:
        """The name of the database, where the place is its dump."""
        return Path(self.place).stem if self.place and Path(self.place).is_file() else None

    async def _server(self, opening: Opening) -> PostgresServer:
        address = str(self.place or "")
        if address.startswith(tuple(f"{scheme}://" for scheme in self.schemes)):
            return server_at(address)
        dumps = _dumps(address)
        refuse_without_linux("a private PostgreSQL server")
        from .private_server import embedded_server
        from .store import default_cache, prepared

        store = await prepared(dumps, None, default_cache(), opening.say, locale=self.locale)
        return await opening.stack.enter_async_context(embedded_server(store.data, today=self.today))


def _dumps(path: str) -> Path:
    if not path or not Path(path).exists():
        raise InputError(f"{path or 'PostgreSQL'}: expected postgresql://user@host:5432, a dump, or a folder of dumps")
    return Path(path)


def server_at(url: str, option: str = "database_url") -> PostgresServer:
    """From an address. What it leaves out comes from the usual variables: PGUSER, PGPASSWORD."""
    from .messages import PostgresServer

    parts = urlsplit(url)
    if parts.scheme not in PostgresConfig.schemes or not (parts.netloc or "host=" in parts.query):
        raise OptionError(option, None, "expected an address such as postgresql://user@host:5432")
    options = dict(parse_qsl(parts.query))  # where libpq, too, takes what is otherwise before the question mark
    try:
        port = int(options.pop("port", None) or parts.port or 5432)
    except ValueError:
        raise OptionError(option, None, "the port is not a number between 0 and 65535") from None
    options.pop("dbname", None)  # each connection names its own
    return PostgresServer(
        host=options.pop("host", None) or _host(parts.netloc) or "localhost",
        port=port,
        user=options.pop("user", None) or unquote(parts.username or os.environ.get("PGUSER") or "postgres"),
        password=options.pop("password", None) or unquote(parts.password or "") or os.environ.get("PGPASSWORD"),
        options=options,
    )


def _host(netloc: str) -> str:
    """As it was written: `hostname` of urllib is in lower case, and a socket's directory (%2Fvar%2Frun) may have capitals."""
    host = netloc.rpartition("@")[2]
    return unquote(host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0])


def refuse_without_driver(extra: str = "postgres") -> None:
    from importlib.util import find_spec

    if find_spec("psycopg") is None:
        raise InputError(f"PostgreSQL needs the driver: {pip_install(extra)}")
