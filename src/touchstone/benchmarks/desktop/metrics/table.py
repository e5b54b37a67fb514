"""`compare_table`: rules on a workbook, one after the other, until one does not hold.

A rule is {"type": …, …}. Most compare a sheet of the result (`sheet_idx0`) with one of the expected book (`sheet_idx1`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

from ....errors import Unscorable
from ..registry import metric
from ..untrusted import MetricResult, read_text, shown
from .sheets.books import WorkbookPair, charts, pivots
from .sheets.cells import dimensions, filters, frame, frame_difference, fuzzy_difference, matches, stored, validated
from .sheets.formulas import NotUnderstood
from .sheets.styles import READERS, styles

Rule = dict[str, Any]
NO_SHEET = "the sheet does not exist"


@metric()
def compare_table(result: Path, expected: Path | None = None, rules: list[dict[str, Any]] | None = None) -> MetricResult:
    """All rules hold."""
    pair = WorkbookPair(result, expected)
    for number, rule in enumerate(rules or [], 1):
        kind = rule.get("type")
        if kind not in RULES:
            raise Unscorable(f"compare_table: unknown rule {kind!r}; expected one of {', '.join(RULES)}")
        try:
            difference = RULES[kind](pair, rule)
        except NotUnderstood as what:
            difference = f"cannot be judged: {what} is not understood"
        except KeyError as key:
            raise Unscorable(f"compare_table: rule {number} ({kind}) lacks {key}") from None
        if difference:
            return MetricResult(0.0, f"rule {number} ({kind}): {difference}")
    return MetricResult(1.0, f"{len(rules or [])} rules hold")


def _sheet_name(pair: WorkbookPair, rule: Rule) -> str | None:
    return _unequal(pair.result.names, pair.expected.names)


def _sheets(pair: WorkbookPair, rule: Rule, *, values: bool = False) -> Iterator[Any]:
    return (pair.sheet(rule[key], values=values) for key in ("sheet_idx0", "sheet_idx1"))


def _sheet_data(pair: WorkbookPair, rule: Rule) -> str | None:
    result_sheet, expected_sheet = _sheets(pair, rule, values=True)
    if result_sheet is None or expected_sheet is None:
        return NO_SHEET
    digits = rule.get("precision", 4)
    return frame_difference(frame(result_sheet, digits), frame(expected_sheet, digits))


def _sheet_print(pair: WorkbookPair, rule: Rule) -> str | None:
    """As the application printed it: <book>-<sheet>.csv beside the book."""
    texts: list[list[str]] = []
    for key in ("sheet_idx0", "sheet_idx1"):
        printed = pair.printed(rule[key])
        if not printed.is_file():
            return f"{printed.name} does not exist"
        lines = [line.strip() for line in read_text(printed).rstrip().splitlines()]
        texts.append([line.lower() for line in lines] if rule.get("ignore_case") else lines)
    return _unequal(*texts)


def _sheet_fuzzy(pair: WorkbookPair, rule: Rule) -> str | None:
    result_sheet, expected_sheet = _sheets(pair, rule, values=True)
    return NO_SHEET if result_sheet is None else fuzzy_difference(result_sheet, expected_sheet, rule["rules"])


def _sparkline(pair: WorkbookPair, rule: Rule) -> str | None:
    result_lines, expected_lines = pair.sparklines(rule["sheet_idx0"]), pair.sparklines(rule["sheet_idx1"])
    return NO_SHEET if result_lines is None else _unequal(result_lines, expected_lines)


def _style(pair: WorkbookPair, rule: Rule) -> str | None:
    both = zip(_sheets(pair, rule), _sheets(pair, rule, values=True), strict=True)
    return _unequal(*(styles(sheet, values, rule.get("props", [])) for sheet, values in both))


def _check_cell(pair: WorkbookPair, rule: Rule) -> str | None:
    sheet, values = pair.sheet(rule["sheet_idx"]), pair.sheet(rule["sheet_idx"], values=True)
    if sheet is None or values is None:
        return NO_SHEET
    cell = sheet[rule["coordinate"]]
    for name, test in rule["props"].items():
        if name != "value" and name not in READERS:
            raise Unscorable(f"compare_table: unknown property of a cell {name!r}")
        value = stored(values[rule["coordinate"]].value) if name == "value" else READERS[name](cell, None)
        if not matches(value, test):
            return f"{cell.coordinate}, {name}: {shown(value)} is not {test['method']} {shown(test['ref'])}"
    return None


def _zoom(pair: WorkbookPair, rule: Rule) -> str | None:
    sheet = pair.sheet(rule["sheet_idx"])
    if sheet is None:
        return NO_SHEET
    scale = sheet.sheet_view.zoomScale or 100.0
    return None if matches(scale, rule) else f"{scale} is not {rule['method']} {rule['ref']}"


def _data_validation(pair: WorkbookPair, rule: Rule) -> str | None:
    sheet = pair.sheet(rule["sheet_idx"])
    if sheet is None:
        return NO_SHEET
    return None if validated(sheet, rule["dv_props"]) else "the validations of the sheet are not those expected"


def _freeze(pair: WorkbookPair, rule: Rule) -> str | None:
    result_sheet, expected_sheet = _sheets(pair, rule)
    return (
        NO_SHEET if None in (result_sheet, expected_sheet) else _unequal(result_sheet.freeze_panes, expected_sheet.freeze_panes)
    )


def _described_by(describe: Callable[[Any, Rule], Any]) -> Callable[[WorkbookPair, Rule], str | None]:
    """A rule that holds when both sheets give the same description; one that does not exist gives an empty one."""

    def judge(pair: WorkbookPair, rule: Rule) -> str | None:
        return _unequal(*(describe(sheet, rule) for sheet in _sheets(pair, rule)))

    return judge


def _unequal(result: Any, expected: Any) -> str | None:
    if result == expected:
        return None
    if isinstance(result, dict) and isinstance(expected, dict):
        mine, gold = cast("dict[Any, Any]", result), cast("dict[Any, Any]", expected)
        for key, value in gold.items():
            if key not in mine or mine[key] != value:
                return f"{shown(key)}: expected {shown(value)}, found {shown(mine.get(key, 'nothing'))}"
        return f"there is more than expected: {shown([key for key in mine if key not in gold][:1])}"
    return f"expected {shown(cast('object', expected))}, found {shown(cast('object', result))}"


RULES: dict[str, Callable[[WorkbookPair, Rule], str | None]] = {
    "sheet_name": _sheet_name,
    "sheet_data": _sheet_data,
    "sheet_print": _sheet_print,
    "sheet_fuzzy": _sheet_fuzzy,
    "sparkline": _sparkline,
    "chart": _described_by(lambda sheet, rule: charts(sheet, rule.get("chart_props", []))),
    "pivot_table": _described_by(lambda sheet, rule: pivots(sheet, rule.get("pivot_props", []))),
    "style": _style,
    "check_cell": _check_cell,
    "freeze": _freeze,
    "zoom": _zoom,
    "data_validation": _data_validation,
    "row_props": _described_by(lambda sheet, rule: dimensions(sheet, "row", rule.get("props", []))),
    "col_props": _described_by(lambda sheet, rule: dimensions(sheet, "column", rule.get("props", []))),
    "filter": _described_by(lambda sheet, rule: filters(sheet)),
}
