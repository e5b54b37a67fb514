"""A server as a user starts it: `touchstone env serve` in a process of its own."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import ClientConnection, connect

from tests.support.command import SCRIPTS, environment
from tests.support.worlds import World, make_world


class Player:
    """One session over a WebSocket, as OpenEnv's client speaks."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    def send(self, kind: str, **data: Any) -> None:
        self.connection.send(json.dumps({"type": kind, "data": data}))

    def receive(self) -> dict[str, Any]:
        return json.loads(self.connection.recv(timeout=60))

    def ask(self, kind: str, **data: Any) -> dict[str, Any]:
        self.send(kind, **data)
        return self.receive()

    def step(self, tool: str, sql: str | None = None, **arguments: Any) -> dict[str, Any]:
        arguments |= {} if sql is None else {"sql": sql}
        return self.ask("step", tool=tool, arguments=arguments)["data"]

    def cut(self) -> None:
        """Without a goodbye, as a process that is killed."""
        self.connection.socket.shutdown(2)
        self.connection.socket.close()


@dataclass
class Served:
    process: subprocess.Popen[str]
    address: str
    stack: ExitStack

    def play(self, session: str | None = None) -> Player:
        """Over a session of its own, or over one that was begun by HTTP."""
        address = self.address.replace("http", "ws") + ("/ws" if session is None else f"/ws?session_id={session}")
        return Player(self.stack.enter_context(connect(address, compression=None, open_timeout=60)))

    def http(self) -> httpx.Client:
        return self.stack.enter_context(httpx.Client(base_url=self.address, timeout=60))

    def metric(self, name: str) -> float:
        lines = httpx.get(f"{self.address}/metrics", timeout=60).text.splitlines()
        return next((float(line.split()[1]) for line in lines if line.startswith(f"touchstone_env_{name} ")), 0.0)


Serve = Callable[..., Served]


def start(stack: ExitStack, cache: Path, *words: str | Path) -> Served:
    """The benchmark's name comes first."""
    command = [SCRIPTS / "touchstone", "env", "serve", *words, "--port", "0"]
    env = {**environment(cache), "PYTHONPATH": str(Path(__file__).parents[2])}  # for what tests plug in
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)
    stack.callback(_end, process)
    assert process.stdout is not None
    line = process.stdout.readline()
    return Served(process, "http" + line.partition("http")[2].split()[0], stack)


def _end(process: subprocess.Popen[str]) -> None:
    for _ in range(2):
        process.send_signal(signal.SIGTERM)
    process.wait(60)
    if process.stdout:
        process.stdout.close()


@pytest.fixture
def serve(world: World, tmp_path: Path) -> Iterator[Serve]:
    """Starts servers of the test's own."""
    with ExitStack() as stack:

        def bird(*options: str, tasks: Path = world.tasks, databases: Path = world.databases) -> Served:
            return start(stack, tmp_path / "cache", "bird", tasks, databases, *options)

        yield bird


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One that the tests of a module share."""
    folder = tmp_path_factory.mktemp("server")
    world = make_world(folder / "world")
    with ExitStack() as stack:
        yield start(stack, folder / "cache", "bird", world.tasks, world.databases, "--drain", "1")


@pytest.fixture
def served_once(server: Served) -> Iterator[Served]:
    """The same, with connections that end with the test."""
    with ExitStack() as stack:
        yield replace(server, stack=stack)
