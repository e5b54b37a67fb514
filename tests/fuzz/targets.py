"""Every way in for what others write. Each takes one nasty input all the way and returns the outcomes that it led to.

A file that cannot be read is an InputError of one line, which is no outcome. Whatever else is raised is a defect.
"""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from tests.fuzz import nasty
from tests.support.programs import command_agent
from tests.support.records import a_record
from tests.support.sql_service import Answer, SqlService
from touchstone.agents.http import HttpAgent, HttpConfig
from touchstone.agents.mcp_agent import McpAgent, OverStdio
from touchstone.agents.react import LINES, TAGS, ReactAgent
from touchstone.agents.scripted import ScriptedAgent
from touchstone.agents.served import Served
from touchstone.agents.tools import ToolAgent
from touchstone.benchmarks.bird.benchmark import Bird
from touchstone.benchmarks.bird.predictions import load_predictions
from touchstone.datasets.archive import UnsafeArchive, unpack
from touchstone.errors import InputError
from touchstone.models import wire
from touchstone.protocols import Agent, Hints, Stage
from touchstone.runs.directory import encoded, read_records
from touchstone.runs.episode_runner import play
from touchstone.types import CallPosition, Message, NoteStep, Reply, ServiceStep, Tool, ToolCall

GOLD = "SELECT name FROM item WHERE price > 1.0"
COMPLETION: dict[str, Any] = {
    "id": "c",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {
                "role": "assistant",
                "content": "Let me see.",
                "refusal": None,
                "tool_calls": [
                    {"id": "1", "function": {"name": "execute_sql", "arguments": '{"sql": "SELECT 1"}'}},
                    {"id": "2", "function": {"name": "submit_sql", "arguments": json.dumps({"sql": GOLD})}},
                ],
            },
        }
    ],
    "usage": {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 1}},
}


