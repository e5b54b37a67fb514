"""The index of one application, for reading: a single SQLite file that is never changed, only replaced (`writing`)."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

from msgspec import Struct

from ....failures import InputError

FORMAT = "1"
SUFFIX = ".sqlite"


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

    def vectors(self) -> list[bytes]:
        """Of each chunk: one or several vectors of half-precision numbers, one after the other."""
        return [blob or b"" for (blob,) in self._rows("SELECT vectors FROM chunks ORDER BY id")]

    @cached_property
    def _lengths(self) -> array[int]:
        return _numbers(self._fact("lengths"))

    def lengths(self) -> array[int]:
        return self._lengths

    def postings(self, word: str) -> tuple[array[int], array[int]]:
        for chunks, counts in self._rows("SELECT chunks, counts FROM words WHERE word = ?", word):
            return _numbers(chunks), _numbers(counts)
        return array("I"), array("I")

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


def _numbers(data: bytes) -> array[int]:
    numbers = array("I")
    numbers.frombytes(data)
    return numbers
