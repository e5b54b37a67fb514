"""Small databases made where the queries look, each keeping every invariant.

A database is a choice of real rows that belong together, and then a few changes: the columns of a condition get values from
either side of it, two rows get the same value (a tie, a group of two), a key points at another row, a value becomes NULL
where NULLs occur. A change carries along what depends on it. What cannot be mended is left out, and at the end the laws that
the changes could have broken are checked; a database that breaks one is never given out.

Everything follows from the seed and the number of the database.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from .invariants import Checker, Copied, Inclusion, Invariant, NullTogether, Ordered, Sum, holds_in_row, named
from .laws import Cell, Laws, RowLaw
from .pool import Choice, Combination, Pool

Content = dict[str, list[list[Any]]]

_SIZES = (2, 1, 3, 2, 5, 3, 8, 2, 14)
_CHANGES = (1, 2, 0, 3, 1, 5, 2, 8)
_TRIES = 4
_MOST_ROUNDS = 8


class Draft:
    """A database in the making: copies of pool rows, by their place in the pool."""

    def __init__(self, pool: Pool, laws: Laws) -> None:
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
        return (row for row in self.rows[table].values() if row[column] == value)

    def content(self) -> Content:
        return {name: list(rows.values()) for name, rows in self.rows.items()}

    # Changing cells

    def change(self, table: str, row: list[Any], values: dict[int, Any]) -> bool:
        """New values for some cells of a row, with all that follows; nothing if one of them may not be."""
        wanted = self._consequences(table, row, values)
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
            for law in self._laws.mendable.get((table, queue.pop()), ()):
                if not holds_in_row(law, row, self._laws.tables[table]):
                    queue += self._make_up(law, table, row, wanted)

    def _make_up(self, law: RowLaw, table: str, row: list[Any], wanted: dict[int, Any]) -> list[int]:
        """The column that was changed, if one could be."""
        places = [self._laws.tables[table].place(column) for _, column in named(law)]
        ways: list[tuple[int, Any]]
        if isinstance(law, NullTogether):
            column, other = places
            ways = [(column, self._beside(table, column, other, row[other])), (other, None)]
        elif isinstance(law, Ordered):
            less, more = places
            ways = [(more, row[less]), (less, row[more])]
        elif isinstance(law, Sum):
            result, one, other = places
            ways = [(other, row[result] - row[one]), (one, row[result] - row[other]), (result, row[one] + row[other])]
        else:
            result, one, other = places
            ways = [(result, row[one] / row[other]), (one, _whole(row[result] * row[other], row[one]))]
        for changed, value in ways:
            if changed not in wanted and self._laws.allows(table, changed, value) and (table, changed) not in self._laws.fixed:
                row[changed] = wanted[changed] = value
                return [changed]
        return []

    def _beside(self, table: str, column: int, other: int, value: Any) -> Any:
        """What a column holds in a real row that has this value in another."""
        rows = (self._pool.rows[table][number] for number in self._pool.index(table, other).get(value, ()))
        return next((row[column] for row in rows if row[column] is not None), None)

    def _consequences(self, table: str, row: list[Any], values: dict[int, Any]) -> dict[int, Any] | None:
        wanted = {
            column: value for column, value in values.items() if row[column] != value or type(row[column]) is not type(value)
        }
        queue = list(wanted)
        while queue:
            column = queue.pop()
            value = wanted[column]
            if (table, column) in self._laws.fixed or not self._laws.allows(table, column, value):
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
            if law.table.lower() != table:
                continue
            info = self._laws.tables[table]
            column = info.place(law.column)
            if column not in changed or info.place(law.key) in changed:
                continue
            parent = law.parent.lower()
            there = self._laws.tables[parent]
            for other in self.with_value(parent, there.place(law.parent_key), row[info.place(law.key)]):
                self.change(parent, other, {there.place(law.parent_column): changed[column]})

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
            table, parent = law.table.lower(), law.parent.lower()
            here = self._laws.tables[table].place(law.column)
            there = self._laws.tables[parent].place(law.parent_column)
            present = {row[there] for row in self.rows[parent].values()}
            for number, row in list(self.rows[table].items()):
                if row[here] is None or row[here] in present:
                    continue
                done = True
                if partners := self._pool.index(parent, there).get(row[here]):
                    added = next((partner for partner in partners if partner not in self.rows[parent]), None)
                    if added is not None:
                        present.add(self.add(parent, added)[there])
                        continue
                del self.rows[table][number]
        return done

    def _mirror(self) -> bool:
        done = False
        for law in self._laws.symmetric:
            table = law.table.lower()
            info = self._laws.tables[table]
            there = {tuple(row) for row in self.rows[table].values()}
            for number, row in list(self.rows[table].items()):
                mirrored = law.mirror(row, info)
                if mirrored in there:
                    continue
                done = True
                added = self._pool.place(table, mirrored)
                if added is None:
                    del self.rows[table][number]
                else:
                    there.add(mirrored)
                    self.add(table, added)
        return done

    def _copy(self) -> bool:
        done = False
        for law in self._laws.copied:
            table, parent = law.table.lower(), law.parent.lower()
            info, there = self._laws.tables[table], self._laws.tables[parent]
            key, column, original = info.place(law.key), info.place(law.column), there.place(law.parent_column)
            parents = {row[there.place(law.parent_key)]: (number, row[original]) for number, row in self.rows[parent].items()}
            for number, row in self.rows[table].items():
                if row[key] not in parents or row[column] == parents[row[key]][1]:
                    continue
                if law.exceptions and number >= 0 and self._is_exception(law, number, parents[row[key]][0]):
                    continue
                row[column] = parents[row[key]][1]
                self.changed.add((table, column))
                done = True
        return done

    def _is_exception(self, law: Copied, number: int, parent_number: int) -> bool:
        """The two rows belong together in the original, and are not equal there."""
        table, parent = law.table.lower(), law.parent.lower()
        row, original = self._pool.rows[table][number], self._pool.rows[parent][parent_number]
        info, there = self._laws.tables[table], self._laws.tables[parent]
        together = row[info.place(law.key)] == original[there.place(law.parent_key)]
        return together and row[info.place(law.column)] != original[there.place(law.parent_column)]

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
        check = Checker(self.content(), self._laws.tables)
        return next((law for law in laws.values() if not check.holds(law)), None) or self._broken_in_a_row()

    def _broken_in_a_row(self) -> Invariant | None:
        for table, column in self.changed:
            for row in self.rows[table].values():
                if law := self._laws.broken_in_row(table, column, row):
                    return law
        return None


def _whole(value: float, like: Any) -> float:
    """As whole as its column's values are, but for the last digits."""
    return type(like)(round(value)) if isinstance(like, int) or float(like).is_integer() else value


