"""Styles of cells, with the conditional formats that are active on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .....errors import Unscorable
from ...extras import need
from .cells import stored
from .formulas import NotUnderstood, holds, number

MOST_LOOKUPS = 20_000_000
_OPERATORS = {
    **{"equal": "=", "notEqual": "<>", "lessThan": "<"},
    **{"lessThanOrEqual": "<=", "greaterThan": ">", "greaterThanOrEqual": ">="},
}


def styles(sheet: Any, values: Any, properties: Sequence[str]) -> dict[str, list[Any]]:
    """The wanted properties of every cell of the used area. `values` is the same sheet with computed values."""
    for name in properties:
        if name not in READERS:
            raise Unscorable(f"compare_table: unknown style {name!r}; expected one of {', '.join(READERS)}")
    if sheet is None:
        return {}
    styles = {cell.coordinate: [READERS[name](cell, None) for name in properties] for row in sheet.iter_rows() for cell in row}
    for cell, format in _active(sheet, values):
        styles[cell.coordinate] = [READERS[name](cell, format) for name in properties]
    return styles


def _active(sheet: Any, values: Any) -> Iterator[tuple[Any, Any]]:
    """Cells with the format of a condition that holds for them, in the order of the rules."""
    lookup = _Lookup(values)
    for group in sheet.conditional_formatting:
        for rule in group.rules:
            test = _test(rule, group, values, lookup)
            for block in group.cells:
                for row, column in _within(block, sheet):
                    if values.cell(row, column).value is not None and test(row, column):
                        yield sheet.cell(row, column), rule.dxf


def _within(block: Any, sheet: Any) -> Iterator[tuple[int, int]]:
    """Only the used part: a condition on whole columns must not cost a million cells."""
    for row in range(block.min_row, min(block.max_row, sheet.max_row) + 1):
        for column in range(block.min_col, min(block.max_col, sheet.max_column) + 1):
            yield row, column


def _test(rule: Any, group: Any, values: Any, lookup: _Lookup) -> Callable[[int, int], bool]:
    """Formulas are relative to the first cell of the first range."""
    origin = next(iter(group.cells))
    if rule.type == "top10":
        return _top(rule, group, values)
    if rule.type == "expression":
        return lambda row, column: _holds(rule.formula[0], origin, row, column, lookup)
    if rule.type == "cellIs" and rule.operator in _OPERATORS:
        letter = need("openpyxl.utils").get_column_letter
        condition = f"{letter(origin.min_col)}{origin.min_row}{_OPERATORS[rule.operator]}({rule.formula[0]})"
        return lambda row, column: _holds(condition, origin, row, column, lookup)
    raise NotUnderstood(f"conditional format of type {rule.type}")


def _holds(formula: str, origin: Any, row: int, column: int, lookup: _Lookup) -> bool:
    letter = need("openpyxl.utils").get_column_letter
    translator = need("openpyxl.formula.translate").Translator(
        f"={formula}", origin=f"{letter(origin.min_col)}{origin.min_row}"
    )
    return holds(translator.translate_formula(f"{letter(column)}{row}"), lookup)


class _Lookup:
    """Values by reference. What one sheet's conditions look at is limited, or many cells times long ranges would never end."""

    def __init__(self, values: Any) -> None:
        self._values = values
        self._known: dict[str, list[Any]] = {}
        self._seen = 0

    def __call__(self, reference: str) -> list[Any]:
        if reference not in self._known:
            self._known[reference] = _looked_up(self._values, reference)
        self._seen += len(self._known[reference])
        if self._seen > MOST_LOOKUPS:
            raise NotUnderstood("a conditional format over so many cells")
        return self._known[reference]


def _looked_up(values: Any, reference: str) -> list[Any]:
    if "!" in reference:
        raise NotUnderstood(reference)
    bounds = need("openpyxl.utils").range_boundaries(reference.replace("$", ""))
    left, top, right, bottom = (bounds[0] or 1, bounds[1] or 1, bounds[2] or values.max_column, bounds[3] or values.max_row)
    bottom, right = min(bottom, max(values.max_row, top)), min(right, max(values.max_column, left))
    rows = values.iter_rows(top, bottom, left, right, values_only=True)
    return [item if isinstance(item, bool) else stored(item) for row in rows for item in row]


def _top(rule: Any, group: Any, values: Any) -> Callable[[int, int], bool]:
    """The highest or lowest so many, or so many per cent."""
    cells = [values.cell(*position).value for block in group.cells for position in _within(block, values)]
    numbers = sorted((float(x) for x in cells if isinstance(x, int | float)), reverse=not rule.bottom)
    count = int(len(numbers) * rule.rank / 100) if rule.percent else int(rule.rank)
    chosen = set(numbers[: max(count, 1)])
    return lambda row, column: number(values.cell(row, column).value) in chosen


def _font(attribute: str) -> Callable[[Any, Any], Any]:
    def read(cell: Any, format: Any) -> Any:
        if cell.value is None:
            return None
        own = getattr(cell.font, attribute)
        over = getattr(format.font, attribute, None) if format is not None else None
        return _colour(over) or _colour(own) if attribute == "color" else own if over is None else over

    return read


def _colour(colour: Any) -> Any:
    """Its ARGB, or what else it is defined by: a theme's colour or an index."""
    if colour is None:
        return None
    return colour.rgb if colour.type == "rgb" else (colour.type, getattr(colour, colour.type), colour.tint)


def _background(cell: Any, format: Any) -> Any:
    """In a conditional format the colour of a solid fill is the background; in a cell, the foreground."""
    over = _colour(getattr(format.fill, "bgColor", None)) if format is not None and format.fill is not None else None
    return over or _colour(getattr(cell.fill, "fgColor", None))


def _number_format(cell: Any, format: Any) -> Any:
    if cell.value is None or cell.data_type != "n":
        return None
    over = getattr(format, "numFmt", None)
    return over.formatCode if over is not None else cell.number_format


READERS: dict[str, Callable[[Any, Any], Any]] = {
    "number_format": _number_format,
    "font_name": _font("name"),
    "font_family": _font("family"),
    "font_color": _font("color"),
    "font_bold": _font("bold"),
    "font_italic": _font("italic"),
    "font_underline": _font("underline"),
    "font_size": _font("size"),
    "fill_type": lambda cell, format: getattr((format.fill if format else None) or cell.fill, "tagname", None),
    "bgcolor": _background,
    "fgcolor": _background,
    "hyperlink": lambda cell, format: None if cell.value is None else cell.hyperlink.target if cell.hyperlink else "",
    "merge": lambda cell, format: type(cell).__name__ == "MergedCell",
}
