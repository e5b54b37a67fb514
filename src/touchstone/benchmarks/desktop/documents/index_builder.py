"""Folders of pages to indexes, one per application; only what changed is read again.

A file whose content and title are those that the index knows is not parsed again, and a chunk that was embedded before is not
embedded again. A file that cannot be used is reported and left out. One process at a time may write to a folder of indexes.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import sqlite3
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ....errors import InputError
from ....workers.pool import Pool, WorkerLost
from .embedding import PARALLEL, Kept, complete, key
from .index import SUFFIX, Document, Index, write
from .pages import SUFFIXES, Reading, ReadRequest, read, shown
from .warehouse import Shelf, Titles

Progress = Callable[[str, int, int], None]
"""What is being done, how many are done, of how many."""

_WALL = 60.0
"""Seconds for one page; real ones take a hundredth of one."""
_SKIPPED_FOLDERS = frozenset(("hts-cache",))
"""The crawler's own."""


@dataclass
class Indexed:
    """What was done for one application."""

    application: str
    documents: int = 0
    chunks: int = 0
    read: int = 0
    """Documents that are new or have changed."""
    gone: int = 0
    written: bool = False
    problems: list[str] = field(default_factory=list[str])
    """One line each, with the file's name."""


class Indexer:
    def __init__(self, root: Path, out: Path, *, model: str, progress: Progress) -> None:
        """`model` is empty for no embeddings."""
        self._root, self._out, self._model, self._progress = root, out, model, progress
        self._titles = Titles(root)
        self._pool = Pool(warm=PARALLEL, limit=PARALLEL, preload=[read.__module__])

    async def run(self, shelves: Sequence[Shelf]) -> list[Indexed]:
        try:
            self._out.mkdir(parents=True, exist_ok=True)
            with _alone(self._out):
                return [await self._shelf(shelf) for shelf in shelves]
        except (OSError, sqlite3.Error) as error:
            raise InputError(f"{self._out}: the index cannot be written: {error}") from error
        finally:
            await self._pool.close()

    async def _shelf(self, shelf: Shelf) -> Indexed:
        path = self._out / f"{shelf.application}{SUFFIX}"
        old = _old(path)
        known = {document.path: document for document in old.documents()} if old else {}
        done = Indexed(shelf.application, problems=self._titles.problems(shelf.folders))
        documents = await self._documents(shelf, known, done)
        done.documents, done.chunks = len(documents), sum(len(document.chunks) for document in documents)
        done.gone = len(known.keys() - {document.path for document in documents})
        if documents and (old is None or old.model != self._model or done.read or done.gone):
            await self._write(path, documents, old)
            done.written = True
        return done

    async def _documents(self, shelf: Shelf, known: Mapping[str, Document], done: Indexed) -> list[Document]:
        files = [(folder, file) for folder in shelf.folders for file in _files(folder)]
        documents: dict[str, Document] = {}
        seen = 0

        async def one(source: tuple[Path, Path]) -> None:
            nonlocal seen
            name = shown(source[1].relative_to(self._root).as_posix())
            reading = await self._read(source[1], self._titles.of(source[1], source[0]), known.get(name))
            seen += 1
            self._progress(f"{shelf.application}: files read", seen, len(files))
            if reading.problem:
                done.problems.append(f"{name}: {reading.problem}")
            elif reading.chunks is None:
                documents[name] = known[name]
            else:
                done.read += 1
                documents[name] = Document(name, reading.title, reading.digest, reading.chunks)

        await asyncio.gather(*map(one, files))  # as many at once as the pool has workers
        done.problems.sort()
        return [documents[name] for name in sorted(documents)]

    async def _read(self, path: Path, title: str, known: Document | None) -> Reading:
        request = ReadRequest(os.fsencode(path), title, known.digest if known else "")
        try:
            return await self._pool.call(read, request, wall=_WALL)
        except WorkerLost as lost:
            why = f"not read in {_WALL:.0f} s" if lost.overdue else "the process that read it died"
            return Reading(problem=why)

    async def _write(self, path: Path, documents: Sequence[Document], old: Index | None) -> None:
        if not self._model:
            write(path, documents)
            return
        kept = Kept(path.with_suffix(".vectors"))
        done = False
        try:
            if old and old.model == self._model:
                kept.found.update(_vectors(old))
            pairs = [(document.title, text) for document in documents for text in document.chunks]
            await complete(pairs, kept, self._pool, partial(self._embedding, path.stem))
            write(path, documents, self._model, lambda title, text: kept.found[key(title, text)])
            done = True
        finally:
            kept.close(done=done)

    def _embedding(self, application: str, done: int, total: int) -> None:
        self._progress(f"{application}: chunks embedded", done, total)


def _old(path: Path) -> Index | None:
    """An index that cannot be used is made anew."""
    try:
        return Index(path)
    except InputError:
        return None


def _vectors(index: Index) -> dict[bytes, bytes]:
    keys = [key(document.title, text) for document in index.documents() for text in document.chunks]
    return dict(zip(keys, index.vectors(), strict=True))


def _files(folder: Path) -> Iterator[Path]:
    """Pages only, in order; a link that leads out of the folder is none of them."""
    inside = folder.resolve()
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED_FOLDERS)
        for name in sorted(names):
            path = Path(parent, name)
            if path.suffix.lower() in SUFFIXES and path.is_file() and path.resolve().is_relative_to(inside):
                yield path


@contextmanager
def _alone(folder: Path) -> Generator[None]:
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(f"{folder}: another process is indexing here") from None
        yield
