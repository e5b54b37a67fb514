from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from touchstone.benchmarks.desktop.metrics.sheets import books
from touchstone.benchmarks.desktop.metrics.sheets.cells import frame, frame_difference, matches, matches_fuzzily
from touchstone.benchmarks.desktop.metrics.table import compare_table
from touchstone.benchmarks.desktop.untrusted import Unreadable
from touchstone.errors import Unscorable

openpyxl: Any = pytest.importorskip("openpyxl")
ROWS = [["name", "n"], ["a", 1], ["b", 2.5]]
BOTH = {"sheet_idx0": 0, "sheet_idx1": "EI0"}


def book(path: Path, rows: list[list[Any]] | None = None, change: Callable[[Any, Any], None] | None = None) -> Path:
    workbook = openpyxl.Workbook()
    for row in rows if rows is not None else ROWS:
        workbook.active.append(row)
    if change is not None:
        change(workbook, workbook.active)
    workbook.save(path)
    return path


def judge(tmp_path: Path, rule: dict[str, Any], mine: Any = None, gold: Any = None) -> float:
    result, expected = book(tmp_path / "mine.xlsx", change=mine), book(tmp_path / "gold.xlsx", change=gold)
    return compare_table(result, expected, rules=[{**BOTH, **rule}]).score


cells = st.one_of(
    st.none(),
    st.integers(-99, 99),
    st.floats(-99, 99).map(lambda x: round(x, 5)),
    st.sampled_from("a b NA 7 -2.50 1e3 true".split()),
)
tables = st.lists(st.lists(cells, min_size=2, max_size=2), min_size=1, max_size=3)


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(tables, tables, st.booleans())
def test_frames_are_equal_when_pandas_says_so(first: list[Any], second: list[Any], same: bool) -> None:
    """Where a column is not of mixed kinds: there pandas does not round."""
    pandas: Any = pytest.importorskip("pandas")
    files = [BytesIO(), BytesIO()]
    for file, rows in zip(files, (first, first if same else second), strict=True):
        workbook = openpyxl.Workbook()
        for row in [["x", "y"], *rows]:
            workbook.active.append(row)
        workbook.save(file)
    frames = [pandas.read_excel(file) for file in files]
    mine, gold = (frame(openpyxl.load_workbook(file, data_only=True).active, 4) for file in files)
    equal = frames[0].round(4).equals(frames[1].round(4))
    if any(column.kind == "O" for one in frames for column in one.dtypes):
        assert not equal or frame_difference(mine, gold) is None
    else:
        assert (frame_difference(mine, gold) is None) == equal


@pytest.mark.parametrize(
    ("rows", "precision", "expected"),
    [
        ([["name", "n"], ["a", 1], ["b", 2.50001]], 4, 1),
        ([["name", "n"], ["a", 1.0], ["b", 2.5]], 4, 1),
        ([["name", "n"], ["a", 1], ["b", 2.51]], 4, 0),
        ([["name", "n"], ["a", 1], ["b", 2.51]], 1, 1),
        ([["name", "n"], ["a", 1], ["b", 2.5], [None, None]], 4, 1),
        ([["name", "n"], ["a", "1"], ["b", " 2.50"]], 4, 1),
        ([["name", "n"], ["a", "1"], ["b", "2,5"]], 4, 0),
        ([["name", "n"], ["a", 1]], 4, 0),
        ([["Name", "n"], ["a", 1], ["b", 2.5]], 4, 0),
        ([["name", "n"], ["a", True], ["b", 2.5]], 4, 0),
    ],
)
def test_sheet_data(tmp_path: Path, rows: list[list[Any]], precision: int, expected: float) -> None:
    mine, gold = book(tmp_path / "mine.xlsx", rows), book(tmp_path / "gold.xlsx")
    assert compare_table(mine, gold, rules=[{"type": "sheet_data", **BOTH, "precision": precision}]).score == expected


