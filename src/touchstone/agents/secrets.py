"""Keys on their way to a service: where they come from, and that they are not written down when the service echoes them.

A header is given as NAME=VALUE. The last word of the value may be `env:VARIABLE` or `file:PATH` instead of the key itself, so
that the key is neither in the shell's history nor in the list of processes; such a header can be kept with a run's options.
"""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote, unquote_plus, urlsplit

from ..errors import InputError, os_errors_as

SHORTEST = 6
"""What is shorter than this is not masked: it would be found in everything."""

_REFERENCE = re.compile(r"(?P<before>.*\s)?(?P<kind>env|file):(?P<name>\S.*)", re.DOTALL)
_NAMED_AS_KEY = re.compile(r"auth|key|token|secret|cookie|pass|sig|credential", re.IGNORECASE)


def read_header(text: str) -> tuple[str, str]:
    """The name and the value to send. Raises InputError, which never tells a value."""
    name, equals, value = text.partition("=")
    name = name.strip()
    if not equals or not name:
        raise InputError("--header: expected NAME=VALUE")  # what stands there may be the key
    reference = _REFERENCE.fullmatch(value.strip())
    return (
        (name, (reference["before"] or "") + _read(name, reference["kind"], reference["name"])) if reference else (name, value)
    )


def is_reference(header: str) -> bool:
    """Whether a header as it is given holds no key itself."""
    return _REFERENCE.fullmatch(header.partition("=")[2].strip()) is not None


def _read(header: str, kind: str, name: str) -> str:
    if kind == "env":
        value = os.environ.get(name, "")
        if not value:
            raise InputError(f"--header {header}: the variable {name} is not set")
        return value
    with os_errors_as(InputError, f"--header {header}: cannot read {name}"):
        return Path(name).expanduser().read_text().strip()


class Mask:
    """Puts *** in the place of some texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = sorted({text for text in texts if len(text) >= SHORTEST}, key=len, reverse=True)

    def text(self, value: str) -> str:
        for text in self._texts:
            value = value.replace(text, "***")
        return value

    def all(self, value: Any) -> Any:
        """In every text of a JSON value."""
        if not self._texts:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(key): self.all(each) for key, each in cast("dict[str, Any]", value).items()}
        return [self.all(each) for each in cast("list[Any]", value)] if isinstance(value, list) else value


def sent(url: str, headers: Mapping[str, str], *, keys_only: bool = False) -> Mask:
    """Of what a request tells a service besides its question: the values of headers and of the address's user and query.

    `keys_only` leaves out what is not named like a key, for places where an ordinary word must stay what it is.
    """
    parts = urlsplit(url)
    query = [(name, value) for name, _, value in (field.partition("=") for field in parts.query.split("&"))]
    named = [*headers.items(), *query, *((name, unquote_plus(value)) for name, value in query)]
    kept = [value for name, value in named if not keys_only or _NAMED_AS_KEY.search(name)]
    return Mask([*_with_their_words(kept), *_user(parts.username, parts.password, keys_only)])


def _with_their_words(values: Iterable[str]) -> Iterator[str]:
    """The key of `Bearer KEY` and of `session=KEY; path=/` too."""
    for value in values:
        yield from (value.strip(), *value.split(), *re.split(r"[\s;,=]+", value))


def _user(name: str | None, password: str | None, keys_only: bool) -> Iterator[str]:
    """As they are written, as they are meant, and as they are sent."""
    for part in (password,) if keys_only else (name, password):
        if part:
            yield from (part, unquote(part))
    if name or password:
        yield b64encode(f"{unquote(name or '')}:{unquote(password or '')}".encode()).decode()
