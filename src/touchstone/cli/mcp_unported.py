"""`touchstone mcp`: one task for whoever speaks MCP, a coding assistant for example."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TextIO

from cyclopts import Parameter

from ..agents.mcp.agent import McpAgent, OverHttp, OverStdio
from ..agents.mcp.episode import refuse_without_mcp
from ..runs.directory import read_records
from ..runs.run import Plan
from ..values import ToolStep
from .conduct import Conduct, conduct, exit_code
from .interact_options import DatabaseOptions, InteractionOptions
from .mcp_benchmarks import Name, Wanted, opened
from .options import JudgeOptions, as_arguments

_SECONDS_FOR_LAST_WORDS = 2.0
"""How long an HTTP client is still told that the task is over."""


def mcp(
    dataset: Path | None = None,
    *,
    benchmark: Name,
    task: str,
    data: Path | None = None,
    databases: Path | None = None,
    gold: Path | None = None,
    documents: Path | None = None,
    schema: Annotated[bool, Parameter(negative="")] = False,
    http: Annotated[bool, Parameter(negative="")] = False,
    port: int = 0,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    sql_timeout: float | None = None,
    cache: bool = True,
    interaction: InteractionOptions = InteractionOptions(),
    storage: DatabaseOptions = DatabaseOptions(),
) -> int:
    """Serve one task's tools and brief over MCP, on stdin and stdout or over HTTP, and judge what the client does with them.

    Parameters
    ----------
    dataset
        The dataset directory of interact. Without any data, the task is one of the small dataset that ships with Touchstone.
    benchmark
        bird, spider2 or interact.
    task
        The task's id.
    data
        The task file of bird (mini_dev_sqlite.json) or spider2 (spider2-lite.jsonl).
    databases
        The directory that holds <db>/<db>.sqlite, for bird and spider2.
    gold
        The gold folder of spider2.
    documents
        The folder of external-knowledge documents of spider2.
    schema
        Tell the tables and columns together with the question (bird and spider2).
    http
        Listen on 127.0.0.1 instead of stdin; the address, with a secret in it, is printed.
    port
        The port to listen on; 0 takes a free one.
    output
        Where the run directory is made; by default results/mcp-<benchmark>/.
    sql_timeout
        Seconds for each statement: 30 by default, 60 for interact.
    cache
        Remember results by content across runs.
    """
    refuse_without_mcp()
    judged = JudgeOptions(sql_timeout=sql_timeout or (60.0 if benchmark == "interact" else 30.0), cache=cache)
    wanted = Wanted(
        benchmark=benchmark,
        task=task,
        dataset=dataset,
        data=data,
        databases=databases,
        gold=gold,
        documents=documents,
        schema=schema,
        judged=judged,
        interaction=interaction,
        storage=storage,
    )
    places = {"dataset": dataset, "data": data, "databases": databases, "gold": gold, "documents": documents}
    arguments = as_arguments(judged, interaction, storage, benchmark=benchmark, task=task, http=http, schema=schema, **places)
    return asyncio.run(_serve(wanted, port if http else None, output or Path("results", f"mcp-{benchmark}"), arguments))


async def _serve(wanted: Wanted, port: int | None, base: Path, arguments: dict[str, object]) -> int:
    files = _claim_standard_streams() if port is None else None
    async with AsyncExitStack() as stack:
        benchmark, versions = await opened(wanted, stack)
        transport = OverStdio(files.source, files.sink) if files else OverHttp(port or 0, _tell_address)
        agent = McpAgent(transport)
        stack.push_async_callback(agent.close)
        plan = Plan(title=f"{wanted.benchmark}: agent mcp", benchmark=benchmark, agent=agent, versions=versions)
        identity = {**await benchmark.identity(), "agent": "mcp", "model": None}
        how = Conduct(command="mcp", arguments=arguments, identity=identity, base=base, live=False, quiet=True)
        finished, path = await conduct(plan, how)
        _tell_outcome(path)
        await agent.linger(None if files else _SECONDS_FOR_LAST_WORDS)
        return exit_code(finished, path, resumable=False)


@dataclass(frozen=True)
class _Streams:
    source: TextIO
    sink: TextIO


def _claim_standard_streams() -> _Streams:
    """Standard output belongs to the protocol: whatever else is printed, by us or by a library, goes to stderr."""
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return _Streams(os.fdopen(source, encoding="utf-8", newline="\n"), os.fdopen(sink, "w", encoding="utf-8", newline="\n"))


def _tell_address(address: str) -> None:
    print(address, flush=True)
    print(
        "touchstone: waiting for an MCP client at this address; Ctrl-C ends the task as it stands", file=sys.stderr, flush=True
    )


def _tell_outcome(path: Path) -> None:
    for record in read_records(path) if path.exists() else ():
        calls = sum(isinstance(step, ToolStep) for step in record.steps)
        print(f"touchstone: {record.outcome.value} after {calls} calls: {record.reason}", file=sys.stderr)
        print(f"touchstone: recorded in {path}; what the agent's model used is not known", file=sys.stderr, flush=True)