class Fuzzed:
    """What the targets need: a benchmark, a folder of their own, and a service whose next answer can be set."""

    def __init__(self, bird: Bird, folder: Path, service: SqlService) -> None:
        self.bird = bird
        self.folder = folder
        self.service = service
        self.answer = Answer()

    async def played(self, agent: Agent) -> list[str]:
        record, _ = await play(self.bird, agent, self.bird.tasks()[0])
        line = encoded(record)
        msgspec.json.decode(line)
        return [f"{record.outcome}: {record.reason}"]

    async def tool_arguments(self, random: Random) -> list[str]:
        calls = [_call(random) for _ in range(3)]
        return await self.played(ScriptedAgent(lambda _: calls))

    async def replies(self, random: Random) -> list[str]:
        return await self.played(ToolAgent(_Speaking(random), 4))

    async def text_replies(self, random: Random) -> list[str]:
        seed = random.choice(
            (
                f"Thought: x\nAction: submit_sql\nInput: {GOLD}",
                f"<thought>x</thought><action>submit_sql({GOLD})</action>",
                '<action>execute_sql({"sql": "SELECT \'\\ud83d\'"})</action>',
            )
        )
        return await self.played(ReactAgent(_Saying(random, seed), 4, random.choice((LINES, TAGS))))

    async def mcp_calls(self, random: Random) -> list[str]:
        return await self.played(_Client(random))

    async def mcp_lines(self, random: Random) -> list[str]:
        """Lines of the protocol, with an ordinary beginning so that calls can come through."""
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "f", "version": "1"}}
        call: dict[str, Any] = {"name": "execute_sql", "arguments": {"sql": "SELECT 1"}}
        lines: list[dict[str, Any]] = [
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            *(nasty.changed(random, {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": call}) for n in range(2, 5)),
        ]
        written = [nasty.json_text(random, line).replace("\n", " ") for line in lines]
        calls = [nasty.text(random, line) if random.random() < 0.3 else line for line in written[2:]]
        source = "\n".join([*written[:2], *calls])
        agent = McpAgent(OverStdio(io.StringIO(source.encode("utf-8", "replace").decode()), io.StringIO()))
        try:
            return await self.played(agent)
        finally:
            await agent.close()

    async def http_answers(self, random: Random) -> list[str]:
        body = nasty.json_text(random, nasty.changed(random, {"sql": GOLD, "error": None})).encode("utf-8", "surrogatepass")
        body = nasty.damaged(random, body) if random.random() < 0.5 else body
        self.answer = Answer(body, headers={"Content-Encoding": "gzip"} if random.random() < 0.1 else {})
        agent = HttpAgent(HttpConfig(api_url=self.service.url), Hints().service_template, attempts=1)
        try:
            return await self.played(agent)
        finally:
            await agent.close()

    async def command_output(self, random: Random) -> list[str]:
        printed = self.folder / "printed"
        printed.write_bytes(nasty.damaged(random, nasty.text(random, f"```sql\n{GOLD}\n```").encode("utf-8", "surrogatepass")))
        agent = command_agent("cat", str(printed), output="sql", confine=False)
        try:
            return await self.played(agent)
        finally:
            await agent.close()

    async def notes(self, random: Random) -> list[str]:
        return await self.played(_Noting(random))

    async def predictions(self, random: Random) -> list[str]:
        tasks = self.bird.tasks()
        kind = random.choice(("json", "jsonl", "sql"))
        path = self.folder / f"predictions.{kind}"
        if kind == "json":
            content = nasty.json_text(random, {str(task.index): _prediction(random, task.database) for task in tasks})
        elif kind == "jsonl":
            lines = ({"question_id": int(task.key), "sql": _prediction(random, None)} for task in tasks)
            content = "\n".join(nasty.json_text(random, line) for line in lines)
        else:
            content = "\n".join(nasty.text(random, GOLD).replace("\n", " ").replace("\r", " ") for _ in tasks)
        data = content.encode("utf-8", "surrogatepass")
        path.write_bytes(nasty.damaged(random, data) if random.random() < 0.3 else data)
        try:
            found = load_predictions(path, tasks, allow_missing=True)  # pyright: ignore[reportArgumentType]
        except InputError as error:
            return [_one_line(error)]
        calls = {key: [ToolCall("p", "submit_sql", json.dumps({"sql": sql}))] for key, sql in found.items()}
        return await self.played(ScriptedAgent(lambda task: calls.get(task)))

    async def run_files(self, random: Random) -> list[str]:
        line = msgspec.json.decode(encoded(a_record("10", steps=[NoteStep("hello")], evidence={"prediction": GOLD})))
        content = nasty.json_text(random, nasty.changed(random, line)).encode("utf-8", "surrogatepass") + b"\n"
        path = self.folder / "runs.jsonl"
        path.write_bytes(nasty.damaged(random, content) if random.random() < 0.5 else content)
        try:
            for record in read_records(self.folder):
                encoded(record)
            load_predictions(self.folder, self.bird.tasks(), allow_missing=True)  # pyright: ignore[reportArgumentType]
        except InputError as error:
            return [_one_line(error)]
        return []

    async def archives(self, random: Random) -> list[str]:
        packed, path = io.BytesIO(), self.folder / f"archive.{random.choice(('zip', 'tar.gz'))}"
        if path.suffix == ".zip":
            with zipfile.ZipFile(packed, "w", random.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as made:
                made.writestr("folder/tasks.json", "[]" * 100)
        else:
            with tarfile.open(fileobj=packed, mode="w:gz") as made:
                member = tarfile.TarInfo("folder/tasks.json")
                member.size = 200
                made.addfile(member, io.BytesIO(b"[]" * 100))
        path.write_bytes(nasty.damaged(random, packed.getvalue()))
        try:
            unpack(path, self.folder / "unpacked")
        except UnsafeArchive as error:
            return [_one_line(error)]
        return []


QUICK = "tool_arguments replies text_replies mcp_calls http_answers notes predictions run_files".split()
SLOW = ("mcp_lines", "command_output")
"""Those that start a program or a server for each input: fewer of them."""


def _one_line(error: Exception) -> str:
    said = str(error)
    assert said.strip(), repr(error)
    assert "Traceback" not in said
    return f"refused: {said}"


def _call(random: Random) -> ToolCall:
    name = random.choice(("execute_sql", "submit_sql", nasty.text(random, "submit_sql")))
    arguments = nasty.json_text(random, nasty.changed(random, {"sql": GOLD}))
    return ToolCall(nasty.text(random, "id"), name, nasty.text(random, arguments) if random.random() < 0.3 else arguments)


def _prediction(random: Random, database: str | None) -> Any:
    sql = nasty.text(random, GOLD) if random.random() < 0.8 else None
    return f"{sql}\t----- bird -----\t{database}" if sql and database and random.random() < 0.5 else sql


class _Speaking:
    """A model whose service answers so: all of it goes through the reader of such answers."""

    name = "fuzz"

    def __init__(self, random: Random) -> None:
        self._random = random

    async def reply(self, messages: Sequence[Message], tools: Sequence[Tool], position: CallPosition) -> Reply:
        choice = nasty.changed(self._random, COMPLETION["choices"][0])
        answer = {**nasty.changed(self._random, COMPLETION), "choices": [choice]}
        wire.outgoing(messages)
        body = nasty.json_text(self._random, answer)
        completion = wire.completion_of(body)
        if completion.choices and completion.choices[0].get("finish_reason") == "error":
            completion.choices[0]["finish_reason"] = "stop"
        return wire.reply_of(completion, wire.usage_of(completion), position)

    async def close(self) -> None:
        return None


class _Saying:
    name = "fuzz"

    def __init__(self, random: Random, seed: str) -> None:
        self._random = random
        self._seed = seed

    async def reply(self, messages: Sequence[Message], tools: Sequence[Tool], position: CallPosition) -> Reply:
        return Reply(nasty.text(self._random, self._seed))

    async def close(self) -> None:
        return None


class _Client:
    """Calls tools with any arguments, as a client over HTTP can."""

    def __init__(self, random: Random) -> None:
        self._random = random

    async def play(self, stage: Stage) -> None:
        served = Served(stage)
        for _ in range(3):
            name = self._random.choice(("execute_sql", "submit_sql", nasty.text(self._random)))
            await served.call(name, nasty.changed(self._random, {"sql": GOLD}))
        served.raise_failure()


class _Noting:
    """An agent of somebody else's that logs whatever it likes."""

    def __init__(self, random: Random) -> None:
        self._random = random

    async def play(self, stage: Stage) -> None:
        stage.log(NoteStep(nasty.text(self._random)))
        stage.log(ServiceStep({"question": nasty.text(self._random)}, 200, nasty.value(self._random), 0.1))
        stage.remind(nasty.text(self._random))
        await stage.call(_call(self._random))
