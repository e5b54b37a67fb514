"""Text of programs in XML 1.0: whatever they hold, the tree can be parsed."""

from __future__ import annotations

import re
from collections.abc import Mapping

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PLACEHOLDERS = re.compile("[\ufffc\ufffd]")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.-]")
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})
_TEXT_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})


def name(words: str) -> str:
    """The name of an element or attribute; empty if nothing is left."""
    cleaned = _NOT_IN_NAMES.sub("-", words.strip())
    return f"_{cleaned}" if cleaned and not (cleaned[0].isalpha() or cleaned[0] == "_") else cleaned


def value(words: str) -> str:
    """Between quotation marks."""
    return _FORBIDDEN.sub("", words).translate(_ESCAPES)


def content(words: str) -> str:
    """Between tags, without the marks that stand for pictures and the like."""
    return _PLACEHOLDERS.sub("", _FORBIDDEN.sub("", words)).translate(_TEXT_ESCAPES)


def element(tag: str, attributes: Mapping[str, str], inside: str) -> str:
    """Attributes have valid names already; what is inside is XML."""
    written = "".join(f' {key}="{value(words)}"' for key, words in attributes.items())
    return f"<{tag}{written}>{inside}</{tag}>" if inside else f"<{tag}{written}/>"
