"""The world of one episode: a database in its present state, which can be looked at, judged on, and moved on.

At first the state is that of the template: reading goes to a database that all episodes share, writing to private copies. A
script that writes makes a state of the world's own: a private copy that nobody is connected to, so that it can be cloned.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from ...errors import SqlError, SqlFault, WorkerFailure
from ...types import Limits, Observation, Table
from ...workers.pool import WorkerLost
from ..judging_connection import JudgingConnection, name_of, result_type
from .clone_pool import Administrator, ClonePool, unreachable
from .messages import (
    CRASHED,
    Applied,
    Exploration,
    Login,
    Lost,
    NeedsCopy,
    PostgresFault,
    PostgresRows,
    PostgresShown,
    QueryJudgement,
    ServerGone,
)
from .statements import surely_writes
from .worker import explore, judge

# Scripts that move a world on, run like a judgement.


class Scripts(Struct, frozen=True):
    texts: list[str]


class Ran(Struct, frozen=True):
    """Without a kind, all of them worked."""

    kind: SqlFault | None = None
    message: str = ""


def run_all(bench: JudgingConnection, scripts: Scripts) -> Ran:
    try:
        for text in scripts.texts:
            bench.run(text)
    except SqlError as error:
        return Ran(error.kind, error.message)
    return Ran()


A = TypeVar("A")
R = TypeVar("R")

_MARGIN = 30.0
"""Seconds beyond all limits after which a worker is thought to be stuck."""
LONGEST_SCRIPT = 10_000_000

_encode = msgspec.msgpack.Encoder().encode


class PostgresEpisodeDatabase:
    """One episode's. It costs nothing until it is used."""

    def __init__(self, administrator: Administrator, stock: ClonePool, database: str, key: str) -> None:
        self.database = database
        self.key = key
        self._administrator = administrator
        self._stock = stock
        self._turn = asyncio.Lock()
        self._state: Login | None = None
        """The copy that holds the present state, if it is not the template's."""
        self._reading: Login | None = None
        self._private: Login | None = None

    async def explore(self, sql: str, limits: Limits) -> Table:
        """What a text gives in the present state; nothing that it does lasts. Cells are text or None. Raises SqlError."""
        answer = await self._seen(sql, limits, shown=False)
        assert isinstance(answer, PostgresRows)
        return answer.table

    async def show(self, sql: str, limits: Limits) -> Observation:
        """The same as an agent sees it, made beside the data, so that only what is shown is ever sent."""
        answer = await self._seen(sql, limits, shown=True)
        assert isinstance(answer, PostgresShown)
        return answer.seen

    async def judge(
        self, function: Callable[[JudgingConnection, A], R], request: A, limits: Limits, *, writes: bool = False, wall: float
    ) -> R:
        """Runs `function(bench, request)` in a worker, on a copy of the present state that nothing else has touched.

        Without `writes` it is tried by reading alone. If a statement times out, the whole is done once more while nothing else
        is judged, and only that counts. Raises SqlError if the function's SQL takes its worker or the server down, and
        WorkerFailure if its worker has done nothing for `wall` seconds: its statements have limits of their own.
        """
        async with self._turn:
            response, copy = await self._judge(function, request, limits, writes, wall)
            self._give_up(copy)
        return response

    async def advance(self, scripts: Sequence[str], limits: Limits) -> None:
        """From now on the state is what it was plus these scripts, committed. After a SqlError it is as before."""
        for script in scripts:
            _check_text(script)
        if not scripts:
            return
        wall = (limits.seconds + _MARGIN) * len(scripts)
        async with self._turn:
            writes = any(map(surely_writes, scripts))
            ran, copy = await self._judge(run_all, Scripts(list(scripts)), limits, writes, wall)
            try:
                if ran.kind is not None:
                    raise SqlError(ran.kind, ran.message)
                if copy is not None:
                    await self._administrator.settle(copy)
                    self._state, copy = copy, self._state
                    self._leave(self._reading, self._private)
            finally:
                self._give_up(copy)

    async def close(self) -> None:
        """Lets go of everything; it is dropped in the background."""
        self._give_up(self._state, self._reading, self._private)
        self._state = self._reading = self._private = None

    async def _seen(self, sql: str, limits: Limits, *, shown: bool) -> PostgresRows | PostgresShown:
        _check_text(sql)
        async with self._turn:
            answer = NeedsCopy() if surely_writes(sql) else await self._explore(sql, limits, shown, writes=False)
            if isinstance(answer, NeedsCopy):
                answer = await self._explore(sql, limits, shown, writes=True)
        if isinstance(answer, PostgresRows | PostgresShown):
            return answer
        assert isinstance(answer, PostgresFault)
        raise SqlError(answer.kind, answer.message)

    async def _explore(
        self, sql: str, limits: Limits, shown: bool, *, writes: bool
    ) -> PostgresRows | PostgresShown | PostgresFault | NeedsCopy:
        """Tried twice: a connection may have been lost for reasons that are not the text's."""
        wall = limits.seconds + self._administrator.patience + _MARGIN
        for _ in range(2):
            login = await (self._exploring_copy() if writes else self._reading_login())
            try:
                order = Exploration(login, sql, limits, writes, shown)
                answer = await self._administrator.for_episode(explore, order, login, stalled=wall)
            except WorkerLost as lost:
                self._leave(login)
                if lost.cause == "stalled":
                    raise _stalled(wall) from None
                continue
            if isinstance(answer, ServerGone):
                raise unreachable(answer)
            if isinstance(answer, Lost) or (
                isinstance(answer, PostgresRows | PostgresShown | PostgresFault) and answer.spoiled
            ):
                self._leave(login)
            if not isinstance(answer, Lost):
                return answer
        raise SqlError("crash", CRASHED)

    async def _judge(
        self, function: Callable[[JudgingConnection, A], R], request: A, limits: Limits, writes: bool, wall: float
    ) -> tuple[R, Login | None]:
        """The response, and the copy that it was found on if reading was not enough.

        The copy is then the caller's: `judge` gives it up, `advance` makes it the new state and gives up the old one. Whatever
        fails before that point has given its copy up already, so a copy has exactly one owner at any time.
        """
        order = _Order(name_of(function), msgspec.Raw(_encode(request)), limits, wall)
        answer, copy = await self._applied(order, writes)
        if answer.timed_out:  # the server's clock runs on while others have the cores
            self._give_up(copy)
            answer, copy = await self._applied(order, writes, alone=True)
        return msgspec.msgpack.decode(answer.response, type=result_type(function)), copy

    async def _applied(self, order: _Order, writes: bool, *, alone: bool = False) -> tuple[Applied, Login | None]:
        if not writes:
            answer = await self._judge_on(await self._reading_login(), order, writes=False, alone=alone)
            if isinstance(answer, Applied):
                return answer, None
        for last in (False, True):
            copy = await self._fresh_copy(session=self._stock.session)
            try:
                answer = await self._judge_on(copy, order, writes=True, last=last, alone=alone)
                if isinstance(answer, Applied):
                    self._stock.session = order.limits.seconds if answer.session else None
                    kept, copy = copy, None
                    return answer, kept
            finally:
                self._give_up(copy)
        raise SqlError("crash", CRASHED)

    async def _judge_on(
        self, login: Login, order: _Order, *, writes: bool, last: bool = False, alone: bool
    ) -> Applied | NeedsCopy | Lost:
        judgement = QueryJudgement(login, order.function, order.request, order.limits, writes, last)
        try:
            async with self._administrator.judging.turn(alone=alone):
                answer = await self._administrator.for_episode(judge, judgement, login, stalled=order.wall + login.patience)
        except WorkerLost as lost:
            self._leave(login)
            if lost.cause == "stalled":
                raise _stalled(order.wall) from None
            return Lost()
        if isinstance(answer, ServerGone):
            raise unreachable(answer)
        return answer

    async def _reading_login(self) -> Login:
        if self._state is not None:
            return await self._exploring_copy()
        if self._reading is None:
            self._reading = await self._administrator.reading_login(self.database)
        return self._reading

    async def _exploring_copy(self) -> Login:
        """A copy in which nothing is ever committed."""
        if self._private is None:
            self._private = await self._fresh_copy()
        return self._private

    async def _fresh_copy(self, *, session: float | None = None) -> Login:
        if self._state is None:
            return await self._stock.take(session=session)
        return await self._administrator.clone(self.database, self._state, session=session)

    def _leave(self, *logins: Login | None) -> None:
        """Logins that may have changed are not used again."""
        if self._reading in logins:
            self._give_up(self._reading)
            self._reading = None
        if self._private in logins:
            self._give_up(self._private)
            self._private = None

    def _give_up(self, *logins: Login | None) -> None:
        for login in logins:
            if login is not None:
                self._administrator.give_up(login)


class _Order(NamedTuple):
    function: str
    request: msgspec.Raw
    limits: Limits
    wall: float


def _check_text(sql: str) -> None:
    try:
        sql.encode()
    except UnicodeEncodeError:
        raise SqlError("sql", "The SQL contains half of a Unicode character (a lone surrogate).") from None
    if len(sql) > LONGEST_SCRIPT:
        raise SqlError("refused", f"The SQL is {len(sql):,} characters long; at most {LONGEST_SCRIPT:,} are taken.")


def _stalled(seconds: float) -> WorkerFailure:
    return WorkerFailure(f"the SQL was abandoned: its worker has made no progress for {seconds:g} seconds")
