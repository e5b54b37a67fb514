"""Differences in how values are written: letter case and spaces, number or text, rounding, alone or together.

A form maps each cell to what it would be if a difference of one sort did not count. If the rows missing from
the prediction and its extra rows are the same in that form, the form is the explanation. Rows common to both
sides are equal in every form, so only the others are looked at, and only if there are not too many: a form
costs about a microsecond per cell. Columns in another order are looked for in each form too, which needs all
rows and is therefore done only if no row is common to both sides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import chain, permutations, product
from math import nan
from operator import itemgetter
from typing import Any, NamedTuple

from ..types import Cell, Row
from .difference import Difference, RowPair, Signature, arrangements, grouped, names, projection, reordering, signatures
from .rounding import Rounding, find_rounding, is_number
from .shown import plain, plain_row, shown, shown_name, shown_names, shown_pair

# Differences of whole columns: too few, too many, or in another order.
#
# Columns are recognised by their values, not by their names, which no policy looks at and which differ freely
# between right answers. What is found is verified on whole rows before it is said.


MOST_CELLS = 100_000
"""Beyond them, columns are compared by their signatures alone."""
_WIDEST = 5
"""Columns, of results in which joined names are looked for."""
SEPARATORS = (" ", ", ", "", "-", ",")
_TURNED = ", but for the order of the columns"


def other_order(pair: RowPair) -> Difference | None:
    """The same rows with their columns in another order."""
    if not pair.columns or not (order := reordering(pair.gold_distinct, pair.predicted_distinct, pair.columns)):
        return None
    return reordered(pair, order, "Same rows")


def order_and_rows(pair: RowPair) -> Difference | None:
    """Two causes: the columns in another order, and rows missing or too many."""
    gold, predicted = pair.gold_distinct, pair.predicted_distinct
    left = len(predicted) - len(gold)
    if not pair.width or pair.width > _WIDEST or pair.common or too_large(pair):
        return None
    if left == 0 or min(len(gold), len(predicted)) < _PARTNERS:
        return None
    for order in permutations(range(pair.width)):
        back = projection([order.index(at) for at in range(pair.width)])
        there = projection(order)
        if all(there(row) in gold for row in predicted) if left < 0 else all(back(row) in predicted for row in gold):
            expected, got = _columns_in_order(pair, order)
            sentence = f"Two causes: the columns are in another order (expected {expected}, got {got}), and {_left(left)}."
            also = ["extra_rows" if left > 0 else "missing_rows"]
            return pair.difference("column_order", sentence, order=plain_row(order), also=also, left_over=abs(left))
    return None


def _left(rows: int) -> str:
    """Too many, or missing if less than 0."""
    return f"{abs(rows):,} row{'' if abs(rows) == 1 else 's'} {'too many' if rows > 0 else 'missing'}"


def reordered(pair: RowPair, order: tuple[int, ...], same: str, also: tuple[str, ...] = ()) -> Difference:
    expected, got = _columns_in_order(pair, order)
    sentence = f"{same}, but the columns are in another order: expected {expected}, got {got}."
    return pair.difference("column_order", sentence, order=plain_row(order), also=list(also))


def _columns_in_order(pair: RowPair, order: tuple[int, ...]) -> tuple[str, str]:
    gold, predicted = names(pair.gold, len(order)), names(pair.predicted, len(order))
    if gold == predicted:  # names do not tell what went wrong, so gold's columns are numbered
        gold = [str(at + 1) for at in range(len(order))]
        predicted = [gold[at] for at in sorted(range(len(order)), key=order.__getitem__)]
    return shown_names(gold), shown_names(predicted)


def other_width(pair: RowPair) -> Difference | None:
    """Another number of columns."""
    if pair.widths is None or pair.width is not None:
        return None
    gold, predicted = _column_sides(pair, *pair.widths)
    partners = _verified_partners(gold, predicted)
    pairing = _likely_partners(gold, predicted) if partners is None else partners
    present = [gold.names[at] for at in sorted(pairing)]
    missing = [name for at, name in enumerate(gold.names) if at not in pairing]
    taken = set(pairing.values())
    extra = [name for at, name in enumerate(predicted.names) if at not in taken]
    joint = _joint(gold, predicted) if partners is None else None
    if joint is not None:
        finding = joint
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
        explained=partners is not None or joint is not None,
    )


class _Side(NamedTuple):
    names: list[str]
    columns: list[Signature]
    rows: dict[Row, None]


def _column_sides(pair: RowPair, gold_width: int, width: int) -> tuple[_Side, _Side]:
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
    favoured = {at for at, name in enumerate(predicted.names) if name in expected}
    turned: dict[int, int] | None = None
    for order in arrangements(gold.columns, predicted.columns, favoured):
        if gold.rows.keys() == set(map(projection(order), predicted.rows)):
            if list(order) == sorted(order):
                return dict(enumerate(order))
            turned = turned or dict(enumerate(order))
    return turned


def _likely_partners(gold: _Side, predicted: _Side) -> dict[int, int]:
    """The same by the values of single columns alone."""
    groups = grouped(predicted.columns)
    return {at: groups[column].pop(0) for at, column in enumerate(gold.columns) if groups.get(column)}


def _finding(present: list[str], missing: list[str], extra: list[str], partners: dict[int, int] | None) -> str:
    turned = "" if partners is None or list(dict(sorted(partners.items())).values()) == sorted(partners.values()) else _TURNED
    if partners is not None and extra:
        return f"without {_named(extra)} the rows are as expected{turned}"
    if partners is not None:
        return f"{_named(missing)} {'is' if len(missing) == 1 else 'are'} missing, the rest is as expected{turned}"
    if missing:
        return f"found {_named(present)}, not {_named(missing)}"
    return "all expected columns are there, but their values are combined into other rows"


def _supersets(pair: RowPair, gold: _Side, predicted: _Side) -> str:
    """No column has the expected values and no others; perhaps one has them among others."""
    if len(pair.gold.rows) * len(gold.names) + len(pair.predicted.rows) * len(predicted.names) > MOST_CELLS:
        return "no expected column is there with the same values"
    expected, got = ([set(map(itemgetter(at), side.rows)) for at in range(len(side.names))] for side in (gold, predicted))
    findings: tuple[tuple[Callable[[set[Cell], set[Cell]], bool], str], ...] = (
        (lambda values, other: values < other, "the values of {} are there, among others"),
        (lambda values, other: values == other, "the values of {} are there, but not as often as expected"),
        (lambda values, other: len(other) >= _PARTNERS and other < values, "some of the values of {} are there"),
    )
    for holds, finding in findings:
        if columns := [name for name, values in zip(gold.names, expected, strict=True) if any(holds(values, o) for o in got)]:
            return finding.format(_named(columns))
    return "no expected column is there with all its values"


def _joint(gold: _Side, predicted: _Side) -> str | None:
    """Two columns of the wider side are one column of the other: a first and a last name."""
    wide, narrow = (gold, predicted) if len(gold.names) > len(predicted.names) else (predicted, gold)
    width = len(wide.names)
    if len(narrow.names) != width - 1 or width > _WIDEST or len(wide.rows) * width > MOST_CELLS:
        return None
    rows, sought = list(wide.rows), next(iter(narrow.rows))
    for one, other in permutations(range(width), 2):
        if not all(isinstance(row[one], str) and isinstance(row[other], str) for row in rows):
            continue
        begun = [[row for row in rows if str(cell).startswith(str(row[one]))] for cell in sought]
        for separator, at in product(SEPARATORS, range(width - 1)):
            # At a glance: their first row is among these, joined, or our first row, joined, among theirs.
            first = with_joined(rows[0], one, other, separator, at)
            if first not in narrow.rows and sought not in [with_joined(row, one, other, separator, at) for row in begun[at]]:
                continue
            made = {with_joined(row, one, other, separator, at) for row in rows}
            if not (made <= narrow.rows.keys() or made >= narrow.rows.keys()):
                continue
            left = (len(narrow.rows) - len(made)) * (1 if wide is gold else -1)
            if left and min(len(made), len(narrow.rows)) < _PARTNERS:
                continue
            columns = _named([wide.names[one], wide.names[other]])
            how = "the rest is as expected" if not left else f"and there is a second cause: {_left(left)}"
            if wide is gold:
                return f"{columns} are joined in column {shown_name(narrow.names[at])}, {how}"
            return f"column {shown_name(narrow.names[at])} is split into {columns}, {how}"
    return None


def with_joined(row: Row, one: int, other: int, separator: str, at: int) -> Row | None:
    """With the texts of two columns in one, which comes at this position of the others."""
    text = joined(row, one, other, separator)
    if text is None:
        return None
    kept = [cell for column, cell in enumerate(row) if column not in (one, other)]
    kept.insert(at, text)
    return tuple(kept)


def joined(row: Row, one: int, other: int, separator: str) -> str | None:
    first, second = row[one], row[other]
    return f"{first}{separator}{second}" if isinstance(first, str) and isinstance(second, str) else None


def _named(columns: list[str]) -> str:
    return f"column {shown_name(columns[0])}" if len(columns) == 1 else f"columns {shown_names(columns)}"


def _counted(columns: list[str]) -> str:
    return f"{len(columns)} column{'' if len(columns) == 1 else 's'} {shown_names(columns)}"


LIMIT = 100_000
"""Cells in missing and extra rows, beyond which forms are not tried."""

WORDS = {
    "not_a_number": "NaN, which equals nothing",
    "case_or_space": "letter case or surrounding spaces",
    "types": "the types of values",
    "number_format": "the writing of numbers",
    "dates": "the writing of dates",
    "rounding": "rounding",
}
_MOST_KEPT = 20_000
"""Rows, of which the forms are kept for the next step that asks for them."""
_PARTNERS = 2
"""Rows that must be each other's by rounding before it is said of a part of the rows: one may be chance."""

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_WRITTEN = re.compile(r"[$€£]?\s?(?P<number>[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)\s?%?", re.ASCII)
"""As people write numbers: $12.50, 12,500, 25%."""
_DATES = (
    re.compile(r"(?P<y>\d{4})[-/](?P<m>\d{1,2})[-/](?P<d>\d{1,2})(?:[T ]00:00(?::00(?:\.0+)?)?)?", re.ASCII),
    re.compile(r"(?P<m>\d{1,2})/(?P<d>\d{1,2})/(?P<y>\d{4})", re.ASCII),
    re.compile(r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})", re.ASCII),
)
_LONGEST_NUMBER = 40  # characters; longer digits are a code, and Python refuses to read them at some length


