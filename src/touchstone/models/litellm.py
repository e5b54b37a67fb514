"""Every provider that LiteLLM knows: `litellm/anthropic/…`, `litellm/bedrock/…`, `litellm/gemini/…`.

LiteLLM takes several seconds to import, so that happens when a model is built; its network fetch of prices, its
reading of `.env` files and its logging are switched off first. It is one call here, `acompletion`: its own repetition
ignores Retry-After and repeats what cannot succeed, so the repetition is ours. Its exceptions derive from the OpenAI
SDK's and are judged by the same rules, with one difference: it reports a lost connection as a server error, and its
own bugs as a lost connection. All its providers that speak HTTP through httpx, which are nearly all, get `transport`'s limits.
"""

from __future__ import annotations

import asyncio
import os
import re
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar, cast

import msgspec

from ..addresses import shown_url
from ..distribution import pip_install
from ..errors import EpisodeFailure, InputError, ModelFailure, ModelUnreachable
from ..foreign import Unreadable, read_json
from ..types import CallPosition, Message, Reply, Tool, Usage
from . import wire
from .client import asked_wait, retry_wait
from .faults import Service, complaint_of, judge, no_reply, one_line, settle
from .prices import user_price
from .transport import ServiceConfig

_QUIET = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MODE": "PRODUCTION", "LITELLM_LOG": "ERROR"}
_NOBODY = re.compile(
    r"connection error|cannot connect|connect call failed|connection (refused|reset|attempts failed)"
    r"|name or service not known|server disconnected",
    re.IGNORECASE,
)


class LiteLLMConfig(ServiceConfig, frozen=True, kw_only=True):
    """A model of any provider that LiteLLM knows."""

    provider: ClassVar[str] = "litellm"

    def build(self, concurrency: int = 16) -> LiteLLMModel:
        return LiteLLMModel(self, concurrency)


class _NoReply(Exception):
    """Not within the time limit: repeated like the statuses that say so."""

    status_code = 408


class LiteLLMModel:
    """A chat model behind LiteLLM."""

    def __init__(self, settings: LiteLLMConfig, concurrency: int) -> None:
        self.name = settings.model
        self._model = self.name.removeprefix("litellm/").removeprefix("litellm:")
        self._settings = settings
        self._timeout = wire.time_limit(settings)
        self._litellm = _library()
        self._provider = _provider(self._litellm, self._model)
        address = shown_url(settings.base_url).rstrip("/") if settings.base_url else self._provider
        self._service = Service(self._model, address, f"the API key of {self._provider}", settings.sampling_options())
        self._price = user_price(self._model)
        self._free = asyncio.Semaphore(concurrency)

    async def reply(self, messages: Sequence[Message], tools: Sequence[Tool], position: CallPosition) -> Reply:
        request = self._request(messages, tools)
        try:
            async with self._free:
                answer = await self._ask(request)
        except Exception as error:  # whatever happens in there, it is not ours
            return settle(self._judge(error))
        return self._read(answer, position)

    async def close(self) -> None:
        """LiteLLM shares its connections between models and closes them itself."""

    def _request(self, messages: Sequence[Message], tools: Sequence[Tool]) -> dict[str, Any]:
        request = wire.request(self._model, messages, tools, self._settings)
        request |= {"timeout": self._timeout, "max_retries": 0, "num_retries": 0}
        request["_skip_mcp_handler"] = True  # else tools of any kind need the package mcp
        if self._settings.base_url is not None:
            request["api_base"] = self._settings.base_url
        return request

    async def _ask(self, request: dict[str, Any]) -> Any:
        for attempt in range(self._settings.model_retries):
            try:
                return await self._once(request)
            except Exception as error:
                wait = _wait_before_repeating(error, attempt)
                if wait is None:
                    raise
            await asyncio.sleep(wait)
        return await self._once(request)

    async def _once(self, request: dict[str, Any]) -> Any:
        """Within the time limit as a whole: LiteLLM's own is for the wait between two bytes."""
        try:
            async with asyncio.timeout(self._timeout):
                return await self._litellm.acompletion(**request)
        except TimeoutError:
            raise _NoReply from None

    def _judge(self, error: Exception) -> Reply | EpisodeFailure:
        from openai import APIConnectionError, APITimeoutError

        if isinstance(error, APITimeoutError | _NoReply):
            return no_reply(self._service, self._timeout)
        message = one_line(str(error))
        if _NOBODY.search(message):
            return ModelUnreachable(f"{self._model}: nothing answers at {self._service.url}: {message}")
        status, body = getattr(error, "status_code", None), _quoted_body(error)
        if isinstance(status, int) and (body is not None or not isinstance(error, APIConnectionError)):
            words = getattr(error, "body", None) or getattr(error, "message", message)
            return judge(complaint_of(status, words if body is None else body), self._service)
        return ModelFailure(f"{self._model}: {message}")

    def _read(self, answer: Any, position: CallPosition) -> Reply:
        completion = wire.completion_of(_with_refusals(answer.model_dump()))
        usage = wire.usage_of(completion)
        cost = self._cost(answer, usage, completion.tier or self._settings.service_tier)
        return wire.reply_of(completion, msgspec.structs.replace(usage, cost=cost), position)

    def _cost(self, answer: Any, usage: Usage, tier: str | None) -> float | None:
        """By the user's own price file, or else by LiteLLM's table."""
        if self._price is not None:
            return self._price.cost(usage, tier)
        cost: object = cast(dict[str, object], getattr(answer, "_hidden_params", {})).get("response_cost")
        return cost if isinstance(cost, float) and not usage.uncounted else None


