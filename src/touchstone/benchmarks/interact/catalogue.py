"""What can be looked up about a database: its schema text, the meanings of its columns, its knowledge base.

Lookups forgive case and blanks. Entries of the knowledge base that a task hides are not there at all, for any lookup.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ...errors import InputError, Unscorable

Meaning = str | dict[str, Any]


class KnowledgeEntry(Struct, frozen=True):
    """One piece of knowledge, as far as an agent may see it."""

    id: int
    knowledge: str
    description: str = ""
    definition: str = ""


class Catalogue:
    """One database's texts. Raises Unscorable if a file is missing, InputError if one is broken."""

    def __init__(self, directory: Path, database: str) -> None:
        self.database = database
        self.schema = _text(directory, database, "schema.txt")
        self._meanings = _decoded(directory, database, "column_meaning_base.json", dict[str, Meaning])
        lines = _text(directory, database, "kb.jsonl").splitlines()
        where = f"{directory / database / f'{database}_kb.jsonl'}"
        self._entries = [_entry(where, number, line) for number, line in enumerate(lines, 1) if line.strip()]
        self.content = "\0".join((database, self.schema, _as_json(self._meanings), *lines))
        self._columns = {_column_key(key): meaning for key, meaning in self._meanings.items()}

    def column_meaning(self, table: str, column: str) -> str | None:
        meaning = self._columns.get((_folded(table), _folded(column)))
        return meaning if meaning is None or isinstance(meaning, str) else _as_json(meaning)

    def all_column_meanings(self) -> str:
        return _as_json({key.lower(): meaning for key, meaning in self._meanings.items()})

    def names(self, hidden: Collection[int]) -> str:
        return _as_json([entry.knowledge for entry in self._visible(hidden)])

    def definition(self, name: str, hidden: Collection[int]) -> str | None:
        visible = self._visible(hidden)
        exact = [entry for entry in visible if entry.knowledge == name]
        alike = exact or [entry for entry in visible if _folded(entry.knowledge) == _folded(name)]
        return _as_json(msgspec.to_builtins(alike[0])) if alike else None

    def definitions(self, hidden: Collection[int]) -> str:
        return _as_json(msgspec.to_builtins(self._visible(hidden)))

    def _visible(self, hidden: Collection[int]) -> list[KnowledgeEntry]:
        return [entry for entry in self._entries if entry.id not in hidden]


def _column_key(key: str) -> tuple[str, str]:
    """`db|Table|Column`; the first part is not always the database's name."""
    parts = key.split("|")
    return _folded(parts[-2] if len(parts) > 1 else ""), _folded(parts[-1])


def _folded(name: str) -> str:
    return " ".join(name.strip().strip('"`').split()).casefold()


def _text(directory: Path, database: str, name: str) -> str:
    path = directory / database / f"{database}_{name}"
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeError) as error:
        raise Unscorable(f"{path.name} cannot be read: {error}", "database") from None


def _decoded(directory: Path, database: str, name: str, kind: Any) -> Any:
    try:
        return msgspec.json.decode(_text(directory, database, name), type=kind)
    except msgspec.DecodeError as error:
        raise InputError(f"{directory / database / f'{database}_{name}'}: {error}") from None


def _entry(where: str, number: int, line: str) -> KnowledgeEntry:
    try:
        return msgspec.json.decode(line, type=KnowledgeEntry)
    except msgspec.DecodeError as error:
        raise InputError(f"{where}: row {number}: {error}") from None


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