def test_selectors(tmp_path: Path) -> None:
    mine = book(tmp_path / "mine.xlsx", change=lambda workbook, sheet: workbook.create_sheet("More"))
    gold = book(tmp_path / "gold.xlsx")
    for first, second, expected in [
        ("RNSheet", "ENSheet", 1),
        ("RI0", "EI0", 1),
        (0, 0, 1),
        ("RNMore", "EI0", 0),
        (7, "EI0", 0),
    ]:
        rule = {"type": "sheet_data", "sheet_idx0": first, "sheet_idx1": second}
        assert compare_table(mine, gold, rules=[rule]).score == expected
    for selector in ("ENMore", "EI4", "X0", "RIx"):
        with pytest.raises(Unscorable):
            compare_table(mine, gold, rules=[{"type": "sheet_data", "sheet_idx0": 0, "sheet_idx1": selector}])


def chart(workbook: Any, sheet: Any, *, legend: str = "r", kind: str = "BarChart") -> None:
    drawn = getattr(openpyxl.chart, kind)()
    drawn.add_data(openpyxl.chart.Reference(sheet, min_col=2, min_row=2, max_row=3))
    drawn.title = "Sales"
    drawn.legend.position = legend
    sheet.add_chart(drawn, "E2")


def test_charts(tmp_path: Path) -> None:
    rule = {"type": "chart", "chart_props": ["type", "legend", "title"]}
    assert judge(tmp_path, rule, chart, chart) == 1
    assert judge(tmp_path, rule, lambda *a: chart(*a, legend="b"), chart) == 0
    assert judge(tmp_path, rule, lambda *a: chart(*a, kind="LineChart"), chart) == 0
    assert judge(tmp_path, rule, None, chart) == 0
    assert judge(tmp_path, {"type": "chart", "chart_props": ["title"]}, lambda *a: chart(*a, legend="b"), chart) == 1
    every = ["type", "title", "legend", "anchor", "width", "height", "direction", "xtitle", "ytitle", "ztitle"]
    assert judge(tmp_path, {"type": "chart", "chart_props": every}, chart, chart) == 1


def bold(workbook: Any, sheet: Any) -> None:
    sheet["A2"].font = openpyxl.styles.Font(bold=True)


def conditional(formula: str) -> Callable[[Any, Any], None]:
    def change(workbook: Any, sheet: Any) -> None:
        red = openpyxl.styles.Font(color="FFFF0000")
        sheet.conditional_formatting.add("B2:B3", openpyxl.formatting.rule.FormulaRule(formula=[formula], font=red))

    return change


def test_styles(tmp_path: Path) -> None:
    rule = {"type": "style", "props": ["font_bold", "font_color"]}
    assert judge(tmp_path, rule, bold, bold) == 1
    assert judge(tmp_path, rule, None, bold) == 0
    assert judge(tmp_path, {"type": "style", "props": ["font_italic"]}, None, bold) == 1
    highest = conditional("$B2=MAX($B$2:$B$3)")
    assert judge(tmp_path, rule, highest, highest) == 1
    assert judge(tmp_path, rule, conditional("B2>2"), highest) == 1
    assert judge(tmp_path, rule, conditional("B2>0"), highest) == 0
    assert judge(tmp_path, rule, None, highest) == 0
    assert judge(tmp_path, rule, conditional("UNKNOWN(B2)"), highest) == 0


def test_other_kinds_of_conditions(tmp_path: Path) -> None:
    rule = {"type": "style", "props": ["font_color"]}
    red = openpyxl.styles.Font(color="FFFF0000")

    def top(workbook: Any, sheet: Any) -> None:
        differential = openpyxl.styles.differential.DifferentialStyle(font=red)
        sheet.conditional_formatting.add("B2:B3", openpyxl.formatting.Rule(type="top10", rank=1, dxf=differential))

    def above(workbook: Any, sheet: Any) -> None:
        cell_is = openpyxl.formatting.rule.CellIsRule(operator="greaterThan", formula=["2"], font=red)
        sheet.conditional_formatting.add("B2:B3", cell_is)

    gold = conditional("$B2=MAX($B$2:$B$3)")
    assert judge(tmp_path, rule, top, gold) == 1
    assert judge(tmp_path, rule, above, gold) == 1