class ColumnForm(NamedTuple):
    kinds: tuple[str, ...]
    cell: Callable[[Cell], Cell]


def _one_nan(cell: Cell) -> Cell:
    return cell if cell == cell else nan


def _folded(cell: Cell) -> Cell:
    return cell.strip().casefold() if isinstance(cell, str) else _one_nan(cell)


def _typed(cell: Cell) -> Cell:
    text = _decoded(cell) if isinstance(cell, bytes) else cell
    if not isinstance(text, str):
        return _one_nan(text)
    stripped = text.strip()
    if len(stripped) > _LONGEST_NUMBER or not _NUMBER.fullmatch(stripped):
        return text
    return float(stripped) if set(stripped) & set(".eE") else int(stripped)


def _decoded(cell: bytes) -> str | bytes:
    try:
        return cell.decode()
    except UnicodeDecodeError:
        return cell


def _without_symbols(cell: Cell) -> Cell:
    if isinstance(cell, str) and len(cell) <= _LONGEST_NUMBER and (written := _WRITTEN.fullmatch(cell.strip())):
        return _typed(written["number"].replace(",", ""))
    return _typed(cell)


def _dated(cell: Cell) -> Cell:
    if not isinstance(cell, str) or len(cell) > _LONGEST_NUMBER:
        return _one_nan(cell)
    date = next((match for pattern in _DATES if (match := pattern.fullmatch(cell.strip()))), None)
    return f"{date['y']}-{date['m']:>02}-{date['d']:>02}" if date else cell


