"""Why two results differ: one sentence for a person, and evidence for a report.

The steps below are asked in turn and the first that has an answer gives it. They go from cheap to dear, and
from the most telling reason to the least: a difference in columns or in the writing of values comes before
"other rows". What each kind means:

    identical                         the same list of rows
    row_order, duplicates             the same set of rows: right for EX, not for stricter policies
    empty_prediction, empty_gold      one side has no rows
    missing_columns, extra_columns    another number of columns
    missing_rows, extra_rows          the prediction is a part of gold, or gold a part of the prediction
    column_order                      the same rows once the columns are put in order
    case_or_space, types, dates,      the same rows, written in another way; `also` in the evidence
    number_format, rounding,          lists further kinds where only several together explain it, and extra_rows or
    not_a_number                      missing_rows where besides there are rows too many or missing
    factor                            the numbers of a column are 100 times too large or too small; where there is a second
                                      cause besides, `also` names it
    different_rows                    anything else

Time and memory grow with the number of rows, not faster. Where more than `LIMIT` cells differ, other ways of
writing are not looked for, and the sentence says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from typing import Any, NamedTuple

from ..phrases import plural
from ..types import Row, Table
from .difference import EXAMPLES, Difference, RowPair, names, projection
from .forms import (
    MOST_CELLS,
    SEPARATORS,
    WORDS,
    form_and_rows,
    joined,
    order_and_rows,
    other_factor,
    other_form,
    other_order,
    other_width,
    times,
    too_large,
    with_joined,
)
from .rounding import is_number
from .shown import plain, plain_row, shown_name, shown_names, shown_pair, shown_row, shown_rows


def explain(gold: Table, predicted: Table) -> Difference:
    pair = RowPair(gold, predicted)
    difference = _explained(pair)
    return (_with_second_cause(pair) or difference) if _is_weak(difference) else difference


def _is_weak(difference: Difference) -> bool:
    """It says what is there and what is not, but not why."""
    by_width = difference.kind in ("missing_columns", "extra_columns")
    return difference.kind == "different_rows" or (by_width and not difference.evidence["explained"])


def _with_second_cause(pair: RowPair) -> Difference | None:
    for undone in undone_causes(pair):
        second = _explained(RowPair(undone.gold, undone.predicted))
        if second.kind in ("identical", "missing_columns", "extra_columns", "different_rows", "column_order"):
            continue
        if second.sentence.startswith("Two causes"):
            continue
        sentence = f"Two causes: {undone.what}; apart from that: {second.sentence[0].lower()}{second.sentence[1:]}"
        return pair.difference(undone.kind, sentence, also=[second.kind, *second.evidence.get("also", [])])
    return None


def _explained(pair: RowPair) -> Difference:
    steps = (
        _identical,
        _empty,
        other_width,
        _same_set,
        _part,
        other_order,
        other_form,
        other_factor,
        form_and_rows,
        order_and_rows,
    )
    for step in (*steps, _one_column, _mixed):
        if difference := step(pair):
            return difference
    return _other_rows(pair)


def _identical(pair: RowPair) -> Difference | None:
    if not pair.identical:
        return None
    return pair.difference("identical", f"Identical: {plural(len(pair.gold.rows), 'row')}.")


def _empty(pair: RowPair) -> Difference | None:
    if not pair.gold.rows:
        appear = f"{plural(len(pair.predicted.rows), 'row')} {_verb(len(pair.predicted.rows), 'appears', 'appear')}"
        first = shown_row(pair.predicted.rows[0])
        return pair.difference("empty_gold", f"No rows were expected, but {appear}; first: {first}.")
    if not pair.predicted.rows:
        expected = f"{plural(len(pair.gold.rows), 'row')} {_verb(len(pair.gold.rows), 'was', 'were')} expected"
        got = "returned none" if pair.predicted.changed is None else "is a statement without a result"
        sentence = f"{expected}, but the prediction {got}; first expected: {shown_row(pair.gold.rows[0])}."
        return pair.difference("empty_prediction", sentence)
    return None


def _same_set(pair: RowPair) -> Difference | None:
    if pair.missing or pair.extra:
        return None
    if len(pair.gold.rows) == len(pair.predicted.rows) == len(pair.gold_distinct):
        return _row_order(pair)
    expected, got = Counter(pair.gold.rows), Counter(pair.predicted.rows)
    apart = [row for row in pair.gold_distinct if expected[row] != got[row]]
    return _duplicates(pair, apart, expected, got) if apart else _row_order(pair)


def _row_order(pair: RowPair) -> Difference:
    rows = enumerate(zip(pair.gold.rows, pair.predicted.rows, strict=True), 1)
    row_number, expected, got = next((row_number, *both) for row_number, both in rows if both[0] != both[1])
    first = f"row {row_number:,} should be {shown_row(expected)}, is {shown_row(got)}"
    return pair.difference("row_order", f"Same rows in another order; {first}.", first_row_apart=row_number)


def _duplicates(pair: RowPair, apart: list[Row], expected: Counter[Row], got: Counter[Row]) -> Difference:
    first = apart[0]
    others = f" ({plural(len(apart), 'row')} like this)" if len(apart) > 1 else ""
    sentence = (
        f"Same distinct rows, but {shown_row(first)} is expected {_times(expected[first])} "
        f"and appears {_times(got[first])}{others}."
    )
    counts = [{"row": plain_row(row), "expected": expected[row], "got": got[row]} for row in apart[:EXAMPLES]]
    return pair.difference("duplicates", sentence, counts=counts, counts_apart=len(apart))


def _part(pair: RowPair) -> Difference | None:
    if pair.missing and pair.extra:
        return None
    if pair.missing:
        return pair.difference("missing_rows", f"{_absent(pair)}; first missing: {shown_row(pair.missing[0])}.")
    sentence = f"All expected rows are there, but {_unexpected(pair)}; first: {shown_row(pair.extra[0])}."
    return pair.difference("extra_rows", sentence)


def _one_column(pair: RowPair) -> Difference | None:
    """As many rows on both sides, and equal but for the values of one column."""
    apart = _columns_apart(pair)
    if len(apart) != 1 or (pair.width == 1 and len(pair.gold_distinct) > 1):
        return None
    rest = projection([column for column in range(pair.width or 0) if column != apart[0]])
    partners = {rest(row): row for row in reversed(pair.extra)}
    if set(map(rest, pair.missing)) != partners.keys():
        return None
    return _column_apart(pair, apart[0], pair.missing[0], partners[rest(pair.missing[0])])


def _columns_apart(pair: RowPair) -> list[int]:
    gold, predicted = pair.columns or ([], [])
    return [column for column in range(len(gold)) if gold[column] != predicted[column]]


def _column_apart(pair: RowPair, column: int, gold: Row, row: Row) -> Difference:
    name = names(pair.gold, len(gold))[column]
    if len(pair.gold_distinct) == 1:
        expected, got = shown_pair(gold[column], row[column])
        sentence = f"In column {shown_name(name)}, expected {expected}, got {got}."
    else:
        rows = f"{len(pair.missing):,} of {plural(len(pair.gold_distinct), 'row')}"
        expected, got = shown_rows(gold, row)
        first = f"first: expected {expected}, got {got}"
        sentence = f"Only column {shown_name(name)} differs, in {rows}; {first}."
    return _different(pair, sentence, differing_columns=[plain(name)])


def _mixed(pair: RowPair) -> Difference | None:
    """The right values in every column, in the wrong rows."""
    if not pair.columns or _columns_apart(pair):
        return None
    sentence = f"Every column holds the expected values, but they are combined into other rows; {_firsts(pair)}."
    return _different(pair, sentence, differing_columns=[])


def _other_rows(pair: RowPair) -> Difference:
    return _different(pair, f"{_absent(pair)} and {_unexpected(pair)}; {_firsts(pair)}.")


def _different(pair: RowPair, sentence: str, **more: Any) -> Difference:
    if not too_large(pair):
        return pair.difference("different_rows", sentence, **more)
    sentence += " Too much differs to look for rounding, types or letter case."
    return pair.difference("different_rows", sentence, **more, not_tried=list(WORDS))


def _absent(pair: RowPair) -> str:
    distinct = "" if len(pair.gold_distinct) == len(pair.gold.rows) else " distinct"
    if len(pair.gold_distinct) == 1:
        return "The expected row is missing"
    if not pair.common:
        return f"None of the {len(pair.gold_distinct):,}{distinct} expected rows is there"
    missing = f"{len(pair.missing):,} of {len(pair.gold_distinct):,}{distinct} expected rows"
    return f"{missing} {_verb(len(pair.missing), 'is', 'are')} missing"


def _unexpected(pair: RowPair) -> str:
    return f"{plural(len(pair.extra), 'unexpected row')} {_verb(len(pair.extra), 'appears', 'appear')}"


def _firsts(pair: RowPair) -> str:
    missing, extra = shown_rows(pair.missing[0], pair.extra[0], 60)
    return f"first missing: {missing}, first unexpected: {extra}"


def _verb(number: int, singular: str, plural: str) -> str:
    return singular if number == 1 else plural


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number:,} times")


# A first cause undone, so that a second can be seen: a column too many and rounding, other order of columns and a factor.
#
# Each entry says what was undone, and gives both tables as they are without it. Whether a second cause explains the rest is for
# `explain` to find; what it says is verified on all rows, so a wrong guess here says nothing. Columns are recognised by their
# names, where both sides name them; numbers 100 times too large and joined names by the values of their columns.


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
