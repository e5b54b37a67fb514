"""A service under test as an agent: one request with the question, one answer with the SQL, which is handed in.

Tried again with growing pauses, `Retry-After` honoured: connections that fail, time-outs, 429 and 5xx. Whatever is not SQL in
the end is told apart by its kind: api_refused, api_timeout, api_status, api_not_json, api_too_large, no_sql.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import msgspec

from ..failures import InputError, ServiceFailure, ServiceNonsense, ServiceUnreachable
from ..protocols import Agent, AgentPlugin, AgentSettings, ServiceSettings, Stage
from ..values import ServiceStep, ToolCall

if TYPE_CHECKING:
    import httpx

LARGEST_ANSWER = 16 * 2**20
LONGEST_PAUSE = 60.0
_SUCCESS = range(200, 300)
_FIELD = re.compile(r"\{(\w+)\}")
_FENCE = re.compile(r"```[ \t]*[\w-]*[ \t]*\n(?P<content>.*?)(?:```|\Z)", re.DOTALL)


class HttpAgent:
    """Asks a service for SQL and submits it."""

    def __init__(self, settings: ServiceSettings) -> None:
        self._settings = settings
        self._client: httpx.AsyncClient | None = None

    async def play(self, stage: Stage) -> None:
        body = fill(self._settings.template, stage.brief.fields)
        started = time.perf_counter()
        status, content = await self._ask(body)
        answer = _decoded(content)
        stage.log(ServiceStep(body, status, answer, round(time.perf_counter() - started, 6)))
        if status not in _SUCCESS:
            raise ServiceFailure(f"the service answered with status {status}: {_short(content)}", "api_status")
        if isinstance(answer, str):
            raise ServiceNonsense(f"the service's answer is not a JSON object: {_short(content)}", "api_not_json")
        sql = sql_of(answer, self._settings.sql_field)
        await stage.call(ToolCall("service", "submit_sql", msgspec.json.encode({"sql": sql}).decode()))

    async def _ask(self, body: dict[str, Any]) -> tuple[int, bytes]:
        """The last attempt's status and content; an attempt that gave neither raises."""
        import httpx

        for attempt in range(1, self._settings.attempts + 1):
            last = attempt == self._settings.attempts
            pause = 0.5 * 2**attempt
            try:
                response, content = await self._attempt(body)
                if last or not (response.status_code == 429 or response.status_code >= 500):
                    return response.status_code, content
                pause = _retry_after(response) or pause
            except httpx.TimeoutException:
                if last:
                    raise ServiceFailure(f"no answer within {self._settings.timeout:g} seconds", "api_timeout") from None
            except httpx.TransportError as error:
                if last:
                    what = f"nothing usable answers at {_safe(self._settings.url)}: {error or type(error).__name__}"
                    raise ServiceUnreachable(what, "api_refused") from None
            await asyncio.sleep(pause)
        raise AssertionError("unreachable")

    async def _attempt(self, body: dict[str, Any]) -> tuple[httpx.Response, bytes]:
        """The whole exchange within the time limit, however slowly the answer trickles in."""
        import httpx

        content = bytearray()
        try:
            async with (
                asyncio.timeout(self._settings.timeout),
                self._opened().stream("POST", self._settings.url, json=body) as response,
            ):
                async for piece in response.aiter_bytes():
                    content += piece
                    if len(content) > LARGEST_ANSWER:
                        megabytes = LARGEST_ANSWER // 2**20
                        raise ServiceNonsense(f"the service's answer is larger than {megabytes} MB", "api_too_large")
        except TimeoutError:
            raise httpx.ReadTimeout("too slow") from None
        return response, bytes(content)

    def _opened(self) -> httpx.AsyncClient:
        """One client for the whole run."""
        if self._client is None:
            import httpx

            limits = httpx.Limits(max_connections=None)
            timeout = httpx.Timeout(self._settings.timeout, connect=min(30.0, self._settings.timeout))
            self._client = httpx.AsyncClient(headers=dict(self._settings.headers), timeout=timeout, limits=limits)
        return self._client

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()


def fill(template: Any, fields: Mapping[str, str]) -> Any:
    """The template with the brief's fields in place of their names. Raises InputError for a name that no field has."""
    if isinstance(template, Mapping):
        entries = cast("Mapping[str, Any]", template)
        return {key: fill(value, fields) for key, value in entries.items()}
    if isinstance(template, list):
        return [fill(value, fields) for value in cast("list[Any]", template)]
    return _FIELD.sub(lambda name: _field(name[1], fields), template) if isinstance(template, str) else template


def _field(name: str, fields: Mapping[str, str]) -> str:
    if name not in fields:
        raise InputError(f"the request template names '{{{name}}}'; there are: {', '.join(fields)}")
    return fields[name]


def sql_of(answer: Any, path: str) -> str:
    """The SQL at the path, without a code fence and final semicolons. Raises ServiceNonsense if there is none."""
    value = answer
    for name in path.split("."):
        value = _step(value, name)
    error = cast("dict[str, Any]", answer).get("error") if isinstance(answer, dict) else None
    said = f"; it says: {error}" if error else ""
    if not isinstance(value, str) or not value.strip() or value.strip().lower() == "sql placeholder":
        raise ServiceNonsense(f"there is no SQL at '{path}' in the service's answer{said}", "no_sql")
    fence = _FENCE.search(value)
    return (fence["content"] if fence else value).strip().rstrip(";").rstrip()


def _step(value: Any, name: str) -> Any:
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return items[int(name)] if name.isdigit() and int(name) < len(items) else None
    return cast("dict[str, Any]", value).get(name) if isinstance(value, dict) else None


def _decoded(content: bytes) -> Any:
    """A JSON object or array, or the text of anything else."""
    try:
        value = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeError):
        return content.decode("utf-8", "replace")[:10_000]
    return cast(Any, value) if isinstance(value, dict | list) else str(value)


def _retry_after(response: httpx.Response) -> float | None:
    given = response.headers.get("Retry-After", "")
    return min(float(given), LONGEST_PAUSE) if given.isdigit() else None


def _short(content: bytes) -> str:
    text = " ".join(content[:400].decode("utf-8", "replace").split())
    return text[:200] or "an empty body"


def _safe(url: str) -> str:
    """Without user, password and query, which may be secrets."""
    return re.sub(r"(?<=://)[^/@]*@", "", url).partition("?")[0]


def build(settings: AgentSettings) -> Agent:
    if settings.service is None:
        raise InputError("the http agent needs --api-url")
    return HttpAgent(settings.service)


plugin = AgentPlugin(build, needs_model=False)
