"""The chunks that answer a question best, over several applications' indexes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Literal

from msgspec import Struct

from ....failures import InputError
from ..extras import need
from . import minilm
from .index import Index

Method = Literal["bm25", "minilm"]
Choice = Literal["auto", "bm25", "minilm"]

_MOST = 1000
"""Chunks of one index that are looked at."""
_ROWS = 8192
"""Vectors that are made wide at a time."""


class Hit(Struct, frozen=True):
    application: str
    path: str
    title: str
    text: str
    score: float


def method(choice: Choice, indexes: Iterable[Index]) -> Method:
    """By meaning if the model is installed and every index has its vectors, else by words."""
    if choice == "bm25":
        return "bm25"
    without = [index.application for index in indexes if index.model != minilm.NAME]
    able = minilm.folder() is not None
    if choice == "minilm" and not able:
        raise InputError(f"the embedding model is not installed: {minilm.INSTALL}")
    if choice == "minilm" and without:
        raise InputError(f"no embeddings are in the index of {', '.join(without)}: index again with --embeddings minilm")
    return "minilm" if able and not without else "bm25"


def search(question: str, indexes: Sequence[Index], top: int, how: Method) -> list[Hit]:
    """The best first. A crawl holds many a text under several addresses: what another hit contains is left out.

    Scores by BM25 come from one index each, whose words they weigh by; a word that is common in one application's documents
    may count for more in another's.
    """
    scored = _ranked(question, indexes) if how == "bm25" else _similarities(question, indexes)
    hits: list[Hit] = []
    for score, number, chunk in scored:
        passage = indexes[number].passage(chunk)
        if not any(passage.text in hit.text or hit.text in passage.text for hit in hits):
            hits.append(Hit(indexes[number].application, passage.path, passage.title, passage.text, score))
        if len(hits) == top:
            break
    return hits


Scored = list[tuple[float, int, int]]
"""Score, number of the index and of the chunk in it."""


def _ranked(question: str, indexes: Sequence[Index]) -> Scored:
    found = [(score, number, chunk) for number, index in enumerate(indexes) for chunk, score in index.ranked(question, _MOST)]
    return sorted(found, key=_best_first)


def _best_first(entry: tuple[float, int, int]) -> tuple[float, int, int]:
    score, number, chunk = entry
    return -score, number, chunk


def _similarities(question: str, indexes: Sequence[Index]) -> Scored:
    """The cosine of the nearest window of every chunk."""
    numpy = need("numpy", "desktop-documents")
    asked = minilm.load().vector(question)
    found: Scored = []
    for number, index in enumerate(indexes):
        vectors, owners = _matrix(index)
        parts = [vectors[start : start + _ROWS].astype("float32") @ asked for start in range(0, len(vectors), _ROWS)]
        best = numpy.full(index.size[1], -1.0)
        numpy.maximum.at(best, owners, numpy.concatenate(parts))
        found += [(score, number, chunk) for chunk, score in enumerate(best.tolist())]
    return sorted(found, key=_best_first)


@lru_cache(maxsize=32)
def _matrix(index: Index) -> tuple[Any, Any]:
    """All vectors of an index, and the chunk that each belongs to."""
    numpy = need("numpy", "desktop-documents")
    blobs = index.vectors()
    vectors = numpy.frombuffer(b"".join(blobs), "float16").reshape(-1, minilm.WIDTH)
    counts = [len(blob) // (2 * minilm.WIDTH) for blob in blobs]
    return vectors, numpy.repeat(numpy.arange(len(blobs)), counts)
