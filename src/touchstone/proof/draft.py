"""A database in the making: copies of real rows, changed cell by cell.

A change carries along what depends on it, and what it upsets is mended where a cell that was not changed can make up for it.
What cannot be mended is left out; at the end the laws that the changes could have broken are checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .invariants import Checker, Copied, Inclusion, Invariant, NullTogether, RowLaw, as_key
from .laws import Cell, Laws
from .pool import RowPool

Content = dict[str, list[list[Any]]]

_MOST_ROUNDS = 8


class Draft:
    """A database in the making: copies of pool rows, by their number in the pool."""

    def __init__(self, pool: RowPool, laws: Laws) -> None:
        self._pool = pool
        self._laws = laws
        self.rows: dict[str, dict[int, list[Any]]] = {name: {} for name in pool.tables}
        self.changed: set[Cell] = set()
        self._made = 0

    def add(self, table: str, number: int) -> list[Any]:
        rows = self.rows[table]
        if number not in rows:
            rows[number] = list(self._pool.rows[table][number])
        return rows[number]

    def add_new(self, table: str, row: list[Any], pointing: dict[int, Any]) -> None:
        """A row that is not in the original: like another, but pointing elsewhere."""
        self._made += 1
        made = list(row)
        for column, value in pointing.items():
            made[column] = value
        self.rows[table][-self._made] = made
        self.changed.update((table, column) for column in range(len(made)))

    def with_value(self, table: str, column: int, value: Any) -> Iterator[list[Any]]:
        return (row for row in self.rows[table].values() if as_key(row[column]) == as_key(value))

    def content(self) -> Content:
        return {name: list(rows.values()) for name, rows in self.rows.items()}

    # Changing cells

    def exchange(self, table: str, row: list[Any], column: int, value: Any) -> bool:
        """A new value in a column that is merely unique: the row that has it here gets the old one."""
        old = row[column]
        others = [] if value is None else [other for other in self.with_value(table, column, value) if other is not row]
        if not self.change(table, row, {column: value}, released=column):
            return False
        if all([self.change(table, other, {column: old}, released=column) for other in others]):
            return True
        self.change(table, row, {column: old}, released=column)
        return False

    def change(self, table: str, row: list[Any], values: dict[int, Any], released: int | None = None) -> bool:
        """New values for some cells of a row, with all that follows; nothing if one of them may not be. No fixed column is
        changed but the one released."""
        wanted = self._consequences(table, row, values, released)
        if wanted is None:
            return False
        before = list(row)
        for column, value in wanted.items():
            row[column] = value
        self._balance(table, row, wanted)
        if any(self._laws.broken_in_row(table, column, row) for column in wanted):
            row[:] = before
            return False
        self.changed.update((table, column) for column in wanted)
        self._carry(table, row, wanted)
        return True

    def _balance(self, table: str, row: list[Any], wanted: dict[int, Any]) -> None:
        """Where a law about a row no longer holds, a cell that was not changed makes up for it, and so on."""
        queue = list(wanted)
        while queue:
            for law, positions in self._laws.upset(table, queue.pop(), row):
                queue += self._make_up(law, positions, table, row, wanted)

    def _make_up(self, law: RowLaw, positions: list[int], table: str, row: list[Any], wanted: dict[int, Any]) -> list[int]:
        """The column that was changed, if one could be."""
        ways = law.ways([row[position] for position in positions])
        if isinstance(law, NullTogether):
            column, other = positions
            ways = [(0, self._beside(table, column, other, row[other])), (1, None)]
        for number, value in ways:
            changed = positions[number]
            if changed not in wanted and self._laws.allows(table, changed, value) and (table, changed) not in self._laws.fixed:
                row[changed] = wanted[changed] = value
                return [changed]
        return []

    def _beside(self, table: str, column: int, other: int, value: Any) -> Any:
        """What a column holds in a real row that has this value in another."""
        rows = (self._pool.rows[table][number] for number in self._pool.rows_with(table, other, value))
        return next((row[column] for row in rows if row[column] is not None), None)

    def _consequences(self, table: str, row: list[Any], values: dict[int, Any], released: int | None) -> dict[int, Any] | None:
        wanted = {
            column: value for column, value in values.items() if row[column] != value or type(row[column]) is not type(value)
        }
        queue = list(wanted)
        while queue:
            column = queue.pop()
            value = wanted[column]
            if (table, column) in self._laws.fixed and column != released:
                return None
            if not self._laws.allows(table, column, value):
                return None
            for other, facts in self._laws.determining.get((table, column), ()):
                if value is None or facts is None:
                    continue
                if value not in facts:
                    return None
                follows = facts[value]
                if wanted.get(other, row[other]) != follows:
                    if other in wanted:
                        return None
                    wanted[other] = follows
                    queue.append(other)
            for other, facts, back in self._laws.determined.get((table, column), ()):
                left = wanted.get(other, row[other])
                if left is None or facts.get(left) == value:
                    continue
                causes = back.get(value)
                if not causes or other in wanted:
                    return None
                wanted[other] = self._least_change(table, row, wanted, other, causes)
                queue.append(other)
        return wanted

    def _least_change(self, table: str, row: list[Any], wanted: dict[int, Any], column: int, causes: list[Any]) -> Any:
        """Of the values that a column could have, the one from which the most of the row follows as it is."""
        followers = [(other, facts) for other, facts in self._laws.determining.get((table, column), ()) if facts is not None]

        def changes(cause: Any) -> int:
            return sum(facts.get(cause) != wanted.get(other, row[other]) for other, facts in followers)

        start = hash_free(wanted, len(causes))
        return min(causes[start:] + causes[:start], key=changes)

    def _carry(self, table: str, row: list[Any], changed: dict[int, Any]) -> None:
        """Columns that are copies: a change of the copy changes what it is copied from; the rest follows in `mend`."""
        for law in self._laws.copied:
            (copying, key), (_, column), (parent, parent_key), (_, original) = self._laws.cells(law)
            if copying == table and column in changed and key not in changed:
                for other in self.with_value(parent, parent_key, row[key]):
                    self.change(parent, other, {original: changed[column]})

    # Keeping the laws

    def mend(self) -> bool:
        """Adds, completes and removes rows until nothing is missing; False if that does not end."""
        return any(not self._mend_once() for _ in range(_MOST_ROUNDS))

    def _mend_once(self) -> bool:
        """Whether anything had to be done."""
        return self._complete() | self._mirror() | self._copy() | self._settle()

    def _complete(self) -> bool:
        done = False
        for law in self._laws.inclusions:
            (table, here), (parent, there) = self._laws.cells(law)
            present = {as_key(row[there]) for row in self.rows[parent].values()}
            for number, row in list(self.rows[table].items()):
                if row[here] is None or as_key(row[here]) in present:
                    continue
                done = True
                if partners := self._pool.rows_with(parent, there, row[here]):
                    added = next((partner for partner in partners if partner not in self.rows[parent]), None)
                    if added is not None:
                        present.add(as_key(self.add(parent, added)[there]))
                        continue
                del self.rows[table][number]
        return done

    def _mirror(self) -> bool:
        done = False
        for law in self._laws.symmetric:
            table = law.table.lower()
            there = {tuple(row) for row in self.rows[table].values()}
            for number, row in list(self.rows[table].items()):
                mirrored = law.mirror(row, self._laws.tables[table])
                if mirrored in there:
                    continue
                done = True
                added = self._pool.number_of(table, mirrored)
                if added is None:
                    del self.rows[table][number]
                else:
                    there.add(mirrored)
                    self.add(table, added)
        return done

    def _copy(self) -> bool:
        done = False
        for law in self._laws.copied:
            (table, key), (_, column), (parent, parent_key), (_, original) = self._laws.cells(law)
            parents = {as_key(row[parent_key]): (number, row[original]) for number, row in self.rows[parent].items()}
            for number, row in self.rows[table].items():
                parent_number, value = parents.get(as_key(row[key]), (None, row[column]))
                if parent_number is None or row[column] == value:
                    continue
                if law.exceptions and number >= 0 and self._is_exception(law, number, parent_number):
                    continue
                row[column] = value
                self.changed.add((table, column))
                done = True
        return done

    def _is_exception(self, law: Copied, number: int, parent_number: int) -> bool:
        """The two rows belong together in the original, and are not equal there."""
        (table, key), (_, column), (parent, parent_key), (_, original) = self._laws.cells(law)
        row, pointed_at = self._pool.rows[table][number], self._pool.rows[parent][parent_number]
        return as_key(row[key]) == as_key(pointed_at[parent_key]) and row[column] != pointed_at[original]

    def _settle(self) -> bool:
        """Where a column determines another: all follow the first row that was changed, else the first."""
        done = False
        for (table, column), followers in self._laws.determining.items():
            for other, facts in followers:
                if facts is not None or not ({(table, column), (table, other)} & self.changed):
                    continue
                settled: dict[Any, Any] = {}
                for number, row in self.rows[table].items():
                    if row[column] is not None and number >= 0 and row[other] != self._pool.rows[table][number][other]:
                        settled.setdefault(row[column], row[other])
                for row in self.rows[table].values():
                    if row[column] is not None and row[other] != settled.setdefault(row[column], row[other]):
                        row[other] = settled[row[column]]
                        done = True
        return done

    def broken(self) -> Invariant | None:
        """A law that a change has broken. Real rows keep all laws; rows that need others are checked in any case."""
        laws: dict[int, Invariant] = {id(law): law for law in self._laws.asking}
        for cell in self.changed:
            laws.update((id(law), law) for law in self._laws.about.get(cell, ()))
        checker = Checker(self.content(), self._laws.tables)
        return next((law for law in laws.values() if not checker.holds(law)), None) or self._broken_in_a_row()

    def _broken_in_a_row(self) -> Invariant | None:
        for table, column in self.changed:
            for row in self.rows[table].values():
                if law := self._laws.broken_in_row(table, column, row):
                    return law
        return None


def hash_free(value: Any, size: int) -> int:
    """A position in a list that depends on the value alone: Python's own hash of text changes from run to run."""
    return sum(str(value).encode()) % size


def subset_keeps(laws: Laws, content: Content) -> Content:
    """What is left of a database when rows that lack a partner are taken away until none does."""
    left = {name: list(rows) for name, rows in content.items()}
    while True:
        removed = False
        for law in laws.asking:
            (table, here), (parent, there) = laws.cells(law)
            if isinstance(law, Inclusion):
                present = {as_key(row[there]) for row in left[parent]}
                kept = [row for row in left[table] if row[here] is None or as_key(row[here]) in present]
            else:
                there_too = {tuple(row) for row in left[table]}
                kept = [row for row in left[table] if law.mirror(row, laws.tables[table]) in there_too]
            if len(kept) < len(left[table]):
                left[table] = kept
                removed = True
        if not removed:
            return left
