"""Small databases made where the queries look, each keeping every invariant.

A database is a choice of real rows that belong together, and then a few changes: the columns of a condition get values from
either side of it, two rows get the same value (a tie, a group of two) or exchange values that are unique by accident, a key
points at another row, a value becomes NULL where NULLs occur. A change carries along what depends on it. What cannot be
mended is left out, and at the end the laws that the changes could have broken are checked; a database that breaks one is
never given out.

Everything follows from the seed and the number of the database.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from .draft import Content, Draft
from .invariants import as_key
from .laws import Laws
from .pool import Choice, Combination, RowPool

_SIZES = (2, 1, 3, 2, 5, 3, 8, 2, 14)
_CHANGES = (1, 2, 0, 3, 1, 5, 2, 8)
_TRIES = 4


class Generator:
    """The databases of one pair, by number."""

    def __init__(self, pool: RowPool, laws: Laws, seed: int) -> None:
        self.pool = pool
        self._laws = laws
        self._seed = seed
        self._meeting = [combinations for combinations in pool.meeting if combinations]
        weight = {name: 1 for name in pool.tables}
        for table, _ in pool.columns:
            weight[table] += 1
        self._tables = list(weight)
        self._weights = list(weight.values())
        changes: tuple[tuple[float, object, Callable[[Draft, random.Random], None]], ...] = (
            (0.35, pool.choices, self._decide_any),
            (0.48, True, self._point_elsewhere),
            (0.55, True, self._connect),
            (0.65, pool.pairs, self._equate),
            (0.72, True, self._repeat),
            (0.79, True, self._add_sibling),
            (0.84, pool.group_keys, self._merge_groups),
            (0.88, pool.order_keys, self._rank),
            (1.0, True, self._vary),
        )
        self._changes = [(below, change) for below, possible, change in changes if possible]
        """What is done to a draft, where chance is below a number."""

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
            next(change for below, change in self._changes if what < below)(draft, chance)

    def _some_row(self, draft: Draft, chance: random.Random, table: str) -> list[Any] | None:
        rows = draft.rows[table]
        return chance.choice(list(rows.values())) if rows else None

    def _decide_any(self, draft: Draft, chance: random.Random) -> None:
        self._decide(draft, chance, chance.choice(self.pool.choices))

    def _decide(self, draft: Draft, chance: random.Random, choice: Choice) -> None:
        """The columns of a condition get values that meet it, or not. Where they are fixed, two rows exchange theirs or a key
        points at a row that has such values."""
        row = self._some_row(draft, chance, choice.table)
        if row is None:
            return
        values = chance.choice(choice.values)
        if draft.change(choice.table, row, dict(zip(choice.positions, values, strict=True))):
            return
        if len(choice.positions) == 1:
            position, value = choice.positions[0], values[0]
            released = (choice.table, position) in self.pool.released and chance.random() < 0.5
            if not released or not draft.exchange(choice.table, row, position, value):
                self._bring(draft, chance, choice.table, position, value)

    def _bring(self, draft: Draft, chance: random.Random, table: str, position: int, value: Any) -> None:
        """A real row with this value joins the database, and a row that points at its table points at it."""
        partners = self.pool.rows_with(table, position, value)
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
                draft.change(name, other, {column: _written_like(other[column], row[there])})

    def _point_elsewhere(self, draft: Draft, chance: random.Random) -> None:
        movable = [cell for cell in self._laws.pointing if cell not in self._laws.fixed]
        if not movable:
            return self._vary(draft, chance)
        table, position = chance.choice(movable)
        row = self._some_row(draft, chance, table)
        if row is None:
            return None
        parent, there = chance.choice(self._laws.pointing[table, position])
        if chance.random() < 0.5 and draft.rows[parent]:
            value = chance.choice(list(draft.rows[parent].values()))[there]
        elif self.pool.rows[parent]:
            value = chance.choice(self.pool.rows[parent])[there]
        else:
            return None
        if self._laws.nullable(table, position) and chance.random() < 0.15:
            value = None
        draft.change(table, row, {position: _written_like(row[position], value)})
        return None

    def _connect(self, draft: Draft, chance: random.Random) -> None:
        """A new row in a table that connects others: one more power of a hero, one more guest of a party."""
        table = chance.choice(self._laws.connecting) if self._laws.connecting else None
        row = self._some_row(draft, chance, table) if table is not None else None
        if table is None or row is None:
            return
        pointing: dict[int, Any] = {}
        for position, parent, there in self._laws.connections[table]:
            if draft.rows[parent] and chance.random() < 0.6:
                pointing[position] = _written_like(row[position], chance.choice(list(draft.rows[parent].values()))[there])
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
        positions = [
            position for name, position in self.pool.columns if name == table and (name, position) not in self._laws.fixed
        ]
        if len(positions) > 1 and chance.random() < 0.5:
            positions.remove(chance.choice(positions))
        for position in positions:
            draft.change(table, one, {position: other[position]})

    def _add_sibling(self, draft: Draft, chance: random.Random) -> None:
        """One more row that points where another points, alike in what a condition asks."""
        cells = [cell for cell in self._laws.pointing if draft.rows[cell[0]]]
        if not cells:
            return
        table, position = chance.choice(cells)
        row = self._some_row(draft, chance, table)
        others = self.pool.rows_with(table, position, row[position]) if row is not None and row[position] is not None else []
        fresh = [number for number in others if number not in draft.rows[table]]
        if row is None or not fresh:
            return
        made = draft.add(table, chance.choice(fresh))
        for choice in self.pool.choices:
            if choice.table == table and chance.random() < 0.8:
                draft.change(table, made, {column: row[column] for column in choice.positions})

    def _merge_groups(self, draft: Draft, chance: random.Random) -> None:
        """Rows of several groups become rows of one: those that meet a query's conditions, or all that there are."""
        keys: dict[str, list[int]] = {}
        for table, position in self.pool.group_keys:
            keys.setdefault(table, []).append(position)
        many = [combinations for combinations in self._meeting if len(combinations) > 1]
        if many and chance.random() < 0.5:
            combinations = chance.choice(many)
            chosen = chance.sample(combinations, min(len(combinations), chance.choice((2, 2, 3, 7))))
            groups = {table: [draft.add(name, n) for one in chosen for name, n in one if name == table] for table in keys}
        else:
            groups = {table: list(draft.rows[table].values()) for table in keys}
        for table, rows in groups.items():
            for row in rows[1:]:
                if len(rows) == 2 or chance.random() < 0.7:
                    draft.change(table, row, {position: rows[0][position] for position in keys[table]})

    def _rank(self, draft: Draft, chance: random.Random) -> None:
        """The rows get something to be ordered by: other values, none of them NULL."""
        table, position = chance.choice(self.pool.order_keys)
        values = list(dict.fromkeys(row[position] for row in self.pool.rows[table] if row[position] is not None))
        for row in draft.rows[table].values() if values else ():
            draft.change(table, row, {position: chance.choice(values)})

    def _vary(self, draft: Draft, chance: random.Random) -> None:
        """One cell that a query looks at: like that of another row, NULL, the largest, the smallest."""
        cells = [cell for cell in self.pool.columns if cell not in self._laws.fixed]
        if not cells:
            return
        table, position = chance.choice(cells)
        row = self._some_row(draft, chance, table)
        if row is None:
            return
        what = chance.random()
        if what < 0.2 and self._laws.nullable(table, position):
            value = None
        elif what < 0.55:
            value = chance.choice(list(draft.rows[table].values()))[position]
        elif what < 0.7 and isinstance(row[position], int | float):
            value = row[position] + chance.choice((-1, 1))
        else:
            value = chance.choice(self.pool.rows[table])[position]
        draft.change(table, row, {position: value})


def _take(draft: Draft, combination: Combination) -> None:
    for table, number in combination:
        draft.add(table, number)


def _written_like(old: Any, key: Any) -> Any:
    """A key of another table as the column that points at it writes it: as text, or as a number."""
    if isinstance(old, str) and isinstance(key, int):
        return str(key)
    return as_key(key) if isinstance(old, int) and isinstance(key, str) else key
