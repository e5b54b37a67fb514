"""The run on its server, as the event loop sees it: base clones, logins, and what is dropped in the background.

Nothing here keeps a list of what exists on the server: whatever a run makes carries its id in the name and belongs to its
keeper, so a run that dies leaves nothing that the next one cannot find (see `run_lock`). Every attempt uses new names, because
after a lost connection nobody knows whether a clone was made. A login belongs to whoever asked for it, until `give_up`.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import re
import secrets
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, NamedTuple, TypeVar

from ...errors import DatabaseFailure, InputError, Unscorable, WorkerFailure
from ...workers.limits import Turns, cores
from ...workers.pool import Pool, Worker, WorkerLost
from . import names
from .messages import (
    BaseClone,
    BrokenTemplate,
    Contents,
    CopyOrder,
    Description,
    Facts,
    Hold,
    Laid,
    Login,
    LoginOrder,
    Lost,
    Orders,
    PostgresServer,
    Refused,
    ServerGone,
    TemplateCheck,
    TemplateRights,
    Unfit,
)
from .templates import copy_contents, to_copy
from .worker import administer, copy, describe, hold, lay_ground, let_go, remove, rights, settle

AT_ONCE = 4
"""Administrative statements. Each waits for a good part of its time: for a checkpoint, or until a connection has ended."""

_PAUSE = 0.05
_MOST_WAITING = 512 * 2**20
"""Bytes of databases that wait for a pause in which they are dropped; beyond that they are dropped at once."""
_ADMINISTRATOR = "administrator"
_SECONDS = 600.0
"""Until a worker that does something administrative is given up: templates may be large."""
_OLDEST_WITH_STRATEGY = 15
_LARGEST_TEMPORARY_FILES = "2GB"
_RUN = re.compile(r"[a-z0-9]{1,16}")

A = TypeVar("A")
R = TypeVar("R")


class _Interrupted(Exception):
    """A connection or a worker was lost on the way; whether the work was done is not known."""


class _Ground(NamedTuple):
    ground: str
    base: str
    size: int
    """Of either, in bytes."""


class Administrator:
    """Makes and drops databases and roles. Its first use takes hold of the server."""

    def __init__(self, server: PostgresServer, pool: Pool, run: str | None, patience: float) -> None:
        if run is not None and not _RUN.fullmatch(run):
            raise InputError(f"not an id for a run: {run!r}: expected up to 16 lower-case letters and digits")
        self.server = server
        self.pool = pool
        self.run = run or secrets.token_hex(4)
        self.patience = patience
        self.judging = Turns(cores())
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._tidying = asyncio.Lock()
        self._waiting = 0
        """Bytes of the databases that wait to be dropped."""
        self._last_use = time.monotonic()
        self._closed = False
        self._numbers = itertools.count(1)
        self._starting = asyncio.Lock()
        self._holder: Worker | None = None
        self._facts: Facts | None = None
        self._laying: dict[str, asyncio.Lock] = {}
        self._grounds: dict[str, _Ground] = {}
        self._described: dict[str, Description] = {}
        self._copied: dict[str, TemplateRights] = {}
        self._background: set[asyncio.Task[None]] = set()

    async def start(self) -> Facts:
        """Takes hold of the server. Raises InputError if it cannot be used."""
        async with self._starting:
            if self._facts is None:
                self._holder = self._holder or await self.pool.lease()
                try:
                    facts = await self._holder.call(hold, self._hold(), wall=_SECONDS)
                except WorkerLost as lost:
                    self.pool.give_back(self._holder)
                    self._holder = None
                    raise WorkerFailure(f"cannot look at the PostgreSQL server: {lost}") from None
                if isinstance(facts, Unfit):
                    raise InputError(facts.message)
                self._facts = facts
            return self._facts

    async def check(self, databases: Iterable[str]) -> None:
        """Whether the templates of these can be used; those that are not there are not looked at. Raises InputError."""
        facts = await self.start()
        if facts.superuser:
            return
        wanted = [names.template(name) for name in databases]
        templates = await _twice(lambda: self._call(rights, TemplateCheck(self.server, wanted, self.patience), ""))
        assert isinstance(templates, list)
        self._copied |= to_copy(templates, self.server.user, facts.major)

    async def close(self) -> None:
        """Waits for what is under way and drops all that the run has made. A server that is gone is left alone."""
        self._closed = True
        while self._background:
            await asyncio.gather(*self._background, return_exceptions=True)
        if self._holder is not None:
            holder, self._holder = self._holder, None
            try:
                await holder.call(let_go, self._hold(), wall=_SECONDS)
            except (WorkerLost, WorkerFailure):
                holder.kill()
            self.pool.give_back(holder)

    async def for_episode(self, function: Callable[[A], R], request: A, login: Login, *, stalled: float) -> R:
        """What an episode waits for, in a worker that may have a connection for the login."""
        self._last_use = time.monotonic()
        try:
            return await self.pool.call(function, request, stalled=stalled, key=login.role)
        finally:
            self._last_use = time.monotonic()

    async def pause(self) -> None:
        """Until no episode has begun or ended anything for a moment.

        Copies are made ahead, and old ones dropped, in the pauses in which models think: while episodes queue for the cores,
        either would only delay what somebody waits for. One long statement is no reason to wait, so this is about beginnings
        and ends.
        """
        while (left := self._last_use + _PAUSE - time.monotonic()) > 0 and not self._closed:  # noqa: ASYNC110 - no event: a pause
            await asyncio.sleep(left)

    async def ground(self, database: str) -> str:
        """The name of the database to clone, made at its first use. Raises Unscorable if there is no good template."""
        return (await self._ground(database)).ground

    async def describe(self, database: str) -> Description:
        """Looked at once: a template does not change while a run uses it."""
        base = (await self._ground(database)).base
        if database not in self._described:
            order = Contents(self.server, base, names.template(database), self.patience)
            description = await _twice(lambda: self._call(describe, order, database))
            assert isinstance(description, Description)
            self._described[database] = description
        return self._described[database]

    async def reading_login(self, database: str) -> Login:
        """A role of its own, on the database that all episodes read."""
        base = (await self._ground(database)).base
        return await _twice(lambda: self._make_reading_login(base, database))

    async def clone(self, database: str, state: Login | None = None, *, session: float | None = None) -> Login:
        """A login on a new copy of a world's state, which nobody is connected to, or else of the ground. The worker that makes
        it keeps a connection open to it: with `session` one of psycopg2's, with that timeout of its statements."""
        if state is None:
            source, belongs_to = await self.ground(database), [names.owner(self.run)]
        else:
            source, belongs_to = state.database, [state.owner, state.role]
        return await _twice(lambda: self._clone(source, belongs_to, database, shared=state is None, session=session))

    async def settle(self, login: Login) -> None:
        """Makes a copy that was written to one that can be cloned."""
        await _twice(lambda: self._call(settle, LoginOrder(self.server, login, self.patience), login.shown_as))

    def give_up(self, login: Login) -> None:
        """Drops the login's role, and its database if it is private, in a pause."""
        size = self._grounds[login.shown_as].size if login.private else 0
        wait = self._waiting + size <= _MOST_WAITING
        self._waiting += size
        self.in_background(self._remove(login, size, wait=wait))

    async def _remove(self, login: Login, size: int, *, wait: bool) -> None:
        """One after the other, each in a pause; but what nobody needs any more never takes much memory."""
        try:
            async with self._tidying if wait else contextlib.nullcontext():
                if wait:
                    await self.pause()
                if not self._closed:  # then all is dropped anyway
                    await _twice(lambda: self._call(remove, LoginOrder(self.server, login, self.patience), ""))
        finally:
            self._waiting -= size

    def in_background(self, work: Coroutine[Any, Any, None]) -> None:
        """What fails here is tried again when the run ends."""
        task = asyncio.create_task(_quietly(work))
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _ground(self, database: str) -> _Ground:
        async with self._laying.setdefault(database, asyncio.Lock()):
            if database not in self._grounds:
                self._grounds[database] = await _twice(lambda: self._lay(database))
        return self._grounds[database]

    async def _lay(self, database: str) -> _Ground:
        facts = await self.start()
        ground, base = self._name(database, "t"), self._name(database, "b")
        template = names.template(database)
        if not facts.superuser:
            await self.check([database])
        if copied := self._copied.get(template):
            create = f"CREATE DATABASE {ground} OWNER {names.keeper(self.run)} TEMPLATE template0 {copied.options}"
            await self._order([create])
            await copy_contents(self.server, template, ground, facts.major)
        strategy, superuser = _strategy(facts), facts.superuser
        order = BaseClone(self.server, self.run, template, ground, base, strategy, superuser, self.patience, copied is not None)
        laid = await self._call(lay_ground, order, database)
        assert isinstance(laid, Laid)
        return _Ground(ground, base, laid.size)

    async def _make_reading_login(self, base: str, database: str) -> Login:
        login = self._login(base, self._name(database, "r"), database, private=False)
        await self._order([self._creation(login)])
        return login

    async def _clone(self, source: str, belongs_to: list[str], database: str, *, shared: bool, session: float | None) -> Login:
        facts = await self.start()
        name = self._name(database, "c")
        login = self._login(name, name, database, private=True)
        # Past row policies, which are not to change what agents see; the administrator must be able to hand things over.
        policies = "BYPASSRLS" if facts.superuser else ""
        owner = f"CREATE ROLE {login.owner} NOLOGIN {policies} ROLE {names.quoted(self.server.user)}"
        rights = f"REVOKE ALL ON DATABASE {name} FROM PUBLIC; GRANT CREATE, TEMPORARY ON DATABASE {name} TO {login.owner}"
        create = f"CREATE DATABASE {name} OWNER {names.keeper(self.run)} TEMPLATE {source}{_strategy(facts)}"
        roles = f"{owner}; {self._creation(login)}; {rights}; GRANT CONNECT ON DATABASE {name} TO {login.role}"
        order = CopyOrder(self.server, login, create, roles, belongs_to, shared, facts.superuser, self.patience, session)
        await self._call(copy, order, "", key=login.role)
        return login

    async def _order(self, statements: list[str]) -> None:
        await self._call(administer, Orders(self.server, statements, self.patience), "")

    async def _call(self, function: Callable[[A], R], request: A, database: str, *, key: str = _ADMINISTRATOR) -> R:
        async with self._turns:
            try:
                answer = await self.pool.call(function, request, wall=_SECONDS, key=key)
            except WorkerLost as lost:
                if lost.overdue:
                    raise DatabaseFailure(f"the PostgreSQL server has not answered for {_SECONDS:.0f} seconds") from None
                raise _Interrupted from None
        _check(answer, database)
        return answer

    def _name(self, database: str, kind: str) -> str:
        """A new one each time, so that what was interrupted can be begun anew."""
        return f"{names.prefix(self.run, database)}_{kind}{next(self._numbers)}"

    def _login(self, database: str, role: str, shown_as: str, *, private: bool) -> Login:
        password = secrets.token_hex(16) if self.server.needs_passwords else None
        server = self.server.as_role(role, password)
        owner = names.owner_of_copy(role) if private else names.owner(self.run)
        return Login(database, role, server, owner, shown_as, private, self.patience)

    def _creation(self, login: Login) -> str:
        password = f" PASSWORD '{login.server.password}'" if login.server.password else ""
        create = f"CREATE ROLE {login.role} LOGIN{password} IN ROLE {login.owner}"
        if self._facts is None or not self._facts.superuser:
            return f"{create} ROLE {names.quoted(self.server.user)}"  # so that the administrator may end its connections
        hidden = f"ALTER ROLE {login.role} SET track_activities = off"
        return f"{create}; {hidden}; ALTER ROLE {login.role} SET temp_file_limit = '{_LARGEST_TEMPORARY_FILES}'"

    def _hold(self) -> Hold:
        return Hold(self.server, self.run, self.patience)


