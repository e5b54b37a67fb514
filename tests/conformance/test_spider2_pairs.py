"""Our verdicts on results against those of the official Spider2-lite suite.

`spider2_pairs.jsonl` holds altered golden files with the verdict that the official code gave them. `sql_pairs.json` holds
queries whose results are written to CSV files first, as the suite does.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.support.data import shared_data
from touchstone.benchmarks.spider2.comparison import (
    CsvTable,
    Official,
    Strict,
    official,
    official_any,
    read_csv,
    strict_any,
    to_csv,
)
from touchstone.types import Table

from .test_sql_pairs import REFUSED

Case = dict[str, Any]

# Where the strict verdict differs from the official one, by alteration and, if it is harsher, by its reason. The two that it
# is milder on have the condition [0], which the suite takes for all columns.
HARSHER = {("scramble_second_column", "mixed_rows"): 21, ("blank_to_zero", "missing_columns"): 1}
MILDER = {"drop_last_column": 1, "one_cell_changed": 1}


@pytest.fixture(scope="module")
def conformance() -> Path:
    return shared_data("conformance")


@pytest.fixture(scope="module")
def gold() -> Path:
    return shared_data("spider2-lite") / "evaluation_suite" / "gold"


@cache
def metadata(gold: Path) -> dict[str, Case]:
    lines = (gold / "spider2lite_eval.jsonl").read_text().splitlines()
    return {task["instance_id"]: task for task in map(json.loads, lines)}


@cache
def gold_tables(gold: Path, task: str) -> tuple[list[CsvTable], bool]:
    """A task's gold results, and whether it is a single one without a letter in its name."""
    single = gold / "exec_result" / f"{task}.csv"
    files = [single] if single.exists() else sorted(gold.glob(f"exec_result/{task}_[a-z].csv"))
    return [read_csv(file.read_bytes()) for file in files], single.exists()


def judged(gold: Path, task: str, predicted: CsvTable) -> Official:
    conditions, ignore_order = metadata(gold)[task]["condition_cols"], metadata(gold)[task]["ignore_order"]
    tables, single = gold_tables(gold, task)
    if single:
        return official(predicted, tables[0], conditions, ignore_order)
    return official_any(predicted, tables, conditions, ignore_order)


def judged_strictly(gold: Path, task: str, predicted: CsvTable) -> Strict:
    conditions, ignore_order = metadata(gold)[task]["condition_cols"], metadata(gold)[task]["ignore_order"]
    return strict_any(predicted, gold_tables(gold, task)[0], conditions, ignore_order)


def pairs(conformance: Path) -> Iterator[Case]:
    with (conformance / "spider2_pairs.jsonl").open() as lines:
        yield from map(json.loads, lines)


def test_all_recorded_verdicts_on_altered_golden_files(conformance: Path, gold: Path) -> None:
    cases = list(pairs(conformance))
    results = [judged(gold, case["instance_id"], read_csv(case["prediction_csv"])).matched for case in cases]
    wrong = [case for case, result in zip(cases, results, strict=True) if result != case["official"]]
    assert [(case["instance_id"], case["kind"]) for case in wrong] == []
    assert len(cases) == 963


def test_where_the_strict_verdict_differs(conformance: Path, gold: Path) -> None:
    harsher: Counter[tuple[str, str]] = Counter()
    milder: Counter[str] = Counter()
    for case in pairs(conformance):
        result = judged_strictly(gold, case["instance_id"], read_csv(case["prediction_csv"]))
        assert not result.cut
        if case["official"] and not result.matched:
            harsher[case["kind"], result.difference.kind] += 1
        elif result.matched and not case["official"]:
            milder[case["kind"]] += 1
    assert harsher == HARSHER
    assert milder == MILDER


def test_every_golden_file_matches_its_own_task(gold: Path) -> None:
    compared = 0
    for task in metadata(gold):
        for table in gold_tables(gold, task)[0]:
            result, strictly = judged(gold, task, table), judged_strictly(gold, task, table)
            assert (result.matched, result.error, strictly.matched) == (True, None, True), task
            compared += 1
    assert compared == 328


def test_every_golden_file_survives_being_written_and_read_again(gold: Path) -> None:
    """As if a query had returned it."""
    for task in metadata(gold):
        for table in gold_tables(gold, task)[0]:
            again = read_csv(to_csv(_result(table)))
            assert judged(gold, task, again).matched, task


def _result(table: CsvTable) -> Table:
    columns = [[_cell(value) for value in column.values] for column in table.columns]
    return Table(table.names, list(zip(*columns, strict=True)))


def _cell(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode()
    return None if value != value else value


@pytest.mark.parametrize("ignore_order", [True, False])
def test_all_recorded_verdicts_on_query_results(conformance: Path, ignore_order: bool) -> None:
    recorded = json.loads((conformance / "sql_pairs.json").read_text())
    cases = [case for case in recorded["cases"] if case["name"] not in REFUSED]
    name = "spider2_ignore_order" if ignore_order else "spider2_ordered"
    with closing(sqlite3.connect(":memory:")) as database:
        for statement in recorded["fixture"]:
            database.execute(statement)
        for case in cases:
            gold, predicted = (_read_back(database, case[side]) for side in ("gold", "prediction"))
            assert official(predicted, gold, [], ignore_order).matched == bool(case["verdicts"][name]), case["name"]
    assert len(cases) == 44


def _read_back(database: sqlite3.Connection, sql: str) -> CsvTable:
    cursor = database.execute(sql)
    return read_csv(to_csv(Table(tuple(column[0] for column in cursor.description), cursor.fetchall())))