def _and(first: Callable[[Cell], Cell], second: Callable[[Cell], Cell]) -> Callable[[Cell], Cell]:
    return lambda cell: second(first(cell))


PLAIN = ColumnForm((), _one_nan)
FORMS = (
    ColumnForm(("case_or_space",), _folded),
    ColumnForm(("types",), _typed),
    ColumnForm(("number_format",), _without_symbols),
    ColumnForm(("dates",), _dated),
    ColumnForm(("types", "case_or_space"), _and(_typed, _folded)),
    ColumnForm(("dates", "case_or_space"), _and(_dated, _folded)),
    ColumnForm(("dates", "types"), _and(_dated, _typed)),
)


def too_large(pair: RowPair) -> bool:
    return (len(pair.missing) + len(pair.extra)) * (pair.width or 0) > LIMIT


def _telling_forms(pair: RowPair) -> Iterator[tuple[ColumnForm, dict[Row, Row], dict[Row, Row]]]:
    """The plain form, and those that may say more: plain numbers are the same in each, and a form of two kinds whose first
    changes nothing is that of the second."""
    plain_rows = _sides(pair, PLAIN)
    yield PLAIN, *plain_rows
    cells = chain.from_iterable((*pair.missing, *pair.extra))
    if not any(cell != cell or isinstance(cell, str | bytes) for cell in cells):
        return
    idle: set[str] = set()
    for form in FORMS:
        if form.kinds[0] not in idle:
            rows = _sides(pair, form)
            if len(form.kinds) == 1 and rows == plain_rows:
                idle.add(form.kinds[0])
            yield form, *rows


