"""`touchstone serve`: any agent as a text-to-SQL service."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..benchmarks.bird.benchmark import INSTRUCTIONS
from ..benchmarks.bird.tasks import load_tasks
from ..benchmarks.sql_episode import submission
from ..distribution import pip_install
from ..failures import InputError
from ..protocols import Limits
from ..serving.answering import Answerer, question_key
from ..serving.gate import Gate
from .building import Script, build_player, open_engine, read_instructions, refuse_unless_positive
from .options import PLAY, JudgeOptions, ModelOptions

_SECONDS_TO_END = 3
"""How long answers under way may take when the service is told to stop."""


@Parameter(name="*", group=PLAY)
@dataclass(frozen=True, kw_only=True)
class ServedOptions(ModelOptions):
    agent: str = "tools"
    """tools (function calling), react (plain text), or oracle (the gold SQL of --data)."""


def serve(
    *,
    databases: Path,
    play: ServedOptions = ServedOptions(),
    judged: JudgeOptions = JudgeOptions(),
    data: Path | None = None,
    schema: Annotated[bool, Parameter(negative="")] = False,
    parallel: Annotated[int, Parameter(name=["--parallel", "-p"])] = 4,
    host: str = "127.0.0.1",
    port: int = 8000,
    allow_host: Annotated[tuple[str, ...], Parameter(negative="")] = (),
) -> int:
    """Answer questions over HTTP with any agent: POST /infer (question, db_id, evidence) gives sql.

    Parameters
    ----------
    databases
        The directory that holds <db_id>/<db_id>.sqlite, or <db_id>.sqlite.
    data
        A task file in BIRD's format with the gold SQL that the oracle agent answers from.
    schema
        Tell the agent the tables and columns together with the question.
    parallel
        How many questions at once.
    host
        The address to listen on. Anyone who can reach it can ask.
    port
        The port; 0 takes a free one.
    allow_host
        Answer requests for this host name too (repeatable). Those of loopback and --host are answered; * allows all.
    """
    for option, value in (("--parallel", parallel), ("--max-turns", play.max_turns), ("--sql-timeout", judged.sql_timeout)):
        refuse_unless_positive(value, option)
    if not databases.is_dir():
        raise InputError(f"{databases}: there is no such directory of databases")
    listening = _listen(host, port)
    asyncio.run(_serve(databases, play, judged, data, schema, parallel, listening, (host, *allow_host)))
    return 0


async def _serve(
    databases: Path,
    play: ServedOptions,
    judged: JudgeOptions,
    data: Path | None,
    schema: bool,
    parallel: int,
    listening: socket.socket,
    hosts: Sequence[str],
) -> None:
    try:
        import uvicorn

        from ..serving.app import build_app
    except ImportError:
        raise InputError(f"serve needs FastAPI: {pip_install('serve')}") from None
    async with AsyncExitStack() as stack:
        engine = open_engine(judged, stack)
        scripts = {"solution": lambda: _solutions(data), "predictions": _no_predictions}
        player = build_player(play, None, parallel, stack, scripts)
        instructions = read_instructions(play.system_prompt) or INSTRUCTIONS.read_text()
        limits = Limits(seconds=judged.sql_timeout)
        answerer = Answerer(player.agent, engine, databases, instructions, schema=schema, parallel=parallel, limits=limits)
        app = Gate(build_app(answerer, player.title), hosts[0], hosts[1:])
        config = uvicorn.Config(app, log_level="warning", lifespan="off", timeout_graceful_shutdown=_SECONDS_TO_END)
        address = _address(listening)
        print(f"{player.title} answers at {address}/infer (documentation at {address}/docs)", flush=True)
        for number in (signal.SIGINT, signal.SIGTERM):  # uvicorn raises them again at its end, when our own is still to come
            asyncio.get_running_loop().add_signal_handler(number, lambda: None)
        await uvicorn.Server(config).serve(sockets=[listening])


def _solutions(data: Path | None) -> Script:
    if data is None:
        raise InputError("the oracle answers from gold SQL: give a task file with --data")
    return {question_key(task.question, task.database): [submission(task.gold)] for task in load_tasks(data)}.get


def _no_predictions() -> Script:
    raise InputError("the replay agent plays tasks, not questions: a service can have any other agent")


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _listen(host: str, port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)  # who reads the address can ask at once
    except (OSError, OverflowError) as error:
        listening.close()
        raise InputError(f"cannot listen on {host}:{port}: {getattr(error, 'strerror', None) or error}") from None
    if host not in ("127.0.0.1", "::1", "localhost"):
        print(f"touchstone: anyone who can reach {host} can ask this service", file=sys.stderr)
    return listening
