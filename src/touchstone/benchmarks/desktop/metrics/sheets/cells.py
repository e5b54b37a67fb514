"""Cell values: as frames (rounded, then equal), one by one, and fuzzily."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from difflib import SequenceMatcher
from typing import Any, Literal

from .....errors import Unscorable
from ...extras import need
from ...untrusted import shown

# How a rule compares one value: {"method": …, "ref": …}; and how `sheet_fuzzy` compares two texts.


_ORDER: dict[str, Callable[[Any, Any], Any]] = {name: getattr(operator, name) for name in ("eq", "ne", "le", "lt", "ge", "gt")}


def matches(value: Any, rule: dict[str, Any]) -> bool:
    """`eq` and its kin, `re.<FLAG>`, `approx:<d>`, `range.<te>`, `spreadsheet_range`, `str_list_eq`, `str_set_eq`."""
    method, reference = str(rule["method"]), rule["ref"]
    try:
        if method in _ORDER:
            return bool(_ORDER[method](value, reference))
        if method.startswith("re"):
            flags = re.RegexFlag(sum({re.RegexFlag[name].value for name in method.split(".")[1:]}))
            return re.search(reference, value, flags) is not None
        if method.startswith("approx:"):
            return abs(float(value) - reference) <= float(method[7:])
        if method.startswith("range."):
            left, right = _ORDER["l" + method[6]], _ORDER["l" + method[7]]
            return bool(left(reference[0], value) and right(value, reference[1]))
        if method == "spreadsheet_range":
            return _covers(str(value), reference[0]) and _covers(reference[1], str(value))
        if method in ("str_list_eq", "str_set_eq"):
            kind = list if method == "str_list_eq" else set
            return kind(value.strip("\"'").split(",")) == kind(reference)
    except (TypeError, ValueError, AttributeError):
        return False  # a value of another type does not match
    raise Unscorable(f"compare_table: unknown method {method!r}")


def matches_fuzzily(result: Any, expected: Any, rule: dict[str, Any]) -> bool:
    mine, gold = _normal(str(result), rule), _normal(str(expected), rule)
    match rule["type"]:
        case "includes":
            return gold in mine
        case "included_by":
            return mine in gold
        case "exact_match":
            return mine == gold
        case "fuzzy_match":
            return 100 * _indel_ratio(mine, gold) >= rule.get("threshold", 85.0)
        case other:
            raise Unscorable(f"compare_table: unknown type {other!r} in a rule of sheet_fuzzy")


def _normal(text: str, rule: dict[str, Any]) -> str:
    for old, new in rule.get("normalization", []):
        text = text.replace(old, new)
    text = text.lstrip(rule["trim_leadings"]) if "trim_leadings" in rule else text
    text = text.rstrip(rule["trim_trailings"]) if "trim_trailings" in rule else text
    text = "".join(letter for letter in text if letter not in rule.get("ignore_chars", ""))
    return text.lower() if rule.get("ignore_case") else text


def _indel_ratio(first: str, second: str) -> float:
    """Twice the longest common subsequence over both lengths. For texts too long for that, difflib's lower estimate."""
    if not first and not second:
        return 1.0
    if len(first) * len(second) > 4_000_000:
        return SequenceMatcher(None, first, second, autojunk=False).ratio()
    row = [0] * (len(second) + 1)
    for letter in first:
        previous = row
        row = [0]
        for position, other in enumerate(second):
            row.append(previous[position] + 1 if letter == other else max(previous[position + 1], row[position]))
    return 2 * row[-1] / (len(first) + len(second))


def _covers(outer: str, inner: str) -> bool:
    """Every range of `inner` lies in a range of `outer`."""
    ranges = need("openpyxl.worksheet.cell_range").MultiCellRange
    return all(any(part.issubset(whole) for whole in ranges(outer)) for part in ranges(inner))


BLANK = frozenset(
    ["#N/A N/A", *"#N/A #NA -1.#IND -1.#QNAN -NaN -nan 1.#IND 1.#QNAN <NA> N/A NA NULL NaN None n/a nan null".split()]
)
"""What counts as an empty cell below the header, as it does for pandas, which the original reads with."""

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
_TRUTHS = {"True": True, "TRUE": True, "true": True, "False": False, "FALSE": False, "false": False}


def frame(sheet: Any, digits: int) -> list[list[Any]]:
    """The rows, without empty cells at the right and empty rows at the end; numbers rounded."""
    rows = [[_plain(value) for value in row] for row in sheet.iter_rows(values_only=True)]
    while rows and not any(value is not None for value in rows[-1]):
        rows.pop()
    width = max((_used(row) for row in rows), default=0)
    body = [[None if value in BLANK else value for value in row[:width]] for row in rows[1:]]
    columns = [_typed(column) for column in zip(*body, strict=True)]
    return [row[:width] for row in rows[:1]] + [
        [_rounded(value, digits) for value in row] for row in zip(*columns, strict=True)
    ]


