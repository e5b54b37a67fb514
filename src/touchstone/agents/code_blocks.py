"""Reading the moves in a reply: fenced blocks of Python code or JSON, and the words WAIT, DONE and FAIL.

A reply may hold any number of blocks, with anything between them. Code is taken as it stands: semicolons, indentation and
whatever is inside its texts. Three backticks may stand inside a text of the code: a block of Python ends at the first fence
at which the code is complete, and if it never is, at the first one. A word stands alone on a line, in a fence of its own, or
at the end of a block of code.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, Literal, cast

from msgspec import Struct

Word = Literal["WAIT", "DONE", "FAIL"]
Language = Literal["python", "json"]
_WORDS = ("WAIT", "DONE", "FAIL")
_NAMES: dict[Language, tuple[str, ...]] = {
    "python": ("", "python", "python3", "py", "pyautogui", "code", "tool_code", "plaintext", "text"),
    "json": ("", "json", "json5", "jsonc", "javascript", "python", "code", "plaintext", "text"),
}
_FENCE = re.compile(r"(?P<indent>^[ \t]*)?(?P<fence>`{3,})(?P<rest>[^\n]*)", re.MULTILINE)
_TILDES = re.compile(r"^(?P<indent>[ \t]*)(?P<fence>~{3,})(?P<rest>[^\n`]*)$", re.MULTILINE)
_LONE = re.compile(r"[\s*_`\"'.:>-]*(WAIT|DONE|FAIL)[\s*_`\"'.:!]*")
_INFO = re.compile(r"\s*(?P<name>[\w+#.-]*)(?P<more>.*)", re.DOTALL)
_MOST_ENDS = 50


class CodeBlock(Struct, frozen=True):
    text: str


class ScreenAction(Struct, frozen=True):
    """Of the JSON kind."""

    fields: dict[str, Any]


class Said(Struct, frozen=True):
    word: Word


ScreenMove = CodeBlock | ScreenAction | Said


class Parsed(Struct, frozen=True):
    moves: tuple[ScreenMove, ...]
    complaints: tuple[str, ...]
    """What looked like a move and could not be read."""


class _Block(Struct, frozen=True):
    name: str
    text: str
    closed: bool
    start: int
    end: int


def parse(text: str, language: Language, *, whole: bool = True) -> Parsed:
    """The moves of a reply in their order. Not `whole`: it was cut off, so a block without an end is none."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    moves: list[ScreenMove] = []
    complaints: list[str] = []
    position = 0
    for block in _blocks(text, language):
        moves += _lone_words(text[position : block.start])
        position = block.end
        block_moves, wrong = _of_block(block, language, whole)
        moves += block_moves
        complaints += [wrong] if wrong else []
    moves += _lone_words(text[position:])
    if not moves and not complaints and language == "json":
        moves += _objects(text.strip()) or ()
    return Parsed(tuple(moves), tuple(complaints))


def _blocks(text: str, language: Language) -> Iterator[_Block]:
    position = 0
    while (fence := _next_fence(text, position)) is not None:
        block = _inline(fence) or _long(text, fence, language)
        yield block
        position = max(block.end, fence.end("fence"))


def _next_fence(text: str, position: int) -> re.Match[str] | None:
    fences = [each for pattern in (_FENCE, _TILDES) if (each := pattern.search(text, position))]
    return min(fences, key=lambda each: each.start("fence")) if fences else None


def _inline(opening: re.Match[str]) -> _Block | None:
    """On one line: ```python pyautogui.click(1, 2)```"""
    rest, fence = opening["rest"], opening["fence"]
    end = rest.find(fence)
    if end < 0:
        return None
    name, more = _named(rest[:end])
    start = opening.start("rest")
    return _Block(name, more.strip(), True, opening.start("fence"), start + end + len(fence))


def _long(text: str, opening: re.Match[str], language: Language) -> _Block:
    """Over several lines, up to its closing fence or the end of the reply."""
    name, more = _named(opening["rest"])
    indent = len((opening["indent"] or "").expandtabs(4))
    begin = opening.end("rest") + 1
    tried = language == "python" and name in _NAMES["python"]
    first: _Block | None = None
    for start, end in _ends(text, begin, opening["fence"]):
        block = _Block(name, _body(more, text[begin:start], indent), True, opening.start("fence"), end)
        if not tried or _is_complete(block.text):
            return block
        first = first or block
    return first or _Block(name, _body(more, text[begin:], indent), False, opening.start("fence"), len(text))


