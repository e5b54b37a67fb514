"""A service under test as an agent: one request with the question, one answer with the SQL, which is handed in.

Tried again with growing pauses, `Retry-After` honoured: connections that fail, time-outs, 429 and 5xx. Whatever is not SQL in
the end is told apart by its kind: api_refused, api_timeout, api_status, api_not_json, api_too_large, no_sql.
"""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, cast

import msgspec

from ..addresses import is_http_address, shown_url, without_secrets
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


class HttpAgent:
    """Asks a service for SQL and submits it."""

    def __init__(self, config: HttpConfig, template: Mapping[str, Any], attempts: int = 3) -> None:
        """The template is the request's body: {name} in its texts becomes that field of the brief. Raises OptionError."""
        from ..models.client import JsonClient

        self.template = template
        self._attempts = attempts
        self._seconds = config.api_timeout
        self._sql_field = config.sql_field
        self._url = _checked_url(config.api_url)
        headers = dict(map(_checked_header, config.header))
        self._client = JsonClient(self._url, headers, self._seconds)
        self._mask = sent(self._url, headers)
        self._key_mask = sent(self._url, headers, keys_only=True)

    async def play(self, stage: Stage) -> None:
        body = fill(self.template, stage.brief.fields)
        started = time.perf_counter()
        try:
            status, content = await self._ask(msgspec.json.encode(body))
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
            sql = self._key_mask.text(sql_of(answer, self._sql_field))
        except ServiceNonsense as nonsense:
            raise type(nonsense)(self._mask.text(str(nonsense)), nonsense.kind) from None
        await stage.call(ToolCall("service", "submit_sql", msgspec.json.encode({"sql": sql}).decode()))

    async def _ask(self, body: bytes) -> tuple[int, bytes]:
        """The last attempt's status and content; an attempt that gave neither raises."""
        from ..models.client import ConnectionFailure, asked_wait
        from ..models.transport import TOO_LARGE, AnswerRefused

        for attempt in range(1, self._attempts + 1):
            last = attempt == self._attempts
            pause = 0.5 * 2**attempt
            try:
                status, headers, content = await self._client.once(body)
                if last or not (status == 429 or status >= 500):
                    return status, content
                if (asked := asked_wait(headers)) is not None and math.isfinite(asked):
                    pause = min(max(asked, 0.0), LONGEST_PAUSE)
            except AnswerRefused as refusal:
                kind = "api_too_large" if refusal.code == TOO_LARGE else "api_not_json"
                raise ServiceNonsense(f"the service's answer {refusal}", kind) from None
            except (ConnectionFailure, TimeoutError) as error:
                if last:
                    raise self._failure(error) from None
            await asyncio.sleep(pause)
        raise AssertionError("unreachable")

    def _failure(self, error: Exception) -> EpisodeFailure:
        from ..models.client import ConnectTimeout

        if isinstance(error, TimeoutError) and not isinstance(error, ConnectTimeout):
            return ServiceFailure(f"no answer within {self._seconds:g} seconds", "api_timeout")
        what = f"nothing usable answers at {shown_url(self._url)}: {self._mask.text(str(error))}"
        return ServiceUnreachable(what, "api_refused")

    def _short(self, content: bytes) -> str:
        return _short(self._mask.text(content.decode("utf-8", "replace")).encode())

    async def close(self) -> None:
        await self._client.close()


def _checked_url(url: str | None) -> str:
    if url is None:
        raise OptionError("api_url", None, "the http agent needs the address of a service")
    if not url.startswith(("http://", "https://")):
        raise OptionError("api_url", shown_url(url), "expected an address that begins with http:// or https://")
    if not is_http_address(url):
        raise OptionError("api_url", shown_url(url), "expected an address such as http://localhost:8000/infer")
    return url


def _checked_header(header: str) -> tuple[str, str]:
    """Raises OptionError for what cannot be sent. The value may be a key, and is not told."""
    name, value = read_header(header)
    value = value.strip()
    if not _HEADER_NAME.fullmatch(name):
        raise OptionError("header", name, "a header cannot have this name")
    if not (value.isascii() and value.isprintable()):
        raise OptionError("header", name, "its value has characters that a header cannot have")
    return name, value


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


def _short(content: bytes) -> str:
    text = " ".join(content[:400].decode("utf-8", "replace").split())
    return text[:200] or "an empty body"


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
        template = _read_template(self.request_template) if self.request_template else context.hints.service_template
        return HttpAgent(self, template)

    def identity(self, agent: Agent, context: AgentContext) -> dict[str, Any]:
        assert isinstance(agent, HttpAgent)
        return {"service": {"url": without_secrets(self.api_url or ""), "template": agent.template}}


def _read_template(path: Path) -> dict[str, Any]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError, UnicodeError) as error:
        raise OptionError("request_template", path, f"expected a JSON object: {error}") from None
