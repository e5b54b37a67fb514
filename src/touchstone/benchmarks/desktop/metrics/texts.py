"""Metrics on texts, lists, addresses and plain files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Literal, cast

from ..registry import METRICS, metric
from ..untrusted import MetricResult, Unreadable, read_text, shown, verdict

MOST_LINES = 20_000
"""For a difference, whose cost can grow with the square."""


@metric("text to look into")
def check_include_exclude(result: str | Sequence[str], expected: dict[str, list[str]]) -> MetricResult:
    """Every `include` is in the text (or list), and no `exclude`."""
    absent = [text for text in expected.get("include", []) if text not in result]
    present = [text for text in expected.get("exclude", []) if text in result]
    if absent:
        return MetricResult(0.0, f"{shown(absent[0])} is not in {shown(result)}")
    return verdict(not present, f"{shown(present[:1])} must not be in {shown(result)}", "all that must be there is there")


@METRICS
def exact_match(result: Any, expected: dict[str, Any]) -> MetricResult:
    """Equal to `expected` in the rules."""
    return verdict(result == expected["expected"], f"expected {shown(expected['expected'])}, found {shown(result)}")


@metric("result")
def literal_match(
    result: Any, expected: Any, type: Literal["str", "list"] = "str", ignore_case: bool = False, ignore_order: bool = False
) -> MetricResult:
    """Equal texts, or equal lists of texts."""
    if type == "str":
        result_text, expected_text = str(result), str(expected)
        equal = result_text.lower() == expected_text.lower() if ignore_case else result_text == expected_text
        return verdict(equal, f"expected {shown(expected_text)}, found {shown(result_text)}")
    if not isinstance(result, list) or not isinstance(expected, list):
        return MetricResult(0.0, f"expected a list, found {shown(cast('object', result))}")
    found_list = _folded(cast("list[Any]", result), ignore_case, ignore_order)
    wanted_list = _folded(cast("list[Any]", expected), ignore_case, ignore_order)
    return verdict(found_list == wanted_list, f"expected {shown(wanted_list)}, found {shown(found_list)}")


@metric("list")
def is_not_in_list(result: Sequence[Any], expected: dict[str, Any]) -> MetricResult:
    """None of `exclude` in the rules is in the list."""
    excluded: Any = expected["exclude"]
    wanted = cast("list[Any]", excluded) if isinstance(excluded, list) else [excluded]
    present = [item for item in wanted if item in result]
    return verdict(not present, f"{shown(present[:1])} is still there")


@METRICS
def is_expected_url_pattern_match(result: str | dict[str, Any] | None, expected: dict[str, list[str]]) -> MetricResult:
    """Every regular expression of `expected` is found in the address."""
    url = result.get("url") if isinstance(result, dict) else result
    if not url:
        return MetricResult(0.0, "there is no address")
    absent = [pattern for pattern in expected["expected"] if not re.search(pattern, str(url))]
    return verdict(not absent, f"{shown(absent[:1])} does not match the address {shown(url)}")


@METRICS
def check_file_existence(result: Path | None) -> MetricResult:
    return verdict(result is not None and result.exists(), "the file does not exist", "the file exists")


@metric()
def compare_csv(
    result: Path, expected: Path, strict: bool = True, ignore_case: bool = False, ignore_order: bool = False
) -> MetricResult:
    """Line by line, as text: numbers, columns and their order have no freedom."""
    result_lines, expected_lines = [_lines(path, strict, ignore_case, ignore_order) for path in (result, expected)]
    if result_lines == expected_lines:
        return MetricResult(1.0, f"{len(expected_lines)} equal lines")
    if len(result_lines) != len(expected_lines):
        return MetricResult(0.0, f"expected {len(expected_lines)} lines, found {len(result_lines)}")
    row = next(number for number, pair in enumerate(zip(result_lines, expected_lines, strict=True)) if pair[0] != pair[1])
    return MetricResult(0.0, f"line {row + 1}: expected {shown(expected_lines[row])}, found {shown(result_lines[row])}")


@metric()
def compare_sql(result: Path, expected: Path) -> MetricResult:
    """The same text."""
    return verdict(read_text(result) == read_text(expected), "the SQL text differs")


@metric()
def compare_text_file(result: Path, expected: Path, ignore_blanks: bool = False, ignore_case: bool = False) -> MetricResult:
    """The same text; with `ignore_blanks`, runs of white space count as one space."""
    result_text, expected_text = read_text(result), read_text(expected)
    if ignore_blanks:
        result_text, expected_text = [re.sub(r"[\t\n ]+", " ", text.strip()) for text in (result_text, expected_text)]
    if ignore_case:
        result_text, expected_text = result_text.lower(), expected_text.lower()
    return verdict(result_text == expected_text, f"expected {shown(expected_text)}, found {shown(result_text)}")


@metric()
def diff_text_file(result: Path, expected: Path) -> MetricResult:
    """The share of equal lines: the only score between 0 and 1."""
    result_lines, expected_lines = read_text(result).splitlines(), read_text(expected).splitlines()
    if len(result_lines) > MOST_LINES:
        raise Unreadable(result, f"has more than {MOST_LINES:,} lines")
    ratio = SequenceMatcher(a=result_lines, b=expected_lines).ratio()
    return MetricResult(ratio, f"{ratio:.3f} of the lines agree")


def _lines(path: Path, strict: bool, ignore_case: bool, ignore_order: bool) -> list[str]:
    lines = read_text(path).splitlines()
    if not strict:
        lines = [line.strip() for line in lines]
    if ignore_case:
        lines = [line.lower() for line in lines]
    return sorted(lines) if ignore_order else lines


def _folded(items: list[Any], ignore_case: bool, ignore_order: bool) -> list[Any]:
    texts = [item.lower() if ignore_case and isinstance(item, str) else item for item in items]
    return sorted(texts, key=str) if ignore_order else texts
