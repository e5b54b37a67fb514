"""What else a sheet can be asked about: rows, columns, filters, validation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from .matching import matches


def dimensions(sheet: Any, kind: Literal["row", "column"], properties: Sequence[str]) -> dict[Any, dict[str, Any]]:
    """The wanted properties (hidden, collapsed, height or width, …) of the rows or columns that have any."""
    if sheet is None:
        return {}
    holder: Any = getattr(sheet, f"{kind}_dimensions")
    return {key: {name: getattr(item, name, None) for name in properties} for key, item in holder.items()}


def filters(sheet: Any) -> dict[str, Any]:
    """The automatic filter: its range, its conditions by column, its sorting."""
    if sheet is None:
        return {}
    found = sheet.auto_filter
    return {
        "range": found.ref,
        "columns": sorted((_filter_column(column) for column in found.filterColumn), key=lambda column: column["column"]),
        "sorting": _sorting(found.sortState),
    }


def validated(sheet: Any, wanted: Sequence[dict[str, dict[str, Any]]]) -> bool:
    """Every validation of the sheet is one of the wanted ones, and there are at least as many."""
    found = sheet.data_validations.dataValidation
    return len(found) >= len(wanted) and all(
        any(all(matches(_attribute(rule, name), test) for name, test in tests.items()) for tests in wanted) for rule in found
    )


def _attribute(rule: Any, name: str) -> Any:
    return str(rule.sqref) if name == "ranges" else getattr(rule, name, None)


def _filter_column(column: Any) -> dict[str, Any]:
    said: dict[str, Any] = {"column": column.colId, "hidden": column.hiddenButton, "shown": column.showButton}
    if column.filters is not None:
        said |= {"blank": column.filters.blank, "values": set(column.filters.filter)}
    if column.customFilters is not None:
        tests = {(test.operator, test.val) for test in column.customFilters.customFilter}
        said |= {"all": column.customFilters._and, "tests": tests}
    return said


def _sorting(state: Any) -> Any:
    if state is None:
        return None
    conditions = [
        (test.descending, test.sortBy, test.ref, test.customList, test.dxfId, test.iconSet, test.iconId)
        for test in state.sortCondition
    ]
    return state.columnSort, state.caseSensitive, state.sortMethod, state.ref, conditions