def other_form(pair: RowPair) -> Difference | None:
    """The same rows, written in another way."""
    if not pair.width or too_large(pair):
        return None
    plain_rows = _sides(pair, PLAIN)
    for form, missing, extra in _telling_forms(pair):
        # A form that changes nothing cannot say anything new.
        is_new = form is PLAIN or (missing, extra) != plain_rows
        if is_new and (difference := _in_form(pair, form, missing, extra)):
            return difference
    return None


def form_and_rows(pair: RowPair) -> Difference | None:
    """Two causes: written in another way, and rows missing or too many."""
    if not pair.width or too_large(pair) or not (pair.missing and pair.extra):
        return None
    for form, missing, extra in _telling_forms(pair):
        for spare, fewer, more in (("prediction", missing, extra), ("gold", extra, missing)):
            if len(fewer) >= len(more):
                continue
            shared = [(missing[key], extra[key]) for key in missing if key in extra]
            if form.kinds and len(shared) == len(fewer):
                return _alike(pair, form.kinds, shared, left=len(more) - len(fewer), spare=spare)
            rounding = find_rounding(list(missing), list(extra), spare)
            if rounding and len(rounding.partners) >= max(_PARTNERS, len(fewer)):
                partners = [(missing[gold], extra[row]) for gold, row in rounding.partners]
                left = len(more) - len({row if spare == "prediction" else gold for gold, row in rounding.partners})
                if left > 0:
                    return _alike(pair, (*form.kinds, "rounding"), partners, rounding, left=left, spare=spare)
    return None


def other_factor(pair: RowPair) -> Difference | None:
    """A share where a percentage is expected, or the other way round; perhaps with rows missing or too many."""
    if not pair.width or too_large(pair) or not (pair.missing and pair.extra):
        return None
    left = len(pair.extra) - len(pair.missing)
    for at in range(pair.width):
        if not all(is_number(row[at]) for rows in (pair.missing, pair.extra) for row in rows):
            continue
        others = {_scaled(row, at, 1): row for row in pair.extra}
        for factor in (100, 0.01):
            if left:
                scaled = {_scaled(row, at, factor): row for row in pair.missing if row[at] != 0}
                shared = [row for row in scaled if row in others]
                if len(shared) >= _PARTNERS and len(shared) == min(len(pair.missing), len(pair.extra)):
                    return _by_factor(pair, at, factor, scaled[shared[0]], others[shared[0]], None, left)
                continue
            scaled = {_scaled(row, at, factor): row for row in pair.missing}
            if all(row[at] == 0 for row in pair.missing) or len(scaled) != len(pair.missing):
                continue
            rounding = None if scaled.keys() == others.keys() else find_rounding(list(scaled), list(others))
            if scaled.keys() == others.keys() or (rounding and _only_at(at, rounding) and _shows_digits(at, rounding)):
                first = next(iter(scaled))
                partner = others[first] if rounding is None else others[dict(rounding.partners)[first]]
                return _by_factor(pair, at, factor, scaled[first], partner, rounding)
    return None


def _only_at(at: int, rounding: Rounding) -> bool:
    """Whether the rounded numbers are those of one column."""
    return all((*gold[:at], *gold[at + 1 :]) == (*row[:at], *row[at + 1 :]) for gold, row in rounding.partners)


def _shows_digits(at: int, rounding: Rounding) -> bool:
    """Whether the rounded numbers have two digits somewhere: 1 is 53 as a share, rounded, and half of all other numbers too."""
    if rounding.how == "noise":
        return True
    numbers = (gold[at] if rounding.side == "gold" else row[at] for gold, row in rounding.partners)
    return any(len(f"{number:.12g}".strip("-").replace(".", "").strip("0")) > 1 for number in numbers if is_number(number))


def times(cell: Cell, factor: float) -> float:
    """Without the noise of the last digits."""
    assert isinstance(cell, int | float)
    return float(f"{cell * factor:.12g}")


def _scaled(row: Row, at: int, factor: float) -> Row:
    return (*row[:at], times(row[at], factor), *row[at + 1 :])


def _by_factor(
    pair: RowPair, at: int, factor: float, gold: Row, row: Row, rounding: Rounding | None, left: int = 0
) -> Difference:
    name = names(pair.gold, pair.width or 0)[at]
    times = "100 times too large" if factor > 1 else "100 times too small"
    also = _also_rounded(rounding) if rounding else ""
    where = f"expected {shown(gold[at])}, got {shown(row[at])}"
    sentence = f"Same rows, but the numbers in column {shown_name(name)} are {times}{also}: {where}."
    if left:
        sentence = f"Two causes: the numbers in column {shown_name(name)} are {times} ({where}), and {_left(left)}."
    further = ["rounding"] if rounding else ["extra_rows" if left > 0 else "missing_rows"] if left else []
    more = {"also": further, "differing_columns": [plain(name)]}
    return pair.difference("factor", sentence, factor=factor, **more)


