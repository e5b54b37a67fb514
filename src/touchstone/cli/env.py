"""`touchstone env serve BENCHMARK` and `touchstone env rows BENCHMARK`: a benchmark's episodes for trainers."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from ..distribution import pip_install
from ..env.reward import RewardOptions
from ..errors import InputError
from ..options import Count, NotNegative, Opt, Options, Positive, WholeNumber
from ..plugins import benchmark_type
from ..protocols import RUN, BenchmarkConfig, Opening
from ..sockets import address_of
from .struct_command import StructCommand
from .terminal import refuse_no_file, say, write_file

if TYPE_CHECKING:
    import socket

    from ..env.peers import Peers
    from ..env.sessions import Slots

WORDS = {
    "serve": "Serve the episodes of {} to trainers, over OpenEnv's and NeMo Gym's contracts.",
    "rows": "Write the tasks of {} as rows of a trainer's dataset.",
}


class EnvOptions(RewardOptions, frozen=True, kw_only=True):
    """What `touchstone env serve` takes for every benchmark."""

    max_steps: Annotated[Count | None, Opt(group=RUN)] = None
    """At most this many calls per episode. By default as many as a run has turns: 20, or the benchmark's number."""
    max_sessions: Annotated[Count, Opt(group=RUN)] = 1024
    """At most this many sessions at once, over all processes. One more is refused: CAPACITY_REACHED on a WebSocket, 503 over
    HTTP."""
    idle: Annotated[Positive, Opt(group=RUN)] = 600.0
    """Seconds after which a silent session loses its slot."""
    processes: Annotated[Count, Opt(group=RUN)] = 1
    """Server processes behind the one port."""
    host: Annotated[str, Opt(group=RUN)] = "127.0.0.1"
    """The address to listen on. Anyone who can reach it can play."""
    port: Annotated[WholeNumber, Opt(group=RUN)] = 8000
    """The port; 0 takes a free one."""
    allow_host: Annotated[tuple[str, ...], Opt(group=RUN)] = ()
    """Answer requests for this host name too (repeatable). Those of loopback and --host are answered; * allows all."""
    executor: Annotated[Literal["local", "ray"], Opt(group=RUN, advanced=True)] = "local"
    """Where the server runs: here, or one on every node of a Ray cluster, which has the data at the same paths."""
    ray_address: Annotated[str | None, Opt(group=RUN, advanced=True)] = None
    """The cluster; by default RAY_ADDRESS, the one that runs on this machine, or a new one here."""
    drain: Annotated[NotNegative, Opt(group=RUN)] = 30.0
    """Seconds that running sessions have to finish when the server is told to stop; a second signal ends it at once."""


class RowOptions(Options, frozen=True, kw_only=True):
    """What `touchstone env rows` takes for every benchmark."""

    form: Annotated[Literal["nemo", "verl", "trl"], Opt(group=RUN)] = "nemo"
    """Whose rows: NeMo Gym's, verl's, or chat prompts as TRL and others take them."""
    output: Annotated[Path | None, Opt(names=("-o",), target=True, group=RUN)] = None
    """The file to write, a JSON object per line; by default they are printed."""


class EnvCommand(StructCommand):
    def __init__(self, word: str, benchmark: type[BenchmarkConfig], argv: Sequence[str]) -> None:
        kind = EnvOptions if word == "serve" else RowOptions
        super().__init__(["env", word, benchmark.name], argv, (benchmark, kind), help=WORDS[word].format(benchmark.label))
        self.word, self.benchmark = word, benchmark

    def call(self, values: Mapping[str, Any], typed: Mapping[str, Any]) -> int:
        self.refuse_no_data(self.benchmark, values)
        config = self.made(self.benchmark, values)
        if self.word == "rows":
            return asyncio.run(_rows(config, self.made(RowOptions, values)))
        options = self.made(EnvOptions, values)
        if options.executor == "ray":
            from ..env.ray_group import serve_on_nodes

            return serve_on_nodes(self.argv, options.ray_address, say, options.drain)
        if "ray_address" in typed:
            raise InputError("--ray-address has no effect without --executor ray")
        return _serve(config, options)


def _serve(config: BenchmarkConfig, options: EnvOptions) -> int:
    try:
        from ..env.server import listen_on, run_processes
    except ImportError as error:
        raise InputError(f"env serve needs the package '{error.name}': {pip_install('env')}") from None
    sockets = listen_on(options.host, options.port, options.processes)
    if options.host not in ("127.0.0.1", "::1", "localhost"):
        say(f"anyone who can reach {options.host} can play here")
    return run_processes(
        lambda own, slots, peers: asyncio.run(_process(config, options, own, slots, peers)), sockets, options.max_sessions
    )


async def _process(config: BenchmarkConfig, options: EnvOptions, own: socket.socket, slots: Slots, peers: Peers) -> int:
    from ..env.server import serve
    from ..env.sessions import open_sessions

    async with AsyncExitStack() as stack:
        sessions = await open_sessions(
            config,
            Opening(stack=stack, say=say if peers.number == 0 else lambda _: None, agent="env", reader=True),
            options,
            max_steps=options.max_steps,
            slots=slots,
            idle=options.idle,
            prefix=f"{peers.number}.",
        )
        await sessions.try_tasks()
        if peers.number == 0:
            served = f"{config.label}: {len(sessions.tasks)} tasks at {address_of(own)}"
            print(f"{served} (WebSocket at /ws, metrics at /metrics)", flush=True)
        await serve(
            sessions,
            config.label,
            [own],
            peers,
            host=options.host,
            allow=options.allow_host,
            drain=options.drain,
            silence=options.idle,
        )
    return 0


async def _rows(config: BenchmarkConfig, options: RowOptions) -> int:
    from ..env.nemo import rows
    from ..env.sessions import open_sessions

    refuse_no_file("--output", options.output)
    async with AsyncExitStack() as stack:
        sessions = await open_sessions(config, Opening(stack=stack, say=say, agent="env", reader=True))
        await sessions.try_tasks()
        lines = [msgspec.json.encode(row) + b"\n" async for row in rows(sessions, options.form)]
        left_out = len(sessions.tasks) - len(lines)
    if options.output is None:
        sys.stdout.buffer.write(b"".join(lines))
        sys.stdout.buffer.flush()
    else:
        write_file("--output", options.output, b"".join(lines))
        say(f"{options.output}: {len(lines)} rows")
    if left_out:
        say(f"{left_out} tasks are left out: they cannot be played here")
    return 0


def command(argv: Sequence[str]) -> StructCommand | None:
    if len(argv) < 3 or argv[1] not in WORDS or argv[2].startswith("-"):
        return None
    return EnvCommand(argv[1], benchmark_type(argv[2]), argv)
