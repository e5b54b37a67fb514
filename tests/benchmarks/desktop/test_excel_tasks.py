"""The Excel tasks whose workbooks are at hand: gold is right, the input is wrong, and so is gold with one thing changed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from touchstone.benchmarks.desktop.evaluate import evaluate
from touchstone.benchmarks.desktop.metrics.sheets.books import PROPERTIES, pivots
from touchstone.benchmarks.desktop.tasks import Dataset, DesktopTask, checks
from touchstone.types import Outcome

from .support import make_scene

openpyxl: Any = pytest.importorskip("openpyxl")


def excel_tasks(tasks: list[DesktopTask], dataset: Dataset) -> list[DesktopTask]:
    golds = {
        task.key: dataset.resolve(checks(task.form.evaluator)[0].expected["path"]) for task in tasks if task.domain == "excel"
    }
    return [task for task in tasks if task.key in golds and golds[task.key].is_file()]


async def judged(task: DesktopTask, dataset: Dataset, workbook: Path, directory: Path) -> Any:
    """As `touchstone desktop evaluate` does it: the workbook lies where the guest has it."""
    place = directory / "result" / checks(task.form.evaluator)[0].result["path"].lstrip("/")
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(workbook, place)
    return await evaluate(task, make_scene(dataset, directory, given=directory / "result"))


async def test_gold_passes_and_the_input_does_not(
    published: Dataset, published_tasks: list[DesktopTask], tmp_path: Path
) -> None:
    tasks = excel_tasks(published_tasks, published)
    assert len(tasks) == 32
    wrong: list[str] = []
    seen: set[Any] = set()
    for task in tasks:
        (check,) = checks(task.form.evaluator)
        gold, start = published.resolve(check.expected["path"]), published.resolve(task.form.config[0].parameters["src"])
        same = (gold.read_bytes(), start.read_bytes(), repr(check.options), check.result["path"])
        if same in seen:
            continue  # the other form of a task that is judged already
        seen.add(same)
        right = await judged(task, published, gold, tmp_path / task.key)
        untouched = await judged(task, published, start, tmp_path / task.key)
        if (right.outcome, right.score, untouched.outcome, untouched.score) != (Outcome.passed, 1.0, Outcome.failed, 0.0):
            wrong.append(f"{task.key}: {right.reason}; {untouched.reason}")
    assert wrong == []
    assert len(seen) == 16


def test_every_property_of_a_pivot_table_is_read(published: Dataset, published_tasks: list[DesktopTask]) -> None:
    (task,) = [task for task in excel_tasks(published_tasks, published) if task.key.startswith("1954cced")]
    gold = openpyxl.load_workbook(published.resolve(checks(task.form.evaluator)[0].expected["path"]))
    ((source, said),) = pivots(gold["Sheet2"], PROPERTIES).items()
    assert source == "worksheet;1,1:19,1;Sheet1"
    assert (said["location"], said["row_fields"], said["col_fields"], said["filter_fields"]) == ("A1:B8", [0], [], set())
    assert [len(field) for field in said["selection"]] == [6]


def first_chart(book: Any) -> Any:
    return next(chart for sheet in book.worksheets for chart in sheet._charts)


def remove_charts(book: Any) -> None:
    for sheet in book.worksheets:
        sheet._charts.clear()


def remove_pivots(book: Any) -> None:
    for sheet in book.worksheets:
        sheet._pivots.clear()


def retitle(book: Any) -> None:
    first_chart(book).title = "Another title"


def redraw(book: Any) -> None:
    first_chart(book).series[0].val.numRef.f = "Sheet1!$Z$2:$Z$11"


def other_data_field(book: Any) -> None:
    pivot = next(pivot for sheet in book.worksheets for pivot in sheet._pivots)
    pivot.dataFields[0].subtotal = "average"


def change_number(book: Any) -> None:
    sheet = book.worksheets[0]
    cell = next(cell for row in sheet.iter_rows(2) for cell in row if isinstance(cell.value, int | float))
    cell.value += 0.001


def embolden(book: Any) -> None:
    book.worksheets[0]["C3"].font = openpyxl.styles.Font(bold=True, color="FF123456")


def forget_conditions(book: Any) -> None:
    sheet = book.worksheets[0]
    sheet.conditional_formatting = type(sheet.conditional_formatting)()


@pytest.mark.parametrize(
    ("task", "change", "said"),
    [
        ("12382c62", remove_charts, "chart"),
        ("12382c62", retitle, "chart"),
        ("12382c62", redraw, "chart"),
        ("1954cced", remove_pivots, "pivot_table"),
        ("1954cced", other_data_field, "pivot_table"),
        ("1e8df695", change_number, "sheet_data"),
        ("091e73b3", embolden, "style"),
        ("091e73b3", forget_conditions, "style"),
    ],
)
async def test_gold_with_one_thing_changed_fails_there(
    published: Dataset,
    published_tasks: list[DesktopTask],
    tmp_path: Path,
    task: str,
    change: Callable[[Any], None],
    said: str,
) -> None:
    (found,) = [one for one in excel_tasks(published_tasks, published) if one.key.startswith(task)]
    gold = published.resolve(checks(found.form.evaluator)[0].expected["path"])
    unchanged, changed = tmp_path / "unchanged.xlsx", tmp_path / "changed.xlsx"
    for path in (unchanged, changed):
        values = openpyxl.load_workbook(gold, data_only=True)  # so that what is saved still has values
        if path == changed:
            change(values)
        values.save(path)
    assert (await judged(found, published, unchanged, tmp_path / "a")).score == 1
    verdict = await judged(found, published, changed, tmp_path / "b")
    assert verdict.score == 0
    assert f"({said})" in verdict.reason
