"""Differences in how values are written: letter case and spaces, number or text, rounding, alone or together.

A form maps each cell to what it would be if a difference of one sort did not count. If the rows missing from
the prediction and its extra rows are the same in that form, the form is the explanation. Rows common to both
sides are equal in every form, so only the others are looked at, and only if there are not too many: a form
costs about a microsecond per cell. Columns in another order are looked for in each form too, which needs all
rows and is therefore done only if no row is common to both sides.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import nan
from typing import Any, NamedTuple

from ..values import Cell, Row
from ._columns import reordered
from ._difference import Difference, Pair, names
from ._rounding import Rounding, find_rounding
from ._signatures import reordering, signatures
from .shown import plain, plain_row, shown, shown_name, shown_pair

LIMIT = 100_000
"""Cells in missing and extra rows, beyond which forms are not tried."""

WORDS = {
    "not_a_number": "NaN, which equals nothing",
    "case_or_space": "letter case or surrounding spaces",
    "types": "the types of values",
    "rounding": "rounding",
}
_HUGE = 1e300  # beyond it, a factor overflows
_PARTNERS = 2
"""Rows that must be each other's by rounding before it is said of a part of the rows: one may be chance."""

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_LONGEST_NUMBER = 40  # characters; longer digits are a code, and Python refuses to read them at some length


class Form(NamedTuple):
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


def _typed_and_folded(cell: Cell) -> Cell:
    return _folded(_typed(cell))


PLAIN = Form((), _one_nan)
FORMS = (
    Form(("case_or_space",), _folded),
    Form(("types",), _typed),
    Form(("types", "case_or_space"), _typed_and_folded),
)


def too_large(pair: Pair) -> bool:
    return (len(pair.missing) + len(pair.extra)) * (pair.width or 0) > LIMIT


def other_form(pair: Pair) -> Difference | None:
    """The same rows, written in another way."""
    if not pair.width or too_large(pair):
        return None
    plain_rows = _sides(pair, PLAIN)
    difference = _in_form(pair, PLAIN, *plain_rows)
    for form in FORMS:
        # A form that changes nothing cannot say anything new.
        if not difference and (rows := _sides(pair, form)) != plain_rows:
            difference = _in_form(pair, form, *rows)
    return difference


def form_and_rows(pair: Pair) -> Difference | None:
    """Two causes: written in another way, and rows missing or too many."""
    if not pair.width or too_large(pair) or not (pair.missing and pair.extra):
        return None
    for form in (PLAIN, *FORMS):
        missing, extra = _sides(pair, form)
        for spare, fewer, more in (("prediction", missing, extra), ("gold", extra, missing)):
            if len(fewer) >= len(more):
                continue
            shared = [(missing[key], extra[key]) for key in missing if key in extra]
            if form.kinds and len(shared) == len(fewer):
                return _alike(pair, form.kinds, shared, left=len(more) - len(fewer), spare=spare)
            found = find_rounding(list(missing), list(extra), spare)
            if found and len(found.partners) >= max(_PARTNERS, len(fewer)):
                partners = [(missing[gold], extra[row]) for gold, row in found.partners]
                left = len(more) - len({row if spare == "prediction" else gold for gold, row in found.partners})
                if left > 0:
                    return _alike(pair, (*form.kinds, "rounding"), partners, found, left=left, spare=spare)
    return None


def other_factor(pair: Pair) -> Difference | None:
    """A share where a percentage is expected, or the other way round."""
    if not pair.width or too_large(pair) or len(pair.missing) != len(pair.extra):
        return None
    for place in range(pair.width):
        if not all(_is_number(row[place]) for rows in (pair.missing, pair.extra) for row in rows):
            continue
        for factor in (100, 0.01):
            scaled = {_scaled(row, place, factor): row for row in pair.missing}
            others = {_scaled(row, place, 1): row for row in pair.extra}
            if all(row[place] == 0 for row in pair.missing) or len(scaled) != len(pair.missing):
                continue
            rounding = None if scaled.keys() == others.keys() else find_rounding(list(scaled), list(others))
            if scaled.keys() == others.keys() or rounding:
                first = next(iter(scaled))
                partner = others[first] if rounding is None else others[dict(rounding.partners)[first]]
                return _by_factor(pair, place, factor, scaled[first], partner, rounding)
    return None


