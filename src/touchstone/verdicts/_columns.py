"""Differences of whole columns: too few, too many, or in another order.

Columns are recognised by their values, not by their names, which no policy looks at and which differ freely
between right answers. What is found is verified on whole rows before it is said.
"""

from __future__ import annotations

from itertools import permutations
from operator import itemgetter
from typing import NamedTuple

from ..values import Cell, Row
from ._difference import Difference, Pair, names
from ._signatures import Signature, arrangements, grouped, projection, reordering, signatures
from .shown import plain_row, shown_name, shown_names

_MOST_CELLS = 100_000
"""Beyond them, columns are compared by their signatures alone."""
_WIDEST = 5
"""Columns, of results in which joined names are looked for."""
_SEPARATORS = (" ", ", ", "", "-", ",")
_TURNED = ", but for the order of the columns"


def other_order(pair: Pair) -> Difference | None:
    """The same rows with their columns in another order."""
    if not pair.columns or not (order := reordering(pair.gold_distinct, pair.predicted_distinct, pair.columns)):
        return None
    return reordered(pair, order, "Same rows")


def reordered(pair: Pair, order: tuple[int, ...], same: str, also: tuple[str, ...] = ()) -> Difference:
    gold, predicted = names(pair.gold, len(order)), names(pair.predicted, len(order))
    if gold == predicted:  # names do not tell what went wrong, so gold's columns are numbered
        gold = [str(place + 1) for place in range(len(order))]
        predicted = [gold[place] for place in sorted(range(len(order)), key=order.__getitem__)]
    sentence = f"{same}, but the columns are in another order: expected {shown_names(gold)}, got {shown_names(predicted)}."
    return pair.difference("column_order", sentence, order=plain_row(order), also=list(also))


def other_width(pair: Pair) -> Difference | None:
    """Another number of columns."""
    if pair.widths is None or pair.width is not None:
        return None
    gold, predicted = _sides(pair, *pair.widths)
    partners = _verified_partners(gold, predicted)
    found = _likely_partners(gold, predicted) if partners is None else partners
    present = [gold.names[place] for place in sorted(found)]
    missing = [name for place, name in enumerate(gold.names) if place not in found]
    taken = set(found.values())
    extra = [name for place, name in enumerate(predicted.names) if place not in taken]
    joined = _joined(gold, predicted) if partners is None else None
    if joined is not None:
        finding = joined
    elif partners is None and not present:
        finding = _supersets(pair, gold, predicted)
    else:
        finding = _finding(present, missing, extra, partners)
    return pair.difference(
        "missing_columns" if len(gold.names) > len(predicted.names) else "extra_columns",
        f"Expected {_counted(gold.names)}, got {_counted(predicted.names)}; {finding}.",
        found_columns=plain_row(present),
        missing_columns=plain_row(missing),
        extra_columns=plain_row(extra),
        otherwise_equal=partners is not None,
    )


class _Side(NamedTuple):
    names: list[str]
    columns: list[Signature]
    rows: dict[Row, None]


def _sides(pair: Pair, gold_width: int, width: int) -> tuple[_Side, _Side]:
    # Columns of different lengths never agree as multisets, but may as sets.
    distinct = len(pair.gold.rows) != len(pair.predicted.rows)
    gold, predicted = pair.gold, pair.predicted
    return (
        _Side(names(gold, gold_width), signatures(gold.rows, gold_width, distinct), pair.gold_distinct),
        _Side(names(predicted, width), signatures(predicted.rows, width, distinct), pair.predicted_distinct),
    )


def _verified_partners(gold: _Side, predicted: _Side) -> dict[int, int] | None:
    """Which predicted column is which gold column, if the narrower side is made of columns of the wider."""
    if len(gold.names) > len(predicted.names):
        swapped = _verified_partners(predicted, gold)
        return None if swapped is None else {wide: narrow for narrow, wide in swapped.items()}
    expected = set(gold.names)
    favoured = {place for place, name in enumerate(predicted.names) if name in expected}
    for order in arrangements(gold.columns, predicted.columns, favoured):
        if gold.rows.keys() == set(map(projection(order), predicted.rows)):
            return dict(enumerate(order))
    return None


def _likely_partners(gold: _Side, predicted: _Side) -> dict[int, int]:
    """The same by the values of single columns alone."""
    groups = grouped(predicted.columns)
    return {place: groups[column].pop(0) for place, column in enumerate(gold.columns) if groups.get(column)}


def _finding(present: list[str], missing: list[str], extra: list[str], partners: dict[int, int] | None) -> str:
    turned = "" if partners is None or list(dict(sorted(partners.items())).values()) == sorted(partners.values()) else _TURNED
    if partners is not None and extra:
        return f"without {_named(extra)} the rows are as expected{turned}"
    if partners is not None:
        return f"{_named(missing)} {'is' if len(missing) == 1 else 'are'} missing, the rest is as expected{turned}"
    if missing:
        return f"found {_named(present)}, not {_named(missing)}"
    return "all expected columns are there, but their values are combined into other rows"


def _supersets(pair: Pair, gold: _Side, predicted: _Side) -> str:
    """No column has the expected values and no others; perhaps one has them among others."""
    if len(pair.gold.rows) * len(gold.names) + len(pair.predicted.rows) * len(predicted.names) > _MOST_CELLS:
        return "no expected column is there with the same values"
    wider: list[str] = []
    sets = [set(map(itemgetter(place), predicted.rows)) for place in range(len(predicted.names))]
    for place, name in enumerate(gold.names):
        values = set(map(itemgetter(place), gold.rows))
        if any(values < other for other in sets):
            wider.append(name)
    if wider:
        return f"the values of {_named(wider)} are there, among others"
    return "no expected column is there with all its values"


def _joined(gold: _Side, predicted: _Side) -> str | None:
    """Two columns of the wider side are one column of the other: a first and a last name."""
    wide, narrow = (gold, predicted) if len(gold.names) > len(predicted.names) else (predicted, gold)
    width = len(wide.names)
    if len(narrow.names) != width - 1 or width > _WIDEST or len(wide.rows) * width > _MOST_CELLS:
        return None
    for one, other in permutations(range(width), 2):
        for separator in _SEPARATORS:
            for place in range(width - 1):
                rest = [column for column in range(width) if column not in (one, other)]
                made = {_with_joined(row, one, other, separator, rest, place) for row in wide.rows}
                if made == narrow.rows.keys():
                    columns = f"{_named([wide.names[one], wide.names[other]])}"
                    if wide is gold:
                        return f"{columns} are joined in column {shown_name(narrow.names[place])}, the rest is as expected"
                    return f"column {shown_name(narrow.names[place])} is split into {columns}, the rest is as expected"
    return None


def _with_joined(row: Row, one: int, other: int, separator: str, rest: list[int], place: int) -> Row | None:
    if not (isinstance(row[one], str) and isinstance(row[other], str)):
        return None
    kept: list[Cell] = [row[column] for column in rest]
    kept.insert(place, f"{row[one]}{separator}{row[other]}")
    return tuple(kept)


def _named(columns: list[str]) -> str:
    return f"column {shown_name(columns[0])}" if len(columns) == 1 else f"columns {shown_names(columns)}"


def _counted(columns: list[str]) -> str:
    return f"{len(columns)} column{'' if len(columns) == 1 else 's'} {shown_names(columns)}"