def test_one_cell(tmp_path: Path) -> None:
    def change(workbook: Any, sheet: Any) -> None:
        sheet["A1"].fill = openpyxl.styles.PatternFill("solid", fgColor="FF0000FF")
        sheet["A1"].font = openpyxl.styles.Font(bold=True, color="FFFFFFFF")

    properties = {
        "bgcolor": {"method": "eq", "ref": "FF0000FF"},
        "font_color": {"method": "eq", "ref": "FFFFFFFF"},
        "font_bold": {"method": "eq", "ref": True},
        "value": {"method": "eq", "ref": "name"},
    }
    rule = {"type": "check_cell", "sheet_idx": 0, "coordinate": "A1", "props": properties}
    assert judge(tmp_path, rule, change) == 1
    assert judge(tmp_path, rule, None) == 0
    assert judge(tmp_path, {**rule, "sheet_idx": "RNNone"}, change) == 0


def test_layout(tmp_path: Path) -> None:
    def freeze(workbook: Any, sheet: Any) -> None:
        sheet.freeze_panes = "B2"

    def zoom(workbook: Any, sheet: Any) -> None:
        sheet.sheet_view.zoomScale = 150

    def hide(workbook: Any, sheet: Any) -> None:
        sheet.row_dimensions[2].hidden = True
        sheet.column_dimensions["B"].hidden = True

    def filtered(workbook: Any, sheet: Any) -> None:
        sheet.auto_filter.ref = "A1:B3"
        sheet.auto_filter.add_filter_column(0, ["a"])

    def sparing(workbook: Any, sheet: Any) -> None:
        validation = openpyxl.worksheet.datavalidation.DataValidation(type="list", formula1='"yes,no"')
        validation.add("A2:A3")
        sheet.add_data_validation(validation)

    assert judge(tmp_path, {"type": "freeze"}, freeze, freeze) == 1
    assert judge(tmp_path, {"type": "freeze"}, None, freeze) == 0
    assert judge(tmp_path, {"type": "zoom", "sheet_idx": 0, "method": "ge", "ref": 120}, zoom) == 1
    assert judge(tmp_path, {"type": "zoom", "sheet_idx": 0, "method": "ge", "ref": 120}) == 0
    for kind in ("row_props", "col_props"):
        assert judge(tmp_path, {"type": kind, "props": ["hidden"]}, hide, hide) == 1
        assert judge(tmp_path, {"type": kind, "props": ["hidden"]}, None, hide) == 0
    assert judge(tmp_path, {"type": "filter"}, filtered, filtered) == 1
    assert judge(tmp_path, {"type": "filter"}, None, filtered) == 0
    wanted = [{"ranges": {"method": "spreadsheet_range", "ref": ["A2:A3", "A1:A9"]}, "type": {"method": "eq", "ref": "list"}}]
    assert judge(tmp_path, {"type": "data_validation", "sheet_idx": 0, "dv_props": wanted}, sparing) == 1
    assert judge(tmp_path, {"type": "data_validation", "sheet_idx": 0, "dv_props": wanted}) == 0
    assert judge(tmp_path, {"type": "sheet_name"}) == 1
    assert judge(tmp_path, {"type": "sheet_name"}, lambda workbook, sheet: workbook.create_sheet("x")) == 0


def test_printed_sheets(tmp_path: Path) -> None:
    for name, text in (("mine", "a,b\n1,2 \n\n"), ("gold", "A,b\n1,2\n")):
        (tmp_path / f"{name}-Sheet.csv").write_text(text)
    assert judge(tmp_path, {"type": "sheet_print"}) == 0
    assert judge(tmp_path, {"type": "sheet_print", "ignore_case": True}) == 1


def test_fuzzy_cells(tmp_path: Path) -> None:
    rows = [["12 Main Rd "], ["(+49) 123"]]
    mine, gold = book(tmp_path / "mine.xlsx", rows), book(tmp_path / "gold.xlsx", [["12 main Road"], ["49123"]])
    road = {
        "range": ["A1"],
        "type": "exact_match",
        "ignore_case": True,
        "trim_trailings": " ",
        "normalization": [["Rd", "Road"]],
    }
    phone = {"range": ["A2"], "type": "exact_match", "ignore_chars": "()+ "}
    rule = {"type": "sheet_fuzzy", **BOTH}
    assert compare_table(mine, gold, rules=[{**rule, "rules": [road, phone]}]).score == 1
    assert compare_table(mine, gold, rules=[{**rule, "rules": [{"range": ["A1:A2"], "type": "exact_match"}]}]).score == 0
    assert (
        compare_table(mine, gold, rules=[{**rule, "rules": [{"range": ["A1"], "type": "fuzzy_match", "threshold": 60}]}]).score
        == 1
    )