def _is_number(cell: Cell) -> bool:
    return isinstance(cell, int | float) and -_HUGE < cell < _HUGE


def _scaled(row: Row, place: int, factor: float) -> Row:
    cell = row[place]
    assert isinstance(cell, int | float)
    return (*row[:place], float(f"{cell * factor:.12g}"), *row[place + 1 :])


def _by_factor(pair: Pair, place: int, factor: float, gold: Row, row: Row, rounding: Rounding | None) -> Difference:
    name = names(pair.gold, pair.width or 0)[place]
    times = "100 times too large" if factor > 1 else "100 times too small"
    also = " and rounded" if rounding else ""
    where = f"expected {shown(gold[place])}, got {shown(row[place])}"
    sentence = f"Same rows, but the numbers in column {shown_name(name)} are {times}{also}: {where}."
    more = {"also": ["rounding"] if rounding else [], "differing_columns": [plain(name)]}
    return pair.difference("factor", sentence, factor=factor, **more)


def _sides(pair: Pair, form: Form) -> tuple[dict[Row, Row], dict[Row, Row]]:
    return _mapped(pair.missing, form), _mapped(pair.extra, form)


def _mapped(rows: list[Row], form: Form) -> dict[Row, Row]:
    """Rows by their form. Where several have the same, the first stands for them."""
    mapped: dict[Row, Row] = {}
    for row in rows:
        mapped.setdefault(tuple([form.cell(cell) for cell in row]), row)
    return mapped


def _in_form(pair: Pair, form: Form, missing: dict[Row, Row], extra: dict[Row, Row]) -> Difference | None:
    if missing.keys() == extra.keys():
        partners = [(row, extra[key]) for key, row in missing.items()]
        return _alike(pair, form.kinds or ("not_a_number",), partners)
    if rounding := find_rounding(list(missing), list(extra)):
        partners = [(missing[gold], extra[row]) for gold, row in rounding.partners]
        return _alike(pair, (*form.kinds, "rounding"), partners, rounding)
    return None if pair.common else _in_other_order(pair, form, missing, extra)


def _in_other_order(pair: Pair, form: Form, missing: dict[Row, Row], extra: dict[Row, Row]) -> Difference | None:
    columns = signatures(missing, pair.width or 0), signatures(extra, pair.width or 0)
    order = reordering(missing, extra, columns)
    return reordered(pair, order, _except(form.kinds), form.kinds) if order else None


def _alike(
    pair: Pair,
    kinds: tuple[str, ...],
    partners: list[tuple[Row, Row]],
    rounding: Rounding | None = None,
    *,
    left: int = 0,
    spare: str = "",
) -> Difference:
    """`left`: so many rows of the `spare` side are nobody's partner."""
    columns = names(pair.gold, pair.width or 0)
    apart = [place for place in range(len(columns)) if any(gold[place] != row[place] for gold, row in partners)]
    expected, got = next((gold[apart[0]], row[apart[0]]) for gold, row in partners if gold[apart[0]] != row[apart[0]])
    more: dict[str, Any] = {
        "also": list(kinds[1:]),
        "differing_columns": plain_row([columns[place] for place in apart]),
        "example": {"column": plain(columns[apart[0]]), "expected": plain(expected), "got": plain(got)},
    }
    if rounding:
        more |= {"how": rounding.how, "coarse_side": rounding.side}
        more["decimals"] = plain_row([rounding.decimals[place] for place in apart])
    texts = shown_pair(expected, got)
    where = f"in column {shown_name(columns[apart[0]])}, expected {texts[0]}, got {texts[1]}"
    if not left:
        return pair.difference(kinds[0], f"{_except(kinds)}{_how(rounding, apart)}: {where}.", **more)
    word = "extra_rows" if spare == "prediction" else "missing_rows"
    more["also"] = [*kinds[1:], word]
    rows = f"{left:,} row{'' if left == 1 else 's'}"
    too = f"{rows} too many" if spare == "prediction" else f"{rows} missing"
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
    decimals = sorted({rounding.decimals[place] for place in places})
    return f" ({side} is rounded to {' or '.join(map(str, decimals))} decimal{'' if decimals == [1] else 's'})"
