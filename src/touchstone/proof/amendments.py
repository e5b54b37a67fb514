"""A TOML file of invariants: those that the data cannot show, and those that hold by accident.

    [[add]]                          [[forbid]]
    kind = "unique"                  kind = "determines"
    table = "orders"                 table = "orders"       # any of its fields; those not named match everything
    columns = ["number", "year"]     database = "shop"      # only there; without it, wherever it fits

One file serves all databases of a benchmark: a law is added wherever its tables are. One that fits nowhere is a mistake.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ..errors import InputError
from .invariants import KINDS, Invariant, violations
from .source import Source, quoted


class _Entry(Struct, frozen=True):
    where: str
    kind: type[Invariant]
    fields: dict[str, Any]
    database: str | None

    def is_for(self, source: Source) -> bool:
        return self.database is None or self.database.lower() == source.path.stem.lower()


class Amendments:
    """What a file says. Raises InputError naming the entry that is wrong."""

    def __init__(self, text: str, file: str) -> None:
        self._file = file
        try:
            content = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"{file}: cannot read the invariants: {error}") from None
        if stray := content.keys() - {"add", "forbid"}:
            raise InputError(f"{file}: expected [[add]] and [[forbid]], found '{min(stray)}'")
        self._forbidden = self._entries(content, "forbid")
        self._added = [(entry, self._law(entry)) for entry in self._entries(content, "add")]

    def applied(self, laws: Sequence[Invariant], source: Source) -> list[Invariant]:
        """The laws of one database, amended."""
        forbidden = [entry for entry in self._forbidden if entry.is_for(source)]
        kept = [law for law in laws if not any(_matches(law, entry) for entry in forbidden)]
        added = [law for entry, law in self._added if entry.is_for(source) and _absent(law, source) is None]
        return [*kept, *(law for law in added if law not in kept)]

    def refuse_misfits(self, sources: Iterable[Source]) -> None:
        """Each added law must fit at least one of the databases, and hold in all that it fits."""
        every = list(sources)
        for entry, law in self._added:
            absent = [_absent(law, source) for source in every if entry.is_for(source)]
            if None in absent:
                if broken := next((each for each in every if entry.is_for(each) and _is_broken(law, each)), None):
                    raise InputError(f"{self._file}: {entry.where}: it does not hold in the rows of {broken.path.stem}")
                continue
            if not absent:
                raise InputError(f"{self._file}: {entry.where}: there is no database '{entry.database}'")
            which = "the database has no" if len(absent) == 1 else f"none of the {len(absent)} databases has"
            raise InputError(f"{self._file}: {entry.where}: {which} {absent[0]}")

    def _entries(self, content: dict[str, Any], name: str) -> list[_Entry]:
        entries: Any = content.get(name, [])
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):  # pyright: ignore[reportUnknownVariableType]
            raise InputError(f"{self._file}: '{name}' is a list of tables: [[{name}]]")
        return [self._entry(f"[[{name}]] {number}", entry) for number, entry in enumerate(entries, 1)]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]

    def _entry(self, where: str, entry: dict[str, Any]) -> _Entry:
        kind, database = entry.get("kind"), entry.get("database")
        if not isinstance(kind, str) or kind not in KINDS:
            raise InputError(f"{self._file}: {where}: kind is one of {', '.join(KINDS)}, found {kind!r}")
        if not isinstance(database, str | None):
            raise InputError(f"{self._file}: {where}: database is the name of one, found {database!r}")
        fields = {name: value for name, value in entry.items() if name not in ("kind", "database")}
        if stray := fields.keys() - set(KINDS[kind].__struct_fields__):
            raise InputError(f"{self._file}: {where}: {kind} has no field '{min(stray)}'")
        return _Entry(where, KINDS[kind], fields, database)

    def _law(self, entry: _Entry) -> Invariant:
        try:
            return msgspec.convert(entry.fields, entry.kind)
        except msgspec.ValidationError as error:
            raise InputError(f"{self._file}: {entry.where}: {error}") from None


def read_amendments(path: Path) -> tuple[Amendments, str]:
    """What a file says, and its text."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise InputError(f"{path}: cannot read the invariants: {error}") from None
    return Amendments(text, str(path)), text


def amended(laws: Sequence[Invariant], path: Path, source: Source) -> list[Invariant]:
    """The laws of one database with a file's own added, and those that it forbids left out."""
    amendments, _ = read_amendments(path)
    amendments.refuse_misfits([source])
    return amendments.applied(laws, source)


def _absent(law: Invariant, source: Source) -> str | None:
    """A column that the law is about and the database does not have."""
    for table, column in law.named():
        info = source.tables.get(table.lower())
        if info is None or not info.has(column):
            return f"{table}.{column}"
    return None


def _is_broken(law: Invariant, source: Source) -> bool:
    """As far as the tables can be read; real rows are taken to keep all laws."""
    if _absent(law, source) is not None:
        return False
    rows = {table.lower(): source.ask(f"SELECT * FROM {quoted(table)}") for table, _ in law.named()}
    present = {table: read for table, read in rows.items() if read is not None}
    return len(present) == len(rows) and any(violations([law], present, source.tables))


def _matches(law: Invariant, entry: _Entry) -> bool:
    return isinstance(law, entry.kind) and all(
        _plain(getattr(law, name)) == _plain(value) for name, value in entry.fields.items()
    )


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return value.lower()
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value  # pyright: ignore[reportUnknownVariableType]
