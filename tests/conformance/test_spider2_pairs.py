"""The official Spider2-lite comparison against recorded verdicts of the official suite; gold against itself in both modes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.test_sql_pairs import REFUSED
from tests.support.data import shared_data
from touchstone.benchmarks.spider2.golden import Golden, Reference
from touchstone.values import Table
from touchstone.verdicts.spider2 import CsvError, CsvTable, Official, official, official_any, read_csv, strict_any, to_csv


@pytest.fixture(scope="module")
def golden() -> Golden:
    return Golden(shared_data("spider2-lite") / "evaluation_suite" / "gold")


def read_golds(reference: Reference) -> list[CsvTable]:
    return [read_csv(Path(file.path).read_bytes()) for file in reference.files]


def compared(predicted: CsvTable, golds: Sequence[CsvTable], reference: Reference) -> Official:
    if reference.lettered:
        return official_any(predicted, golds, reference.condition_cols, reference.ignore_order)
    return official(predicted, golds[0], reference.condition_cols, reference.ignore_order)


def accepted(prediction: str, reference: Reference) -> bool:
    try:
        return compared(read_csv(prediction), read_golds(reference), reference).matched
    except CsvError:
        return False


def test_all_recorded_pairs_have_the_official_verdict(golden: Golden) -> None:
    lines = (shared_data("conformance") / "spider2_pairs.jsonl").read_text().splitlines()
    pairs = [json.loads(line) for line in lines]
    wrong = [
        (pair["instance_id"], pair["kind"])
        for pair in pairs
        if accepted(pair["prediction_csv"], golden.reference(pair["instance_id"])) != bool(pair["official"])
    ]
    assert len(pairs) == 963
    assert wrong == []


def test_every_golden_file_matches_its_own_task_in_both_modes(golden: Golden) -> None:
    folder = shared_data("spider2-lite") / "evaluation_suite" / "gold" / "exec_result"
    count, wrong = 0, []
    for instance_id in sorted({path.stem.partition("_")[0] for path in folder.glob("local*.csv")}):
        reference = golden.reference(instance_id)
        golds = read_golds(reference)
        for gold in golds:
            count += 1
            strictly = strict_any(gold, golds, reference.condition_cols, reference.ignore_order)
            if not (compared(gold, golds, reference).matched and strictly.matched):
                wrong.append(instance_id)
    assert count > 300
    assert wrong == []


def sql_cases() -> list[dict[str, Any]]:
    cases = json.loads((shared_data("conformance") / "sql_pairs.json").read_text())["cases"]
    return [case for case in cases if case["name"] not in REFUSED]


@pytest.mark.parametrize(("verdict", "ignore_order"), [("spider2_ignore_order", True), ("spider2_ordered", False)])
def test_small_query_pairs_have_the_official_verdict(verdict: str, ignore_order: bool) -> None:
    fixture = json.loads((shared_data("conformance") / "sql_pairs.json").read_text())["fixture"]
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in fixture:
            connection.execute(statement)

        def through_csv(sql: str) -> CsvTable:
            cursor = connection.execute(sql)
            return read_csv(to_csv(Table(tuple(column[0] for column in cursor.description), cursor.fetchall())))

        wrong = [
            case["name"]
            for case in sql_cases()
            if official(through_csv(case["prediction"]), through_csv(case["gold"]), [], ignore_order).matched
            != bool(case["verdicts"][verdict])
        ]
    assert wrong == []
