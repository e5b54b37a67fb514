"""Writes the index of an application whole, beside the old one, and then puts it in its place.

So a reader sees either the old index or the new one, and a kill at any moment leaves the old one.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from .store import FORMAT, Document
from .words import counted

Vectors = Callable[[str, str], bytes | None]
"""The vectors of a title and a chunk."""

_TABLES = """
    PRAGMA journal_mode = OFF;
    CREATE TABLE facts (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE documents (id INTEGER PRIMARY KEY, path TEXT NOT NULL, title TEXT NOT NULL, digest TEXT NOT NULL);
    CREATE TABLE chunks (id INTEGER PRIMARY KEY, document INTEGER NOT NULL, text TEXT NOT NULL, vectors BLOB);
    CREATE TABLE words (word TEXT PRIMARY KEY, chunks BLOB NOT NULL, counts BLOB NOT NULL) WITHOUT ROWID;
"""


def write(path: Path, documents: Sequence[Document], model: str = "", vectors: Vectors = lambda title, text: None) -> None:
    new = path.with_name(path.name + ".new")
    new.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(new, isolation_level=None)) as connection:
            connection.executescript(_TABLES)
            connection.execute("BEGIN")
            _fill(connection, documents, model, vectors)
            connection.execute("COMMIT")
        _flush(new)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
    _flush(path.parent)


def _fill(connection: sqlite3.Connection, documents: Sequence[Document], model: str, vectors: Vectors) -> None:
    rows = [(number, document.path, document.title, document.digest) for number, document in enumerate(documents)]
    connection.executemany("INSERT INTO documents VALUES (?, ?, ?, ?)", rows)
    connection.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?)", _chunks(documents, vectors))
    lengths, postings = _postings(documents)
    entries = ((word, chunks.tobytes(), counts.tobytes()) for word, (chunks, counts) in sorted(postings.items()))
    connection.executemany("INSERT INTO words VALUES (?, ?, ?)", entries)
    facts = {"format": FORMAT, "model": model, "digest": _digest(documents, model), "lengths": lengths.tobytes()}
    connection.executemany("INSERT INTO facts VALUES (?, ?)", facts.items())


def _chunks(documents: Sequence[Document], vectors: Vectors) -> Iterator[tuple[int, int, str, bytes | None]]:
    number = 0
    for document, entry in enumerate(documents):
        for text in entry.chunks:
            yield number, document, text, vectors(entry.title, text)
            number += 1


def _postings(documents: Sequence[Document]) -> tuple[array[int], dict[str, tuple[array[int], array[int]]]]:
    """A chunk's words are those of its title too: it says what the chunk is about."""
    lengths = array("I")
    found: dict[str, tuple[array[int], array[int]]] = {}
    for document in documents:
        for text in document.chunks:
            counts = counted((document.title, text))
            for word, times in counts.items():
                chunks, numbers = found.get(word) or found.setdefault(word, (array("I"), array("I")))
                chunks.append(len(lengths))
                numbers.append(times)
            lengths.append(counts.total())
    return lengths, found


def _digest(documents: Sequence[Document], model: str) -> str:
    digest = hashlib.blake2b(model.encode(), digest_size=8)
    for document in documents:
        digest.update(f"{document.path}\0{document.digest}\n".encode())
    return digest.hexdigest()


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
