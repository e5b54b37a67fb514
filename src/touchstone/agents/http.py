"""A service under test as an agent: one request with the question, one answer with the SQL, which is handed in.

Tried again with growing pauses, `Retry-After` honoured: connections that fail, time-outs, 429 and 5xx. Whatever is not SQL in
the end is told apart by its kind: api_refused, api_timeout, api_status, api_not_json, api_too_large, no_sql.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import inf
from typing import TYPE_CHECKING, Any, cast

import msgspec

from ..failures import (
    EpisodeFailure,
    InputError,
    ServiceFailure,
    ServiceMismatch,
    ServiceNonsense,
    ServiceRejected,
    ServiceUnreachable,
)
from ..foreign import Unreadable, read_json
from ..protocols import Agent, AgentPlugin, AgentSettings, ServiceSettings, Stage
from ..values import ServiceStep, ToolCall
from .secrets import sent

if TYPE_CHECKING:
    import httpx

LONGEST_PAUSE = 60.0
_NOTHING = object()
_SUCCESS = range(200, 300)
_REFUSED = range(400, 500)
_PASSING = (408, 425, 429)
"""Of those that refuse: another time it may work."""
_FIELD = re.compile(r"\{(\w+)\}")
_FENCE = re.compile(r"```(?:[ \t]*[\w-]*[ \t]*\r?\n|[ \t]*sql[ \t])(?P<content>.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE)
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class HttpAgent:
    """Asks a service for SQL and submits it."""

    def __init__(self, settings: ServiceSettings) -> None:
        self._settings = settings
        self._headers = {name: value.strip() for name, value in settings.headers.items()}
        self._client: httpx.AsyncClient | None = None
        self._mask = sent(settings.url, self._headers)
        self._key_mask = sent(settings.url, self._headers, keys_only=True)

    async def play(self, stage: Stage) -> None:
        body = fill(self._settings.template, stage.brief.fields)
        started = time.perf_counter()
        status, content = await self._ask(body)
        answer = _decoded(content)
        seconds = round(time.perf_counter() - started, 6)
        shown = self._mask.all(answer)  # services like to quote the key that they refuse
        stage.log(ServiceStep(body, status, shown, seconds))
        if status not in _SUCCESS:
            failure = ServiceRejected if status in _REFUSED and status not in _PASSING else ServiceFailure
            raise failure(f"the service answered with status {status}: {self._short(content)}", "api_status")
        if isinstance(answer, str):
            raise ServiceNonsense(f"the service's answer is not a JSON object: {self._short(content)}", "api_not_json")
        try:
            sql = self._key_mask.text(sql_of(answer, self._settings.sql_field))
        except ServiceNonsense as nonsense:
            raise type(nonsense)(self._mask.text(str(nonsense)), nonsense.kind) from None
        await stage.call(ToolCall("service", "submit_sql", msgspec.json.encode({"sql": sql}).decode()))

    async def _ask(self, body: dict[str, Any]) -> tuple[int, bytes]:
        """The last attempt's status and content; an attempt that gave neither raises."""
        import httpx

        for attempt in range(1, self._settings.attempts + 1):
            last = attempt == self._settings.attempts
            pause = 0.5 * 2**attempt
            try:
                response = await self._opened().post(self._settings.url, json=body)
                _refuse_unread(response)
                if last or not (response.status_code == 429 or response.status_code >= 500):
                    return response.status_code, response.content
                asked_for = _retry_after(response.headers.get("Retry-After", ""))
                pause = pause if asked_for is None else asked_for
            except httpx.TransportError as error:
                if last:
                    raise self._failure(error) from None
            await asyncio.sleep(pause)
        raise AssertionError("unreachable")

    def _failure(self, error: httpx.TransportError) -> EpisodeFailure:
        import httpx

        if isinstance(error, httpx.TimeoutException) and not isinstance(error, httpx.ConnectTimeout):
            return ServiceFailure(f"no answer within {self._settings.timeout:g} seconds", "api_timeout")
        said = self._mask.text(str(error)) or type(error).__name__
        what = f"nothing usable answers at {_safe(self._settings.url)}: {said}"
        return ServiceUnreachable(what, "api_refused")

    def _opened(self) -> httpx.AsyncClient:
        """One client for the whole run."""
        if self._client is None:
            import httpx

            from ..models.transport import bounded

            limits = httpx.Limits(max_connections=None)
            timeout = httpx.Timeout(self._settings.timeout, connect=min(30.0, self._settings.timeout))
            client = httpx.AsyncClient(headers=self._headers, timeout=timeout, limits=limits)
            self._client = bounded(client, self._settings.timeout)
        return self._client

    def _short(self, content: bytes) -> str:
        return _short(self._mask.text(content.decode("utf-8", "replace")).encode())

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()


