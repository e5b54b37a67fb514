"""A workbook opened for comparison, and the way rules point at its sheets.

A selector is a position (in the result), `RI<n>` or `RN<name>` for the result, `EI<n>` or `EN<name>` for the expected book.
A sheet that is not there is None: wrong for the agent's book, unscorable for ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter
from zipfile import ZipFile

from .....errors import Unscorable
from ...extras import need
from ...untrusted import Unreadable, archive, refuse_hostile_workbook

# Charts of a sheet, by the cells that they draw. Sparklines too.


_SPREADSHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_SPARKLINE = "{http://schemas.microsoft.com/office/spreadsheetml/2009/9/main}sparkline"
_FORMULA = "{http://schemas.microsoft.com/office/excel/2006/main}f"
_PLACE = "{http://schemas.microsoft.com/office/excel/2006/main}sqref"


def charts(sheet: Any, properties: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The wanted properties of each chart, by "values,categories" of its series."""
    for name in properties:
        if name not in _READERS:
            raise Unscorable(f"compare_table: unknown chart property {name!r}; expected one of {', '.join(_READERS)}")
    charts: list[Any] = [] if sheet is None else sheet._charts
    return {
        ";".join(_series(series) for series in chart.series): {name: _READERS[name](chart) for name in properties}
        for chart in charts
    }


def sparklines(path: Path, title: str) -> dict[str, str]:
    """The source of each sparkline, by the cell it is in."""
    parse: Callable[[bytes], Any] = need("openpyxl.xml.functions").fromstring
    with archive(path) as opened:
        root = parse(opened.read(_part_of(opened, title, parse)))
        return {line.findtext(_PLACE, ""): line.findtext(_FORMULA, "") for line in root.iter(_SPARKLINE)}


def _part_of(opened: ZipFile, title: str, parse: Callable[[bytes], Any]) -> str:
    """Which part of the archive holds a sheet."""
    sheets = parse(opened.read("xl/workbook.xml")).iter(f"{_SPREADSHEET}sheet")
    relation = next(sheet.get(_RELATION) for sheet in sheets if sheet.get("name") == title)
    links = parse(opened.read("xl/_rels/workbook.xml.rels"))
    target = next(link.get("Target") for link in links if link.get("Id") == relation)
    return target.lstrip("/") if target.startswith("/") else f"xl/{target}"


def _series(series: Any) -> str:
    return f"{_reference(getattr(series, 'val', None))},{_reference(getattr(series, 'cat', None))}"


def _reference(source: Any) -> str:
    for kind in ("numRef", "strRef"):
        if formula := getattr(getattr(source, kind, None), "f", None):
            return str(formula)
    return ""


def _title(owner: Any) -> str | None:
    """The first run of its first paragraph, as the original reads it."""
    try:
        return owner.title.tx.rich.p[0].r[0].t
    except (AttributeError, IndexError, TypeError):
        return None


def _anchor(chart: Any) -> list[Any]:
    anchor = chart.anchor
    end = getattr(anchor, "to", None)
    start = getattr(anchor, "_from", None)
    return [
        getattr(anchor, "editAs", None),
        *(getattr(marker, axis, None) for marker in (start, end) for axis in ("col", "row")),
    ]


_READERS: dict[str, Callable[[Any], Any]] = {
    "type": lambda chart: chart.tagname,
    "title": _title,
    "legend": lambda chart: chart.legend.position if chart.legend is not None else None,
    "anchor": _anchor,
    "width": lambda chart: chart.width,
    "height": lambda chart: chart.height,
    "direction": lambda chart: getattr(chart, "barDir", None),
    "xtitle": lambda chart: _title(getattr(chart, "x_axis", None)),
    "ytitle": lambda chart: _title(getattr(chart, "y_axis", None)),
    "ztitle": lambda chart: _title(getattr(chart, "z_axis", None)),
}


MOST_CELLS = 4_000_000
"""Of the area from A1 to the last used cell: two far cells must not cost a machine's memory."""


class Book:
    def __init__(self, path: Path) -> None:
        self.path = path
        refuse_hostile_workbook(path)

    @cached_property
    def formulas(self) -> Any:
        """With formulas, styles, charts and pivot tables."""
        return self._load(data_only=False)

    @cached_property
    def values(self) -> Any:
        """With the values that the formulas had when it was saved."""
        return self._load(data_only=True)

    @property
    def names(self) -> list[str]:
        """From whichever form is loaded already: loading takes most of the time of a comparison."""
        opened = self.formulas if "formulas" in self.__dict__ else self.values
        return [sheet.title for sheet in opened.worksheets]

    def _load(self, *, data_only: bool) -> Any:
        openpyxl = need("openpyxl")
        try:
            with catch_warnings():
                simplefilter("ignore")  # about extensions that it does not keep, which is no matter here
                book = openpyxl.load_workbook(self.path, data_only=data_only)
        except Exception as error:  # a broken workbook makes openpyxl raise anything
            raise Unreadable(self.path, f"is not a readable workbook: {type(error).__name__}: {error}") from None
        for sheet in book.worksheets:
            if sheet.max_row * sheet.max_column > MOST_CELLS:
                raise Unreadable(self.path, f"sheet {sheet.title} spans more than {MOST_CELLS:,} cells")
        return book


