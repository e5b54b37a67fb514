"""How a rule compares one value: {"method": …, "ref": …}; and how `sheet_fuzzy` compares two texts."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from difflib import SequenceMatcher
from typing import Any

from .....failures import Unscorable
from ...extras import need

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


def matches_fuzzily(found: Any, wanted: Any, rule: dict[str, Any]) -> bool:
    mine, gold = _normal(str(found), rule), _normal(str(wanted), rule)
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
