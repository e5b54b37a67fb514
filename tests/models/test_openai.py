"""The OpenAI-compatible model against a real server that misbehaves in every way we know."""

from __future__ import annotations

import asyncio
import email.utils
import math
import ssl
import subprocess
import sys
import threading
import time
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.support import chat_server as chat
from tests.support.chat_server import Answer, ChatServer
from tests.support.ports import nobody_listens
from touchstone.errors import ContextLimit, EpisodeFailure, InputError, ModelFailure, ModelRejected, ModelUnreachable
from touchstone.models.client import asked_wait
from touchstone.models.openai import OpenAIConfig, OpenAIModel
from touchstone.protocols import Model
from touchstone.types import CallPosition, Message, Reply, Tool, Usage

KEY = "sk-test-0123456789abcdef"
PLACE = CallPosition("task", 0, 3)
ASK = [Message(role="user", content="hello")]


class Query(msgspec.Struct):
    sql: str


TOOL = Tool("execute_sql", "Runs a query.", Query)
Ask = Callable[..., Awaitable[Reply]]


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in ("OPENAI_BASE_URL", "TOUCHSTONE_PRICES"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
async def models() -> AsyncIterator[Callable[..., OpenAIModel]]:
    built: list[OpenAIModel] = []

    def build(url: str, name: str = "scripted", concurrency: int = 16, **settings: Any) -> OpenAIModel:
        options = {"base_url": url, "model_retries": 0, "model_timeout": 60.0} | settings
        built.append(OpenAIConfig(model=name, **options).build(concurrency))
        return built[-1]

    yield build
    for model in built:
        await model.close()


@pytest.fixture
def ask(models: Callable[..., OpenAIModel]) -> Ask:
    """Asks once, of a server with these answers."""

    async def once(*answers: Answer, **settings: Any) -> Reply:
        with ChatServer(answers) as server:
            return await models(server.url, **settings).reply(ASK, [TOOL], PLACE)

    return once


async def test_a_text_reply(ask: Ask) -> None:
    reply = await ask(chat.text("hi"))
    assert reply == Reply("hi", (), "stop", Usage(1, 100, 40, 10, None))


async def test_the_request_is_as_plain_as_can_be(models: Callable[..., Model]) -> None:
    with ChatServer([chat.text("hi")]) as server:
        await models(server.url).reply(ASK, [], PLACE)
        await models(server.url, service_tier="flex").reply(ASK, [TOOL], PLACE)
    assert server.requests[0] == {"model": "scripted", "messages": [{"role": "user", "content": "hello"}]}
    assert server.requests[1]["service_tier"] == "flex"
    (tool,) = server.requests[1]["tools"]
    assert tool["function"]["parameters"]["properties"] == {"sql": {"type": "string"}}
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


async def test_tool_calls_keep_their_raw_text(ask: Ask) -> None:
    raw = '{ "sql":  "SELECT 1" }'
    reply = await ask(chat.tool_call("execute_sql", raw))
    (call,) = reply.calls
    assert (call.id, call.name, call.arguments, reply.finish) == ("call_a", "execute_sql", raw, "tool_calls")


async def test_broken_arguments_are_kept_and_can_be_sent_back(models: Callable[..., Model]) -> None:
    with ChatServer([chat.tool_call("execute_sql", '{"sql": "SELECT'), chat.text("ok")]) as server:
        model = models(server.url)
        reply = await model.reply(ASK, [TOOL], PLACE)
        assert reply.calls[0].arguments == '{"sql": "SELECT'
        answer = Message(role="tool", tool_call_id="call_a", content="broken")
        await model.reply([*ASK, reply.as_message(), answer], [TOOL], PLACE)
    sent = server.requests[1]["messages"][1]["tool_calls"][0]["function"]["arguments"]
    assert msgspec.json.decode(sent) == {"invalid_json": '{"sql": "SELECT'}


async def test_an_empty_message_is_not_null_on_the_way_out(models: Callable[..., Model]) -> None:
    with ChatServer([chat.text("")]) as server:
        model = models(server.url)
        reply = await model.reply(ASK, [], PLACE)
        await model.reply([*ASK, reply.as_message(), *ASK], [], PLACE)
    assert server.requests[1]["messages"][1] == {"role": "assistant", "content": ""}


async def test_missing_ids_are_made_up_the_same_way_each_time(ask: Ask) -> None:
    replies = [await ask(chat.tool_call("execute_sql", "{}", id=None)) for _ in range(2)]
    assert {reply.calls[0].id for reply in replies} == {"call_3_0"}


@pytest.mark.parametrize(
    ("answer", "finish"),
    [
        (chat.completion({"content": "a"}, "length"), "length"),
        (chat.completion({"content": "a"}, "content_filter"), "refusal"),
        (chat.completion({"content": "a"}, None), "stop"),
        (chat.completion({"content": "a"}, "something new"), "stop"),
        (chat.tool_call("execute_sql", "{}", finish="stop"), "tool_calls"),
        (chat.tool_call("execute_sql", '{"sql', finish="length"), "length"),
        (chat.refusal(), "refusal"),
        (chat.failure(400, "filtered due to the content management policy", "content_filter"), "refusal"),
        (chat.failure(400, "Invalid prompt: it was flagged", "invalid_prompt"), "refusal"),
        (chat.failure(403, "The chosen model requires moderation and the input was flagged"), "refusal"),
    ],
)
async def test_finish_reasons(ask: Ask, answer: Answer, finish: str) -> None:
    assert (await ask(answer)).finish == finish


async def test_a_refusal_says_why(ask: Ask) -> None:
    assert (await ask(chat.refusal("No."))).text == "No."


async def test_text_in_parts_is_joined(ask: Ask) -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert (await ask(chat.completion({"content": parts}))).text == "ab"


async def test_arguments_as_an_object_become_text(ask: Ask) -> None:
    call = {"function": {"name": "execute_sql", "arguments": {"sql": "x"}}}
    reply = await ask(chat.completion({"tool_calls": [call]}))
    assert reply.calls[0].arguments == '{"sql":"x"}'


async def test_usage_may_be_missing(ask: Ask) -> None:
    assert (await ask(chat.text("hi", usage=None))).usage == Usage(1, cost=None, uncounted=1)


FAILURES: list[tuple[Answer, type[EpisodeFailure], str]] = [
    (chat.bad_key("nothing"), ModelRejected, "OPENAI_API_KEY"),
    (chat.failure(403, "Country not supported"), ModelRejected, "OPENAI_API_KEY"),
    (chat.failure(402, "Insufficient balance"), ModelRejected, "credit"),
    (chat.no_model(), ModelRejected, "model's name"),
    (chat.failure(400, "API key not valid. Please pass a valid one."), ModelRejected, "OPENAI_API_KEY"),
    (chat.failure(400, "nope", "unsupported_value"), ModelRejected, "options"),
    (chat.failure(400, '"auto" tool choice requires --enable-auto-tool-choice'), ModelRejected, "options"),
    (chat.failure(400, "registry.ollama.ai/library/x does not support tools"), ModelRejected, "options"),
    (chat.failure(429, "You exceeded your current quota", "insufficient_quota"), ModelRejected, "quota"),
    (chat.failure(400, "Invalid value for 'content' in messages[7]"), ModelFailure, "messages"),
    (chat.failure(400, "Failed to call a function", "tool_use_failed"), ModelFailure, "function"),
    (chat.failure(422, "unprocessable"), ModelFailure, "422"),
    (chat.rate_limited(), ModelFailure, "429"),
    # Too much in a minute is not too long a conversation, though services say it in the same words.
    (chat.failure(429, "Request too large for m: too many tokens per minute, reduce the length"), ModelFailure, "429"),
    (chat.failure(429, "This model's maximum context length is shared", "rate_limit_exceeded"), ModelFailure, "429"),
    (chat.server_error(), ModelFailure, "500"),
    (Answer("<html><title>Bad Gateway</title></html>", 502, kind="text/html"), ModelFailure, "Bad Gateway"),
    (chat.html(), ModelFailure, "not JSON"),
    (Answer('{"choices": [{"mess'), ModelFailure, "not JSON"),
    (Answer('{"choices": 3}'), ModelFailure, "choices"),
    (Answer(""), ModelFailure, "not JSON"),
    (chat.no_choices(), ModelFailure, "without choices"),
    (Answer("{}"), ModelFailure, "without choices"),
    (Answer('{"error": {"message": "upstream is down", "code": 502}}'), ModelFailure, "upstream is down"),
    (Answer('{"error": {"message": "No auth", "code": 401}}'), ModelRejected, "OPENAI_API_KEY"),
    (Answer('{"error": "model not found"}', 404), ModelRejected, "model not found"),
    (chat.completion({"content": "half"}, "error"), ModelFailure, "broke off"),
    (chat.overflow(), ContextLimit, "no longer fits"),
]


@pytest.mark.parametrize(("answer", "kind", "hint"), FAILURES)
async def test_failures(ask: Ask, answer: Answer, kind: type[EpisodeFailure], hint: str) -> None:
    with pytest.raises(kind) as caught:
        await ask(answer)
    assert type(caught.value) is kind
    assert hint in str(caught.value)
    assert "\n" not in str(caught.value)


REFUSALS: list[tuple[dict[str, Any], Answer, str]] = [
    ({"temperature": 0.2}, chat.refused_field("temperature"), "--temperature"),
    ({"temperature": 0.2, "top_p": 0.5}, chat.refused_field("top_p"), "--top-p"),
    ({"max_tokens": 9}, chat.failure(400, "Use 'max_completion_tokens' instead of 'max_tokens'"), "--max-tokens"),
    ({"reasoning_effort": "low"}, chat.failure(400, "Unrecognized request argument: reasoning_effort"), "--reasoning-effort"),
    ({"seed": 1}, chat.failure(422, "[{'loc': ['body', 'seed'], 'msg': 'Extra inputs are not permitted'}]"), "--seed"),
    ({"extra_body": {"top_k": 1}}, chat.refused_field("top_k"), "--extra-body"),
]


@pytest.mark.parametrize(("settings", "answer", "option"), REFUSALS)
async def test_the_option_behind_a_refused_field_is_named(
    ask: Ask, settings: dict[str, Any], answer: Answer, option: str
) -> None:
    with pytest.raises(ModelRejected) as caught:
        await ask(answer, **settings)
    assert f"scripted: the service refuses {option}; leave it out or give another value (HTTP 4" in str(caught.value)


@pytest.mark.parametrize("message", ["there is no seed in messages[3]", "'temperature' is not a column"])
async def test_a_field_that_was_not_sent_is_not_blamed(ask: Ask, message: str) -> None:
    with pytest.raises(ModelFailure) as caught:
        await ask(chat.failure(400, message), seed=1)
    assert type(caught.value) is ModelFailure


OVERFLOWS = [
    chat.overflow("Your input is not good", "context_length_exceeded"),
    chat.overflow("Input tokens exceed the configured limit of 272000 tokens. Please reduce the length of the messages."),
    chat.overflow("This model's maximum context length is 4096 tokens. However, you requested 5000 tokens."),
    chat.overflow("The decoder prompt (length 5000) is longer than the maximum model length of 4096."),
    chat.overflow("the request exceeds the available context size. try increasing it"),
    chat.overflow("request (5031 tokens) exceeds the available context size (4096 tokens), try increasing it"),
    chat.overflow("prompt is too long: 210000 tokens > 200000 maximum"),
    chat.overflow("prompt too long; exceeded max context length by 20 tokens"),
    chat.overflow("the input length exceeds the context length"),
    chat.overflow("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
    chat.overflow("This model's maximum prompt length is 131072 but the request contains 140000 tokens."),
    chat.overflow("Input is too long for requested model."),
    chat.failure(413, "Request too large for model"),
    Answer('{"error": {"code": 400, "message": "too big", "type": "exceed_context_size_error"}}', 400),
]


@pytest.mark.parametrize("answer", OVERFLOWS)
async def test_every_servers_word_for_a_full_context(ask: Ask, answer: Answer) -> None:
    with pytest.raises(ContextLimit):
        await ask(answer)


@pytest.mark.parametrize("answer", [chat.rate_limited(after=0.05), chat.server_error(), chat.reset()])
async def test_passing_trouble_is_survived(ask: Ask, answer: Answer) -> None:
    assert (await ask(answer, chat.text("hi"), model_retries=1)).text == "hi"


async def test_retry_after_is_honoured(ask: Ask) -> None:
    started = time.perf_counter()
    await ask(chat.rate_limited(after=1), chat.text("hi"), model_retries=1)
    assert time.perf_counter() - started >= 1.0


async def test_a_wait_of_more_than_two_minutes_is_not_waited_for(ask: Ask) -> None:
    started = time.perf_counter()
    with pytest.raises(ModelFailure):
        await ask(chat.rate_limited(after=3600), model_retries=6)
    assert time.perf_counter() - started < 60


async def test_a_rejected_request_is_not_repeated(models: Callable[..., Model]) -> None:
    with ChatServer([chat.no_model()]) as server:
        with pytest.raises(ModelRejected):
            await models(server.url, model_retries=6).reply(ASK, [], PLACE)
        assert len(server.requests) == 1


async def test_a_hanging_service_is_a_failure_in_time(ask: Ask) -> None:
    started = time.perf_counter()
    with pytest.raises(ModelFailure, match=r"within 0\.2 s"):
        await ask(chat.hang(), model_timeout=0.2)
    assert time.perf_counter() - started < 20  # the service would take thirty


@pytest.mark.parametrize("user", ["", "me:secret@"])
async def test_nobody_there(models: Callable[..., Model], user: str) -> None:
    with nobody_listens() as port:
        with pytest.raises(ModelUnreachable) as caught:
            await models(f"http://{user}127.0.0.1:{port}").reply(ASK, [], PLACE)
        assert f"http://127.0.0.1:{port}" in str(caught.value)
    assert "secret" not in str(caught.value)


async def test_a_service_that_only_hangs_up_is_unreachable(ask: Ask) -> None:
    with pytest.raises(ModelUnreachable):
        await ask(chat.reset())


async def test_no_more_calls_at_once_than_allowed(models: Callable[..., Model]) -> None:
    now = most = 0
    lock, three = threading.Lock(), threading.Event()

    def answer(_: Any) -> Answer:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
            if now == 3:
                three.set()
        assert three.wait(20), "no three calls were made at once"
        time.sleep(0.03)
        with lock:
            now -= 1
        return chat.text("hi")

    with ChatServer(answer) as server:
        model = models(server.url, concurrency=3)
        await asyncio.gather(*(model.reply(ASK, [], PLACE) for _ in range(12)))
    assert most == 3


@pytest.mark.parametrize("quoted", [KEY, "sk-proj-abc***************xyz", f"Bearer {KEY}"])
async def test_keys_are_never_quoted(ask: Ask, quoted: str) -> None:
    with pytest.raises(ModelRejected) as caught:
        await ask(chat.bad_key(quoted))
    assert "sk-" not in str(caught.value)


async def test_a_key_of_another_form_is_never_quoted(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "0123456789abcdef")
    with pytest.raises(ModelRejected) as caught:
        await ask(chat.bad_key("0123456789abcdef"))
    assert "0123456789abcdef" not in str(caught.value)


def test_no_key_and_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(InputError, match="OPENAI_API_KEY"):
        OpenAIConfig(model="gpt-5").build()


@pytest.mark.parametrize("key", ["sk-ключ", "sk-a\nb"])
def test_a_key_that_cannot_be_sent(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(InputError) as caught:
        OpenAIConfig(model="gpt-5").build()
    assert key not in str(caught.value)


@pytest.mark.parametrize("url", ["localhost:8000/v1", "ftp://x/v1", "http://", "v1", "http://h:port/v1", "http://[::1/v1"])
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(InputError, match="base URL"):
        OpenAIConfig(model="gpt-5", base_url=url).build()


async def test_a_local_server_needs_no_key(models: Callable[..., Model], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with ChatServer([chat.text("hi")]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        model = OpenAIConfig(model="scripted", model_retries=0).build()
        assert (await model.reply(ASK, [], PLACE)).text == "hi"
        await model.close()


async def test_the_price_of_a_users_own_file(ask: Ask, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    (tmp_path / "prices.toml").write_text("[models]\nscripted = { input = 1, cached = 0.5, output = 10, flex = 0.5 }\n")
    monkeypatch.setenv("TOUCHSTONE_PRICES", str(tmp_path / "prices.toml"))
    assert (await ask(chat.text("hi"))).usage.cost == pytest.approx(180e-6)
    assert (await ask(chat.text("hi"), service_tier="flex")).usage.cost == pytest.approx(90e-6)
    served = await ask(chat.text("hi", service_tier="default"), service_tier="flex")
    assert served.usage.cost == pytest.approx(180e-6), "the tier that was served is the one to pay"


def test_the_prefix_of_the_name_is_ours_only_at_openai() -> None:
    def served(name: str, **settings: Any) -> Any:
        return OpenAIConfig(model=name, **settings).build()._model  # pyright: ignore[reportPrivateUsage]

    assert served("openai/gpt-5") == "gpt-5"
    assert served("openai:gpt-5") == "gpt-5"
    assert served("openai/gpt-oss-20b", base_url="http://127.0.0.1/v1") == "openai/gpt-oss-20b"


ELSEWHERE = "http://127.0.0.9:9/v1"
"""Where nobody listens: only a proxy can answer for it."""


@pytest.fixture
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.mark.usefixtures("no_proxies")
@pytest.mark.parametrize("variable", ["http_proxy", "HTTP_PROXY", "ALL_PROXY"])
async def test_a_proxy_of_the_environment(models: Callable[..., Model], monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    with ChatServer([chat.text("hi")]) as server:
        monkeypatch.setenv(variable, server.url.removesuffix("/v1"))
        assert (await models(ELSEWHERE).reply(ASK, [], PLACE)).text == "hi"
        assert server.headers[0]["Host"] == "127.0.0.9:9"
        monkeypatch.setenv("NO_PROXY", "127.0.0.9")
        with pytest.raises(ModelUnreachable):
            await models(ELSEWHERE).reply(ASK, [], PLACE)


@pytest.mark.usefixtures("no_proxies")
def test_a_proxy_of_another_kind_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1080")
    with pytest.raises(InputError, match="socks5 proxy"):
        OpenAIConfig(model="scripted", base_url=ELSEWHERE).build()


async def test_certificates_of_the_environment(
    models: Callable[..., Model], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    certificate = own_certificate(tmp_path)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate)
    with ChatServer([chat.text("hi")], tls) as server:
        with pytest.raises(ModelUnreachable, match="CERTIFICATE_VERIFY_FAILED"):
            await models(server.url).reply(ASK, [], PLACE)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert (await models(server.url).reply(ASK, [], PLACE)).text == "hi"
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    with pytest.raises(InputError, match="SSL_CERT_FILE"):
        models(server.url)


def own_certificate(folder: Path) -> Path:
    """A key and a certificate for 127.0.0.1 that nobody else has signed, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    address = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(address, critical=False)
        .sign(key, hashes.SHA256())
    )
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file = folder / "certificate.pem"
    file.write_bytes(key.private_bytes(*form) + signed.public_bytes(serialization.Encoding.PEM))
    return file


async def test_headers_of_the_environment(models: Callable[..., Model], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Team: data\nnonsense")
    with ChatServer([chat.text("hi")]) as server:
        await models(server.url).reply(ASK, [], PLACE)
        await models(server.url.replace("//", "//me:p%40ss@")).reply(ASK, [], PLACE)
    assert (server.headers[0]["Openai-Organization"], server.headers[0]["X-Team"]) == ("org-1", "data")
    assert server.headers[1]["Authorization"] == f"Basic {b64encode(b'me:p@ss').decode()}"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after-ms": "300", "retry-after": "7"}, 0.3),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "Wed, 99 Jan 99999 00:00:00 GMT"}, None),
        ({"x-should-retry": "false", "retry-after": "1"}, math.inf),
    ],
)
def test_how_long_a_service_asks_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert asked_wait(headers) == seconds


def test_a_date_to_wait_for() -> None:
    date = email.utils.formatdate(time.time() + 50, usegmt=True)
    asked = asked_wait({"retry-after": date})
    assert asked is not None
    assert 0 < asked <= 51


def test_importing_the_module_imports_no_client() -> None:
    code = "import sys, touchstone.models.openai; assert not {'openai', 'httpx', 'aiohttp'} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", code], check=True)
