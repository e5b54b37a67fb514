"""Whole answers within limits, for every client that speaks to a service.

HTTP libraries unpack whatever comes: 0.6 MB of gzip become 1.9 GB. `unpacked` reads an answer within a number of bytes on the
wire and of bytes unpacked; gzip and deflate only, which zlib can unpack in steps. `client` reads by it, and so does
`BoundedTransport`, for LiteLLM, which brings httpx: there, an answer that goes beyond becomes status 413 with a `code` of ours,
which no client repeats.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterable
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, cast

import msgspec
from msgspec import Meta

from ..budgets import BUDGETS, Budgets, in_words
from ..options import Count, NotNegative, Opt, Positive, WholeNumber
from ..protocols import WHO, ModelConfig

if TYPE_CHECKING:
    import httpx

TOO_LARGE = "touchstone_answer_too_large"
NOT_UNPACKED = "touchstone_answer_not_unpacked"
_PLAIN = ("", "identity")
_ZIPPED = ("gzip", "x-gzip", "deflate")


class BoundedTransport:
    """Another transport of httpx, of whose answers only so much is read. The caller minds the clock."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        from httpx import Response

        request.headers["Accept-Encoding"] = "gzip, deflate"
        response = await self._inner.handle_async_request(request)
        headers = response.headers.copy()
        for name in ("Content-Encoding", "Content-Length", "Transfer-Encoding"):
            headers.pop(name, None)
        try:
            encoding = response.headers.get("Content-Encoding", "").strip().lower()
            body = await unpacked(cast("AsyncIterable[bytes]", response.stream), encoding, BUDGETS)
        except AnswerRefused as refusal:
            error = {"message": f"the answer {refusal}", "code": refusal.code}
            refused = {"Content-Type": "application/json", "x-should-retry": "false"}
            return Response(413, headers=refused, content=msgspec.json.encode({"error": error}), request=request)
        finally:
            await response.aclose()
        extensions = {name: value for name, value in response.extensions.items() if name != "network_stream"}
        return Response(response.status_code, headers=headers, content=body, request=request, extensions=extensions)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


async def unpacked(stream: AsyncIterable[bytes], encoding: str, budgets: Budgets) -> bytes:
    """A whole answer, within the bytes on the wire and unpacked that are allowed."""
    if encoding not in (*_PLAIN, *_ZIPPED):
        raise AnswerRefused(NOT_UNPACKED, f"is packed as '{encoding[:40]}', which was not asked for")
    body = bytearray()
    unpack = None if encoding in _PLAIN else _Unpacking()
    total = 0
    async for piece in stream:
        total += len(piece)
        room = budgets.answer_bytes - len(body) + 1
        body += piece if unpack is None else unpack(piece, room)
        if total > budgets.answer_wire_bytes:
            raise AnswerRefused(TOO_LARGE, f"is larger than {in_words(budgets.answer_wire_bytes)}")
        if len(body) > budgets.answer_bytes:
            inflated = " when it is unpacked" if unpack else ""
            raise AnswerRefused(TOO_LARGE, f"is larger than {in_words(budgets.answer_bytes)}{inflated}")
    return bytes(body)


class AnswerRefused(Exception):
    """An answer that is not read to its end, or cannot be unpacked."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class _Unpacking:
    """gzip or zlib, told apart by their first bytes; what is called deflate can also be bare."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(zlib.MAX_WBITS | 32)
        self._begun = False

    def __call__(self, piece: bytes, room: int) -> bytes:
        try:
            return self._zlib.decompress(piece, room)
        except zlib.error as error:
            if self._begun:
                raise AnswerRefused(NOT_UNPACKED, f"cannot be unpacked: {error}") from None
            self._zlib = zlib.decompressobj(-zlib.MAX_WBITS)
            self._begun = True
            return self(piece, room)
        finally:
            self._begun = True


# The options of models behind a service: where it is, and how it answers. What is not given is not sent.


_SAMPLING = ("temperature", "top_p", "max_tokens", "reasoning_effort", "seed")


class ServiceConfig(ModelConfig, frozen=True, kw_only=True):
    """A chat model behind an HTTP service."""

    base_url: Annotated[str | None, Opt(env="OPENAI_BASE_URL", group=WHO)] = None
    """The endpoint, if it is not the provider's own. The key comes from OPENAI_API_KEY."""
    temperature: Annotated[NotNegative | None, Opt(group=WHO)] = None
    """Sampling temperature. Sent only if given; some models accept only their default."""
    top_p: Annotated[Annotated[float, Meta(gt=0, le=1)] | None, Opt(group=WHO, advanced=True)] = None
    """Nucleus sampling. Sent only if given."""
    max_tokens: Annotated[Count | None, Opt(group=WHO)] = None
    """At most this many tokens per reply."""
    reasoning_effort: Annotated[Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None, Opt(group=WHO)] = None
    """How much a reasoning model thinks. Sent only if given."""
    seed: Annotated[int | None, Opt(group=WHO, advanced=True)] = None
    """Sampling seed. Sent only if given; few services promise the same reply for the same seed."""
    extra_body: Annotated[dict[str, Any] | None, Opt(group=WHO, advanced=True)] = None
    """A JSON object whose fields are added to every request."""
    service_tier: Annotated[str | None, Opt(group=WHO, advanced=True)] = None
    """The service tier to ask for, such as flex."""
    model_timeout: Annotated[Positive, Opt(group=WHO, advanced=True)] = 600.0
    """Seconds to wait for a reply."""
    model_retries: Annotated[WholeNumber, Opt(group=WHO, advanced=True)] = 6
    """How often to retry a request that failed for a temporary reason."""

    def identity(self) -> dict[str, Any]:
        sampling = self.sampling()
        return {"sampling": sampling} if sampling else {}

    def sampling(self) -> dict[str, Any]:
        """What is added to a request."""
        options = {name: getattr(self, name) for name in _SAMPLING}
        return {name: value for name, value in options.items() if value is not None} | (self.extra_body or {})

    def sampling_options(self) -> dict[str, str]:
        """By the field of a request that it sets, the option that asked for it: to say which one a service refuses."""
        named = {name: f"--{name.replace('_', '-')}" for name in _SAMPLING if getattr(self, name) is not None}
        return named | dict.fromkeys(self.extra_body or {}, "--extra-body")
