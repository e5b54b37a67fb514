"""The environment server: one application with several contracts, in one process or in several on one port.

    /ws  /schema  /metadata  /health  /mcp                    OpenEnv
    /seed_session  /<tool>  /verify  /aggregate_metrics       NeMo Gym
    /metrics                                                  Prometheus

With several processes each has a listening socket of its own on the same port (SO_REUSEPORT), made before they are forked and
kept open by the parent: connections to a process that died wait for the one that takes its place. A WebSocket stays with its
process; a request for a session of another process is passed on to it through a Unix socket.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import resource
import signal
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Mapping
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from ..errors import EpisodeFailure, InputError
from ..serving.gate import Gate
from ..sockets import listen
from ..types import ToolCall
from . import nemo, openenv
from .openenv import as_json, body_of
from .peers import Peers
from .sessions import BUCKETS, EnvSession, Full, Sessions, Slots

COOKIE = "touchstone_session"
LARGEST_BODY = 64 * 2**20
"""A rollout with its tokens is long."""
_NAME = re.compile(rf"[\w.-]{{1,{openenv.LONGEST_NAME}}}", re.ASCII)
_NOBODY_WAITS = 499
_SECONDS_TO_END = 3
_SHORT_LIFE = 2.0
"""Seconds. A process that gives up sooner would do so again, and the server ends."""
_KILLED_AT_ONCE = 5
"""So often in a row one is started again that somebody killed so soon."""
_COUNTED = {
    "sessions": "sessions_total",
    "sessions_refused": "sessions_refused_total",
    "sessions_expired": "sessions_expired_total",
}


class EnvApp:
    """The routes, and what is behind them."""

    def __init__(self, sessions: Sessions, label: str, peers: Peers) -> None:
        self._sessions = sessions
        self._label = label
        self._peers = peers
        self.app = Starlette(
            routes=[
                WebSocketRoute("/ws", self._websocket),
                Route("/health", self._health),
                Route("/schema", self._schema),
                Route("/metadata", self._metadata),
                Route("/openapi.json", self._openapi),
                Route("/reverify_mode", self._reverify_mode),
                Route("/metrics", self._metrics),
                Route("/mcp", self._answered(self._mcp), methods=["POST"]),
                Route("/seed_session", self._answered(self._seed), methods=["POST"]),
                Route("/close_session", self._answered(self._close), methods=["POST"]),
                Route("/verify", self._answered(self._verify), methods=["POST"]),
                Route("/aggregate_metrics", self._answered(self._aggregate), methods=["POST"]),
                Route("/{tool}", self._tool, methods=["POST"]),
            ]
        )

    async def _websocket(self, socket: WebSocket) -> None:
        name = socket.query_params.get("session_id")
        if name and (owner := self._peers.owner(name)) != self._peers.number:
            with contextlib.suppress(OSError):  # that process is gone, and its sessions are unknown here
                await self._peers.relay(socket, owner)
                return
        await openenv.OpenEnvConnection(self._sessions, socket, name).serve()

    async def _health(self, _: Request) -> Response:
        if self._sessions.draining:
            return as_json({"status": "unhealthy", "detail": "draining"}, 503, {"retry-after": "30"})
        return as_json({"status": "healthy"})

    async def _schema(self, _: Request) -> Response:
        return as_json(openenv.schema(self._sessions))

    async def _metadata(self, _: Request) -> Response:
        return as_json(openenv.metadata(self._sessions, self._label))

    async def _openapi(self, _: Request) -> Response:
        return as_json(openenv.openapi([route for route in self.app.routes if isinstance(route, Route)], self._label))

    async def _mcp(self, request: Request, body: dict[str, Any]) -> Response:
        name = openenv.session_named_in(body)
        if name is not None and (owner := self._peers.owner(name)) != self._peers.number:
            return await self._peers.pass_on(request, owner)
        answer = await openenv.answer_rpc(self._sessions, body)
        return Response(status_code=202) if openenv.is_notification(body) else as_json(answer)

    async def _seed(self, request: Request, body: dict[str, Any]) -> Response:
        name = body.get("resources_session_id")
        if name is not None and not (isinstance(name, str) and _NAME.fullmatch(name)):
            raise InputError("resources_session_id: expected up to 200 letters, digits, dots, dashes and underscores")
        known = self._sessions.leased.get(self._peers.name(name)) if name else None  # said twice
        session = known or await self._sessions.begun(nemo.task_in(body), name)
        return _with_cookie(as_json({"resources_session_id": name} if name else {}), session.name)

    async def _close(self, request: Request, body: dict[str, Any]) -> Response:
        if (owner := self._owner(request)) != self._peers.number:
            return await self._peers.pass_on(request, owner)
        if session := self._sessions.leased.get(request.cookies.get(COOKIE, "")):
            await self._sessions.release(session)
        return as_json({"resources_session_id": body.get("resources_session_id", "")})

    async def _verify(self, request: Request, body: dict[str, Any]) -> Response:
        if (owner := self._owner(request)) != self._peers.number:
            return await self._peers.pass_on(request, owner)
        session = self._session(request) if COOKIE in request.cookies else None
        return as_json(await nemo.verify(self._sessions, body, session))

    async def _aggregate(self, _: Request, body: dict[str, Any]) -> Response:
        return as_json(nemo.aggregate(body.get("verify_responses")))

    async def _tool(self, request: Request) -> Response:
        """Every answer says the cookie again: NeMo Gym's agents send on what the last answer set, and nothing else."""
        if COOKIE not in request.cookies:
            name = request.path_params["tool"]
            return as_json({"detail": f"there is no route /{name}; a tool needs the cookie of /seed_session"}, 404)
        return _with_cookie(await self._answered(self._called)(request), request.cookies[COOKIE])

    async def _called(self, request: Request, _: dict[str, Any]) -> Response:
        """The text that the agent sees."""
        if (owner := self._owner(request)) != self._peers.number:
            return await self._peers.pass_on(request, owner)
        arguments = (await request.body()).decode("utf-8", "replace")
        step = await self._session(request).step(ToolCall("call", request.path_params["tool"], arguments))
        return PlainTextResponse(step.text)

    async def _reverify_mode(self, _: Request) -> Response:
        """Whether NeMo Gym may have stored responses verified again: any, since /verify needs no session."""
        return as_json("stateless")

    def _session(self, request: Request) -> EnvSession:
        session = self._sessions.leased.get(request.cookies.get(COOKIE, ""))
        if session is None:
            raise _Gone
        return session

    def _owner(self, request: Request) -> int:
        return self._peers.owner(request.cookies.get(COOKIE, ""))

    def _answered(
        self, handle: Callable[[Request, dict[str, Any]], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        """What goes wrong, as a status and a line. A client that vanishes meanwhile takes its call and its session along."""

        async def answer(request: Request) -> Response:
            try:
                body = await body_of(request)
            except InputError as error:
                return as_json({"detail": str(error)}, 422)
            work = asyncio.create_task(self._tried(handle(request, body)))
            gone = asyncio.ensure_future(request.receive())  # all of the body is read: what comes now is the end
            try:
                await asyncio.wait((work, gone), return_when=asyncio.FIRST_COMPLETED)
                if work.done():
                    return work.result()
            finally:
                for task in (work, gone):
                    task.cancel()
                await asyncio.gather(work, gone, return_exceptions=True)
            name = openenv.session_named_in(body) or request.cookies.get(COOKIE, "")
            if session := self._sessions.leased.get(name):
                await self._sessions.release(session)
            return Response(status_code=_NOBODY_WAITS)

        return answer

    async def _tried(self, handled: Awaitable[Response]) -> Response:
        try:
            return await handled
        except InputError as error:
            return as_json({"detail": str(error)}, 422)
        except Full as full:
            return as_json({"detail": str(full), "active": full.active, "max": full.most}, 503, {"retry-after": "1"})
        except (_Gone, httpx.ConnectError):  # or the process that had it is
            return as_json({"detail": "there is no such session, or its lease ran out: seed it again"}, 410)
        except EpisodeFailure as failure:
            return as_json({"detail": str(failure)}, 500)

    async def _metrics(self, request: Request) -> Response:
        counts = measured(self._sessions)
        if "local" in request.query_params:
            return as_json(counts)
        for number in self._peers.others():
            with contextlib.suppress(httpx.HTTPError):
                async with self._peers.client(number) as client:
                    counts.update((await client.get("/metrics?local")).json())  # counters add up
        return PlainTextResponse(prometheus(counts, self._sessions))


class _Gone(Exception):
    pass


def _with_cookie(answer: Response, session: str) -> Response:
    answer.set_cookie(COOKIE, session, httponly=True, samesite="strict")
    return answer


def measured(sessions: Sessions) -> Counter[str]:
    """What this process has counted, by the names of the metrics."""
    counts: Counter[str] = Counter()
    counts["sessions_active"] = len(sessions.leased)
    for name, metric in _COUNTED.items():
        counts[metric] = sessions.counts[name]
    for outcome, count in sessions.outcomes.items():
        counts[f'episodes_total{{outcome="{outcome}"}}'] = count
    counts["reward_sum"] = sessions.rewarded  # pyright: ignore[reportArgumentType]
    below = 0
    for limit, count in zip(BUCKETS, sessions.buckets, strict=True):
        below += count
        counts[f'step_seconds_bucket{{le="{limit:g}"}}'] = below
    counts['step_seconds_bucket{le="+Inf"}'] = counts["step_seconds_count"] = sessions.counts["steps"]
    counts["step_seconds_sum"] = sessions.seconds  # pyright: ignore[reportArgumentType]
    counts["memory_bytes"] = _memory()
    return counts


def prometheus(counts: Mapping[str, float], sessions: Sessions) -> str:
    kinds = {"sessions_active": "gauge", "memory_bytes": "gauge", "step_seconds": "histogram"}
    lines: list[str] = []
    families: set[str] = set()
    for name, value in counts.items():
        family = name.partition("{")[0]
        family = "step_seconds" if family.startswith("step_seconds") else family
        if family not in families:
            families.add(family)
            lines.append(f"# TYPE touchstone_env_{family} {kinds.get(family, 'counter')}")
        lines.append(f"touchstone_env_{name} {value:g}" if isinstance(value, float) else f"touchstone_env_{name} {value}")
    lines += ["# TYPE touchstone_env_sessions_max gauge", f"touchstone_env_sessions_max {sessions.slots.most}"]
    lines += ["# TYPE touchstone_env_draining gauge", f"touchstone_env_draining {int(sessions.draining)}"]
    return "\n".join(lines) + "\n"


def _memory() -> int:
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


class _Server(uvicorn.Server):
    """Leaves signals to us: the first one drains, the second ends."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


async def serve(
    sessions: Sessions,
    label: str,
    sockets: list[socket.socket],
    peers: Peers,
    *,
    host: str,
    allow: tuple[str, ...],
    drain: float,
    silence: float,
) -> None:
    """Answers until a signal; then takes no new sessions and waits `drain` seconds for those under way. A client may be silent
    for `silence` seconds: one whose event loop trains a model meanwhile does not even answer pings."""
    own = socket.socket(socket.AF_UNIX)
    own.bind(peers.path(peers.number))
    config = uvicorn.Config(
        Gate(EnvApp(sessions, label, peers).app, host, allow, largest=LARGEST_BODY),
        log_level="warning",
        access_log=False,
        lifespan="off",
        ws="websockets-sansio",
        ws_max_size=16 * 2**20,
        ws_per_message_deflate=False,
        ws_ping_timeout=silence,
        backlog=4096,
        timeout_graceful_shutdown=_SECONDS_TO_END,
    )
    server = _Server(config)
    over = asyncio.Event()
    asked = [0]

    def stop() -> None:
        asked[0] += 1
        over.set()
        if asked[0] > 1:
            server.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    serving = asyncio.create_task(server.serve(sockets=[*sockets, own]))
    ending = asyncio.create_task(over.wait())
    await asyncio.wait({serving, ending}, return_when=asyncio.FIRST_COMPLETED)
    draining = asyncio.create_task(sessions.drained())
    await asyncio.wait({serving, draining}, timeout=drain, return_when=asyncio.FIRST_COMPLETED)
    for task in (draining, ending):
        task.cancel()
    server.should_exit = True
    await serving


def listen_on(host: str, port: int, processes: int) -> list[socket.socket]:
    """A listening socket for each process, all on one port."""
    first = listen(host, port, backlog=4096, shared=processes > 1)
    port = first.getsockname()[1]
    return [first, *(listen(host, port, backlog=4096, shared=True) for _ in range(processes - 1))]


def run_processes(run: Callable[[socket.socket, Slots, Peers], int], sockets: list[socket.socket], most: int) -> int:
    """Runs the server in a process for each socket, and starts one again that dies. Ends when all have ended.

    Forked before any event loop or thread exists, so a child is as good as a fresh process.
    """
    slots = Slots(most, len(sockets))
    with tempfile.TemporaryDirectory(prefix="touchstone-env-") as folder:
        if len(sockets) == 1:
            return run(sockets[0], slots, Peers(Path(folder)))
        children: dict[int, tuple[int, float]] = {}
        stopping = [0]
        short_lives = [0] * len(sockets)

        def start(number: int) -> None:
            Path(folder, f"{number}.sock").unlink(missing_ok=True)
            slots.clear(number)
            if (pid := os.fork()) == 0:
                code = 1
                try:
                    for caught in (signal.SIGINT, signal.SIGTERM):
                        signal.signal(caught, signal.SIG_DFL)
                    slots.process = number
                    code = run(sockets[number], slots, Peers(Path(folder), len(sockets), number))
                except InputError as error:
                    print(f"touchstone: {error}", file=sys.stderr, flush=True)
                    code = 2
                finally:
                    os._exit(code)
            children[pid] = (number, time.monotonic())

        def forward(_number: int, _: Any) -> None:
            stopping[0] += 1
            for pid in children:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGTERM)

        for caught in (signal.SIGINT, signal.SIGTERM):
            signal.signal(caught, forward)
        for number in range(len(sockets)):
            start(number)
        worst = 0
        while children:
            pid, status = os.wait()
            if pid not in children:
                continue
            number, started = children.pop(pid)
            code = os.waitstatus_to_exitcode(status)
            short = time.monotonic() - started < _SHORT_LIFE
            short_lives[number] = short_lives[number] + 1 if short else 0
            if stopping[0] or code == 2 or (short and (code >= 0 or short_lives[number] > _KILLED_AT_ONCE)):
                worst = max(worst, abs(code))
                if not stopping[0]:
                    forward(signal.SIGTERM, None)
                continue
            print(f"touchstone: process {number} of the server died ({code}) and is started again", file=sys.stderr, flush=True)
            start(number)
        return min(worst, 2)
