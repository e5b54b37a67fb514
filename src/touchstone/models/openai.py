"""Any service that speaks OpenAI's chat completions: OpenAI, vLLM, llama.cpp, Ollama, gateways.

One `client` per model, shared by all episodes, carries the requests and repeats them where that can help. `wire` decodes the
answers: any JSON, as far as it makes sense.

A temperature, or any other option of how to answer, is sent only if it was asked for: several models refuse it, and each
service's default is what its users get.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import ClassVar
from urllib.parse import urlsplit, urlunsplit

import msgspec

from .. import __version__
from ..addresses import is_http_address, shown_url
from ..errors import InputError, ModelUnreachable
from ..types import CallPosition, Message, Reply, Tool
from . import wire
from .client import ChatClient, ConnectionFailure, HttpFailure
from .faults import Service, complaint_of, embedded_complaint, judge, no_reply, one_line, settle
from .prices import is_openai, price_of
from .transport import ServiceConfig

_OPENAI_URL = "https://api.openai.com/v1"


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
        self._service = Service(self._model, shown_url(url).rstrip("/"), "OPENAI_API_KEY", _options(settings))
        self._price = price_of(self._model, url)
        self._free = asyncio.Semaphore(concurrency)
        self._client = ChatClient(_endpoint(url), _headers(_key(base_url)), self._timeout, settings.model_retries)

    async def reply(self, messages: Sequence[Message], tools: Sequence[Tool], position: CallPosition) -> Reply:
        request = msgspec.json.encode(wire.request(self._model, messages, tools, self._settings))
        try:
            async with self._free:
                body = await self._client.post(request)
        except HttpFailure as failure:
            return settle(judge(complaint_of(failure.status, failure.body), self._service))
        except TimeoutError:
            raise no_reply(self._service, self._timeout) from None
        except ConnectionFailure as failure:
            raise ModelUnreachable(f"{self._model}: nothing answers at {self._service.url}: {one_line(str(failure))}") from None
        return self._read(body, position)

    async def close(self) -> None:
        await self._client.close()

    def _read(self, body: str, position: CallPosition) -> Reply:
        completion = wire.completion_of(body)
        if completion.error and not completion.choices:
            return settle(judge(embedded_complaint(completion.error), self._service))
        usage = wire.usage_of(completion)
        cost = self._price and self._price.cost(usage, completion.tier or self._settings.service_tier)
        return wire.reply_of(completion, msgspec.structs.replace(usage, cost=cost), position)


def _endpoint(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/chat/completions"))


def _headers(key: str) -> dict[str, str]:
    """The key, and what the OpenAI SDK too takes from the environment: organization, project and any other header."""
    headers = {"Authorization": f"Bearer {key}", "User-Agent": f"touchstone/{__version__}"}
    for name, variable in (("OpenAI-Organization", "OPENAI_ORG_ID"), ("OpenAI-Project", "OPENAI_PROJECT_ID")):
        if value := os.environ.get(variable):
            headers[name] = value
    for line in os.environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines():
        name, colon, value = line.partition(":")
        if colon:
            headers[name.strip()] = value.strip()
    return headers


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
    if not is_http_address(url):
        raise InputError(f"the base URL '{one_line(url)}' is not an http:// or https:// address")
    return url


def _key(base_url: str | None) -> str:
    """From the environment; a local server needs none, but takes any."""
    key = os.environ.get("OPENAI_API_KEY", "").strip()
    if not key and base_url is None:
        raise InputError("no model service: set OPENAI_API_KEY, or --base-url of an OpenAI-compatible server")
    if not (key.isascii() and key.isprintable()):
        raise InputError("OPENAI_API_KEY contains characters that a key cannot have; check that it was copied completely")
    return key or "none"
