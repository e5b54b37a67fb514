"""The first table of an OpenDocument spreadsheet: a ZIP file with its cells in content.xml.

Repeated rows and cells are written once with a count; a sheet's empty rest is such a repetition, of a million rows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from zipfile import BadZipFile, ZipFile

from ...errors import InputError

_OFFICE, _TABLE, _TEXT = (f"{{urn:oasis:names:tc:opendocument:xmlns:{name}:1.0}}" for name in ("office", "table", "text"))
_LARGEST = 256 * 2**20
_MOST = {"rows": 1_048_576, "columns": 16_384}
"""Of a sheet, as spreadsheet programs have it."""
_MARKS = {f"{_TEXT}tab": "\t", f"{_TEXT}line-break": "\n"}


def first_table(path: Path) -> list[list[Any]]:
    """Rows of numbers, booleans and texts; None for an empty cell."""
    try:
        with ZipFile(path) as archive:
            if archive.getinfo("content.xml").file_size > _LARGEST:
                raise InputError(f"{path}: the spreadsheet is larger than {_LARGEST // 2**20} MB")
            table = ElementTree.fromstring(archive.read("content.xml")).find(f".//{_TABLE}table")
        return [] if table is None else _rows(table)
    except (BadZipFile, OSError, KeyError, ValueError, ElementTree.ParseError, RuntimeError) as error:
        raise InputError(f"{path}: not a spreadsheet: {error}") from None


def _rows(table: ElementTree.Element) -> list[list[Any]]:
    rows: list[list[Any]] = []
    for row in table.iter(f"{_TABLE}table-row"):
        cells = _cells(row)
        rows += [cells] * (_count(row, "rows") if cells else 1)
        if len(rows) > _MOST["rows"]:
            raise ValueError(f"more than {_MOST['rows']:,} rows")
    return rows


def _cells(row: ElementTree.Element) -> list[Any]:
    cells: list[Any] = []
    for cell in row:
        if cell.tag in (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
            cells += [_value(cell)] * _count(cell, "columns")
    while cells and cells[-1] is None:
        cells.pop()
    return cells


def _count(element: ElementTree.Element, what: str) -> int:
    return min(int(element.get(f"{_TABLE}number-{what}-repeated", "1")), _MOST[what])


def _value(cell: ElementTree.Element) -> Any:
    match cell.get(f"{_OFFICE}value-type"):
        case "float" | "percentage" | "currency":
            number = float(cell.get(f"{_OFFICE}value", "nan"))
            return int(number) if number.is_integer() else number
        case "boolean":
            return cell.get(f"{_OFFICE}boolean-value") == "true"
        case "date":
            return cell.get(f"{_OFFICE}date-value")
        case _:
            text = "\n".join(_text(paragraph) for paragraph in cell.findall(f"{_TEXT}p"))
            return text or None


def _text(element: ElementTree.Element) -> str:
    """With what is marked up within it; several blanks are an element with their number."""
    parts = [element.text or ""]
    for child in element:
        blanks = " " * min(int(child.get(f"{_TEXT}c", "1")), _MOST["columns"]) if child.tag == f"{_TEXT}s" else None
        parts += [blanks if blanks is not None else _MARKS.get(child.tag) or _text(child), child.tail or ""]
    return "".join(parts)