def _ends(text: str, begin: int, fence: str) -> list[tuple[int, int]]:
    """Fences on lines of their own; only if there is none, those at the end of a line."""
    closing = rf"{re.escape(fence[0])}{{{len(fence)},}}(?=[ \t]*(?:\n|$))"
    for pattern in (re.compile(rf"^[ \t]*({closing})", re.MULTILINE), re.compile(f"({closing})")):
        if spans := [each.span(1) for each in islice(pattern.finditer(text, begin), _MOST_ENDS)]:
            return spans
    return []


def _body(more: str, text: str, indent: int) -> str:
    """Without the indentation that the opening fence has, and the line break before the closing one."""
    lines = [line[min(indent, len(line) - len(line.lstrip(" "))) :] for line in text.split("\n")]
    if not lines[-1].strip():
        lines.pop()
    return "\n".join([more.strip(), *lines] if more.strip() else lines)


def _named(info: str) -> tuple[str, str]:
    """The language, and what follows it on the line. A first word that is no language belongs to the code."""
    match = _INFO.fullmatch(info)
    assert match is not None
    name = match["name"].lower()
    if name in _WORDS or match["name"] in _WORDS or not _is_language(name, match["more"]):
        return "", info
    return name, match["more"]


def _is_language(name: str, more: str) -> bool:
    known = {each for names in _NAMES.values() for each in names}
    return name in known or (not more.strip() and name.isidentifier())


def _of_block(block: _Block, language: Language, whole: bool) -> tuple[list[ScreenMove], str]:
    text = block.text
    if (word := text.strip().strip("\"'`.")) in _WORDS:
        return [Said(word)], ""
    if not text.strip():
        return [], "A block is empty."
    if block.name not in _NAMES[language]:
        return [], f"A block marked '{block.name}' was not carried out: only {'Python' if language == 'python' else 'JSON'} is."
    if not block.closed and (not whole or not _is_readable(text, language)):
        return [], "A block has no end: it must be closed by a line of three backticks."
    if language == "python":
        return _code(text), ""
    found_objects = _objects(text)
    return (found_objects, "") if found_objects else ([], "A block is not a JSON object with an action_type.")


def _is_readable(text: str, language: Language) -> bool:
    return _is_complete(text) if language == "python" else bool(_objects(text))


def _code(text: str) -> list[ScreenMove]:
    """Words in lines of their own at the end of complete code are moves after it."""
    lines = text.split("\n")
    words: list[ScreenMove] = []
    while lines and (lines[-1].strip() in _WORDS or (words and not lines[-1].strip())):
        word = lines.pop().strip()
        words[:0] = [Said(cast(Word, word))] if word else []
    rest = "\n".join(lines)
    if not words or not _is_complete(rest):
        return [CodeBlock(text)]
    return [*([CodeBlock(rest)] if rest.strip() else []), *words]


def _is_complete(code: str) -> bool:
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _objects(text: str) -> list[ScreenMove]:
    """One object, a list of them, or several one after the other. Empty if anything else is there."""
    decoder = json.JSONDecoder()
    values: list[Any] = []
    position = 0
    try:
        while position < len(text):
            value, position = decoder.raw_decode(text, position)
            values += cast("list[Any]", value) if isinstance(value, list) else [value]
            position += len(text[position:]) - len(text[position:].lstrip(" \t\n,;"))
    except (ValueError, RecursionError):
        values = _literal(text)
    moves = [_action(cast("dict[str, Any]", value)) for value in values if isinstance(value, dict) and "action_type" in value]
    return moves if len(moves) == len(values) else []


def _literal(text: str) -> list[Any]:
    """As Python writes dictionaries, which some models do."""
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError, TypeError):
        return []
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def _action(fields: dict[str, Any]) -> ScreenMove:
    kind = fields["action_type"]
    return Said(kind) if kind in _WORDS else ScreenAction(fields)


def _lone_words(text: str) -> list[ScreenMove]:
    matches = (_LONE.fullmatch(line) for line in text.split("\n"))
    return [Said(cast(Word, each[1])) for each in matches if each]