def hash_free(value: Any, size: int) -> int:
    """A place in a list that depends on the value alone: Python's own hash of text changes from run to run."""
    return sum(str(value).encode()) % size


class Generator:
    """The databases of one pair, by number."""

    def __init__(self, pool: Pool, laws: Laws, seed: int) -> None:
        self.pool = pool
        self._laws = laws
        self._seed = seed
        self._meeting = [combinations for combinations in pool.meeting if combinations]
        weight = {name: 1 for name in pool.tables}
        for table, _ in pool.columns:
            weight[table] += 1
        self._tables = list(weight)
        self._weights = list(weight.values())

    def database(self, number: int) -> Content | None:
        """The database of this number, or None where changes and laws did not go together."""
        chance = random.Random(f"{self._seed} {number}")
        for attempt in range(_TRIES):
            draft = Draft(self.pool, self._laws)
            self._choose(draft, chance, number)
            if attempt < _TRIES - 1:
                self._change(draft, chance, number)
            if draft.mend() and draft.broken() is None and any(draft.rows.values()):
                return draft.content()
        return None

    def _choose(self, draft: Draft, chance: random.Random, number: int) -> None:
        size = _SIZES[number % len(_SIZES)]
        # Now and then without rows that meet one query's conditions: beside them, others are never the first or the largest.
        for combinations in self._meeting:
            if chance.random() < 0.8:
                for _ in range(chance.randint(1, max(1, size // 2))):
                    _take(draft, chance.choice(combinations))
        if self.pool.bundles and number % 3:
            for _ in range(chance.randint(1, 2)):
                self._bundle(draft, chance)
        for _ in range(chance.randint(0, size)):
            if self.pool.joined:
                _take(draft, chance.choice(self.pool.joined))
        for name, rows in self.pool.rows.items():
            more = chance.randint(0, 2) if self.pool.joined else size
            for _ in range(more if rows else 0):
                draft.add(name, chance.randrange(len(rows)))
        draft.mend()

    def _bundle(self, draft: Draft, chance: random.Random) -> None:
        """A group, whole or cut to a size near a number that the query compares it with."""
        bundle = chance.choice(self.pool.bundles)
        sizes = [near for size in bundle.sizes for near in (size, size + 1, size + 2, size - 1)] or [1, 2, 3]
        for combination in chance.sample(bundle.members, min(len(bundle.members), max(chance.choice(sizes), 1))):
            _take(draft, combination)

    def _change(self, draft: Draft, chance: random.Random, number: int) -> None:
        choices = self.pool.choices
        if choices and number % 4:  # in turn, so that each condition has its databases
            self._decide(draft, chance, choices[number % len(choices)])
        for _ in range(_CHANGES[number % len(_CHANGES)]):
            what = chance.random()
            if choices and what < 0.35:
                self._decide(draft, chance, chance.choice(choices))
            elif what < 0.48:
                self._point_elsewhere(draft, chance)
            elif what < 0.55:
                self._connect(draft, chance)
            elif what < 0.65 and self.pool.pairs:
                self._equate(draft, chance)
            elif what < 0.72:
                self._repeat(draft, chance)
            elif what < 0.79:
                self._add_sibling(draft, chance)
            elif what < 0.84 and self.pool.group_keys:
                self._merge_groups(draft, chance)
            elif what < 0.88 and self.pool.order_keys:
                self._rank(draft, chance)
            else:
                self._vary(draft, chance)

    def _some_row(self, draft: Draft, chance: random.Random, table: str) -> list[Any] | None:
        rows = draft.rows[table]
        return chance.choice(list(rows.values())) if rows else None

    def _decide(self, draft: Draft, chance: random.Random, choice: Choice) -> None:
        """The columns of a condition get values that meet it, or not; where they are fixed, a key points at such a row."""
        row = self._some_row(draft, chance, choice.table)
        if row is None:
            return
        values = chance.choice(choice.values)
        if draft.change(choice.table, row, dict(zip(choice.places, values, strict=True))):
            return
        if len(choice.places) == 1:
            self._bring(draft, chance, choice.table, choice.places[0], values[0])

    def _bring(self, draft: Draft, chance: random.Random, table: str, place: int, value: Any) -> None:
        """A real row with this value joins the database, and a row that points at its table points at it."""
        partners = self.pool.index(table, place).get(value)
        if not partners:
            return
        row = draft.add(table, chance.choice(partners))
        pointing = [
            (name, column, there)
            for (name, column), targets in self._laws.pointing.items()
            for parent, there in targets
            if parent == table
        ]
        if pointing:
            name, column, there = chance.choice(pointing)
            if (other := self._some_row(draft, chance, name)) is not None:
                draft.change(name, other, {column: row[there]})

    def _point_elsewhere(self, draft: Draft, chance: random.Random) -> None:
        movable = [cell for cell in self._laws.pointing if cell not in self._laws.fixed]
        if not movable:
            return self._vary(draft, chance)
        table, place = chance.choice(movable)
        row = self._some_row(draft, chance, table)
        if row is None:
            return None
        parent, there = chance.choice(self._laws.pointing[table, place])
        if chance.random() < 0.5 and draft.rows[parent]:
            value = chance.choice(list(draft.rows[parent].values()))[there]
        elif self.pool.rows[parent]:
            value = chance.choice(self.pool.rows[parent])[there]
        else:
            return None
        if self._laws.nullable(table, place) and chance.random() < 0.15:
            value = None
        draft.change(table, row, {place: value})
        return None

    def _connect(self, draft: Draft, chance: random.Random) -> None:
        """A new row in a table that connects others: one more power of a hero, one more guest of a party."""
        table = chance.choice(self._laws.connecting) if self._laws.connecting else None
        row = self._some_row(draft, chance, table) if table is not None else None
        if table is None or row is None:
            return
        pointing: dict[int, Any] = {}
        for place, parent, there in self._laws.connections[table]:
            if draft.rows[parent] and chance.random() < 0.6:
                pointing[place] = chance.choice(list(draft.rows[parent].values()))[there]
        if pointing:
            draft.add_new(table, row, pointing)

    def _equate(self, draft: Draft, chance: random.Random) -> None:
        """Two columns that a query compares become equal."""
        table, one, other = chance.choice(self.pool.pairs)
        if (row := self._some_row(draft, chance, table)) is not None:
            one, other = (one, other) if chance.random() < 0.5 else (other, one)
            draft.change(table, row, {one: row[other]})

    def _repeat(self, draft: Draft, chance: random.Random) -> None:
        """A row becomes like another in all that may be changed, but for one column perhaps."""
        table = chance.choices(self._tables, self._weights)[0]
        rows = list(draft.rows[table].values())
        if len(rows) < 2:
            return
        one, other = chance.sample(rows, 2)
        places = [place for name, place in self.pool.columns if name == table and (name, place) not in self._laws.fixed]
        if len(places) > 1 and chance.random() < 0.5:
            places.remove(chance.choice(places))
        for place in places:
            draft.change(table, one, {place: other[place]})

    def _add_sibling(self, draft: Draft, chance: random.Random) -> None:
        """One more row that points where another points, alike in what a condition asks."""
        cells = [cell for cell in self._laws.pointing if draft.rows[cell[0]]]
        if not cells:
            return
        table, place = chance.choice(cells)
        row = self._some_row(draft, chance, table)
        others = self.pool.index(table, place).get(row[place], []) if row is not None and row[place] is not None else []
        fresh = [number for number in others if number not in draft.rows[table]]
        if row is None or not fresh:
            return
        made = draft.add(table, chance.choice(fresh))
        for choice in self.pool.choices:
            if choice.table == table and chance.random() < 0.8:
                draft.change(table, made, {column: row[column] for column in choice.places})

    def _merge_groups(self, draft: Draft, chance: random.Random) -> None:
        """Rows of several groups become rows of one."""
        for table in dict.fromkeys(name for name, _ in self.pool.group_keys):
            rows = list(draft.rows[table].values())
            places = [place for name, place in self.pool.group_keys if name == table]
            for row in rows[1:]:
                if chance.random() < 0.7:
                    draft.change(table, row, {place: rows[0][place] for place in places})

    def _rank(self, draft: Draft, chance: random.Random) -> None:
        """The rows get something to be ordered by: other values, none of them NULL."""
        table, place = chance.choice(self.pool.order_keys)
        values = [value for value in self.pool.index(table, place) if value is not None]
        for row in draft.rows[table].values() if values else ():
            draft.change(table, row, {place: chance.choice(values)})

    def _vary(self, draft: Draft, chance: random.Random) -> None:
        """One cell that a query looks at: like that of another row, NULL, the largest, the smallest."""
        cells = [cell for cell in self.pool.columns if cell not in self._laws.fixed]
        if not cells:
            return
        table, place = chance.choice(cells)
        row = self._some_row(draft, chance, table)
        if row is None:
            return
        what = chance.random()
        if what < 0.2 and self._laws.nullable(table, place):
            value = None
        elif what < 0.55:
            value = chance.choice(list(draft.rows[table].values()))[place]
        elif what < 0.7 and isinstance(row[place], int | float):
            value = row[place] + chance.choice((-1, 1))
        else:
            value = chance.choice(self.pool.rows[table])[place]
        draft.change(table, row, {place: value})


def _take(draft: Draft, combination: Combination) -> None:
    for table, place in combination:
        draft.add(table, place)


def subset_keeps(laws: Laws, content: Content) -> Content:
    """What is left of a database when rows that lack a partner are taken away until none does."""
    left = {name: list(rows) for name, rows in content.items()}
    while True:
        removed = False
        for law in laws.asking:
            table = law.table.lower()
            info = laws.tables[table]
            here = info.place(law.column)
            if isinstance(law, Inclusion):
                there = laws.tables[law.parent.lower()].place(law.parent_column)
                present = {row[there] for row in left[law.parent.lower()]}
                kept = [row for row in left[table] if row[here] is None or row[here] in present]
            else:
                there_too = {tuple(row) for row in left[table]}
                kept = [row for row in left[table] if law.mirror(row, info) in there_too]
            if len(kept) < len(left[table]):
                left[table] = kept
                removed = True
        if not removed:
            return left