def test_fuzzy_types() -> None:
    assert matches_fuzzily("one two", "two", {"type": "includes"})
    assert matches_fuzzily("two", "one two", {"type": "included_by"})
    assert matches_fuzzily("kitten", "sitting", {"type": "fuzzy_match", "threshold": 61})  # 2 * 4 / 13
    assert not matches_fuzzily("kitten", "sitting", {"type": "fuzzy_match", "threshold": 62})


@pytest.mark.parametrize(
    ("value", "method", "reference", "expected"),
    [
        (3, "eq", 3, True),
        (3, "lt", 3, False),
        ("Sales 2024", "re", r"\d{4}", True),
        ("SALES", "re.I", "sales", True),
        (None, "re", "x", False),
        (1.05, "approx:0.1", 1, True),
        ("x", "approx:0.1", 1, False),
        (2, "range.te", [0, 2], True),
        (0, "range.te", [0, 2], False),
        ('"a,b"', "str_list_eq", ["a", "b"], True),
        ('"b,a"', "str_list_eq", ["a", "b"], False),
        ('"b,a"', "str_set_eq", ["a", "b"], True),
        ("B2:B4", "spreadsheet_range", ["B2:B3", "A1:C9"], True),
        ("B3:B4", "spreadsheet_range", ["B2:B3", "A1:C9"], False),
    ],
)
def test_methods(value: Any, method: str, reference: Any, expected: bool) -> None:
    assert matches(value, {"method": method, "ref": reference}) is expected


def sparkling(path: Path, source: str) -> Path:
    """A workbook with a sparkline in D2, which openpyxl cannot make."""
    ext = (
        '<extLst><ext xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main" '
        'uri="{05C60535-1F16-4fd2-B633-F4F36F0B64E0}">'
        '<x14:sparklineGroups xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main"><x14:sparklineGroup><x14:sparklines>'
        f"<x14:sparkline><xm:f>{source}</xm:f><xm:sqref>D2</xm:sqref></x14:sparkline>"
        "</x14:sparklines></x14:sparklineGroup></x14:sparklineGroups></ext></extLst></worksheet>"
    )
    plain = book(path.with_suffix(".plain"))
    with ZipFile(plain) as old, ZipFile(path, "w") as new:
        for part in old.infolist():
            text = old.read(part)
            new.writestr(part, text.replace(b"</worksheet>", ext.encode()) if "sheet1.xml" in part.filename else text)
    return path


def test_sparklines(tmp_path: Path) -> None:
    gold, rule = sparkling(tmp_path / "gold.xlsx", "Sheet!B2:B3"), {"type": "sparkline", **BOTH}
    assert compare_table(sparkling(tmp_path / "mine.xlsx", "Sheet!B2:B3"), gold, rules=[rule]).score == 1
    assert compare_table(sparkling(tmp_path / "mine.xlsx", "Sheet!B1:B3"), gold, rules=[rule]).score == 0
    assert compare_table(book(tmp_path / "mine.xlsx"), gold, rules=[rule]).score == 0


def test_rules_that_mean_nothing(tmp_path: Path) -> None:
    mine = book(tmp_path / "mine.xlsx")
    for rule in ({"type": "colour"}, {"type": "sheet_data"}, {"type": "chart", "chart_props": ["x"], **BOTH}):
        with pytest.raises(Unscorable):
            compare_table(mine, mine, rules=[rule])
    with pytest.raises(Unscorable, match="there is none"):
        compare_table(mine, None, rules=[{"type": "sheet_data", **BOTH}])


def test_books_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gold = book(tmp_path / "gold.xlsx")
    (tmp_path / "mine.xlsx").write_text("no archive")
    with pytest.raises(Unreadable, match=r"mine.xlsx: is not a readable archive"):
        compare_table(tmp_path / "mine.xlsx", gold, rules=[{"type": "sheet_data", **BOTH}])
    far = book(tmp_path / "far.xlsx", change=lambda workbook, sheet: sheet.cell(1_000_000, 16_000, "far"))
    monkeypatch.setattr(books, "MOST_CELLS", 1_000)
    with pytest.raises(Unreadable, match="spans more than 1,000 cells"):
        compare_table(far, gold, rules=[{"type": "sheet_data", **BOTH}])
