"""Zip archives and the workbooks made of them: the same bytes every time, so stored without compression and without a date."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from xml.sax.saxutils import escape
from zipfile import ZIP_STORED, ZipFile, ZipInfo

Cell = str | int | float | None

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_KINDS = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def archive(files: dict[str, str]) -> bytes:
    target = BytesIO()
    with ZipFile(target, "w", ZIP_STORED) as opened:
        for name, content in files.items():
            entry = ZipInfo(name)
            entry.external_attr = 0o644 << 16
            opened.writestr(entry, content.encode())
    return target.getvalue()


def workbook(rows: Sequence[Sequence[Cell]], name: str = "Sheet1") -> bytes:
    """One sheet. The first row is a heading in bold."""
    return archive(
        {
            "[Content_Types].xml": f'{_HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{_KINDS}.sheet.main+xml"/>'
            f'<Override PartName="/xl/styles.xml" ContentType="{_KINDS}.styles+xml"/>'
            f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_KINDS}.worksheet+xml"/></Types>',
            "_rels/.rels": _relations(("officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": f'{_HEAD}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">'
            f'<sheets><sheet name="{name}" sheetId="1" r:id="rId1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": _relations(("worksheet", "worksheets/sheet1.xml"), ("styles", "styles.xml")),
            "xl/styles.xml": _styles(),
            "xl/worksheets/sheet1.xml": _sheet(rows),
        }
    )


def _relations(*targets: tuple[str, str]) -> str:
    parts = "".join(
        f'<Relationship Id="rId{number}" Type="{_OFFICE}/{kind}" Target="{path}"/>'
        for number, (kind, path) in enumerate(targets, 1)
    )
    return f'{_HEAD}<Relationships xmlns="{_RELATIONS}">{parts}</Relationships>'


def _styles() -> str:
    font = '<sz val="11"/><name val="Liberation Sans"/>'
    return (
        f'{_HEAD}<styleSheet xmlns="{_MAIN}"><fonts count="2"><font>{font}</font><font><b/>{font}</font></fonts>'
        '<fills count="2"><fill><patternFill patternType="none"/></fill>'
        '<fill><patternFill patternType="gray125"/></fill></fills>'
        '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
        '<cellXfs count="2"><xf fontId="0" xfId="0"/><xf fontId="1" xfId="0" applyFont="1"/></cellXfs></styleSheet>'
    )


def _sheet(rows: Sequence[Sequence[Cell]]) -> str:
    lines = "".join(
        f'<row r="{number}">{"".join(_cell(value, column, number) for column, value in enumerate(row))}</row>'
        for number, row in enumerate(rows, 1)
    )
    columns = f'<cols><col min="1" max="{len(rows[0])}" width="16" customWidth="1"/></cols>'
    return f'{_HEAD}<worksheet xmlns="{_MAIN}">{columns}<sheetData>{lines}</sheetData></worksheet>'


def _cell(value: Cell, column: int, row: int) -> str:
    where = f'r="{chr(ord("A") + column)}{row}"' + (' s="1"' if row == 1 else "")
    if value is None:
        return ""
    if isinstance(value, str):
        return f'<c {where} t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f"<c {where}><v>{value}</v></c>"
