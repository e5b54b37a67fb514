"""`touchstone serve`: any agent as a text-to-SQL service."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated, Any, cast

from ..benchmarks.sql_episode import INSTRUCTIONS, instructions_in, submission
from ..distribution import pip_install
from ..engines.sqlite.engine import SqliteEngine
from ..errors import InputError
from ..options import Count, Opt, Options, Positive, WholeNumber
from ..plugins import agent_type, model_type, open_engine, structs_with
from ..protocols import JUDGING, WHO, AgentConfig, AgentContext, ModelConfig, Opening, Script
from ..serving.gate import Gate
from ..serving.service import Answerer, question_key
from ..sockets import address_of, listen
from ..types import Limits
from .struct_command import StructCommand, typed_value
from .terminal import say

_SECONDS_TO_END = 3
"""How long answers under way may take when the service is told to stop."""


class ServeOptions(Options, frozen=True, kw_only=True):
    """What a service is."""

    databases: Path | None = None
    """The directory that holds <db_id>/<db_id>.sqlite, or <db_id>.sqlite."""
    data: Path | None = None
    """A task file in BIRD's format with the gold SQL that the oracle agent answers from."""
    schema: bool = False
    """Show the tables and columns with the question."""
    parallel: Annotated[Count, Opt(names=("-p",))] = 4
    """How many questions at once."""
    host: str = "127.0.0.1"
    """The address to listen on. Anyone who can reach it can ask."""
    port: WholeNumber = 8000
    """The port; 0 takes a free one."""
    allow_host: tuple[str, ...] = ()
    """Answer requests for this host name too (repeatable). Those of loopback and --host are answered; * allows all."""
    agent: Annotated[str, Opt(group=WHO)] = "tools"
    """The agent: tools (function calling), react (plain text), oracle (the gold SQL of --data), or any other agent."""
    system_prompt: Annotated[Path | None, Opt(group=WHO, advanced=True)] = None
    """A file with instructions that replace the built-in ones."""
    sql_timeout: Annotated[Positive, Opt(group=JUDGING)] = 30.0
    """Seconds for each statement."""
    cache: Annotated[bool, Opt(group=JUDGING, advanced=True)] = True
    """Reuse cached results of earlier runs."""


class ServeCommand(StructCommand):
    def __init__(self, argv: Sequence[str]) -> None:
        self.agent = agent_type(typed_value(argv, "--agent") or "tools")
        named = typed_value(argv, "--model", "-m") or os.environ.get("OPENAI_MODEL") or "gpt-5-mini"
        self.model = model_type(named) if self.agent.needs_model else None
        structs = (ServeOptions, self.agent, *((self.model,) if self.model else ()))
        help = "Answer questions over HTTP with any agent: POST /infer (question, db_id, evidence) gives sql."
        super().__init__(["serve"], argv, structs, help=help)

    def call(self, values: Mapping[str, Any], typed: Mapping[str, Any]) -> int:
        options = self.made(ServeOptions, values)
        if "predictions" in self.options:
            _no_predictions()
        if options.databases is None:
            raise InputError("serve needs --databases: the directory of databases")
        if not options.databases.is_dir():
            raise InputError(f"{options.databases}: there is no such directory of databases")
        agent = self.made(self.agent, values)
        model = self.made(self.model, values) if self.model else None
        listening = listen(options.host, options.port)
        if options.host not in ("127.0.0.1", "::1", "localhost"):
            say(f"anyone who can reach {options.host} can ask this service")
        asyncio.run(_serve(options, options.databases, agent, model, listening))
        return 0


async def _serve(
    options: ServeOptions, databases: Path, config: AgentConfig, model: ModelConfig | None, listening: socket.socket
) -> None:
    try:
        import uvicorn

        from ..serving.service import build_app
    except ImportError:
        raise InputError(f"serve needs FastAPI: {pip_install('serve')}") from None
    async with AsyncExitStack() as stack:
        opening = Opening(stack=stack, say=say)
        engine = cast(SqliteEngine, await open_engine("sqlite", opening, place=str(databases), cache=options.cache))
        asked = model.build(options.parallel) if model else None
        if asked:
            stack.push_async_callback(asked.close)
        context = AgentContext(model=asked, solutions=lambda: _solutions(options.data), predictions=_no_predictions)
        agent = config.build(context)
        title = f"agent {config.name}" + (f", model {asked.name}" if asked else "")
        answerer = Answerer(
            agent,
            engine,
            databases,
            instructions_in(options.system_prompt, INSTRUCTIONS),
            schema=options.schema,
            parallel=options.parallel,
            limits=Limits(seconds=options.sql_timeout),
        )
        app = Gate(build_app(answerer, title), options.host, options.allow_host)
        server = uvicorn.Config(app, log_level="warning", lifespan="off", timeout_graceful_shutdown=_SECONDS_TO_END)
        address = address_of(listening)
        print(f"{title} answers at {address}/infer (documentation at {address}/docs)", flush=True)
        for number in (signal.SIGINT, signal.SIGTERM):  # uvicorn raises them again at its end, when our own is still to come
            asyncio.get_running_loop().add_signal_handler(number, lambda: None)
        await uvicorn.Server(server).serve(sockets=[listening])


def _solutions(data: Path | None) -> Script:
    if data is None:
        raise InputError("the oracle answers from gold SQL: give a task file with --data")
    problem = InputError("no benchmark here says what the gold SQL of a task file is")
    for benchmark in structs_with("benchmarks", "gold_queries"):
        try:
            queries = list(benchmark.gold_queries(data))
        except InputError as error:  # perhaps another benchmark can read it
            problem = error
        else:
            return {question_key(question, database): [submission(sql)] for question, database, sql in queries}.get
    raise problem


def _no_predictions(*_: Any) -> Script:
    raise InputError("the replay agent needs tasks, and a service has only questions: use another agent")


def command(argv: Sequence[str]) -> StructCommand:
    return ServeCommand(argv)