def _strategy(facts: Facts) -> str:
    """Copying files is quicker than writing every page to the log, where there is the choice."""
    return " STRATEGY FILE_COPY" if facts.major >= _OLDEST_WITH_STRATEGY else ""


async def _twice(work: Callable[[], Awaitable[R]]) -> R:
    with contextlib.suppress(_Interrupted):
        return await work()
    try:
        return await work()
    except _Interrupted:
        raise DatabaseFailure("the connection to the PostgreSQL server breaks again and again") from None


def _check(answer: object, database: str) -> None:
    if isinstance(answer, Lost):
        raise _Interrupted
    if isinstance(answer, ServerGone):
        raise unreachable(answer)
    if isinstance(answer, Refused):
        raise DatabaseFailure(f"the PostgreSQL server refuses to work: {answer.message}")
    if isinstance(answer, BrokenTemplate):
        raise Unscorable(f"database {database} cannot be used: {answer.reason}")


def unreachable(gone: ServerGone) -> DatabaseFailure:
    return DatabaseFailure(f"the PostgreSQL server cannot be reached: {gone.message}")


async def _quietly(work: Coroutine[Any, Any, None]) -> None:
    with contextlib.suppress(DatabaseFailure, WorkerFailure, Unscorable, InputError):
        await work


# Copies of one database that are made before they are asked for: a few, and none before the first is asked for.


class ClonePool:
    def __init__(self, administrator: Administrator, database: str, ahead: int) -> None:
        self._administrator = administrator
        self._database = database
        self._ahead = ahead
        self._ready: deque[Login] = deque()
        # Copies on their way count as stock, or each `take` would order all of `_ahead` again while the first are being made.
        # One that fails is only taken off the count: the next `take` orders it anew, and whoever needs one makes it, and
        # hears what is wrong, without the stock.
        self._coming = 0
        self.session: float | None = None
        """The timeout of the session that the last judgement used, if it did: the next one probably needs one too."""

    async def take(self, *, session: float | None = None) -> Login:
        """One that is ready, or a new one; others are made for those who come next."""
        login = self._ready.popleft() if self._ready else None
        try:
            return login or await self._administrator.clone(self._database, session=session)
        finally:
            self._refill()

    def _refill(self) -> None:
        for _ in range(self._ahead - len(self._ready) - self._coming):
            self._coming += 1
            self._administrator.in_background(self._add())

    async def _add(self) -> None:
        try:
            await self._administrator.pause()
            self._ready.append(await self._administrator.clone(self._database, session=self.session))
        finally:
            self._coming -= 1
