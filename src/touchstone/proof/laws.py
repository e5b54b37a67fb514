"""Invariants arranged for asking quickly: by table, by column, and by what a change of a cell touches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .invariants import (
    Agreement,
    CellLaw,
    Copied,
    Determines,
    Format,
    Inclusion,
    Invariant,
    NotNull,
    OneOf,
    Prefix,
    Range,
    RowLaw,
    Symmetric,
    Unique,
)
from .source import TableInfo

_NUMBERS = ("REAL", "FLOA", "DOUB", "NUM", "DEC")

Cell = tuple[str, int]
"""A column: table in lower case, position."""


class Laws:
    """The laws about some tables; the others say nothing about a database without theirs."""

    def __init__(self, laws: Iterable[Invariant], tables: Mapping[str, TableInfo]) -> None:
        laws = list(laws)
        self.tables = tables
        self.all = [law for law in laws if all(table.lower() in tables for table, _ in law.named())]
        self.asking = [law for law in self.all if isinstance(law, Inclusion | Symmetric)]
        self.copied = [law for law in self.all if isinstance(law, Copied)]
        self.inclusions = [law for law in self.all if isinstance(law, Inclusion)]
        self.symmetric = [law for law in self.all if isinstance(law, Symmetric)]
        self._cells_of = {id(law): [self._cell(table, column) for table, column in law.named()] for law in self.all}
        self._alone: defaultdict[Cell, list[CellLaw]] = defaultdict(list)
        self._together: defaultdict[Cell, list[tuple[RowLaw, list[int]]]] = defaultdict(list)
        self.about: defaultdict[Cell, list[Invariant]] = defaultdict(list)
        """What a change of a column may break beyond its own row."""
        self.determining: defaultdict[Cell, list[tuple[int, dict[Any, Any] | None]]] = defaultdict(list)
        """Which other column follows from a column, and the facts where they are listed."""
        self.determined: defaultdict[Cell, list[tuple[int, dict[Any, Any], dict[Any, list[Any]]]]] = defaultdict(list)
        """Only where the facts are listed: from which other column, the facts, and the facts backwards."""
        self.pointing: defaultdict[Cell, list[tuple[str, int]]] = defaultdict(list)
        """Columns whose values are keys of another table: where to."""
        for law in self.all:
            self._arrange(law)
        self.connections: dict[str, list[tuple[int, str, int]]] = {}
        """Tables that only connect others, in which rows can be made: the columns, and where they point."""
        self.merely_unique: set[Cell] = set()
        """Columns that are fixed only because their values happen to be unique: no key, and nothing points at them."""
        self.fixed = self._fixed(laws)
        """Columns that say which thing a row is about: never changed, but for values exchanged in those merely unique."""
        self.connecting = sorted(self.connections)

    def _arrange(self, law: Invariant) -> None:
        cells = self.cells(law)
        if isinstance(law, CellLaw):
            self._alone[cells[0]].append(law)
            return
        if isinstance(law, RowLaw):
            for cell in cells:
                self._together[cell].append((law, [at for _, at in cells]))
            return
        for cell in cells:
            self.about[cell].append(law)
        if isinstance(law, Determines):
            facts: dict[Any, Any] | None = dict(law.pairs) if law.pairs is not None else None
            self.determining[cells[0]].append((cells[1][1], facts))
            if facts is not None:
                back: defaultdict[Any, list[Any]] = defaultdict(list)
                for left, right in facts.items():
                    back[right].append(left)
                self.determined[cells[1]].append((cells[0][1], facts, back))
        elif isinstance(law, Inclusion):
            self.pointing[cells[0]].append(cells[1])

    def cells(self, law: Invariant) -> list[Cell]:
        """The columns that a law is about."""
        return self._cells_of[id(law)]

    def _cell(self, table: str, column: str) -> Cell:
        name = table.lower()
        return name, self.tables[name].position(column)

    def _fixed(self, laws: list[Invariant]) -> set[Cell]:
        """Told by all laws of the database, also those that lead to tables which are not here."""
        fixed: set[Cell] = set()
        unique: set[Cell] = set()
        keys = {name: {table.position(column) for column in table.key} for name, table in self.tables.items()}
        bound: dict[str, set[int]] = {name: set() for name in self.tables}
        pointing: dict[str, set[int]] = {name: set() for name in self.tables}
        for law in laws:
            cells = [self._cell(table, column) for table, column in law.named() if table.lower() in self.tables]
            if isinstance(law, Prefix | Symmetric | Agreement):
                fixed.update(cells)
                for name, at in cells:
                    bound[name].add(at)
            elif isinstance(law, Inclusion):
                if law.parent.lower() in self.tables:
                    fixed.add(self._cell(law.parent, law.parent_column))
                if law.table.lower() in self.tables:
                    pointing[law.table.lower()].add(self._cell(law.table, law.column)[1])
            elif isinstance(law, Unique) and len(law.columns) == 1 and cells:
                name, at = cells[0]
                keys[name].add(at)
                # A measure may be unique by accident: only names and numbers of things are fixed.
                if not any(word in self.tables[name].types[at].upper() for word in _NUMBERS):
                    unique.add(cells[0])
        fixed.update((name, at) for name, positions in keys.items() for at in positions if self._is_key(name, at))
        # A table without a thing of its own (all it has is pairs of others): its rows come and go, they do not point elsewhere.
        for name, positions in pointing.items():
            if positions and not keys[name] - positions:
                if not bound[name]:
                    self.connections[name] = [
                        (at, *self.pointing[name, at][0]) for at in sorted(positions) if self.pointing.get((name, at))
                    ]
                fixed.update((name, at) for at in positions)
        self.merely_unique = unique - fixed
        return fixed | unique

    def _is_key(self, name: str, at: int) -> bool:
        return self.tables[name].columns[at] in self.tables[name].key

    def allows(self, table: str, at: int, value: Any) -> bool:
        """Whether a cell may hold a value, as far as its column alone tells."""
        return all(law.allows(value) for law in self._alone.get((table, at), ()))

    def may_be_new(self, table: str, at: int, value: Any) -> bool:
        """Whether a value that the column does not hold may be put there: numbers in its range, text of its format."""
        kinds = (Range, OneOf) if not isinstance(value, str) else (Format, OneOf)
        return any(isinstance(law, kinds) for law in self._alone.get((table, at), ()))

    def nullable(self, table: str, at: int) -> bool:
        return not any(isinstance(law, NotNull) for law in self._alone.get((table, at), ()))

    def broken_in_row(self, table: str, at: int, row: list[Any]) -> Invariant | None:
        """A law that a cell breaks, alone or together with others of its row."""
        alone = next((law for law in self._alone.get((table, at), ()) if not law.allows(row[at])), None)
        return alone or next((law for law, _ in self.upset(table, at, row)), None)

    def upset(self, table: str, at: int, row: list[Any]) -> Iterator[tuple[RowLaw, list[int]]]:
        """Laws about this cell and others of its row that do not hold, with the positions of all of them."""
        for law, positions in self._together.get((table, at), ()):
            if not law.holds_for([row[position] for position in positions]):
                yield law, positions
