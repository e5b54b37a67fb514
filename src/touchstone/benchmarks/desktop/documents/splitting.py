"""Text into chunks of at most 512 tokens, each of which begins with the last 20 tokens of the one before.

A token, as counted here, is a run of up to eight letters or digits (a longer word counts as several), one Chinese, Japanese or
Korean character, or one other sign; white space is none. On English documentation that is close to what language models
count, and it needs no vocabulary. A chunk is a piece of the text as it stands. It ends, if it can, within its last quarter at
the end of a paragraph, else of a line, else of a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

SIZE, OVERLAP = 512, 20
EAST_ASIAN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
TOKEN = re.compile(rf"[{EAST_ASIAN}]|[^\W{EAST_ASIAN}]{{1,8}}|[^\w\s]")
_SENTENCE_ENDS = frozenset(".!?。！？")

Span = tuple[int, int]


def split(text: str, size: int = SIZE, overlap: int = OVERLAP) -> list[str]:
    if not 0 <= overlap < size // 2:
        raise ValueError(f"an overlap of {overlap} does not fit chunks of {size}")
    spans = [match.span() for match in TOKEN.finditer(text)]
    chunks: list[str] = []
    start = end = 0
    while end < len(spans):
        end = start + size
        if end < len(spans):
            end = _good_end(text, spans, end, size // 4)
        chunks.append(text[spans[start][0] : spans[min(end, len(spans)) - 1][1]])
        start = end - overlap
    return chunks


def count(text: str) -> int:
    return sum(1 for _ in TOKEN.finditer(text))


def _good_end(text: str, spans: Sequence[Span], latest: int, back: int) -> int:
    """How many tokens to take: the best break is the strongest, and of equal ones the last."""
    return max(range(latest - back, latest + 1), key=lambda end: (_strength(text, spans, end), end))


def _strength(text: str, spans: Sequence[Span], end: int) -> int:
    stop = spans[end - 1][1]
    gap = text[stop : spans[end][0]]
    if "\n" in gap:
        return 3 if gap.count("\n") > 1 else 2
    return 1 if gap and text[stop - 1] in _SENTENCE_ENDS else 0
