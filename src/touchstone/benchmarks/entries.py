"""Reading files of tasks: a JSON array, or JSON Lines; what is wrong is said with its file, row and field."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..failures import InputError
from ..foreign import Unreadable, in_words, read_json

__all__ = ["entries", "in_words"]


def entries(path: Path) -> Iterator[tuple[int, Any]]:
    """Row numbers, from 1, and undecoded objects."""
    try:
        text = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise InputError(f"{path}: cannot read the task file: {error.strerror}") from None
    if path.suffix == ".jsonl":
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                yield number, _decode(f"{path}: row {number}", line)
        return
    values = _decode(str(path), text)
    if not isinstance(values, list):
        raise InputError(f"{path}: expected a JSON array of tasks, found {type(values).__name__}")
    yield from enumerate(values, 1)  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]


def _decode(where: str, text: bytes) -> Any:
    try:
        return read_json(text)
    except Unreadable as error:
        raise InputError(f"{where}: not valid JSON: {error}") from None
