"""A service under test as an agent: one request with the question, one answer with the SQL, which is handed in.

Tried again with growing pauses, `Retry-After` honoured: connections that fail, time-outs, 429 and 5xx. Whatever is not SQL in
the end is told apart by its kind: api_refused, api_timeout, api_status, api_not_json, api_too_large, no_sql.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, cast

import msgspec

from ..addresses import without_secrets
from ..errors import (
    EpisodeFailure,
    InputError,
    ServiceFailure,
    ServiceMismatch,
    ServiceNonsense,
    ServiceRejected,
    ServiceUnreachable,
)
from ..foreign import Unreadable, read_json
from ..options import Opt, OptionError, Positive
from ..protocols import Agent, AgentConfig, AgentContext, Stage
from ..types import ServiceStep, ToolCall
from .secrets import is_reference, read_header, sent

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
_SERVICE = "A service under test"


@dataclass(frozen=True, kw_only=True)
class ServiceSettings:
    """How to ask a service under test for an answer as a whole."""

    url: str
    timeout: float = 600.0
    attempts: int = 3
    headers: Mapping[str, str] = field(default_factory=lambda: {})
    template: Mapping[str, Any] = field(default_factory=lambda: {"question": "{question}", "db_id": "{database}"})
    """The request's body. A text that is just `{name}` becomes that field of the brief; in a longer text it is filled in."""
    sql_field: str = "sql"
    """Where the SQL is in the answer: names and positions joined by dots."""


class HttpAgent:
    """Asks a service for SQL and submits it."""

    def __init__(self, settings: ServiceSettings) -> None:
        self._settings = settings
        self._headers = {name: value.strip() for name, value in settings.headers.items()}
        self._client: httpx.AsyncClient | None = None
        self._mask = sent(settings.url, self._headers)
        self._key_mask = sent(settings.url, self._headers, keys_only=True)

    @property
    def template(self) -> Mapping[str, Any]:
        return self._settings.template

    async def play(self, stage: Stage) -> None:
        body = fill(self._settings.template, stage.brief.fields)
        started = time.perf_counter()
        try:
            status, content = await self._ask(body)
        except EpisodeFailure as failure:
            failure.evidence["service_seconds"] = round(time.perf_counter() - started, 6)
            raise
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
        message = self._mask.text(str(error)) or type(error).__name__
        what = f"nothing usable answers at {_safe(self._settings.url)}: {message}"
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

    if refusal := refused(response):
        kind = {TOO_LARGE: "api_too_large", NOT_UNPACKED: "api_not_json"}[refusal[0]]
        raise ServiceNonsense(f"the service's answer {refusal[1]}", kind)


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
    message = f"; it says: {_short(str(error).encode())}" if error else ""
    sql = _bare(value) if isinstance(value, str) else ""
    if not sql or sql.lower() == "sql placeholder":
        failure = ServiceMismatch if value is _NOTHING else ServiceNonsense
        raise failure(f"there is no SQL at '{path}' in the service's answer{message}", "no_sql")
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


def _retry_after(header: str) -> float | None:
    """Seconds, from a number or a date."""
    if header.isdecimal():
        return min(float(header), LONGEST_PAUSE)
    try:
        seconds = (parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds()
    except (TypeError, ValueError):
        return None
    return min(max(seconds, 0.0), LONGEST_PAUSE)


def _short(content: bytes) -> str:
    text = " ".join(content[:400].decode("utf-8", "replace").split())
    return text[:200] or "an empty body"


def _safe(url: str) -> str:
    """Without user, password and query, which may be secrets."""
    return re.sub(r"(?<=://)[^/@]*@", "", url).partition("?")[0]


def _holds_key(header: str) -> bool:
    return not is_reference(header)


class HttpConfig(AgentConfig, frozen=True, kw_only=True):
    """A text-to-SQL service under test: one request per task, whose SQL is handed in."""

    name: ClassVar[str] = "http"
    reads_instructions: ClassVar[bool] = False

    api_url: Annotated[str | None, Opt(names=("--api_url",), group=_SERVICE)] = None
    """The address that answers questions."""
    api_timeout: Annotated[Positive, Opt(names=("--api_timeout",), group=_SERVICE)] = 600.0
    """Seconds to wait for an answer."""
    header: Annotated[tuple[str, ...], Opt(secret=_holds_key, group=_SERVICE)] = ()
    """NAME=VALUE, sent with every request (repeatable). The last word of VALUE may be env:VARIABLE or file:PATH, where the
    key is; such a header is kept for --resume, any other is never saved."""
    request_template: Annotated[Path | None, Opt(group=_SERVICE)] = None
    """A JSON file with the body to send; {question}, {database} and {evidence} in its strings are filled in."""
    sql_field: Annotated[str, Opt(group=_SERVICE)] = "sql"
    """Where the SQL is in the answer: names and positions joined by dots, such as choices.0.sql."""

    def build(self, context: AgentContext) -> Agent:
        if self.api_url is None:
            raise OptionError("api_url", None, "the http agent needs the address of a service")
        if not self.api_url.startswith(("http://", "https://")):
            raise OptionError("api_url", _safe(self.api_url), "expected an address that begins with http:// or https://")
        template = context.hints.service_template
        service = ServiceSettings(
            url=self.api_url,
            timeout=self.api_timeout,
            headers=dict(map(read_header, self.header)),
            template=_read_template(self.request_template) if self.request_template else template,
            sql_field=self.sql_field,
        )
        refuse_hopeless(service)
        return HttpAgent(service)

    def identity(self, agent: Agent, context: AgentContext) -> dict[str, Any]:
        assert isinstance(agent, HttpAgent)
        return {"service": {"url": without_secrets(self.api_url or ""), "template": agent.template}}


def _read_template(path: Path) -> dict[str, Any]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError, UnicodeError) as error:
        raise OptionError("request_template", path, f"expected a JSON object: {error}") from None


def refuse_hopeless(service: ServiceSettings) -> None:
    """Raises InputError for what would fail with every request. The value of a header may be a key, and is not told."""
    import httpx

    try:
        url = httpx.URL(service.url)
    except httpx.InvalidURL as error:
        raise OptionError("api_url", _safe(service.url), str(error)) from None
    if not url.host or not 0 <= (url.port or 0) < 2**16:
        raise OptionError("api_url", _safe(service.url), "expected an address such as http://localhost:8000/infer")
    for name, value in service.headers.items():
        if not _HEADER_NAME.fullmatch(name):
            raise OptionError("header", name, "a header cannot have this name")
        if not (value.strip().isascii() and value.strip().isprintable()):
            raise OptionError("header", name, "its value has characters that a header cannot have")
