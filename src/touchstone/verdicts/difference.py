"""The two results an explanation looks at, with what every step of it needs, and the difference it arrives at.

Everything is computed once and only when a step asks for it, because the first steps settle most cases. All
of it is linear in the number of rows, and refers to the rows of the tables without copying them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import filterfalse, islice, permutations, product
from operator import itemgetter
from typing import Any

from msgspec import Struct

from ..phrases import clipped
from ..types import Cell, Row, Table
from .shown import plain_row

# Recognising a column by its values, whatever its name and its place.
#
# A column's signature is the same for equal multisets of values in any order, takes constant memory, and
# practically never agrees otherwise. Signatures only propose which column is which; whoever asks verifies the
# proposal on whole rows. Columns with equal signatures are mostly copies of each other, so that a few of the
# ways to tell them apart are proposed and never all permutations.


Signature = tuple[int, int]

_TRIES = 24
"""Ways to tell columns with equal signatures apart."""


def signatures(rows: Collection[Row], width: int, distinct: bool = False) -> list[Signature]:
    """One per column, for its multiset of values, or for its set of values if those have to be `distinct`."""
    return [_signature(list(map(itemgetter(at), rows)), distinct) for at in range(width)]


def _signature(column: Sequence[Cell], distinct: bool) -> Signature:
    # A sum ignores order. Hashing one-tuples, which `zip` makes of the values, keeps small integers from adding up
    # to the same sum. -1 is counted because -1 and -2 are the only common values with the same hash.
    values = list(set(column)) if distinct else column
    return sum(map(hash, zip(values))), values.count(-1)


def projection(places: Sequence[int]) -> Callable[[Row], Row]:
    """A row cut down to some columns, in the given order."""
    return itemgetter(*places) if len(places) > 1 else lambda row: tuple([row[at] for at in places])


def reordering(
    gold: Mapping[Row, object],
    predicted: Mapping[Row, object],
    columns: tuple[list[Signature], list[Signature]],
) -> tuple[int, ...] | None:
    """Where in the prediction each gold column is, if that makes all rows equal. Rows are distinct on each side."""
    if len(gold) != len(predicted):
        return None
    for order in arrangements(*columns):
        if all(row in gold for row in map(projection(order), predicted)):
            return order
    return None


def arrangements(
    narrow: Sequence[Signature], wide: Sequence[Signature], favoured: Collection[int] = ()
) -> Iterator[tuple[int, ...]]:
    """Some ways to find each column of `narrow` in a column of `wide` of its own with the same signature."""
    sought, offered = grouped(narrow), grouped(wide, favoured)
    if any(len(places) > len(offered.get(signature, ())) for signature, places in sought.items()):
        return
    ways = [islice(permutations(offered[signature], len(places)), _TRIES) for signature, places in sought.items()]
    order = [at for places in sought.values() for at in places]
    for chosen in islice(product(*ways), _TRIES):
        by_place = dict(zip(order, (at for places in chosen for at in places), strict=True))
        yield tuple([by_place[at] for at in range(len(narrow))])


def grouped(columns: Sequence[Signature], favoured: Collection[int] = ()) -> dict[Signature, list[int]]:
    """The places of each signature, favoured ones first."""
    groups: dict[Signature, list[int]] = {}
    for at in sorted(range(len(columns)), key=lambda at: at not in favoured):
        groups.setdefault(columns[at], []).append(at)
    return groups


EXAMPLES = 5
"""How many rows of a sort are kept as evidence."""

LONGEST = 300
"""Characters in a sentence."""


class Difference(Struct, frozen=True):
    """Why two results differ."""

    kind: str
    """One of the kinds listed in `explain`."""
    sentence: str
    """For a person, on one line."""
    evidence: dict[str, Any]
    """JSON values only."""


@dataclass(frozen=True)
class RowPair:
    """Gold and prediction."""

    gold: Table
    predicted: Table

    @cached_property
    def identical(self) -> bool:
        return self.gold.rows == self.predicted.rows

    @cached_property
    def gold_distinct(self) -> dict[Row, None]:
        """Gold's rows without duplicates, in their order: examples must not depend on how sets are ordered."""
        return dict.fromkeys(self.gold.rows)

    @cached_property
    def predicted_distinct(self) -> dict[Row, None]:
        return dict.fromkeys(self.predicted.rows)

    @cached_property
    def missing(self) -> list[Row]:
        """Distinct rows of gold that the prediction lacks."""
        return [] if self.identical else _lacking(self.predicted_distinct, self.gold_distinct)

    @cached_property
    def extra(self) -> list[Row]:
        """Distinct rows of the prediction that gold lacks."""
        return [] if self.identical else _lacking(self.gold_distinct, self.predicted_distinct)

    @property
    def common(self) -> int:
        """Distinct rows on both sides."""
        return len(self.gold_distinct) - len(self.missing)

    @cached_property
    def widths(self) -> tuple[int, int] | None:
        """Columns on each side, counted in the rows; None if a side has no rows or rows of several widths."""
        gold, predicted = set(map(len, self.gold.rows)), set(map(len, self.predicted.rows))
        return (gold.pop(), predicted.pop()) if len(gold) == len(predicted) == 1 else None

    @cached_property
    def width(self) -> int | None:
        """Columns, where both sides have the same number."""
        return self.widths[0] if self.widths and self.widths[0] == self.widths[1] else None

    @cached_property
    def columns(self) -> tuple[list[Signature], list[Signature]] | None:
        """Signatures of gold's and the prediction's columns over their distinct rows, where both have as many."""
        if not self.width or len(self.gold_distinct) != len(self.predicted_distinct):
            return None
        return signatures(self.gold_distinct, self.width), signatures(self.predicted_distinct, self.width)

    @cached_property
    def by_form(self) -> dict[tuple[str, ...], tuple[dict[Row, Row], dict[Row, Row]]]:
        """For `forms`: the missing and the extra rows as they are in a form."""
        return {}

    def difference(self, kind: str, sentence: str, **more: Any) -> Difference:
        return Difference(kind, _ended(sentence, self.predicted), self._evidence() | more)

    def _evidence(self) -> dict[str, Any]:
        evidence = {
            "gold_rows": len(self.gold.rows),
            "predicted_rows": len(self.predicted.rows),
            "gold_columns": plain_row(self.gold.columns),
            "predicted_columns": plain_row(self.predicted.columns),
            "missing_count": len(self.missing),
            "extra_count": len(self.extra),
            "missing_rows": [plain_row(row) for row in self.missing[:EXAMPLES]],
            "extra_rows": [plain_row(row) for row in self.extra[:EXAMPLES]],
        }
        if self.predicted.truncated:
            evidence["predicted_truncated"] = True
        if self.gold.rows and not any(cell is not None for row in self.gold.rows for cell in row):
            evidence["gold_is_null"] = True  # nothing but NULL, which is as easily had as no row
        return evidence


def _lacking(side: dict[Row, None], rows: dict[Row, None]) -> list[Row]:
    return list(filterfalse(side.__contains__, rows))


def names(table: Table, width: int) -> list[str]:
    """A name for each of `width` columns: its number where the table does not give one."""
    return [*table.columns[:width], *(str(at + 1) for at in range(len(table.columns), width))]


def _ended(sentence: str, predicted: Table) -> str:
    tail = f" The prediction was cut at {len(predicted.rows):,} rows." if predicted.truncated else ""
    return clipped(sentence, LONGEST - len(tail)) + tail
