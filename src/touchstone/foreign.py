"""What others wrote, made safe to hold: the one place where text and JSON of agents, models, services and predictions are read.

Text can hold half a character (`"\\ud83d"` in JSON), which no file and no database takes; JSON can be nested so deep that
reading or writing it again runs out of stack. Both end here: half a character becomes U+FFFD, two halves written apart become
one character, and what cannot be read is `Unreadable`, with the reason in words. So whoever gets a value from here can encode
it, store it and pass it on; the structs of `values` apply `whole` to what they are given for the same reason.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, TypeVar, cast, overload

import msgspec

T = TypeVar("T")

DEEPEST = 100
"""Levels of nesting in JSON from outside. What is read at this depth can be written again at any depth of our own calls."""
_HALF = re.compile("[\ud800-\udfff]")
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_TOO_DEEP = f"nested deeper than {DEEPEST} levels"


class Unreadable(ValueError):
    """What was sent is not what it should be."""

    @property
    def too_deep(self) -> bool:
        return str(self) == _TOO_DEEP


def whole(text: str) -> str:
    """The text without half characters."""
    if text.isascii() or _HALF.search(text) is None:
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def size_of(text: str) -> int:
    """Bytes of a whole text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())


def whole_value(value: Any) -> Any:
    """The same for all texts in a value as JSON has it, which `read_json` keeps shallow enough for this."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, dict):
        return {whole_value(key): whole_value(item) for key, item in cast("dict[Any, Any]", value).items()}
    return [whole_value(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value


@overload
def read_json(data: bytes | str) -> Any: ...
@overload
def read_json(data: bytes | str, kind: type[T]) -> T: ...
def read_json(data: bytes | str, kind: Any = Any) -> Any:
    """JSON of this kind. Raises Unreadable."""
    text = whole(data) if isinstance(data, str) else data
    try:
        value = msgspec.json.decode(text, type=kind)
    except RecursionError:
        raise Unreadable(_TOO_DEEP) from None
    except (msgspec.MsgspecError, UnicodeError) as error:
        value = _read_leniently(text, kind, error)
    if _brackets(text) > DEEPEST and _depth(value) > DEEPEST:
        raise Unreadable(_TOO_DEEP)
    return value


def _read_leniently(text: bytes | str, kind: Any, complaint: Exception) -> Any:
    """For what msgspec refuses and the standard library does not: half characters, bytes that are not UTF-8, huge numbers."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    import json  # here, as below, since every worker starts with this module and few come so far

    try:
        value = json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise Unreadable(_TOO_DEEP) from None
    except ValueError:
        raise Unreadable(str(complaint)) from None
    if _depth(value) > DEEPEST:
        raise Unreadable(_TOO_DEEP)
    try:
        return msgspec.convert(whole_value(value), kind)
    except msgspec.ValidationError as error:
        raise Unreadable(str(error)) from None


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _brackets(text: bytes | str) -> int:
    """No value is nested deeper than this, so that most need no closer look."""
    return text.count(b"[") + text.count(b"{") if isinstance(text, bytes) else text.count("[") + text.count("{")


def _depth(value: Any) -> int:
    """Of lists and objects, level by level: this cannot run out of stack itself."""
    depth, level = -1, [value]
    while level:
        level: list[Any] = [part for item in level for part in _parts(item)]
        depth += 1
    return depth


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return cast("dict[Any, Any]", value).values()
    return cast("list[Any]", value) if isinstance(value, list) else ()


def remove_tree(folder: Path) -> None:
    """Deletes a folder that others have filled, as far as it can be deleted. Links are not followed.

    `shutil.rmtree` recurses, and a path ends at 4096 bytes; a program can nest folders deeper than both. Here each folder is
    moved to the top before it is emptied, so that nothing is ever more than two levels deep.
    """
    if os.open not in os.supports_dir_fd:  # Windows
        import shutil

        shutil.rmtree(folder, ignore_errors=True)
        return
    with suppress(OSError):
        top = os.open(folder, _FOLDER)
        try:
            _empty(top)
        finally:
            os.close(top)
        folder.rmdir()


def _empty(top: int) -> None:
    from secrets import token_hex

    names = (f".{token_hex(8)}-{number}" for number in count())
    folders = _take_apart(top, top, names)
    while folders:
        name = folders.pop()
        with suppress(OSError):
            folder = os.open(name, _FOLDER, dir_fd=top)
            try:
                folders += _take_apart(folder, top, names)
            finally:
                os.close(folder)
            os.rmdir(name, dir_fd=top)


def _take_apart(folder: int, top: int, names: Iterator[str]) -> list[str]:
    """Deletes what is in a folder; folders in it go to the top, under the names that are returned."""
    moved: list[str] = []
    with os.scandir(folder) as entries:
        listed = list(entries)
    for entry in listed:
        with suppress(OSError):
            if entry.is_dir(follow_symlinks=False):
                os.chmod(entry.name, 0o700, dir_fd=folder)
                os.rename(entry.name, name := next(names), src_dir_fd=folder, dst_dir_fd=top)
                moved.append(name)
            else:
                os.unlink(entry.name, dir_fd=folder)
    return moved


def in_words(error: str) -> str:
    """Of msgspec: `Expected `str`, got `int` - at `$.question`` becomes a sentence that names the field."""
    what, _, where = error.partition(" - at `$")
    what = what.replace("Object missing required field", "missing field").replace("`", "'")
    return f"field '{where.strip('.`')}': {what}" if where.strip(".`") else what
