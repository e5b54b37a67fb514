"""Small databases made without a look at any query, to see what a search that looks there misses.

Random rows with the partners that inclusions ask for, then some cells exchanged for others of their column. What breaks a law
is thrown away.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from touchstone.proof import Subject, violations
from touchstone.proof.draft import subset_keeps
from touchstone.proof.invariants import Inclusion, Symmetric
from touchstone.proof.source import quoted

_READ = 4_000


def blind_databases(
    subject: Subject, tables: frozenset[str], chance: random.Random, count: int
) -> Iterator[dict[str, list[list[Any]]]]:
    laws, source = subject.laws(tables), subject.source
    rows = {name: source.ask(f"SELECT * FROM {quoted(name)} LIMIT {_READ}") or [] for name in sorted(tables)}
    partners: dict[tuple[str, str], dict[Any, list[Any]]] = {}
    for law in laws.inclusions:
        position = source.tables[law.parent.lower()].position(law.parent_column)
        index = partners.setdefault((law.parent.lower(), law.parent_column), {})
        for row in rows[law.parent.lower()]:
            index.setdefault(row[position], []).append(row)
    for _ in range(count):
        size = chance.choice((1, 2, 3, 5, 8))
        chosen = {name: [list(row) for row in chance.sample(every, min(len(every), size))] for name, every in rows.items()}
        for _ in range(3):
            for law in laws.asking:
                _add_partners(law, chosen, source.tables[law.table.lower()], source.tables, partners, chance)
        for _ in range(chance.choice((0, 1, 2, 4, 8))):
            name = chance.choice(sorted(tables))
            if chosen[name]:
                row, position = chance.choice(chosen[name]), chance.randrange(len(rows[name][0]))
                like = chance.choice(chosen[name]) if chance.random() < 0.5 else chance.choice(rows[name])
                row[position] = (
                    like[position] + chance.choice((0, 1, -1)) if isinstance(like[position], int | float) else like[position]
                )
        content = subset_keeps(laws, chosen)
        if not any(violations(laws.all, content, source.tables)):
            yield content


def _add_partners(law: Any, chosen: Any, info: Any, tables: Any, partners: Any, chance: random.Random) -> None:
    here = chosen[law.table.lower()]
    if isinstance(law, Symmetric):
        there = {tuple(row) for row in here}
        here += [list(mirrored) for row in list(here) if (mirrored := law.mirror(row, info)) not in there]
    elif isinstance(law, Inclusion):
        parents = chosen[law.parent.lower()]
        position, column = tables[law.parent.lower()].position(law.parent_column), info.position(law.column)
        present = {row[position] for row in parents}
        for row in here:
            known = partners[law.parent.lower(), law.parent_column].get(row[column])
            if row[column] not in present and known:
                present.add(row[column])
                parents.append(list(chance.choice(known)))
