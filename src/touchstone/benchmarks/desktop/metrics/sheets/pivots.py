"""Pivot tables of a sheet, by the range that they summarise.

One agent may mark a wider source range than another and use the same columns of it. So unused columns at both edges of the
source are cut off, and fields are counted from the first used one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .....failures import Unscorable
from ...extras import need

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
    found: list[Any] = [] if sheet is None else sheet._pivots
    return dict(_described(pivot, set(properties)) for pivot in found)


def _described(pivot: Any, wanted: set[str]) -> tuple[str, dict[str, Any]]:
    items = [[(item.h, item.x) for item in field.items if item.x is not None] for field in pivot.pivotFields]
    used = [position for position, field in enumerate(items) if field]
    first, last = (used[0], used[-1]) if used else (len(items), len(items) - 1)
    source = _source(pivot, first, len(items) - 1 - last)
    said = {name: getattr(pivot, attribute) for name, attribute in _PLAIN.items() if name in wanted}
    if "location" in wanted:
        said["location"] = pivot.location.ref
    if wanted & {"filter", "selection"}:
        kept = items[first : last + 1]
        said["selection"] = kept if "ordered" in wanted else [set(field) for field in kept]
    if "filter" in wanted:
        said["filter_fields"] = {field.fld - first for field in pivot.pageFields}
    if "col_fields" in wanted:
        said["col_fields"] = [_shifted(field.x, first) for field in pivot.colFields]
    if "row_fields" in wanted:
        said["row_fields"] = [_shifted(field.x, first) for field in pivot.rowFields]
    if "data_fields" in wanted:
        named = "data_fields_name" in wanted
        said["data_fields"] = [
            (field.fld - first, field.name if named else "", field.subtotal, field.showDataAs) for field in pivot.dataFields
        ]
    return source, said


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