def _typed(column: Sequence[Any]) -> Sequence[Any]:
    """As pandas, which the original reads with, makes a type for a column: texts that are all numbers are numbers, also beside
    numbers, and texts that are all true or false are that."""
    texts = [value for value in column if isinstance(value, str)]
    others = [value for value in column if value is not None and not isinstance(value, str)]
    if not texts or any(isinstance(value, bool) or not isinstance(value, int | float) for value in others):
        return column
    if all(_NUMBER.fullmatch(text) for text in texts):
        return [_plain(float(value)) if isinstance(value, str) else value for value in column]
    if not others and all(text in _TRUTHS for text in texts):
        return [None if value is None else _TRUTHS[value] for value in column]
    return column


def frame_difference(result: list[list[Any]], expected: list[list[Any]]) -> str | None:
    """Where two frames differ first, or None."""
    shape = [(len(rows), len(rows[0]) if rows else 0) for rows in (result, expected)]
    if shape[0] != shape[1]:
        return f"expected {shape[1][0]} rows and {shape[1][1]} columns, found {shape[0][0]} and {shape[0][1]}"
    for number, (mine, gold) in enumerate(zip(result, expected, strict=True), 1):
        for column, (value, other) in enumerate(zip(mine, gold, strict=True), 1):
            if not _equal(value, other):
                return f"row {number}, column {column}: expected {shown(other)}, found {shown(value)}"
    return None


def fuzzy_difference(result_sheet: Any, expected_sheet: Any, rules: list[dict[str, Any]]) -> str | None:
    """Cells of the given ranges that do not match as their rule asks."""
    for rule in rules:
        range_or_ranges: Any = rule["range"]
        ranges: list[str] = range_or_ranges.split() if isinstance(range_or_ranges, str) else range_or_ranges
        for reference in ranges:
            for mine, gold in zip(_cells(result_sheet, reference), _cells(expected_sheet, reference), strict=True):
                if not matches_fuzzily(stored(mine.value), stored(gold.value), rule):
                    return f"{mine.coordinate}: {shown(mine.value)} does not match {shown(gold.value)}"
    return None


def stored(value: Any) -> str | float | None:
    """As the file keeps it: a text, or a floating-point number."""
    if isinstance(value, datetime | date | time):
        from openpyxl.utils.datetime import to_excel  # pyright: ignore

        return float(to_excel(value))  # pyright: ignore
    return float(value) if isinstance(value, int | float) else None if value is None else str(value)


def _cells(sheet: Any, reference: str) -> list[Any]:
    block = sheet[reference]
    if not isinstance(block, tuple):
        return [block]
    return [cell for row in block for cell in (row if isinstance(row, tuple) else (row,))]  # pyright: ignore


def _plain(value: Any) -> Any:
    """Whole numbers are integers, however they were typed."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return None if value == "" else value


def _rounded(value: Any, digits: int) -> Any:
    return round(value, digits) if isinstance(value, float) and math.isfinite(value) else value


def _used(row: list[Any]) -> int:
    return max((position for position, value in enumerate(row, 1) if value is not None), default=0)


def _equal(first: Any, second: Any) -> bool:
    return first == second and isinstance(first, bool) == isinstance(second, bool)


# What else a sheet can be asked about: rows, columns, filters, validation.


def dimensions(sheet: Any, kind: Literal["row", "column"], properties: Sequence[str]) -> dict[Any, dict[str, Any]]:
    """The wanted properties (hidden, collapsed, height or width, …) of the rows or columns that have any."""
    if sheet is None:
        return {}
    holder: Any = getattr(sheet, f"{kind}_dimensions")
    return {key: {name: getattr(item, name, None) for name in properties} for key, item in holder.items()}


def filters(sheet: Any) -> dict[str, Any]:
    """The automatic filter: its range, its conditions by column, its sorting."""
    if sheet is None:
        return {}
    auto_filter = sheet.auto_filter
    return {
        "range": auto_filter.ref,
        "columns": sorted((_filter_column(column) for column in auto_filter.filterColumn), key=lambda column: column["column"]),
        "sorting": _sorting(auto_filter.sortState),
    }


def validated(sheet: Any, wanted: Sequence[dict[str, dict[str, Any]]]) -> bool:
    """Every validation of the sheet is one of the wanted ones, and there are at least as many."""
    validations = sheet.data_validations.dataValidation
    return len(validations) >= len(wanted) and all(
        any(all(matches(_attribute(rule, name), test) for name, test in tests.items()) for tests in wanted)
        for rule in validations
    )


def _attribute(rule: Any, name: str) -> Any:
    return str(rule.sqref) if name == "ranges" else getattr(rule, name, None)


def _filter_column(column: Any) -> dict[str, Any]:
    conditions: dict[str, Any] = {"column": column.colId, "hidden": column.hiddenButton, "shown": column.showButton}
    if column.filters is not None:
        conditions |= {"blank": column.filters.blank, "values": set(column.filters.filter)}
    if column.customFilters is not None:
        tests = {(test.operator, test.val) for test in column.customFilters.customFilter}
        conditions |= {"all": column.customFilters._and, "tests": tests}
    return conditions


def _sorting(state: Any) -> Any:
    if state is None:
        return None
    conditions = [
        (test.descending, test.sortBy, test.ref, test.customList, test.dxfId, test.iconSet, test.iconId)
        for test in state.sortCondition
    ]
    return state.columnSort, state.caseSensitive, state.sortMethod, state.ref, conditions
