"""Metrics on Jupyter notebooks (format 4). A text that the file keeps as a list of lines counts as their sum."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..registry import metric
from ..untrusted import MetricResult, Unreadable, read_json, shown, verdict

Cell = dict[str, Any]
_INSTALLING = ("Requirement already satisfied:", "Successfully installed")


@metric()
def compare_notebook_outputs(result: Path, expected: Path) -> MetricResult:
    """Equal outputs of code cells: what was printed, and the plain text of what was shown."""

    def difference(result_cell: Cell, expected_cell: Cell) -> str | None:
        if result_cell["cell_type"] != "code":
            return None
        mine, gold = _outputs(result_cell, skip_installing=True), _outputs(expected_cell, skip_installing=False)
        if len(mine) != len(gold):
            return f"expected {len(gold)} outputs, found {len(mine)}"
        unequal = next((pair for pair in zip(mine, gold, strict=True) if pair[0] != pair[1]), None)
        return f"expected {shown(unequal[1])}, found {shown(unequal[0])}" if unequal else None

    return _cell_by_cell(result, expected, difference)


@metric()
def compare_notebook_cells(result: Path, expected: Path) -> MetricResult:
    """Equal sources."""

    def difference(result_cell: Cell, expected_cell: Cell) -> str | None:
        mine, gold = _text(result_cell.get("source")), _text(expected_cell.get("source"))
        return None if mine == gold else f"expected {shown(gold)}, found {shown(mine)}"

    return _cell_by_cell(result, expected, difference)


@metric()
def compare_ipynb_files(result: Path, expected: Path) -> MetricResult:
    """The whole file as JSON, keys in order, except `metadata`. (The original stops at the end of the shorter file.)"""
    result_notebook, expected_notebook = _document(result), _document(expected)
    if list(result_notebook) != list(expected_notebook):
        return MetricResult(0.0, f"expected the keys {shown(list(expected_notebook))}, found {shown(list(result_notebook))}")
    unequal = [key for key in expected_notebook if key != "metadata" and result_notebook[key] != expected_notebook[key]]
    return verdict(not unequal, f"the value of {shown(unequal[:1])} differs")


@metric()
def is_jupyter_cell_executed(
    result: Path, expected: dict[str, list[int]], version: int = 4, cell_type: str = "code"
) -> MetricResult:
    """The positions of the cells that were not run are those expected."""
    return _positions(result, expected, cell_type, executed=False)


@metric()
def are_jupyter_outputs_cleared(
    result: Path, expected: dict[str, list[int]], version: int = 4, cell_type: str = "code"
) -> MetricResult:
    """The positions of the cells that still have a run count are those expected."""
    return _positions(result, expected, cell_type, executed=True)


def _positions(result: Path, expected: dict[str, list[int]], cell_type: str, *, executed: bool) -> MetricResult:
    numbers = [
        position
        for position, cell in enumerate(_cells(result))
        if cell["cell_type"] == cell_type and bool(cell.get("execution_count")) is executed
    ]
    state = "run" if executed else "not run"
    return verdict(numbers == expected["expected"], f"cells {numbers} are {state}; expected {expected['expected']}")


def _cell_by_cell(result: Path, expected: Path, difference: Callable[[Cell, Cell], str | None]) -> MetricResult:
    result_cells, expected_cells = _cells(result), _cells(expected)
    if len(result_cells) != len(expected_cells):
        return MetricResult(0.0, f"expected {len(expected_cells)} cells, found {len(result_cells)}")
    for position, (mine, gold) in enumerate(zip(result_cells, expected_cells, strict=True)):
        if mine["cell_type"] != gold["cell_type"]:
            return MetricResult(0.0, f"cell {position}: expected {gold['cell_type']}, found {mine['cell_type']}")
        if unlike := difference(mine, gold):
            return MetricResult(0.0, f"cell {position}: {unlike}")
    return MetricResult(1.0, f"{len(expected_cells)} equal cells")


def _outputs(cell: Cell, *, skip_installing: bool) -> list[Any]:
    """Printed texts and plain forms; pip's chatter in the agent's notebook does not count."""
    kept: list[Any] = []
    for output in cell.get("outputs", []):
        if output.get("name") == "stdout":
            text = _text(output.get("text"))
            if not (skip_installing and any(phrase in text for phrase in _INSTALLING)):
                kept.append({"stream": text})
        elif "text/plain" in output.get("data", {}):
            kept.append({"shown": _text(output["data"]["text/plain"])})
    return kept


def _document(path: Path) -> dict[str, Any]:
    document = read_json(path)
    if not isinstance(document, dict):
        raise Unreadable(path, "is not a notebook: expected a JSON object")
    return document  # pyright: ignore[reportUnknownVariableType]


def _cells(path: Path) -> list[Cell]:
    document = _document(path)
    cells: Any = document.get("cells")
    if document.get("nbformat") != 4 or not isinstance(cells, list):
        raise Unreadable(path, "is not a notebook of format 4")
    if not all(isinstance(cell, dict) and isinstance(cell.get("cell_type"), str) for cell in cells):  # pyright: ignore
        raise Unreadable(path, "has a cell without a type")
    return cells  # pyright: ignore[reportUnknownVariableType]


def _text(value: Any) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else str(value or "")  # pyright: ignore
