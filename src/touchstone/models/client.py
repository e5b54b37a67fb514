"""The HTTP client of chat models and of services under test: one request out, one whole answer back.

aiohttp carries the requests: a call costs a tenth of what it costs through the OpenAI SDK (perf/model_client.py). What the SDK
does for its users is done here too. A request to a model is repeated after 408, 409, 429, 5xx, time-outs and lost connections;
the wait is what Retry-After says, up to two minutes (a service that wants more is not waited for), and otherwise 0.5 to 8 s.
Proxies come from HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY, certificates from SSL_CERT_FILE and SSL_CERT_DIR or the
package certifi. An answer is read within a total of seconds, of bytes on the wire and of bytes unpacked.
"""

from __future__ import annotations

import asyncio
import email.utils
import math
import os
import random
import ssl
import time
from base64 import b64encode
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

from ..budgets import BUDGETS, Budgets
from ..errors import InputError, os_errors_as
from ..foreign import Unreadable, read_json
from .transport import AnswerRefused, unpacked

if TYPE_CHECKING:
    from aiohttp import ClientSession

_CONNECT_TIMEOUT = 10.0
_LONGEST_WAIT = 120.0


class HttpFailure(Exception):
    """An answer that is no reply: its status, and its `error` part or its text."""

    def __init__(self, status: int, body: Any, wait: float | None = None) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status
        self.body = body
        self.wait = wait
        """Seconds that the service wants to pass before a repetition; infinite if it wants none, None if it said nothing."""


class ConnectionFailure(Exception):
    """Nobody answered, or the connection was lost."""


class ConnectTimeout(TimeoutError):
    """Not even a connection was made in time."""


class JsonClient:
    """Posts JSON to one address. Connections are kept and shared by all episodes."""

    def __init__(
        self, url: str, headers: Mapping[str, str], seconds: float, *, budgets: Budgets = BUDGETS, redirects: bool = False
    ) -> None:
        import aiohttp  # 0.1 s: it is paid for when a client is made

        parts = urlsplit(url)
        self._url = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
        self._headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "gzip, deflate"}
        self._headers |= {**headers, **_basic_authorization(parts)}
        self._proxy = _proxy_for(parts)
        self._tls = _tls_context() if parts.scheme == "https" or (self._proxy or "").startswith("https:") else None
        self._seconds = seconds
        self._budgets = budgets
        self._redirects = redirects
        self._lost = (aiohttp.ClientError, OSError)
        self._no_connection = aiohttp.ConnectionTimeoutError
        self._session: ClientSession | None = None

    async def once(self, body: bytes) -> tuple[int, Mapping[str, str], bytes]:
        """Status, headers and content of a whole answer. Raises AnswerRefused, ConnectionFailure or TimeoutError."""
        session = self._session or self._opened()
        request = session.post(self._url, data=body, headers=self._headers, proxy=self._proxy, allow_redirects=self._redirects)
        try:
            async with asyncio.timeout(self._seconds), request as response:
                encoding = response.headers.get("Content-Encoding", "").strip().lower()
                try:
                    content = await unpacked(response.content.iter_any(), encoding, self._budgets)
                except AnswerRefused:
                    response.close()  # the rest of it is not read
                    raise
                return response.status, response.headers, content
        except self._no_connection as error:
            raise ConnectTimeout(str(error)) from None
        except TimeoutError:
            raise TimeoutError from None
        except self._lost as error:
            refused = isinstance(getattr(error, "os_error", None), ConnectionRefusedError)
            raise ConnectionFailure("connection refused" if refused else str(error) or type(error).__name__) from None

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    def _opened(self) -> ClientSession:
        """Made by the first call, because it belongs to the loop that it is made in."""
        from aiohttp import ClientSession, ClientTimeout, DummyCookieJar, TCPConnector

        self._session = ClientSession(
            connector=TCPConnector(limit=0, ssl=self._tls if self._tls is not None else True),
            timeout=ClientTimeout(total=None, sock_connect=min(self._seconds, _CONNECT_TIMEOUT)),
            cookie_jar=DummyCookieJar(),
            auto_decompress=False,
        )
        return self._session


class ChatClient(JsonClient):
    """Repeats requests where that can help."""

    def __init__(self, url: str, headers: Mapping[str, str], seconds: float, retries: int, budgets: Budgets = BUDGETS) -> None:
        super().__init__(url, headers, seconds, budgets=budgets, redirects=True)
        self._retries = retries

    async def post(self, body: bytes) -> str:
        """The answer's text. Raises HttpFailure, ConnectionFailure or TimeoutError, for the last attempt."""
        for attempt in range(self._retries):
            try:
                return await self._text(body)
            except HttpFailure as failure:
                wait = retry_wait(failure.status, failure.wait, attempt)
                if wait is None:
                    raise
            except (ConnectionFailure, TimeoutError):
                wait = _backoff(attempt)
            await asyncio.sleep(wait)
        return await self._text(body)

    async def _text(self, body: bytes) -> str:
        try:
            status, headers, content = await self.once(body)
        except AnswerRefused as refusal:
            raise HttpFailure(413, {"message": f"the answer {refusal}", "code": refusal.code}, math.inf) from None
        text = content.decode("utf-8", "replace")
        if status < 400:
            return text
        raise HttpFailure(status, _error_part(text), asked_wait(headers))


def retry_wait(status: int, asked: float | None, attempt: int) -> float | None:
    """Seconds before the next attempt, or None if there is no use in one: the OpenAI SDK's rules."""
    if asked is not None and asked > _LONGEST_WAIT:
        return None
    if not (status in (408, 409, 429) or status >= 500):
        return None
    return asked if asked is not None and asked > 0 else _backoff(attempt)


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """What Retry-After-Ms or Retry-After says, in seconds; it may be a number or a date."""
    if headers.get("x-should-retry") == "false":
        return math.inf
    for name, share in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / share
        except ValueError:
            continue
        return None if math.isnan(seconds) else seconds
    date = email.utils.parsedate_tz(headers.get("retry-after", ""))
    try:
        return email.utils.mktime_tz(date) - time.time() if date else None
    except (ValueError, OverflowError, OSError):
        return None


def _backoff(attempt: int) -> float:
    return min(0.5 * 2.0 ** min(attempt, 10), 8.0) * random.uniform(0.75, 1.0)


def _error_part(text: str) -> Any:
    try:
        body = read_json(text)
    except Unreadable:
        return text
    return cast("dict[str, Any]", body).get("error", body) if isinstance(body, dict) else body


def _basic_authorization(parts: SplitResult) -> dict[str, str]:
    """A user and a password in the address take the place of the key."""
    if parts.username is None:
        return {}
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return {"Authorization": f"Basic {b64encode(pair.encode()).decode()}"}


def _proxy_for(parts: SplitResult) -> str | None:
    host = parts.hostname or ""
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(host if parts.port is None else f"{host}:{parts.port}"):
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    if urlsplit(proxy).scheme not in ("http", "https"):
        kind = proxy.partition(":")[0]
        raise InputError(f"the environment names a {kind} proxy for {host}; only http and https proxies can be used")
    return proxy


def _tls_context() -> ssl.SSLContext:
    file, directory = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    with os_errors_as(InputError, "the certificates that SSL_CERT_FILE or SSL_CERT_DIR names cannot be read"):
        if file or directory:
            return ssl.create_default_context(cafile=file or None, capath=directory or None)
        import certifi

        return ssl.create_default_context(cafile=certifi.where())
