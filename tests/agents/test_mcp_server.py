"""An episode behind the MCP server, played by the official client over a real HTTP connection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from mcp import ClientSession, MCPError
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests.support.worlds import LONG
from touchstone.agents.mcp_server import McpGateway
from touchstone.agents.served import Served
from touchstone.benchmarks.bird.benchmark import Bird
from touchstone.errors import ModelFailure
from touchstone.protocols import Stage
from touchstone.runs.episode_runner import play
from touchstone.types import Observation, Record, ToolCall, ToolStep

pytestmark = pytest.mark.asyncio(loop_scope="module")

GOLD = "SELECT name FROM item WHERE price > 1.0"


class Host:
    """An agent that opens the door, and waits until the client is done with it."""

    def __init__(self, client: Any) -> None:
        self._client = client

    async def play(self, stage: Stage) -> None:
        served = Served(stage)
        door = McpGateway()
        try:
            async with door.open(served) as address:
                await self._client(address)
        finally:
            await served.close()
            await door.close()
        served.raise_failure()


async def hosted(bird: Bird, client: Any) -> Record:
    return (await play(bird, Host(client), bird.tasks()[0]))[0]


@asynccontextmanager
async def session(address: str) -> AsyncGenerator[ClientSession]:
    async with streamable_http_client(address) as streams, ClientSession(streams[0], streams[1]) as opened:
        await opened.initialize()
        yield opened


def text(result: Any) -> str:
    return result.content[0].text


async def test_a_client_plays_to_a_pass(bird: Bird) -> None:
    async def client(address: str) -> None:
        async with session(address) as tools:
            listed = {tool.name: tool for tool in (await tools.list_tools()).tools}
            assert listed.keys() == {"execute_sql", "submit_sql"}
            assert listed["submit_sql"].input_schema["required"] == ["sql"]
            assert "quince" in text(await tools.call_tool("execute_sql", {"sql": "SELECT name FROM item"}))
            assert text(await tools.call_tool("submit_sql", {"sql": GOLD})) == "Submitted."

    record = await hosted(bird, client)
    assert record.outcome == "passed"
    assert [step.call.name for step in record.steps if isinstance(step, ToolStep)] == ["execute_sql", "submit_sql"]


async def test_the_newest_protocol_is_spoken_too(bird: Bird) -> None:
    async def client(address: str) -> None:
        async with Client(address, mode="auto") as tools:
            assert text(await tools.call_tool("submit_sql", {"sql": GOLD})) == "Submitted."

    assert (await hosted(bird, client)).outcome == "passed"


async def test_the_brief_is_told_in_three_ways(bird: Bird) -> None:
    async def client(address: str) -> None:
        async with streamable_http_client(address) as streams, ClientSession(streams[0], streams[1]) as tools:
            instructions = (await tools.initialize()).instructions or ""
            prompt = (await tools.get_prompt((await tools.list_prompts()).prompts[0].name)).messages[0].content.text  # pyright: ignore
            uri = (await tools.list_resources()).resources[0].uri
            resource = (await tools.read_resource(uri)).contents[0].text  # pyright: ignore
            assert "Which items are dear?" in instructions
            assert "dear means price > 1" in instructions
            assert instructions == prompt == resource
            with pytest.raises(MCPError, match="no prompt"):
                await tools.get_prompt("another")
            with pytest.raises(MCPError, match="no resource"):
                await tools.read_resource("touchstone://gold")

    await hosted(bird, client)


async def test_after_the_end_nothing_can_be_done(bird: Bird) -> None:
    async def client(address: str) -> None:
        async with session(address) as tools:
            await tools.call_tool("submit_sql", {"sql": GOLD})
            for name in ("submit_sql", "execute_sql", "nonsense"):
                late = await tools.call_tool(name, {"sql": "SELECT 1"})
                assert late.is_error
                assert "over" in text(late)

    record = await hosted(bird, client)
    assert record.outcome == "passed"
    assert len(record.steps) == 1


async def test_wrong_calls_are_answered_and_recorded(bird: Bird) -> None:
    async def client(address: str) -> None:
        async with session(address) as tools:
            for name, arguments in (
                ("drop_all", {}),
                ("execute_sql", {"query": "x"}),
                ("execute_sql", {"sql": 5}),
                ("execute_sql", None),
            ):
                wrong = await tools.call_tool(name, arguments)
                assert wrong.is_error
            assert (await tools.call_tool("execute_sql", {"sql": "SELECT nothing"})).is_error

    assert len((await hosted(bird, client)).steps) == 5


async def test_a_plain_request_is_enough(bird: Bird) -> None:
    async def client(address: str) -> None:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "submit_sql", "arguments": {"sql": GOLD}}}
        async with httpx.AsyncClient() as http:
            answer = await http.post(address, json=body, headers={"Accept": "application/json, text/event-stream"})
        assert answer.json()["result"]["content"][0]["text"] == "Submitted."

    assert (await hosted(bird, client)).outcome == "passed"


async def test_without_the_secret_nobody_gets_in(bird: Bird) -> None:
    async def client(address: str) -> None:
        root = address.rsplit("/", 2)[0]
        async with httpx.AsyncClient() as http:
            for wrong in (f"{root}/mcp", f"{root}/", f"{root}/{'x' * 32}/mcp", address.replace("/mcp", "x/mcp")):
                assert (await http.post(wrong, json={})).status_code == 404
            elsewhere = await http.post(address, json={}, headers={"Host": "attacker.example"})
            assert elsewhere.status_code == 421
            page = await http.post(address, json={}, headers={"Origin": "http://attacker.example"})
            assert page.status_code == 403

    assert not (await hosted(bird, client)).steps


async def test_episodes_behind_one_door_do_not_mix(bird: Bird) -> None:
    door = McpGateway()
    addresses: list[str] = []

    class Guest:
        async def play(self, stage: Stage) -> None:
            async with door.open(Served(stage)) as address, session(address) as tools:
                addresses.append(address)
                await tools.call_tool("submit_sql", {"sql": "SELECT COUNT(*) FROM item"})

    first, second = bird.tasks()[:2]
    records = await asyncio.gather(play(bird, Guest(), first), play(bird, Guest(), second))
    async with httpx.AsyncClient() as http:
        assert {(await http.post(address, json={})).status_code for address in addresses} == {404}
    await door.close()
    assert [record.outcome for record, _ in records] == ["failed", "passed"]


async def test_a_call_is_recorded_although_its_client_hung_up(bird: Bird) -> None:
    async def client(address: str) -> None:
        body = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "execute_sql", "arguments": {"sql": LONG.format(9_000_000)}},
        }
        async with httpx.AsyncClient(timeout=httpx.Timeout(60, read=0.15)) as http:
            with pytest.raises(httpx.ReadTimeout):
                await http.post(address, json=body, headers={"Accept": "application/json, text/event-stream"})
        async with session(address) as tools:  # waits for its turn
            await tools.call_tool("submit_sql", {"sql": GOLD})

    record = await hosted(bird, client)
    assert record.outcome == "passed"
    assert [step.observation.text.splitlines()[-2] for step in record.steps[:1] if isinstance(step, ToolStep)] == ["9000000"]


async def test_a_failure_of_the_episode_is_not_swallowed(bird: Bird) -> None:
    class Broken:
        """A stage whose simulated user has no model any more."""

        task = "x"
        finished = False

        def __init__(self, stage: Stage) -> None:
            self.brief = stage.brief
            self.tools = stage.tools

        async def call(self, call: ToolCall) -> Observation:
            raise ModelFailure("the user's model is gone")

    async def client(address: str) -> None:
        async with session(address) as tools:
            assert (await tools.call_tool("execute_sql", {"sql": "SELECT 1"})).is_error
            assert "over" in text(await tools.call_tool("execute_sql", {"sql": "SELECT 1"}))

    class Agent:
        async def play(self, stage: Stage) -> None:
            await Host(client).play(Broken(stage))  # pyright: ignore[reportArgumentType]

    record, failure = await play(bird, Agent(), bird.tasks()[0])
    assert record.outcome == "error"
    assert isinstance(failure, ModelFailure)
