"""What a model's service can do to us: every answer has an end in time and in size."""

from __future__ import annotations

import gzip
import json
import resource
import time
import zlib
from collections.abc import AsyncIterator, Callable
from importlib.util import find_spec
from typing import Any

import pytest

from tests.support import chat_server as chat
from tests.support.chat_server import Answer, ChatServer
from touchstone.errors import ModelFailure, ModelNonsense, SizeLimit
from touchstone.models import litellm, openai
from touchstone.protocols import Model
from touchstone.types import CallPosition, Message, Reply, Usage

ASK = [Message(role="user", content="hello")]
HI = chat.text("hi").body
Ask = Callable[..., Any]


@pytest.fixture(params=["openai", "litellm"])
async def ask(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Ask]:
    """Asks once, of a server that answers so, by each client that speaks to services."""
    if request.param == "litellm" and find_spec("litellm") is None:
        pytest.skip("LiteLLM is not installed")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    monkeypatch.delenv("TOUCHSTONE_PRICES", raising=False)
    built: list[Model] = []

    async def once(answer: Answer, **settings: Any) -> tuple[Reply, ChatServer]:
        with ChatServer([answer]) as server:
            how = {"base_url": server.url, "model_retries": 2, "model_timeout": 60.0, **settings}
            config = openai.OpenAIConfig if request.param == "openai" else litellm.LiteLLMConfig
            model = config(model="m" if request.param == "openai" else "litellm/openai/m", **how).build()
            built.append(model)
            servers.append(server)
            return await model.reply(ASK, [], CallPosition("task", 0, 0)), server

    once.servers = servers = []  # pyright: ignore[reportFunctionMemberAccess]
    yield once
    for model in built:
        await model.close()


def packed(body: bytes, encoding: str = "gzip") -> Answer:
    return Answer(packed=body, headers={"Content-Encoding": encoding})


async def test_seconds_are_for_the_whole_answer(ask: Ask) -> None:
    """A byte every five seconds makes many minutes of it."""
    began = time.monotonic()
    with pytest.raises(ModelFailure, match="no reply within 1 s"):
        await ask(Answer(HI, drip=5.0), model_timeout=1.0, model_retries=0)
    assert time.monotonic() - began < 2 * len(HI)


async def test_bytes_on_the_wire(ask: Ask) -> None:
    with pytest.raises(SizeLimit, match="the answer is larger than 16 MB"):
        await ask(chat.text("x" * (17 * 2**20)))
    assert len(ask.servers[0].requests) == 1  # not asked for again and again


async def test_bytes_unpacked(ask: Ask) -> None:
    """A body of 0.2 MB that would take 200 MB."""
    bomb = zlib.compressobj(9, wbits=31)
    body = b"".join(bomb.compress(bytes(2**20)) for _ in range(200)) + bomb.flush()
    assert len(body) < 300_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(SizeLimit, match="the answer is larger than 16 MB when it is unpacked"):
        await ask(packed(body))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 120_000  # kB
    assert len(ask.servers[0].requests) == 1


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", lambda body: zlib.compress(body, wbits=-15)),
        ("identity", lambda body: body),
    ],
)
async def test_what_is_packed_is_read(ask: Ask, encoding: str, pack: Callable[[bytes], bytes]) -> None:
    reply, server = await ask(packed(pack(HI.encode()), encoding))
    assert reply.text == "hi"
    assert {name.lower(): value for name, value in server.headers[0].items()}["accept-encoding"] == "gzip, deflate"


@pytest.mark.parametrize("answer", [packed(b"not packed"), packed(HI.encode(), "br"), packed(b"x", "gzip, gzip")])
async def test_what_cannot_be_unpacked_is_the_services_failure(ask: Ask, answer: Answer) -> None:
    with pytest.raises(ModelFailure):
        await ask(answer, model_retries=0)


