"""A first cause undone, so that a second can be seen: a column too many and rounding, other order of columns and a factor.

Each entry says what was undone, and gives both tables as they are without it. Whether a second cause explains the rest is for
`explain` to find; what it says is verified on all rows, so a wrong guess here says nothing. Columns are recognised by their
names, where both sides name them; numbers 100 times too large and joined names by the values of their columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from typing import NamedTuple

from ..types import Table
from .difference import RowPair, names, projection
from .forms import MOST_CELLS, SEPARATORS, joined, times, with_joined
from .rounding import is_number
from .shown import shown_name, shown_names

_WIDEST = 12


class Undone(NamedTuple):
    kind: str
    what: str
    gold: Table
    predicted: Table


def undone_causes(pair: RowPair) -> Iterator[Undone]:
    if pair.widths is None or max(pair.widths) > _WIDEST:
        return
    if len(pair.gold.rows) * pair.widths[0] + len(pair.predicted.rows) * pair.widths[1] > MOST_CELLS:
        return
    yield from _by_names(pair, *pair.widths)
    yield from _joined(pair, *pair.widths)
    yield from _scaled(pair)


def _by_names(pair: RowPair, gold_width: int, width: int) -> Iterator[Undone]:
    gold = [name.casefold() for name in pair.gold.columns]
    predicted = [name.casefold() for name in pair.predicted.columns]
    if gold == predicted or len(set(gold)) != gold_width or len(set(predicted)) != width:
        return
    shared = [name for name in gold if name in predicted]
    if len(shared) < min(gold_width, width):
        return
    if gold_width == width:
        kind, what = "column_order", f"the columns are in another order (expected {shown_names(pair.gold.columns)})"
    else:
        kind = "missing_columns" if gold_width > width else "extra_columns"
        wide, other = (pair.gold, predicted) if gold_width > width else (pair.predicted, gold)
        left = [name for name in wide.columns if name.casefold() not in other]
        what = f"column{'' if len(left) == 1 else 's'} {', '.join(map(shown_name, left))}"
        what += f" {'is' if len(left) == 1 else 'are'} {'missing' if gold_width > width else 'too many'}"
    both = [_projected(pair.gold, [gold.index(name) for name in shared])]
    both.append(_projected(pair.predicted, [predicted.index(name) for name in shared]))
    yield Undone(kind, what, *both)


def _projected(table: Table, order: list[int]) -> Table:
    choose = projection(order)
    return Table(tuple(table.columns[at] for at in order), [choose(row) for row in table.rows])


def _joined(pair: RowPair, gold_width: int, width: int) -> Iterator[Undone]:
    """Two columns of gold are one of the prediction: a first and a last name."""
    if gold_width != width + 1:
        return
    columns = names(pair.gold, gold_width)
    values = [{row[at] for row in pair.predicted.rows} for at in range(width)]
    for one, other in permutations(range(gold_width), 2):
        for separator in SEPARATORS:
            texts = {joined(row, one, other, separator) for row in pair.gold.rows}
            for at in range(width):
                if None in texts or not texts or values[at] != texts:
                    continue
                rows = (with_joined(row, one, other, separator, at) for row in pair.gold.rows)
                name = names(pair.predicted, width)[at]
                rest = [column for at, column in enumerate(columns) if at not in (one, other)]
                rest.insert(at, name)
                what = f"columns {shown_names([columns[one], columns[other]])} are joined in column {shown_name(name)}"
                yield Undone("missing_columns", what, Table(tuple(rest), list(filter(None, rows))), pair.predicted)
                return


def _scaled(pair: RowPair) -> Iterator[Undone]:
    """The numbers of a column are 100 times too large or too small."""
    for at in range(pair.width or 0):
        cells = [row[at] for row in pair.gold.rows], [row[at] for row in pair.predicted.rows]
        if not all(is_number(cell) for side in cells for cell in side) or not any(cells[0]):
            continue
        for factor, words in ((100, "100 times too large"), (0.01, "100 times too small")):
            wanted = Counter(times(cell, factor) for cell in cells[0])
            if wanted != Counter(times(cell, 1) for cell in cells[1]):
                continue
            what = f"the numbers in column {shown_name(names(pair.gold, pair.width or 0)[at])} are {words}"
            both = [
                Table(table.columns, [(*row[:at], times(row[at], by), *row[at + 1 :]) for row in table.rows])
                for table, by in ((pair.gold, factor), (pair.predicted, 1))
            ]
            yield Undone("factor", what, *both)
