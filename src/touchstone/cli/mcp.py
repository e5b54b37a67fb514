"""`touchstone mcp`: one task for whoever speaks MCP, a coding assistant for example."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, TextIO

from ..agents.mcp_agent import McpAgent, OverHttp, OverStdio
from ..agents.served import refuse_without_mcp
from ..errors import InputError
from ..options import Opt, Options, WholeNumber, field_names, fields, key
from ..plugins import available, benchmark_type
from ..protocols import RUN, TASKS, Agent, AgentConfig, AgentContext, BenchmarkConfig
from ..runs.config import RunConfig, RunOptions
from ..runs.records import read_records
from ..runs.run import Finished
from ..runs.runner import run_config
from ..types import ToolStep
from .struct_command import StructCommand, typed_value
from .terminal import Terminal, exit_code, say

_SECONDS_FOR_LAST_WORDS = 2.0
"""How long an HTTP client is still told that the task is over."""


class McpConfig(AgentConfig, frozen=True, kw_only=True):
    """Whoever speaks MCP."""

    name: ClassVar[str] = "mcp"
    reads_instructions: ClassVar[bool] = False
    streams: ClassVar[_Streams | None] = None
    """What the protocol speaks on, if it is not HTTP."""

    http: Annotated[bool, Opt(group=RUN)] = False
    """Listen on 127.0.0.1 instead of stdin; the address, with a secret in it, is printed."""
    port: Annotated[WholeNumber, Opt(group=RUN)] = 0
    """The port to listen on; 0 takes a free one."""

    def build(self, context: AgentContext) -> Agent:
        files = self.streams
        transport = OverStdio(files.source, files.sink) if files else OverHttp(self.port, _tell_address)
        return _Lingering(transport)


class McpOptions(Options, frozen=True, kw_only=True):
    """What `touchstone mcp` takes for every benchmark."""

    benchmark: Annotated[str | None, Opt(group=TASKS)] = None
    """The benchmark of the task."""
    task: Annotated[str | None, Opt(group=TASKS)] = None
    """The task's id."""
    output: Annotated[Path | None, Opt(names=("-o",), target=True, group=RUN)] = None
    """Where to create the run directory; by default results/mcp-<benchmark>/."""


class McpCommand(StructCommand):
    """Without a benchmark it has only the options that all of them share, for its help."""

    def __init__(self, benchmark: type[BenchmarkConfig] | None, argv: Sequence[str]) -> None:
        help = "Serve one task's tools and brief over MCP, on stdin and stdout or over HTTP, and judge what the client does."
        if benchmark is None:
            help += "\n\nThe options of a benchmark: touchstone mcp --benchmark NAME --help"
        structs = (*((benchmark,) if benchmark else ()), McpConfig, McpOptions)
        super().__init__(["mcp"], argv, structs, help=help)
        self._benchmark = benchmark

    @property
    def benchmark(self) -> type[BenchmarkConfig]:
        if self._benchmark is None:
            raise InputError(f"mcp needs --benchmark: {', '.join(available('benchmarks'))}")
        return self._benchmark

    def explain(self, option: str) -> str:
        name, benchmark = key(option), self.benchmark
        for each in available("benchmarks"):
            with suppress(InputError):  # one that cannot be loaded
                if name in field_names(benchmark_type(each)):
                    return f"--{name} is not for --benchmark {benchmark.name}"
        return super().explain(option)

    def call(self, values: Mapping[str, Any], typed: Mapping[str, Any]) -> int:
        benchmark = self.benchmark
        refuse_without_mcp()
        options = self.made(McpOptions, values)
        if options.task is None:
            raise InputError("mcp needs --task: the task's id")
        if not any(field.opt.positional and values.get(field.name) for field in fields(benchmark)):
            say(f"no data was named: the task is of the {benchmark.name} demo")
        config = RunConfig(
            benchmark=self.made(benchmark, values),
            agent=self.made(McpConfig, values),
            run=RunOptions(output=options.output),
        )
        return _serve(config, options.task)


def _serve(config: RunConfig, task: str) -> int:
    assert isinstance(config.agent, McpConfig)
    McpConfig.streams = None if config.agent.http else _claim_standard_streams()
    watching = _Watching(live=False, quiet=True)
    running = run_config(
        config, interface=watching, base=Path("results"), command="mcp", name="mcp", heading="agent mcp", only=[task]
    )
    played = asyncio.run(running)
    assert played.path is not None
    return exit_code(played, resumable=False)


class _Lingering(McpAgent):
    """Answers a while longer when the task is over: that it is."""

    async def close(self) -> None:
        await self.linger(None if McpConfig.streams else _SECONDS_FOR_LAST_WORDS)
        await super().close()


@dataclass(kw_only=True)
class _Watching(Terminal):
    """Tells what came of the one task."""

    run: Path | None = None

    def begun(self, title: str, run: Path | None, done: int) -> None:
        self.run = run

    def finished(self, finished: Finished, more: str | None = None) -> None:
        if self.run is not None and finished.overall["total"]:
            for record in read_records(self.run):
                calls = sum(isinstance(step, ToolStep) for step in record.steps)
                say(f"{record.outcome.value} after {calls} calls: {record.reason}")
                say(f"recorded in {self.run}; what the agent's model used is not known")


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


def command(argv: Sequence[str]) -> StructCommand:
    """`touchstone mcp --benchmark NAME`."""
    name = typed_value(argv, "--benchmark")
    return McpCommand(benchmark_type(name) if name else None, argv)
