"""The results file and its statistics: the known keys, and counters that add up whatever happened."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.records import a_record
from touchstone.benchmarks.spider2.results import result_entry, statistics, statistics_text
from touchstone.benchmarks.spider2.tasks import bare_task
from touchstone.types import Outcome, Record, ServiceStep

API_KINDS = ("api_refused", "api_timeout", "api_status", "api_not_json", "api_too_large", "no_sql")
ANSWER = ServiceStep({"question": "?"}, 200, {"sql": "SELECT 1"}, 0.25)
EXECUTED = {"prediction": "SELECT 1", "executed": True, "gold_files": ["local001.csv"], "predicted_rows": 1}


def api_failure(kind: str) -> Record:
    outcome = Outcome.error if kind in API_KINDS[:3] else Outcome.failed
    return a_record("local001", outcome, evidence={"kind": kind, "service_seconds": 15.5})


CASES: dict[str, Record] = {
    "right": a_record("local001", Outcome.passed, evidence={**EXECUTED, "kind": "same"}, steps=[ANSWER]),
    "wrong": a_record("local001", Outcome.failed, evidence={**EXECUTED, "kind": "row_count"}, steps=[ANSWER]),
    "bad SQL": a_record("local001", Outcome.failed, evidence={"prediction": "SELEC", "kind": "error"}, steps=[ANSWER]),
    "gold unreadable": a_record(
        "local001", Outcome.unscorable, evidence={**EXECUTED, "kind": "gold_unreadable"}, steps=[ANSWER]
    ),
    "gold missing": a_record("local404", Outcome.unscorable, evidence={"kind": "gold_missing"}),
    "no database": a_record("local001", Outcome.unscorable),
    "other platform": a_record("local001", Outcome.skipped, evidence={"kind": "platform"}),
    "internal error": a_record("local001", Outcome.error),
    "worker failed": a_record("local001", Outcome.error, steps=[ANSWER]),
    **{kind: api_failure(kind) for kind in API_KINDS},
}
COUNTED: dict[str, str] = {
    "right": "api_success exec_success comparison_correct gold_found",
    "wrong": "api_success exec_success comparison_incorrect gold_found",
    "bad SQL": "api_success exec_failed gold_found",
    "gold unreadable": "api_success exec_success comparison_impossible gold_not_found",
    "gold missing": "not_asked gold_not_found",
    "no database": "not_asked gold_found",
    "other platform": "not_asked gold_found",
    "internal error": "api_failed gold_found",
    "worker failed": "api_success exec_failed gold_found",
    **dict.fromkeys(API_KINDS, "api_failed gold_found"),
}
COUNTERS = (
    "total api_success api_failed not_asked exec_success exec_failed gold_found gold_not_found "
    "comparison_correct comparison_incorrect comparison_impossible"
).split()


def has_gold(task: str) -> bool:
    return task == "local001"


class TestStatistics:
    @pytest.mark.parametrize("case", CASES)
    def test_each_question_is_counted_where_it_belongs(self, case: str) -> None:
        numbers = statistics([CASES[case]], has_gold)
        assert {name for name in COUNTERS if numbers[name]} == {"total", *COUNTED[case].split()}
        assert numbers["api_failures"] == ({case: 1} if case in API_KINDS else {})
        assert sum(numbers["outcomes"].values()) == 1

    @given(st.lists(st.sampled_from(list(CASES.values()))))
    def test_the_counters_add_up(self, records: list[Record]) -> None:
        n: dict[str, Any] = statistics(records, has_gold)
        assert n["total"] == len(records) == n["api_success"] + n["api_failed"] + n["not_asked"]
        assert n["api_success"] == n["exec_success"] + n["exec_failed"]
        assert n["exec_success"] == n["comparison_correct"] + n["comparison_incorrect"] + n["comparison_impossible"]
        assert n["total"] == n["gold_found"] + n["gold_not_found"] == sum(n["outcomes"].values())

    def test_rates_are_percentages_of_all_and_of_the_scorable(self) -> None:
        numbers = statistics([CASES[name] for name in ("right", "wrong", "no database", "api_timeout")], has_gold)
        assert (numbers["accuracy"], numbers["api_success_rate"], numbers["exec_success_rate"]) == (25.0, 50.0, 50.0)
        assert (numbers["scorable"], numbers["accuracy_scorable"], numbers["gold_found_rate"]) == (3, 33.33, 100.0)

    def test_of_nothing_all_rates_are_zero(self) -> None:
        numbers = statistics([], has_gold)
        assert (numbers["total"], numbers["accuracy"], numbers["accuracy_scorable"]) == (0, 0.0, 0.0)

    def test_for_a_person(self) -> None:
        text = statistics_text(statistics([CASES["right"], CASES["wrong"], CASES["wrong"]], has_gold))
        lines = text.splitlines()
        assert lines[:3] == ["=" * 60, "EVALUATION STATISTICS", "=" * 60]
        assert lines[-2:] == ["Overall Accuracy: 33.33%", "=" * 60]
        assert "Comparison correct:     1" in lines
        assert all(":" in line for line in lines[3:-1])


class TestEntries:
    def test_what_became_of_a_question(self) -> None:
        rows = [{"n": 4}]
        evidence = {**EXECUTED, "rows": rows, "official": True, "strict": True, "details": [{"gold_file": "local001.csv"}]}
        entry = result_entry(
            bare_task("local001", 0), a_record("local001", evidence=evidence, steps=[ANSWER]), ["local001.csv"]
        )
        assert entry == {
            "instance_id": "local001",
            "outcome": "passed",
            "reason": "it passed",
            "api_response": {"sql": "SELECT 1"},
            "api_sql": "SELECT 1",
            "execution_result": rows,
            "execution_result_rows": 1,
            "execution_result_csv": "local001.csv",
            "execution_success": True,
            "api_call_duration_seconds": 0.25,
            "gold_comparison": {
                "gold_files_found": ["local001.csv"],
                "gold_files_compared": ["local001.csv"],
                "matches_any_gold": True,
                "official": True,
                "strict": True,
                "comparison_details": [{"gold_file": "local001.csv"}],
            },
        }

    @pytest.mark.parametrize("case", ["api_timeout", "no database", "bad SQL"])
    def test_without_a_result_there_is_the_reason(self, case: str) -> None:
        record = CASES[case]
        entry = result_entry(bare_task("local001", 0), record, ["local001.csv"])
        assert entry["gold_comparison"]["gold_files_found"] == ["local001.csv"]
        assert entry["api_call_duration_seconds"] == {"api_timeout": 15.5, "bad SQL": 0.25}.get(case)
        assert entry["execution_result"] == {"error": record.reason}
        assert (entry["execution_success"], entry["execution_result_csv"]) == (False, None)
        assert entry["api_response"] == (ANSWER.response if record.steps else {"error": record.reason})
        assert entry["gold_comparison"]["matches_any_gold"] is False
        assert entry["gold_comparison"]["gold_files_compared"] == []
