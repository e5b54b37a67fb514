"""BM25: how well a chunk answers a question, by the words they share.

A word counts for more the fewer chunks have it, and the more often the chunk has it, with ever less gain, and less in a long
chunk:  idf · f · (k1 + 1) / (f + k1 · (1 − b + b · length / mean length)),  idf = ln(1 + (N − n + ½) / (n + ½)).
N, n and the mean length are taken over all the applications that are searched together, so that their scores compare.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from typing import Protocol

K1, B = 1.2, 0.75


class Postings(Protocol):
    """What an index says of its words."""

    def lengths(self) -> array[int]:
        """The number of words of each chunk."""
        ...

    def postings(self, word: str) -> tuple[array[int], array[int]]:
        """The chunks that have a word, and how often each has it."""
        ...


Place = tuple[int, int]
"""The number of an index among those searched, and of a chunk in it."""


def scores(question: Sequence[str], indexes: Sequence[Postings]) -> dict[Place, float]:
    """Of every chunk that shares a word with the question. A word that is asked for twice counts once."""
    lengths = [index.lengths() for index in indexes]
    total = sum(map(len, lengths))
    mean = sum(map(sum, lengths)) / total if total else 1.0
    found: dict[Place, float] = {}
    for word in dict.fromkeys(question):
        postings = [index.postings(word) for index in indexes]
        having = sum(len(chunks) for chunks, _ in postings)
        gain = math.log(1 + (total - having + 0.5) / (having + 0.5)) * (K1 + 1)
        for number, (chunks, counts) in enumerate(postings):
            sizes = lengths[number]
            for chunk, times in zip(chunks, counts, strict=True):
                score = gain * times / (times + K1 * (1 - B + B * sizes[chunk] / mean))
                found[number, chunk] = found.get((number, chunk), 0.0) + score
    return found
