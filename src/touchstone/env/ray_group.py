"""The environment server on every node of a Ray cluster: an actor each, which runs the very command that was typed.

Trainers spread their rollouts over the addresses that are printed. A node that dies takes its sessions along and no others; one
that joins later is given a server, too.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import InputError
from ..runs.executors.cluster import connected

_OURS = ("--executor", "--ray-address")
_SECONDS_BETWEEN_LOOKS = 2.0
_SECONDS_TO_START = 120.0
_SECONDS_TO_END = 10.0
"""Beside those that a server drains for."""


class EnvNode:
    """What runs on a node. The server is a process of its own, so that signals reach it and it outlives no actor."""

    def __init__(self, command: Sequence[str]) -> None:
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 (not a pipe, which nobody would empty)
        self._server = subprocess.Popen(
            [sys.executable, "-m", "touchstone", *command], stdout=subprocess.PIPE, stderr=self._errors, text=True
        )

    def address(self) -> str:
        """The line that the server prints when it is ready; else, behind a "!", why it is not."""
        assert self._server.stdout is not None
        line = self._server.stdout.readline().strip()
        if line:
            return line
        self._server.wait()
        self._errors.seek(0)
        return f"!{self._errors.read().strip().rpartition(chr(10))[2]}"

    def stop(self, seconds: float) -> int:
        """Drains; a server that does not end in time is ended."""
        self._server.send_signal(signal.SIGTERM)
        try:
            return self._server.wait(seconds)
        except subprocess.TimeoutExpired:
            self._server.kill()
            return self._server.wait()


def serve_on_nodes(argv: Sequence[str], address: str | None, say: Callable[[str], None], drain: float) -> int:
    """Serves until a signal. `argv` is the command as it was typed; its servers drain for so many seconds at the end."""
    ray = connected(address)
    command = node_command(argv)
    remote = ray.remote(num_cpus=0, max_restarts=0)(EnvNode)
    pinned = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
    actors: dict[str, Any] = {}
    over = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: over.set())
    try:
        while not over.is_set():
            alive = {node["NodeID"]: node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"]}
            for node in [node for node in actors if node not in alive]:
                del actors[node]
                say(f"a node is lost: {node[:8]}")
            for node, host in alive.items():
                if node not in actors:
                    actors[node] = remote.options(scheduling_strategy=pinned(node, soft=False)).remote(list(command))
                    line = ray.get(actors[node].address.remote(), timeout=_SECONDS_TO_START)
                    if line.startswith("!"):
                        raise InputError(f"the server on {host} did not start: {line[1:]}")
                    print(line.replace("0.0.0.0", host), flush=True)
            over.wait(_SECONDS_BETWEEN_LOOKS)
    finally:
        ends = [actor.stop.remote(drain + _SECONDS_TO_END) for actor in actors.values()]
        ray.wait(ends, num_returns=len(ends), timeout=drain + 2 * _SECONDS_TO_END) if ends else None
        for actor in actors.values():
            ray.kill(actor)
    return 0


def node_command(argv: Sequence[str]) -> list[str]:
    """The same command without what only the driver is told. Nodes that share a machine each take a free port."""
    kept: list[str] = []
    words = iter(argv)
    for word in words:
        if word in _OURS:
            next(words, None)
        elif word.partition("=")[0] not in _OURS:
            kept.append(word)
    return kept