def message(**fields: Any) -> Answer:
    return chat.completion(fields)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(HI.replace('"hi"', r'"h\ud83di"')),
        message(content="h\0i"),
        message(content=None, tool_calls=[{"function": {"name": "f", "arguments": {"a": [1]}}}]),
        message(content=None, tool_calls=[{"id": "\ud83d", "function": {"name": "\ud83d", "arguments": "\ud83d["}}]),
        message(content="", tool_calls=None),
    ],
)
async def test_a_reply_is_a_reply_whatever_is_in_it(ask: Ask, answer: Answer) -> None:
    reply, _ = await ask(answer)
    json.dumps([reply.text, *(call.arguments for call in reply.calls)], ensure_ascii=False).encode()


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        {"prompt_tokens": -5, "completion_tokens": 10},
        {"prompt_tokens": 10, "completion_tokens": 10**12},
        {"prompt_tokens": 10, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": -1}},
    ],
)
async def test_tokens_that_nobody_can_believe_are_not_counted(ask: Ask, usage: Any) -> None:
    reply, _ = await ask(chat.text("hi", usage=usage))
    assert (reply.text, reply.usage.cost) == ("hi", None)
    assert reply.usage.output_tokens in (0, 10**6) or reply.usage.uncounted  # LiteLLM counts for itself what is missing


class TestOpenAI:
    """What LiteLLM refuses by itself."""

    @pytest.fixture
    async def ask(self, monkeypatch: pytest.MonkeyPatch) -> Ask:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")

        async def once(answer: Answer) -> Reply:
            with ChatServer([answer]) as server:
                model = openai.OpenAIConfig(model="m", base_url=server.url, model_retries=0).build()
                try:
                    return await model.reply(ASK, [], CallPosition("task", 0, 0))
                finally:
                    await model.close()

        return once

    @pytest.mark.parametrize(
        "usage",
        [
            "a lot",
            [],
            {"prompt_tokens": "12", "completion_tokens": 1},
            {"prompt_tokens": 1.5, "completion_tokens": 1},
            {"prompt_tokens": True, "completion_tokens": 1},
            {"prompt_tokens": 12},
            {"prompt_tokens": -5, "completion_tokens": 10},
            {"prompt_tokens": 10, "completion_tokens": 10**12},
            {"prompt_tokens": 1, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": "x"}},
        ],
    )
    async def test_usage_that_makes_no_sense(self, ask: Ask, usage: Any) -> None:
        assert (await ask(chat.text("hi", usage=usage))).usage == Usage(1, cost=None, uncounted=1)

    async def test_the_cost_of_what_was_not_counted_is_unknown(
        self, ask: Ask, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        prices = tmp_path_factory.mktemp("prices") / "prices.toml"
        prices.write_text("[models.m]\ninput = 1.0\noutput = 1.0\n")
        monkeypatch.setenv("TOUCHSTONE_PRICES", str(prices))
        assert (await ask(chat.text("hi"))).usage.cost is not None
        assert (await ask(chat.text("hi", usage=None))).usage.cost is None

    @pytest.mark.parametrize("depth", [200, 100_000])
    async def test_a_reply_that_is_nested_too_deep_is_the_models(self, ask: Ask, depth: int) -> None:
        nested = "[" * depth + "]" * depth
        with pytest.raises(ModelNonsense, match="cannot be read: nested deeper than"):
            await ask(Answer(HI.replace('"hi"', nested)))

    @pytest.mark.parametrize(
        "fields",
        [
            {"choices": [{"message": "hi"}]},
            {"choices": [None]},
            {"choices": [{"message": {"content": ["x", {"type": "text", "text": "y"}, {"type": "text"}, 1]}}]},
            {"choices": [{"message": {"content": 5, "refusal": 7, "tool_calls": "x"}, "finish_reason": ["x"]}]},
            {"choices": [{"message": {"tool_calls": [1, None, {"function": 2}, {"id": 3, "function": {"name": 4}}]}}]},
            {"choices": [{"message": {"content": "hi"}, "finish_reason": 9}], "service_tier": 7, "usage": 3},
        ],
    )
    async def test_parts_of_another_kind_are_no_parts(self, ask: Ask, fields: dict[str, Any]) -> None:
        reply = await ask(Answer(json.dumps(fields)))
        assert all(isinstance(call.name, str) for call in reply.calls)

    async def test_proxies_of_the_environment_are_still_used(self, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
        with ChatServer([chat.text("through the proxy")]) as proxy:
            monkeypatch.setenv("HTTP_PROXY", proxy.url.removesuffix("/v1"))
            model = openai.OpenAIConfig(model="m", base_url="http://model.invalid/v1", model_retries=0).build()
            assert (await model.reply(ASK, [], CallPosition("task", 0, 0))).text == "through the proxy"
            await model.close()
