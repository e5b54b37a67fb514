"""Which predicted column stands for which golden one, each for one at most, so that the rows agree.

Columns are told apart by their values. Candidates of a golden column are the predicted ones with the same values in
any order; those of the same name come first. Golden columns with one candidate are settled together, the others
one after the other, and with each the rows are compared as far as they go, so that wrong turns are left early. The
number of comparisons is bounded, less generously for long results: `Cut` is raised beyond.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from ....verdicts.row_match import PairBudget, paired
from .column import Cells, CsvColumn, array_cells, same_cells, same_sum, same_values
from .csv_table import CsvTable
from .rows import row_apart


def guesses(
    gold: Sequence[str], predicted: Sequence[str], may_be: Callable[[int, int], bool], looks_like: Callable[[int, int], bool]
) -> Iterator[list[int]]:
    """For each golden column a predicted one of its own: by names, then, if it is another guess, by looks."""
    by_name = _assigned(
        gold, predicted, lambda column, other: _same_name(gold[column], predicted[other]) and may_be(column, other)
    )
    if by_name:
        yield by_name
    by_looks = _assigned(gold, predicted, lambda column, other: may_be(column, other) and looks_like(column, other))
    if by_looks and by_looks != by_name:
        yield by_looks


def _assigned(gold: Sequence[str], predicted: Sequence[str], fits: Callable[[int, int], bool]) -> list[int] | None:
    chosen: dict[int, None] = {}
    for column in range(len(gold)):
        other = next((other for other in range(len(predicted)) if other not in chosen and fits(column, other)), None)
        if other is None:
            return None
        chosen[other] = None
    return list(chosen)


def _same_name(gold: str, predicted: str) -> bool:
    return gold.casefold() == predicted.casefold()


Partners = dict[int, int]
"""A predicted column for each golden one."""

_COMPARISONS = 1000
_CELLS = 20_000_000


def reading(gold: CsvColumn, predicted: CsvColumn) -> tuple[Cells, Cells] | None:
    """Both columns as numbers if the golden one holds numbers, else as words; None if the predicted one cannot be read so."""
    sides = (gold.numbers, predicted.numbers) if gold.is_number else (gold.words, predicted.words)
    return None if sides[0] is None or sides[1] is None else (sides[0], sides[1])


def likely_partners(gold: CsvTable, places: Sequence[int], predicted: CsvTable) -> Partners | None:
    """The columns that a look at names or sums suggests, if they make the rows equal. This settles most right answers."""

    def may_be(column: int, other: int) -> bool:
        return reading(gold.columns[places[column]], predicted.columns[other]) is not None

    def looks_like(column: int, other: int) -> bool:
        pair = reading(gold.columns[places[column]], predicted.columns[other])
        return pair is not None and same_sum(*pair)

    for guess in guesses([gold.names[column] for column in places], predicted.names, may_be, looks_like):
        partners = dict(zip(places, guess, strict=True))
        if _agree(gold, predicted, partners):
            return partners
    return None


def keyed_rows(gold: CsvTable, places: Sequence[int], predicted: CsvTable) -> Any:
    """In large tables, for each predicted row the golden one with the same number, if some column has no number twice."""
    for column in places:
        pair = reading(gold.columns[column], predicted.columns[_by_name(gold, column, predicted)[0]])
        if pair and all(cells.in_arrays and cells.numeric and cells.exact for cells in pair):
            keyed = array_cells().key_partners([pair[0]], [pair[1]], [0])
            if keyed is not None:
                return keyed[1]
    return None


def candidates(gold: CsvTable, column: int, predicted: CsvTable, ordered: bool, rows: Any = None) -> list[int]:
    fits = same_cells if ordered else partial(same_values, rows=rows)
    pairs = ((other, reading(gold.columns[column], predicted.columns[other])) for other in _by_name(gold, column, predicted))
    return [other for other, pair in pairs if pair and fits(*pair)]


def _by_name(gold: CsvTable, column: int, predicted: CsvTable) -> list[int]:
    name = gold.names[column].casefold()
    return sorted(range(len(predicted.columns)), key=lambda other: predicted.names[other].casefold() != name)


def distinct_partners(choices: dict[int, list[int]]) -> tuple[Partners, int | None]:
    """A partner of its own for each golden column; if that cannot be, the first column that stays without one."""
    partners = paired(choices)
    return partners, next((column for column in choices if column not in partners), None)


def matching_partners(gold: CsvTable, predicted: CsvTable, choices: dict[int, list[int]]) -> Partners | None:
    """Partners with which the rows agree, if there are any."""
    order = sorted(choices, key=lambda column: len(choices[column]))
    settled = sum(len(choices[column]) == 1 for column in order)
    budget = PairBudget(max(10, min(_COMPARISONS, _CELLS // (gold.rows * len(order) + 1))))

    def agrees(chosen: list[int]) -> bool:
        if len(chosen) < settled:
            return True
        budget.spend(1)
        return _agree(gold, predicted, dict(zip(order, chosen, strict=False)))

    assigned = _first_that_agrees([choices[column] for column in order], agrees)
    return None if assigned is None else dict(zip(order, assigned, strict=True))


def _first_that_agrees(choices: list[list[int]], agrees: Callable[[list[int]], bool]) -> list[int] | None:
    """One of each list, none twice, such that each beginning agrees."""
    chosen: list[int] = []
    left = [iter(choices[0])]
    while left:
        other = next((other for other in left[-1] if other not in chosen), None)
        if other is None:
            left.pop()
            del chosen[-1:]
        elif agrees([*chosen, other]):
            chosen.append(other)
            if len(chosen) == len(choices):
                return chosen
            left.append(iter(choices[len(chosen)]))
    return None


def _agree(gold: CsvTable, predicted: CsvTable, partners: Partners) -> bool:
    pairs = _pairs(gold, predicted, partners)
    return row_apart([g for g, _ in pairs], [p for _, p in pairs]) is None


def _pairs(gold: CsvTable, predicted: CsvTable, partners: Partners) -> list[tuple[Cells, Cells]]:
    pairs = (reading(gold.columns[column], predicted.columns[other]) for column, other in partners.items())
    return [pair for pair in pairs if pair]
