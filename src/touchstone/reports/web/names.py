"""Names in addresses and files: readable, safe on every file system, and the same at every start."""

from __future__ import annotations

import re
from hashlib import blake2b

_PLAIN = re.compile(r"[a-z0-9][a-z0-9_.-]{0,79}\Z")
_ODD = re.compile(r"[^A-Za-z0-9_-]+")


def episode_name(task: str, epoch: int) -> str:
    return f"t-{safe(task)}~{epoch}"


def safe(text: str) -> str:
    """The text if it is harmless (in lower case, since some file systems know no other), else a likeness and a hash."""
    if _PLAIN.match(text) and ".." not in text:
        return text
    return f"{_ODD.sub('-', text).strip('-')[:60]}-{digest(text)}".lstrip("-")


def digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
