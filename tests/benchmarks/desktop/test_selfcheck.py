"""What `selfcheck` says of records that agents left."""

from __future__ import annotations

from typing import Any

from tests.support.records import a_record
from touchstone.benchmarks.desktop.selfcheck import table, wrong
from touchstone.types import Outcome, Record


def record(task: str, domain: str, outcome: Outcome, **evidence: Any) -> Record:
    return a_record(task, outcome=outcome, facets={"domain": domain}, evidence=evidence, reason="why")


UNTOUCHED = [
    record("1", "excel", Outcome.failed),
    record("2", "excel", Outcome.skipped),
    record("3", "airflow", Outcome.error, kind="set-up"),
    record("4", "airflow", Outcome.error, kind="evaluation"),
    record("5", "airflow", Outcome.passed),
]
SOLVED = [record("1", "excel", Outcome.passed), record("5", "airflow", Outcome.failed)]
FOUND = {"oracle": {one.task: one for one in SOLVED}, "nothing": {one.task: one for one in UNTOUCHED}}


def test_a_table_per_domain() -> None:
    head, *rows = table(FOUND)
    assert head.split() == "domain tasks left out set up graded solutions solved passed untouched".split()
    assert [row.split() for row in rows] == [
        "airflow 3 0 2 1 1 0 1".split(),
        "excel 2 1 1 1 1 1 0".split(),
        "all 5 1 3 2 2 1 1".split(),
    ]


def test_what_must_not_be_believed_is_named() -> None:
    assert [line.partition(" (")[0] for line in wrong(FOUND)] == ["oracle: 5", "nothing: 3", "nothing: 4", "nothing: 5"]
    right = {"oracle": {"1": SOLVED[0]}, "nothing": {"1": UNTOUCHED[0], "2": UNTOUCHED[1]}}
    assert not list(wrong(right))
