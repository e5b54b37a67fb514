"""Any service that speaks OpenAI's chat completions: OpenAI, vLLM, llama.cpp, Ollama, gateways.

The official SDK carries the requests: one client per model, shared by all episodes. It repeats a request after 429,
408, 409, 5xx, time-outs and lost connections, waits as long as Retry-After says (up to two minutes; if told to wait
longer it gives up at once) and otherwise 0.5 to 8 s. It takes about a second to import, so that happens when a model
is built. `transport` keeps each answer within its time and its size. Answers are decoded by us: `wire` is both faster and
more lenient than the SDK's own types.

A temperature, or any other option of how to answer, is sent only if it was asked for: several models refuse it, and each
service's default is what its users get.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import urlsplit

import msgspec

from ..errors import InputError
from ..types import CallPosition, Message, Reply, Tool
from . import wire
from .faults import Service, embedded_complaint, judge, judge_error, one_line, settle, shown_url
from .prices import is_openai, price_of
from .transport import ServiceConfig

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_OPENAI_URL = "https://api.openai.com/v1"
_CONNECT_TIMEOUT = 10.0


class OpenAIConfig(ServiceConfig, frozen=True, kw_only=True):
    """A model at OpenAI, or at any service that speaks its protocol."""

    provider: ClassVar[str] = "openai"

    def build(self, concurrency: int = 16) -> OpenAIModel:
        return OpenAIModel(self, concurrency)


class OpenAIModel:
    """A chat model behind an HTTP service."""

    def __init__(self, settings: OpenAIConfig, concurrency: int) -> None:
        base_url = settings.base_url or os.environ.get("OPENAI_BASE_URL") or None
        url = _checked_url(base_url or _OPENAI_URL)
        self.name = settings.model
        self._model = _served_name(self.name, url)
        self._settings = _for_openai(settings) if is_openai(url) else settings
        self._timeout = wire.time_limit(settings)
        self._service = Service(self._model, shown_url(url), "OPENAI_API_KEY", _options(settings))
        self._price = price_of(self._model, url)
        self._free = asyncio.Semaphore(concurrency)
        self._client = _client(url, _key(base_url), self._timeout, settings.model_retries)

    async def reply(self, messages: Sequence[Message], tools: Sequence[Tool], place: CallPosition) -> Reply:
        from openai import APIError

        request = wire.request(self._model, messages, tools, self._settings)
        try:
            async with self._free:
                body = await self._client.post("/chat/completions", cast_to=str, body=request)
        except APIError as error:
            return settle(judge_error(error, self._service, self._timeout))
        return self._read(body, place)

    async def close(self) -> None:
        await self._client.close()

    def _read(self, body: str, place: CallPosition) -> Reply:
        completion = wire.completion_of(body)
        if completion.error and not completion.choices:
            return settle(judge(embedded_complaint(completion.error), self._service))
        usage = wire.usage_of(completion)
        cost = self._price and self._price.cost(usage, completion.tier or self._settings.service_tier)
        return wire.reply_of(completion, msgspec.structs.replace(usage, cost=cost), place)


def _client(url: str, key: str, timeout: float, retries: int) -> AsyncOpenAI:
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Timeout

    from .transport import bounded

    limits = Timeout(timeout, connect=min(timeout, _CONNECT_TIMEOUT))
    http = bounded(DefaultAsyncHttpxClient(timeout=limits), timeout)
    return AsyncOpenAI(api_key=key, base_url=url, timeout=limits, max_retries=retries, http_client=http)


def _for_openai(settings: OpenAIConfig) -> OpenAIConfig:
    """Its newer models know the length of a reply by another name, and refuse the old one."""
    if settings.max_tokens is None:
        return settings
    extra = {"max_completion_tokens": settings.max_tokens, **(settings.extra_body or {})}
    return msgspec.structs.replace(settings, max_tokens=None, extra_body=extra)


def _options(settings: OpenAIConfig) -> dict[str, str]:
    options = settings.sampling_options()
    return {"max_completion_tokens": "--max-tokens", **options} if settings.max_tokens is not None else options


def _served_name(name: str, url: str) -> str:
    """`openai:` is ours; `openai/` may be a part of the name on servers other than OpenAI's."""
    name = name.removeprefix("openai:")
    return name.removeprefix("openai/") if is_openai(url) else name


def _checked_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        right = parts.scheme in ("http", "https") and parts.hostname and (parts.port or True)
    except ValueError:
        right = False
    if not right:
        raise InputError(f"the base URL '{one_line(url)}' is not an http:// or https:// address")
    return url


def _key(base_url: str | None) -> str:
    """From the environment; a local server needs none, but the SDK does."""
    key = os.environ.get("OPENAI_API_KEY", "").strip()
    if not key and base_url is None:
        raise InputError("no model service: set OPENAI_API_KEY, or give the base URL of an OpenAI-compatible server")
    if not (key.isascii() and key.isprintable()):
        raise InputError("OPENAI_API_KEY contains characters that no key has; check that it was copied whole")
    return key or "none"