def _also_rounded(rounding: Rounding) -> str:
    if rounding.how == "noise":
        return ""
    return " and not rounded as expected" if rounding.side == "gold" else " and rounded"


def _sides(pair: RowPair, form: ColumnForm) -> tuple[dict[Row, Row], dict[Row, Row]]:
    known = pair.by_form.get(form.kinds)
    if known is None:
        known = _mapped(pair.missing, form), _mapped(pair.extra, form)
        if len(pair.missing) + len(pair.extra) <= _MOST_KEPT:
            pair.by_form[form.kinds] = known
    return known


def _mapped(rows: list[Row], form: ColumnForm) -> dict[Row, Row]:
    """Rows by their form. Where several have the same, the first stands for them."""
    mapped: dict[Row, Row] = {}
    for row in rows:
        mapped.setdefault(tuple([form.cell(cell) for cell in row]), row)
    return mapped


def _in_form(pair: RowPair, form: ColumnForm, missing: dict[Row, Row], extra: dict[Row, Row]) -> Difference | None:
    if missing.keys() == extra.keys():
        partners = [(row, extra[key]) for key, row in missing.items()]
        return _alike(pair, form.kinds or ("not_a_number",), partners)
    if rounding := find_rounding(list(missing), list(extra)):
        partners = [(missing[gold], extra[row]) for gold, row in rounding.partners]
        return _alike(pair, (*form.kinds, "rounding"), partners, rounding)
    return None if pair.common else _in_other_order(pair, form, missing, extra)


def _in_other_order(pair: RowPair, form: ColumnForm, missing: dict[Row, Row], extra: dict[Row, Row]) -> Difference | None:
    columns = signatures(missing, pair.width or 0), signatures(extra, pair.width or 0)
    order = reordering(missing, extra, columns)
    return reordered(pair, order, _except(form.kinds), form.kinds) if order else None


def _alike(
    pair: RowPair,
    kinds: tuple[str, ...],
    partners: list[tuple[Row, Row]],
    rounding: Rounding | None = None,
    *,
    left: int = 0,
    spare: str = "",
) -> Difference:
    """`left`: so many rows of the `spare` side are nobody's partner."""
    columns = names(pair.gold, pair.width or 0)
    apart = [at for at in range(len(columns)) if any(gold[at] != row[at] for gold, row in partners)]
    expected, got = next((gold[apart[0]], row[apart[0]]) for gold, row in partners if gold[apart[0]] != row[apart[0]])
    more: dict[str, Any] = {
        "also": list(kinds[1:]),
        "differing_columns": plain_row([columns[at] for at in apart]),
        "example": {"column": plain(columns[apart[0]]), "expected": plain(expected), "got": plain(got)},
    }
    if rounding:
        more |= {"how": rounding.how, "coarse_side": rounding.side}
        more["decimals"] = plain_row([rounding.decimals[at] for at in apart])
    texts = shown_pair(expected, got)
    where = f"in column {shown_name(columns[apart[0]])}, expected {texts[0]}, got {texts[1]}"
    if not left:
        return pair.difference(kinds[0], f"{_except(kinds)}{_how(rounding, apart)}: {where}.", **more)
    word = "extra_rows" if spare == "prediction" else "missing_rows"
    more["also"] = [*kinds[1:], word]
    too = _left(left if spare == "prediction" else -left)
    causes = " and ".join(WORDS[kind] for kind in kinds)
    sentence = f"Two causes: {causes}{_how(rounding, apart)}, and {too}; {where}."
    return pair.difference(kinds[0], sentence, left_over=left, **more)


def _except(kinds: tuple[str, ...]) -> str:
    return f"Same rows except for {' and '.join(WORDS[kind] for kind in kinds)}" if kinds else "Same rows"


def _how(rounding: Rounding | None, places: list[int]) -> str:
    if rounding is None:
        return ""
    if rounding.how == "noise":
        return " (numbers agree within one part in a million)"
    side = "the prediction" if rounding.side == "prediction" else "gold"
    if rounding.how == "cut":
        return f" ({side} lacks the fractions, as after integer division)"
    decimals = sorted({rounding.decimals[at] for at in places})
    return f" ({side} is rounded to {' or '.join(map(str, decimals))} decimal{'' if decimals == [1] else 's'})"