class WorkbookPair:
    """The agent's book and ours."""

    def __init__(self, result: Path, expected: Path | None) -> None:
        self.result = Book(result)
        self._expected = None if expected is None else Book(expected)

    @property
    def expected(self) -> Book:
        if self._expected is None:
            raise Unscorable("compare_table: a rule points at the expected workbook, and there is none")
        return self._expected

    def sheet(self, selector: int | str, *, values: bool = False) -> Any | None:
        """The worksheet of a selector, or None if the agent's book has no such sheet."""
        book = self._book(selector)
        opened = book.values if values else book.formulas
        name = self._name(book, selector)
        if name is not None and name in book.names:
            return opened[name]
        if book is not self.result:
            raise Unscorable(f"{book.path.name}: the expected workbook has no sheet {selector!r}")
        return None

    def printed(self, selector: int | str) -> Path:
        """Where the application would have printed a sheet: <book>-<sheet>.csv beside the book."""
        book = self._book(selector)
        return book.path.with_name(f"{book.path.stem}-{self._name(book, selector)}.csv")

    def sparklines(self, selector: int | str) -> dict[str, str] | None:
        """The source of each sparkline of a sheet, by its cell; None if the agent's book has no such sheet."""
        sheet = self.sheet(selector)
        return None if sheet is None else sparklines(self._book(selector).path, sheet.title)

    def _book(self, selector: int | str) -> Book:
        return self.expected if isinstance(selector, str) and selector.startswith("E") else self.result

    def _name(self, book: Book, selector: int | str) -> str | None:
        text = f"RI{selector}" if isinstance(selector, int) else selector
        side, rest = text[:2], text[2:]
        if side in ("RN", "EN"):
            return rest
        if side not in ("RI", "EI") or not rest.isdigit():
            raise Unscorable(f"compare_table: {selector!r} does not select a sheet; expected a number, RI, RN, EI or EN")
        return book.names[int(rest)] if int(rest) < len(book.names) else None


# Pivot tables of a sheet, by the range that they summarise.
#
# One agent may mark a wider source range than another and use the same columns of it. So unused columns at both edges of the
# source are cut off, and fields are counted from the first used one.


PROPERTIES = (
    "name show_total show_empty_row show_empty_col show_headers location filter selection ordered "
    "col_fields row_fields data_fields data_fields_name"
).split()
_PLAIN = {
    "name": "name",
    "show_total": "visualTotals",
    "show_empty_row": "showEmptyRow",
    "show_empty_col": "showEmptyCol",
    "show_headers": "showHeaders",
}


def pivots(sheet: Any, properties: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The wanted properties of each pivot table, by its source."""
    for name in properties:
        if name not in PROPERTIES:
            raise Unscorable(f"compare_table: unknown pivot property {name!r}; expected one of {', '.join(PROPERTIES)}")
    pivots: list[Any] = [] if sheet is None else sheet._pivots
    return dict(_described(pivot, set(properties)) for pivot in pivots)


def _described(pivot: Any, wanted: set[str]) -> tuple[str, dict[str, Any]]:
    items = [[(item.h, item.x) for item in field.items if item.x is not None] for field in pivot.pivotFields]
    used = [position for position, field in enumerate(items) if field]
    first, last = (used[0], used[-1]) if used else (len(items), len(items) - 1)
    source = _source(pivot, first, len(items) - 1 - last)
    properties = {name: getattr(pivot, attribute) for name, attribute in _PLAIN.items() if name in wanted}
    if "location" in wanted:
        properties["location"] = pivot.location.ref
    if wanted & {"filter", "selection"}:
        kept = items[first : last + 1]
        properties["selection"] = kept if "ordered" in wanted else [set(field) for field in kept]
    if "filter" in wanted:
        properties["filter_fields"] = {field.fld - first for field in pivot.pageFields}
    if "col_fields" in wanted:
        properties["col_fields"] = [_shifted(field.x, first) for field in pivot.colFields]
    if "row_fields" in wanted:
        properties["row_fields"] = [_shifted(field.x, first) for field in pivot.rowFields]
    if "data_fields" in wanted:
        named = "data_fields_name" in wanted
        properties["data_fields"] = [
            (field.fld - first, field.name if named else "", field.subtotal, field.showDataAs) for field in pivot.dataFields
        ]
    return source, properties


def _shifted(position: int, first: int) -> int:
    """-2 stands for the data fields, which have no column in the source."""
    return position if position < 0 else position - first


def _source(pivot: Any, left: int, right: int) -> str:
    source = pivot.cache.cacheSource
    worksheet = source.worksheetSource
    if worksheet is None or not worksheet.ref:
        return f"{source.type};{getattr(worksheet, 'name', None)}"
    bounds = need("openpyxl.utils").range_boundaries(worksheet.ref)
    first_column, first_row, last_column, last_row = bounds
    return f"{source.type};{first_row},{first_column + left}:{last_row},{last_column - right};{worksheet.sheet}"
