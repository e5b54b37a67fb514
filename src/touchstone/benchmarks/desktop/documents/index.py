"""The index of one application: a single SQLite file with its documents, chunks, a full-text table (FTS5) and vectors.

It is written whole beside the old one and then put in its place, so a reader sees either the old index or the new one, and a
kill at any moment leaves the old one.
"""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

from msgspec import Struct

from ....errors import InputError
from .pages import EAST_ASIAN

FORMAT = "2"
SUFFIX = ".sqlite"
_TABLES = """
    PRAGMA journal_mode = OFF;
    CREATE TABLE facts (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE documents (id INTEGER PRIMARY KEY, path TEXT NOT NULL, title TEXT NOT NULL, digest TEXT NOT NULL);
    CREATE TABLE chunks (id INTEGER PRIMARY KEY, document INTEGER NOT NULL, text TEXT NOT NULL, vectors BLOB);
    CREATE VIRTUAL TABLE words USING fts5 (title, text, content = '', tokenize = 'porter unicode61');
"""
_EAST_ASIAN = re.compile(f"[{EAST_ASIAN}]")
_WORD = re.compile(r"[^\W_]+")

Vectors = Callable[[str, str], bytes | None]
"""The vectors of a title and a chunk."""


class Document(Struct, frozen=True):
    path: str
    """In the warehouse."""
    title: str
    digest: str
    """Of its content and of how it was read."""
    chunks: tuple[str, ...]


class Passage(Struct, frozen=True):
    """One chunk with where it comes from."""

    path: str
    title: str
    text: str


class Index:
    """The file stays open: an index that is replaced meanwhile goes on to answer as it was. Threads may share it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.application = path.name.removesuffix(SUFFIX)
        if not path.is_file():
            raise InputError(f"{path}: no such index")
        address = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
        self._connection = sqlite3.connect(address, uri=True, check_same_thread=False)
        self._turn = Lock()
        if self._fact("format") != FORMAT:
            raise InputError(f"{path}: made by another version of Touchstone; delete it and index again")
        self.model = str(self._fact("model"))
        """The name of the model that its vectors are from; empty: it has none."""
        self.digest = str(self._fact("digest"))
        """Of all its documents."""

    @cached_property
    def size(self) -> tuple[int, int]:
        """The numbers of documents and chunks."""
        return self._rows("SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM chunks)")[0]

    def documents(self) -> list[Document]:
        pieces: dict[int, list[str]] = {}
        for document, text in self._rows("SELECT document, text FROM chunks ORDER BY id"):
            pieces.setdefault(document, []).append(text)
        rows = self._rows("SELECT id, path, title, digest FROM documents ORDER BY id")
        return [Document(path, title, digest, tuple(pieces.get(number, ()))) for number, path, title, digest in rows]

    def passage(self, chunk: int) -> Passage:
        query = "SELECT path, title, text FROM chunks JOIN documents ON documents.id = document WHERE chunks.id = ?"
        return Passage(*self._rows(query, chunk)[0])

    def ranked(self, question: str, most: int) -> list[tuple[int, float]]:
        """The chunks that share a word with the question and their scores by BM25, the best first."""
        words = dict.fromkeys(word.lower() for word in _WORD.findall(_spaced(question)))
        if not words:
            return []
        query = "SELECT rowid, -bm25(words) FROM words WHERE words MATCH ? ORDER BY rank, rowid LIMIT ?"
        return self._rows(query, " OR ".join(f'"{word}"' for word in words), most)

    def vectors(self) -> list[bytes]:
        """Of each chunk: one or several vectors of half-precision numbers, one after the other."""
        return [blob or b"" for (blob,) in self._rows("SELECT vectors FROM chunks ORDER BY id")]

    def _fact(self, name: str) -> Any:
        rows = self._rows("SELECT value FROM facts WHERE name = ?", name)
        return rows[0][0] if rows else None

    def _rows(self, query: str, *values: object) -> list[Any]:
        try:
            with self._turn:
                return self._connection.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise InputError(f"{self.path}: not a whole index ({error}); delete it and index again") from None


def open_all(directory: Path) -> dict[str, Index]:
    """The indexes of a folder, by application."""
    if not directory.is_dir():
        raise InputError(f"{directory}: no such directory; make it with 'touchstone desktop documents index'")
    indexes = [Index(path) for path in sorted(directory.glob(f"*{SUFFIX}"))]
    if not indexes:
        raise InputError(f"{directory}: there is no index here; make one with 'touchstone desktop documents index'")
    return {index.application: index for index in indexes}


def chosen(indexes: dict[str, Index], applications: Sequence[str]) -> list[Index]:
    """Those that exist of the applications' indexes."""
    return [indexes[name] for name in dict.fromkeys(applications) if name in indexes]


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
    for number, (document, title, text) in enumerate(_chunks(documents)):
        connection.execute("INSERT INTO chunks VALUES (?, ?, ?, ?)", (number, document, text, vectors(title, text)))
        # The title says what a chunk is about, so it is searched with it.
        connection.execute("INSERT INTO words (rowid, title, text) VALUES (?, ?, ?)", (number, _spaced(title), _spaced(text)))
    facts = {"format": FORMAT, "model": model, "digest": _digest(documents, model)}
    connection.executemany("INSERT INTO facts VALUES (?, ?)", facts.items())


def _chunks(documents: Sequence[Document]) -> Iterator[tuple[int, str, str]]:
    for number, document in enumerate(documents):
        for text in document.chunks:
            yield number, document.title, text


def _spaced(text: str) -> str:
    """Chinese, Japanese and Korean are written without blanks: each character is a word of its own here."""
    return _EAST_ASIAN.sub(r" \g<0> ", text)


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
