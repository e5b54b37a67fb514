"""LiteLLM against a real server: its many exceptions become our few."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import msgspec
import pytest

from tests.support import chat_server as chat
from tests.support.chat_server import Answer, ChatServer
from tests.support.ports import nobody_listens
from touchstone.errors import ContextLimit, EpisodeFailure, InputError, ModelFailure, ModelRejected, ModelUnreachable
from touchstone.models.litellm import LiteLLMConfig, LiteLLMModel
from touchstone.types import CallPosition, Message, Reply, Tool, Usage

pytest.importorskip("litellm", reason="LiteLLM is not installed")

KEY = "sk-test-0123456789abcdef"
PLACE = CallPosition("task", 0, 0)
ASK = [Message(role="user", content="hello")]
PROVIDERS = ["openai", "hosted_vllm"]


class Query(msgspec.Struct):
    sql: str


TOOL = Tool("execute_sql", "Runs a query.", Query)


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "HOSTED_VLLM_API_KEY", "DEEPSEEK_API_KEY"):
        monkeypatch.setenv(name, KEY)
    for name in ("OPENAI_BASE_URL", "TOUCHSTONE_PRICES"):
        monkeypatch.delenv(name, raising=False)


def build(url: str, provider: str = "openai", **settings: Any) -> LiteLLMModel:
    defaults = {"base_url": url, "model_retries": 0, "model_timeout": 60.0}
    return LiteLLMConfig(model=f"litellm/{provider}/scripted", **defaults | settings).build()


async def ask(*answers: Answer, provider: str = "openai", **settings: Any) -> Reply:
    with ChatServer(answers) as server:
        return await build(server.url, provider, **settings).reply(ASK, [TOOL], PLACE)


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_text_reply(provider: str) -> None:
    assert await ask(chat.text("hi"), provider=provider) == Reply("hi", (), "stop", Usage(1, 100, 40, 10, None))


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_tool_calls_keep_their_raw_text(provider: str) -> None:
    reply = await ask(chat.tool_call("execute_sql", '{"sql": "SELECT'), provider=provider)
    assert reply.calls[0].arguments == '{"sql": "SELECT'
    assert (reply.calls[0].name, reply.finish) == ("execute_sql", "tool_calls")


async def test_the_request() -> None:
    with ChatServer([chat.text("hi")]) as server:
        await build(server.url, service_tier="flex").reply(ASK, [TOOL], PLACE)
    (request,) = server.requests
    assert (request["model"], request["service_tier"]) == ("scripted", "flex")
    assert request["tools"][0]["function"]["name"] == "execute_sql"
    assert request.keys() <= {"model", "messages", "tools", "service_tier"}


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_refusals(provider: str) -> None:
    assert (await ask(chat.refusal("No."), provider=provider)).text == "No."
    for answer in (chat.refusal(), chat.failure(400, "blocked", "content_filter")):
        assert (await ask(answer, provider=provider)).finish == "refusal"


FAILURES: list[tuple[Answer, type[EpisodeFailure]]] = [
    (chat.bad_key(KEY), ModelRejected),
    (chat.no_model(), ModelRejected),
    (chat.failure(403, "Country not supported"), ModelRejected),
    (chat.failure(400, "Invalid value for 'content' in messages[7]"), ModelFailure),
    (chat.rate_limited(), ModelFailure),
    (chat.server_error(), ModelFailure),
    (Answer("<html><title>Bad Gateway</title></html>", 502, kind="text/html"), ModelFailure),
    (chat.html(), ModelFailure),
    (chat.no_choices(), ModelFailure),
    (chat.overflow(code="context_length_exceeded"), ContextLimit),
    (chat.overflow("the request exceeds the available context size. try increasing it"), ContextLimit),
    (chat.reset(), ModelUnreachable),
]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(("answer", "kind"), FAILURES)
async def test_failures(provider: str, answer: Answer, kind: type[EpisodeFailure]) -> None:
    with pytest.raises(kind) as caught:
        await ask(answer, provider=provider)
    assert type(caught.value) is kind
    assert KEY not in str(caught.value)
    assert "\n" not in str(caught.value)


async def test_the_option_behind_a_refused_field_is_named() -> None:
    with pytest.raises(ModelRejected, match="the service refuses --temperature; leave it out"):
        await ask(chat.refused_field("temperature"), temperature=0.2)


@pytest.mark.parametrize("provider", [*PROVIDERS, "ollama_chat"])
async def test_nobody_there(provider: str) -> None:
    with nobody_listens() as port, pytest.raises(ModelUnreachable, match="127"):
        await build(f"http://127.0.0.1:{port}", provider).reply(ASK, [], PLACE)


async def test_a_hanging_service_is_a_failure_in_time() -> None:
    with pytest.raises(ModelFailure, match=r"within 0\.2 s"):
        await ask(chat.hang(), model_timeout=0.2)


async def test_passing_trouble_is_survived_and_retry_after_honoured() -> None:
    started = time.perf_counter()
    reply = await ask(chat.rate_limited(after=1), chat.server_error(), chat.text("hi"), model_retries=2)
    assert reply.text == "hi"
    assert time.perf_counter() - started > 1.0


@pytest.mark.parametrize("answer", [chat.no_model(), chat.rate_limited(after=3600)])
async def test_what_cannot_help_is_not_repeated(answer: Answer) -> None:
    with ChatServer([answer]) as server:
        with pytest.raises(EpisodeFailure):
            await build(server.url, model_retries=6).reply(ASK, [], PLACE)
        assert len(server.requests) == 1


async def test_the_cost_is_litellms_when_it_knows_it() -> None:
    with ChatServer([chat.text("hi")]) as server:
        model = LiteLLMConfig(model="litellm/deepseek/deepseek-chat", base_url=server.url, model_retries=0).build()
        reply = await model.reply(ASK, [], PLACE)
    assert reply.usage.cost is not None
    assert reply.usage.cost > 0


async def test_the_users_own_price_comes_first(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "prices.toml").write_text('[models]\n"openai/scripted" = { input = 1, cached = 0.5, output = 10 }\n')
    monkeypatch.setenv("TOUCHSTONE_PRICES", str(tmp_path / "prices.toml"))
    assert (await ask(chat.text("hi"))).usage.cost == pytest.approx(180e-6)


def test_a_name_without_a_provider() -> None:
    with pytest.raises(InputError, match="PROVIDER"):
        LiteLLMConfig(model="litellm/nonsense").build()


def test_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: str) -> Any:
        raise ImportError

    monkeypatch.setattr("touchstone.models.litellm.import_module", missing)
    with pytest.raises(InputError, match="litellm\\]"):
        LiteLLMConfig(model="litellm/openai/x").build()


def test_it_is_imported_late_offline_and_silently() -> None:
    code = """
import asyncio, socket, sys
import touchstone.models.litellm as module
from touchstone.types import CallPosition

def guarded(function):
    def checked(address, *rest, **options):
        host = address[0] if isinstance(address, tuple) else address
        assert host == "127.0.0.1", host
        return function(address, *rest, **options)
    return checked

async def main():
    model = module.LiteLLMConfig(model="litellm/openai/x", base_url=sys.argv[1]).build()
    await model.reply([dict(role="user", content="hello")], (), CallPosition("task", 0, 0))
    await model.close()

assert "litellm" not in sys.modules
socket.getaddrinfo = guarded(socket.getaddrinfo)
socket.create_connection = guarded(socket.create_connection)
asyncio.run(main())
"""
    with ChatServer([chat.text("hi")]) as server:
        done = subprocess.run([sys.executable, "-c", code, server.url], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