def _refuse_unread(response: httpx.Response) -> None:
    """Raises ServiceNonsense for an answer that was too large to be read, or cannot be unpacked."""
    from ..models.transport import NOT_UNPACKED, TOO_LARGE, refused

    if told := refused(response):
        kind = {TOO_LARGE: "api_too_large", NOT_UNPACKED: "api_not_json"}[told[0]]
        raise ServiceNonsense(f"the service's answer {told[1]}", kind)


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
    value: Any = answer
    for name in path.split("."):
        value = _step(value, name)
    error = cast("dict[str, Any]", answer).get("error") if isinstance(answer, dict) else None
    said = f"; it says: {_short(str(error).encode())}" if error else ""
    sql = _bare(value) if isinstance(value, str) else ""
    if not sql or sql.lower() == "sql placeholder":
        failure = ServiceMismatch if value is _NOTHING else ServiceNonsense
        raise failure(f"there is no SQL at '{path}' in the service's answer{said}", "no_sql")
    return sql


def _bare(text: str) -> str:
    fence = _FENCE.search(text)
    return (fence["content"] if fence else text).strip().rstrip("; \t\r\n")


def _step(value: Any, name: str) -> Any:
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return items[int(name)] if name.isdecimal() and len(name) < 9 and int(name) < len(items) else _NOTHING
    return cast("dict[str, Any]", value).get(name, _NOTHING) if isinstance(value, dict) else _NOTHING


def _decoded(content: bytes) -> Any:
    """A JSON object or array, or the text of anything else."""
    try:
        value = read_json(content)
    except Unreadable:
        return content.decode("utf-8", "replace")[:10_000]
    return cast(Any, value) if isinstance(value, dict | list) else str(value)


def _retry_after(given: str) -> float | None:
    """Seconds, from a number or a date."""
    if given.isdecimal():
        return min(float(given), LONGEST_PAUSE)
    try:
        seconds = (parsedate_to_datetime(given) - datetime.now(UTC)).total_seconds()
    except (TypeError, ValueError):
        return None
    return min(max(seconds, 0.0), LONGEST_PAUSE)


def _short(content: bytes) -> str:
    text = " ".join(content[:400].decode("utf-8", "replace").split())
    return text[:200] or "an empty body"


def _safe(url: str) -> str:
    """Without user, password and query, which may be secrets."""
    return re.sub(r"(?<=://)[^/@]*@", "", url).partition("?")[0]


def build(settings: AgentSettings) -> Agent:
    if settings.service is None:
        raise InputError("the http agent needs --api-url")
    _refuse_hopeless(settings.service)
    return HttpAgent(settings.service)


def _refuse_hopeless(service: ServiceSettings) -> None:
    """Raises InputError for what would fail with every request. The value of a header may be a key, and is not told."""
    import httpx

    try:
        url = httpx.URL(service.url)
    except httpx.InvalidURL as error:
        raise InputError(f"--api-url {_safe(service.url)}: {error}") from None
    if not url.host or not 0 <= (url.port or 0) < 2**16:
        raise InputError(f"--api-url {_safe(service.url)}: expected an address such as http://localhost:8000/infer")
    if not 0 < service.timeout < inf:
        raise InputError("--api-timeout must be positive")
    for name, value in service.headers.items():
        if not _HEADER_NAME.fullmatch(name):
            raise InputError(f"--header {name}: a header cannot have this name")
        if not (value.strip().isascii() and value.strip().isprintable()):
            raise InputError(f"--header {name}: its value has characters that a header cannot have")


plugin = AgentPlugin(build, needs_model=False)