def _library() -> Any:
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    try:
        litellm: Any = import_module("litellm")
    except ImportError:
        raise InputError(f"models named litellm/… need LiteLLM: {pip_install('litellm')}") from None
    litellm.suppress_debug_info = True
    _bound_answers()
    warnings.filterwarnings("ignore", message=".*`ReadOnly` qualifier")  # about its own types
    return litellm


def _bound_answers() -> None:
    """LiteLLM makes the transport of each of its clients in this one place, and has no setting for it."""
    from .transport import BoundedTransport

    handler: Any = import_module("litellm.llms.custom_httpx.http_handler").AsyncHTTPHandler
    make: Any = handler.create_async_transport
    if getattr(make, "bounded", False):
        return

    def create_async_transport(*args: Any, **kwargs: Any) -> BoundedTransport:
        return BoundedTransport(make(*args, **kwargs))

    create_async_transport.bounded = True  # pyright: ignore[reportFunctionMemberAccess]
    handler.create_async_transport = staticmethod(create_async_transport)


def _provider(litellm: Any, model: str) -> str:
    try:
        return str(litellm.get_llm_provider(model)[1])
    except litellm.BadRequestError:
        raise InputError(f"LiteLLM has no provider for '{model}'; write litellm/PROVIDER/MODEL") from None


def _wait_before_repeating(error: Exception, attempt: int) -> float | None:
    """Seconds, or None if there is no use in it."""
    status = getattr(error, "status_code", None)
    headers = cast(Mapping[str, str], getattr(error, "litellm_response_headers", None) or {})
    return retry_wait(status, asked_wait(headers), attempt) if isinstance(status, int) else None


def _quoted_body(error: Exception) -> Any:
    """The service's own words, which LiteLLM mostly quotes at the end of its message."""
    _, brace, rest = str(error).partition("{")
    try:
        body = read_json(brace + rest)
    except Unreadable:
        return None
    return cast("dict[str, Any]", body).get("error", body) if isinstance(body, dict) else None


def _with_refusals(answer: dict[str, Any]) -> dict[str, Any]:
    """A refusal is put where only LiteLLM looks for it."""
    for choice in answer.get("choices") or ():
        message: dict[str, Any] = choice["message"]
        extra: dict[str, Any] = message.get("provider_specific_fields") or {}
        message["refusal"] = extra.get("refusal")
    return answer
