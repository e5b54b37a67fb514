"""Charts of a sheet, by the cells that they draw. Sparklines too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from .....failures import Unscorable
from ...extras import need
from ...untrusted import archive

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
    found: list[Any] = [] if sheet is None else sheet._charts
    return {
        ";".join(_series(series) for series in chart.series): {name: _READERS[name](chart) for name in properties}
        for chart in found
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
    return [getattr(anchor, "editAs", None), *(getattr(place, axis, None) for place in (start, end) for axis in ("col", "row"))]


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
