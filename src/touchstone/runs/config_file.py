"""Options as a TOML file, which every run directory has: `--config` takes it to do the same again."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

COMMAND = "touchstone"
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_TO_ESCAPE = re.compile(r'["\\\x00-\x1f\x7f\ud800-\udfff]')


def as_toml(arguments: Mapping[str, Any], command: str = "") -> str:
    """A file with these options. None is left out: TOML has no word for it, and an option left out is the same."""
    lines = [f"{COMMAND} = {_text(command)}"] if command else []
    lines += [f"{_key(name)} = {_value(value)}" for name, value in arguments.items() if value is not None]
    return "".join(f"{line}\n" for line in lines)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return _number(value)
        case str():
            return _text(value)
        case Mapping():
            items = cast("Mapping[str, Any]", value).items()
            return "{" + ", ".join(f"{_key(name)} = {_value(each)}" for name, each in items if each is not None) + "}"
        case list() | tuple():
            return f"[{', '.join(_value(each) for each in cast('Sequence[Any]', value))}]"
        case _:
            raise TypeError(f"TOML cannot hold a {type(value).__name__}")


def _number(value: float) -> str:
    if math.isfinite(value):
        text = repr(value)
        return text if any(mark in text for mark in ".e") else f"{text}.0"
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


def _text(value: str) -> str:
    """Half of a character, which no file can hold, becomes the sign for what cannot be shown."""
    return f'"{_TO_ESCAPE.sub(_escaped, value)}"'


def _escaped(found: re.Match[str]) -> str:
    char = found[0]
    if "\ud800" <= char <= "\udfff":
        return "\ufffd"
    return _ESCAPES.get(char) or f"\\u{ord(char):04x}"
