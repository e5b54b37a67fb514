"""Addresses, such as s3://bucket/folder, where a path is expected, and what must not be written down of them.

The command line makes a `Path` of every place that it is given, which folds the two slashes of an address into one.
`address_of` gives it back: nobody names a folder `s3:`.
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

_FOLDED = re.compile(r"([a-z][a-z0-9+.-]+):/+(.*)", re.DOTALL)
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]*@")
_DATABASE = re.compile(r"(?<=^postgresql://)([^/@:\s]*)(?::[^/@\s]*)?@|(?<=^postgres://)([^/@:\s]*)(?::[^/@\s]*)?@")
_KEYS = re.compile(r"""(?<=[?&])[^=&\s]*(?:key|token|secret|password|sig)[^=&\s]*=[^&#\s'"]*&?""", re.IGNORECASE)


def address_of(path: Path | str) -> str | None:
    """The address that a path was made of, or None for an ordinary path."""
    if not (match := _FOLDED.fullmatch(str(path))):
        return None
    scheme, rest = match.groups()
    return f"{scheme}://{'/' if scheme in ('file', 'local') else ''}{rest.rstrip('/')}"


def without_secrets(text: str) -> str:
    """An address without user, password and key-like parameters; any other text as it is.

    Of a database server the user stays, because it is not a secret, and to go on as another would not be the same.
    """
    if "://" not in text:
        return text
    known = _DATABASE.sub(lambda match: f"{match[1] or match[2] or ''}@", text)
    return _KEYS.sub("", known if known != text or text.startswith("postgres") else _CREDENTIALS.sub("", text))


def shown_url(url: str) -> str:
    """An address for messages: without user, password and query, which may be secrets."""
    return re.sub(r"(?<=://)[^/]*@", "", url).partition("?")[0]


def is_http_address(url: str) -> bool:
    """Whether a request can be sent there: http or https, with a host, and a port that can be."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 0) >= 0
    except ValueError:
        return False


def file_name_of(address: str) -> str:
    """An address as the name of a folder."""
    kept = (char if char.isalnum() or char in "._-" else "-" for char in without_secrets(address).replace("://", "-"))
    return "".join(kept).strip("-.") or "unnamed"
