"""The chunks that answer a question best, over several applications' indexes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, Protocol

from msgspec import Struct

from ....errors import InputError
from ..extras import need
from ..tasks import DesktopTask
from . import embedding
from .index import Index, chosen, open_all

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
    without = [index.application for index in indexes if index.model != embedding.NAME]
    able = embedding.folder() is not None
    if choice == "minilm" and not able:
        raise InputError(f"the embedding model is not installed: {embedding.INSTALL}")
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
    scored = [(score, number, chunk) for number, index in enumerate(indexes) for chunk, score in index.ranked(question, _MOST)]
    return sorted(scored, key=_best_first)


def _best_first(entry: tuple[float, int, int]) -> tuple[float, int, int]:
    score, number, chunk = entry
    return -score, number, chunk


def _similarities(question: str, indexes: Sequence[Index]) -> Scored:
    """The cosine of the nearest window of every chunk."""
    numpy = need("numpy", "desktop-documents")
    asked = embedding.load().vector(question)
    scored: Scored = []
    for number, index in enumerate(indexes):
        vectors, owners = _matrix(index)
        parts = [vectors[start : start + _ROWS].astype("float32") @ asked for start in range(0, len(vectors), _ROWS)]
        best = numpy.full(index.size[1], -1.0)
        numpy.maximum.at(best, owners, numpy.concatenate(parts))
        scored += [(score, number, chunk) for chunk, score in enumerate(best.tolist())]
    return sorted(scored, key=_best_first)


@lru_cache(maxsize=32)
def _matrix(index: Index) -> tuple[Any, Any]:
    """All vectors of an index, and the chunk that each belongs to."""
    numpy = need("numpy", "desktop-documents")
    blobs = index.vectors()
    vectors = numpy.frombuffer(b"".join(blobs), "float16").reshape(-1, embedding.WIDTH)
    counts = [len(blob) // (2 * embedding.WIDTH) for blob in blobs]
    return vectors, numpy.repeat(numpy.arange(len(blobs)), counts)


# What an agent is given to read before it starts on a task.
#
# Either the nearest chunks of the applications' indexes, with the task's instruction as the question, or the context file
# that was published with the task. A task without any gets none, and the reason is kept for its record.


TOP = 4
PUBLISHED = "retrieved_chunk_size_512_chunk_overlap_20_topk_4_embed_bge-large-en-v1.5.txt"
"""Contexts that were retrieved beforehand, in the tasks' folders: blocks that begin with `Documentation Source:`. 136 of the
494 tasks have an empty one, since no documents of their applications were crawled."""
MOST_BYTES = 2**20
"""The published ones have 14,000 at most."""
_BLOCK = re.compile(r"^Documentation Source:", re.MULTILINE)


class Retrieval(Struct, frozen=True):
    """What was found for one task."""

    text: str | None
    """None: nothing."""
    reason: str
    """How many passages of what, or why there are none."""
    sources: tuple[str, ...] = ()


class Retriever(Protocol):
    def retrieve(self, task: DesktopTask) -> Retrieval: ...

    def facts(self) -> dict[str, str]:
        """For the record of a run: what it takes to get the same again."""
        ...


class FromIndex:
    """Searches the indexes of a task's applications."""

    def __init__(self, directory: Path, *, top: int = TOP, choice: Choice = "auto") -> None:
        self._directory, self._top = directory, top
        self._indexes = open_all(directory)
        self._method: Method = method(choice, self._indexes.values())

    def retrieve(self, task: DesktopTask) -> Retrieval:
        indexes = chosen(self._indexes, task.form.related_apps)
        if not indexes:
            return Retrieval(None, f"no documents are indexed for {', '.join(task.form.related_apps)}")
        hits = search(task.form.instruction, indexes, self._top, self._method)
        if not hits:
            return Retrieval(None, f"no passage about {', '.join(index.application for index in indexes)} fits the instruction")
        names = ", ".join(dict.fromkeys(hit.application for hit in hits))
        reason = f"{len(hits)} passages about {names} by {self._method}"
        return Retrieval(shown(hits), reason, tuple(hit.path for hit in hits))

    def facts(self) -> dict[str, str]:
        digests = ", ".join(f"{name} {index.digest}" for name, index in self._indexes.items())
        return {"from": "index", "top": str(self._top), "method": self._method, "indexes": digests}


class FromContexts:
    """Reads the context file in a task's folder."""

    def __init__(self, name: str = PUBLISHED, *, top: int = TOP) -> None:
        _refuse_path(name)
        self._name, self._top = name, top

    def retrieve(self, task: DesktopTask) -> Retrieval:
        try:
            text, blocks = _read_context(task.folder, self._name, self._top)
        except FileNotFoundError:
            return Retrieval(None, f"the task has no context file {self._name}")
        except OSError as error:
            return Retrieval(None, f"the task's context file {self._name} cannot be read: {error.strerror}")
        if not text:
            return Retrieval(None, f"the task's context file {self._name} is empty")
        return Retrieval(text, f"{blocks} passages from {self._name}", (self._name,))

    def facts(self) -> dict[str, str]:
        return {"from": "context", "top": str(self._top), "file": self._name}


def shown(hits: Sequence[Hit]) -> str:
    """Passages as an agent reads them."""
    blocks = [f"Source: {hit.path}\nTitle: {hit.title}\nContent:\n{hit.text}" for hit in hits]
    return "\n\n".join(f"[Passage {number} of {len(hits)}]\n{block}" for number, block in enumerate(blocks, 1))


def _refuse_path(name: str) -> None:
    if not name or Path(name).name != name:
        raise InputError(f"--rag-filename {name}: expected the name of a file in the tasks' folders, without a path")


def _read_context(folder: Path, name: str, top: int) -> tuple[str, int]:
    """The first `top` blocks of a task's context, and how many they are."""
    with (folder / name).open("rb") as file:
        text = file.read(MOST_BYTES).decode("utf-8", "replace").strip()
    starts = [match.start() for match in _BLOCK.finditer(text)]
    cut = text[: starts[top]].rstrip() if len(starts) > top else text
    return cut, min(len(starts), top)
