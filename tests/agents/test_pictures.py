"""Pictures of a screen on their way: through every kind of model, and to clients over MCP."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.benchmarks.desktop.playing import World
from tests.support.chat_server import ChatServer, text
from touchstone.agents.model_turns import as_user
from touchstone.agents.served import Served
from touchstone.errors import ModelRejected
from touchstone.protocols import Stage
from touchstone.types import CallPosition, Outcome

PICTURE = b"\x89PNG a picture"
PLACE = CallPosition("task", 0, 0)


@pytest_asyncio.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    made = World(tmp_path)
    yield made
    await made.benchmark.close()


async def test_litellm_passes_them_on(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("litellm", reason="LiteLLM is not installed")
    from touchstone.models.litellm import LiteLLMConfig

    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with ChatServer([text("seen")]) as server:
        model = LiteLLMConfig(model="litellm/openai/scripted", base_url=server.url, model_retries=0).build()
        assert (await model.reply([as_user("Look:", [PICTURE, PICTURE])], (), PLACE)).text == "seen"
    parts = server.requests[0]["messages"][0]["content"]
    assert parts[0] == {"type": "text", "text": "Look:"}
    assert [b64decode(part["image_url"]["url"].partition(",")[2]) for part in parts[1:]] == [PICTURE, PICTURE]


async def test_the_small_model_says_that_it_cannot_see() -> None:
    pytest.importorskip("xllamacpp", reason="the local model is not installed")
    from touchstone.models.local import LocalConfig

    model = LocalConfig(model="local").build()
    with pytest.raises(ModelRejected, match="it takes no pictures"):
        await model.reply([as_user("Look:", [PICTURE])], (), PLACE)
    await model.close()


async def test_clients_over_mcp_see_them(world: World) -> None:
    pytest.importorskip("mcp", reason="mcp is not installed")
    from mcp.client import Client
    from mcp.client.streamable_http import streamable_http_client

    from touchstone.agents.mcp_server import McpGateway

    seen: list[Any] = []

    class Host:
        async def play(self, stage: Stage) -> None:
            served = Served(stage)
            door = McpGateway()
            try:
                async with door.open(served) as address, Client(streamable_http_client(address)) as client:
                    seen.extend((await client.call_tool("look", {})).content)
                    await client.call_tool("done", {})
            finally:
                await served.close()
                await door.close()

    record = await world.play(Host())
    assert record.outcome is Outcome.failed
    assert [content.type for content in seen] == ["text", "image"]
    assert b64decode(seen[1].data) == (world.run / record.steps[0].observation.details["screenshot"]).read_bytes()  # type: ignore[union-attr]
