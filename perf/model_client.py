"""What a model call costs over real HTTP: whole episodes of four calls, with three SQL calls each, through several clients.

A server in a process of its own answers as a scripted model at once. The same episodes are then played through Touchstone's
client, the OpenAI SDK and LiteLLM where they are installed, and bare aiohttp (a post and a read, nothing else), each in a
process of its own whose CPU is counted with its children's. "none" is the same script without HTTP: what
an episode costs beside it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
from agent_loop import EXPLORATION, Script
from measuring import arguments, peak_memory, report, tree_cpu

from touchstone.agents.tools import ToolAgent
from touchstone.benchmarks.bird.benchmark import Bird
from touchstone.benchmarks.bird.tasks import BirdTask, load_tasks
from touchstone.datasets import bird_demo
from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.models import wire
from touchstone.models.litellm import LiteLLMConfig
from touchstone.models.openai import OpenAIConfig
from touchstone.protocols import Model
from touchstone.runs.directory import RunDirectory
from touchstone.runs.run import Plan, owed, run
from touchstone.types import CallPosition, Message, Reply, Tool

KINDS = ("none", "touchstone", "openai sdk", "litellm", "bare aiohttp")


def answer(request: dict[str, Any], golds: dict[str, str]) -> bytes:
    """Three explorations, then the right answer to the question that the conversation contains."""
    messages = request["messages"]
    asked = sum(message["role"] == "assistant" for message in messages)
    if asked < len(EXPLORATION):
        name, sql = "execute_sql", EXPLORATION[asked]
    else:
        said = str(messages[1]["content"])
        name, sql = "submit_sql", next(gold for question, gold in golds.items() if question in said)
    function = {"name": name, "arguments": json.dumps({"sql": sql})}
    message = {"role": "assistant", "content": None, "tool_calls": [{"id": "call", "type": "function", "function": function}]}
    usage = {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "script"}
    return msgspec.json.encode({**head, "choices": [choice], "usage": usage})


def serve(golds: dict[str, str], port: Any) -> None:
    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
                body = answer(msgspec.json.decode(await reader.readexactly(length)), golds)
                start = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
                writer.write(start.encode() + body)
        writer.close()

    async def forever() -> None:
        server = await asyncio.start_server(converse, "127.0.0.1", 0, limit=2**24)
        port.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(forever())


class Sdk:
    """The official SDK as its documentation shows it; its answers are read by our own code, which costs less than its types."""

    name = "script"

    def __init__(self, url: str, concurrency: int) -> None:
        from openai import AsyncOpenAI

        self._client = AsyncOpenAI(api_key="none", base_url=url, max_retries=6)
        self._settings = OpenAIConfig(model="script")
        self._free = asyncio.Semaphore(concurrency)

    async def reply(self, messages: Sequence[Message], tools: Sequence[Tool], position: CallPosition) -> Reply:
        request = wire.request("script", messages, tools, self._settings)
        async with self._free:
            body = await self._client.post("/chat/completions", cast_to=str, body=request)
        return read(body, position)

    async def close(self) -> None:
        await self._client.close()


class Bare:
    """No limits, no repetition, no proxies."""

    name = "script"

    def __init__(self, url: str) -> None:
        self._url = f"{url}/chat/completions"
        self._settings = OpenAIConfig(model="script")
        self._session: Any = None

    async def reply(self, messages: Sequence[Message], tools: Sequence[Tool], position: CallPosition) -> Reply:
        from aiohttp import ClientSession, TCPConnector

        self._session = self._session or ClientSession(connector=TCPConnector(limit=0))
        request = msgspec.json.encode(wire.request("script", messages, tools, self._settings))
        async with self._session.post(self._url, data=request, headers={"Content-Type": "application/json"}) as response:
            return read(await response.text(), position)

    async def close(self) -> None:
        if self._session:
            await self._session.close()


def read(body: str, position: CallPosition) -> Reply:
    completion = wire.completion_of(body)
    return wire.reply_of(completion, wire.usage_of(completion), position)


def model(kind: str, url: str, tasks: Sequence[BirdTask], parallel: int) -> Model:
    match kind:
        case "none":
            return Script({task.key: task.gold for task in tasks})
        case "touchstone":
            return OpenAIConfig(model="script", base_url=url).build(parallel)
        case "openai sdk":
            return Sdk(url, parallel)
        case "litellm":
            return LiteLLMConfig(model="litellm/openai/script", base_url=url).build(parallel)
        case _:
            return Bare(url)


async def measure(kind: str, url: str, episodes: int, parallel: int) -> dict[str, float]:
    tasks, databases = bird_demo()
    loaded = load_tasks(tasks)
    asked = model(kind, url, loaded, parallel)
    with tempfile.TemporaryDirectory() as directory:
        started, cpu = time.perf_counter(), tree_cpu()
        engine = SqliteEngine(cache=Path(directory, "cache.sqlite"))
        benchmark = Bird(loaded, databases, engine)
        epochs = -(-episodes // len(loaded))
        plan = Plan(title="", benchmark=benchmark, agent=ToolAgent(asked, 20), epochs=epochs, parallel=parallel)
        kept = RunDirectory.create(Path(directory, "runs"), {})
        jobs, counted = owed(loaded, plan.epochs, kept)
        finished = await run(plan, kept, jobs[:episodes], counted, lambda record, aggregate: None)
        wall, cpu = time.perf_counter() - started, tree_cpu() - cpu
        await engine.close()
        kept.close()
    await asked.close()
    assert finished.overall["overall"]["passed"] == episodes, finished.summary
    return {"cpu_ms": 1000 * cpu / episodes, "per_second": episodes / wall, "peak_mb": peak_memory()}


def in_own_process(kind: str, url: str, options: argparse.Namespace) -> dict[str, float]:
    command = [sys.executable, __file__, "--measure", kind, url, str(options.episodes), str(options.parallel)]
    environment = {"PATH": "/usr/bin:/bin", "OPENAI_API_KEY": "none"}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    return json.loads(done.stdout.splitlines()[-1])


def row(kind: str, result: dict[str, float], floor: float) -> list[str]:
    numbers = (result["cpu_ms"], (result["cpu_ms"] - floor) / 4)
    return [kind, *(f"{number:.2f}" for number in numbers), f"{result['per_second']:.0f}", f"{result['peak_mb']:.0f}"]


def main(options: argparse.Namespace) -> None:
    golds = {task.question: task.gold for task in load_tasks(bird_demo()[0])}
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(golds, theirs), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{ours.recv()}/v1"
    kinds = [kind for kind in KINDS if kind not in ("openai sdk", "litellm") or find_spec(kind.partition(" ")[0])]
    results = {kind: in_own_process(kind, url, options) for kind in kinds}
    server.terminate()
    floor = results["none"]["cpu_ms"]
    sdk = results.get("openai sdk")
    rows = [
        [*row(kind, result, floor), f"{sdk['cpu_ms'] / result['cpu_ms']:.1f}x" if sdk else ""]
        for kind, result in results.items()
    ]
    head = ["client", "CPU ms per episode", "CPU ms per call", "episodes per s", "peak MB", "SDK / this"]
    report("model_client", results, [head, *rows], options.json)


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--episodes", type=int, default=1000)
    parser.add_argument("--parallel", type=int, default=100)
    parser.add_argument("--measure", nargs=4, metavar=("KIND", "URL", "EPISODES", "PARALLEL"), help="one measurement here")
    options = parser.parse_args()
    if options.measure:
        kind, url, episodes, parallel = options.measure
        print(json.dumps(asyncio.run(measure(kind, url, int(episodes), int(parallel)))))
    else:
        main(options)
