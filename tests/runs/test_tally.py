"""Counting: nothing is lost or counted twice, and the intervals are those of the textbooks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from tests.support.records import a_record
from touchstone.reports.estimates import estimate_of
from touchstone.runs.aggregate import COUNTED, aggregate, wilson
from touchstone.runs.records import SLIM, encoded
from touchstone.types import NoteStep, Observation, Outcome, Record, ServiceStep, ToolCall, ToolStep, Usage

records = st.lists(
    st.builds(
        a_record,
        st.sampled_from("abcdefgh"),
        st.sampled_from(list(Outcome)),
        facets=st.fixed_dictionaries(
            {"difficulty": st.sampled_from(["simple", "moderate"]), "database": st.sampled_from(["x", "y", "z"])}
        ),
        evidence=st.sampled_from([{}, {"kind": "missing_rows"}, {"kind": "types"}]),
        metrics=st.sampled_from([{}, {"ex": 1.0}, {"ex": 0.0}]),
        reason=st.sampled_from(["one", "two"]),
    ),
    max_size=60,
)


@given(st.integers(0, 400), st.integers(1, 400))
def test_wilson_is_scipys(passed: int, more: int) -> None:
    n = passed + more
    expected = binomtest(passed, n).proportion_ci(method="wilson")
    assert wilson(passed, n) == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize(("passed", "n"), [(0, 1), (1, 1), (0, 170), (170, 170), (1, 10**6)])
def test_wilson_at_the_edges(passed: int, n: int) -> None:
    expected = binomtest(passed, n).proportion_ci(method="wilson")
    low, high = wilson(passed, n)
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert 0 <= low <= passed / n <= high <= 1


@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from(list(Outcome))), min_size=1, max_size=30))
def test_with_epochs_tasks_are_what_counts(drawn: list[tuple[int, Outcome]]) -> None:
    """The intervals of the whole and of a facet are those of reports, in whatever order attempts come."""
    records = [
        a_record(str(task), outcome, epoch=at, facets={"odd": str(task % 2)}) for at, (task, outcome) in enumerate(drawn)
    ]
    overall = aggregate(records).overall()
    for share, chosen in [
        (overall["overall"], records),
        *((by, [each for each in records if each.facets["odd"] == odd]) for odd, by in overall["by_odd"].items()),
    ]:
        counted = [(each.task, float(each.outcome is Outcome.passed)) for each in chosen if each.outcome in COUNTED]
        expected = estimate_of(counted)
        assert share["interval"] == pytest.approx((expected.low, expected.high) if counted else (0, 1))


def test_wilson_of_nothing_says_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


@given(records)
def test_outcomes_sum_to_the_total(given_records: list[Record]) -> None:
    overall = aggregate(given_records).overall()
    assert sum(overall["outcomes"].values()) == overall["total"] == len(given_records)
    assert overall["outcomes"].keys() == {outcome.value for outcome in Outcome}
    assert overall["tasks"] == len({record.task for record in given_records})


@given(records)
def test_every_breakdown_sums_to_the_whole(given_records: list[Record]) -> None:
    overall = aggregate(given_records).overall()
    whole = overall["overall"]
    assert whole["passed"] + whole["not_passed"] == whole["total"]
    assert whole["total"] + whole["left_out"] == overall["total"]
    for facet in ("by_difficulty", "by_database"):
        for count in ("total", "passed", "not_passed", "left_out"):
            assert sum(share[count] for share in overall.get(facet, {}).values()) == whole[count]


@given(records)
def test_every_failure_has_its_kind_and_every_other_outcome_its_reason(given_records: list[Record]) -> None:
    overall = aggregate(given_records).overall()
    assert sum(overall["failed_because"].values()) == overall["outcomes"]["failed"]
    for outcome in ("limit", "error", "unscorable", "skipped"):
        assert sum(overall["reasons"].get(outcome, {}).values()) == overall["outcomes"][outcome]


@given(records)
def test_the_order_of_records_does_not_count(given_records: list[Record]) -> None:
    there, back = aggregate(given_records).overall(), aggregate(given_records[::-1]).overall()
    assert {name: there[name] for name in ("total", "overall", "outcomes", "score")} == {
        name: back[name] for name in ("total", "overall", "outcomes", "score")
    }


@pytest.mark.parametrize("outcome", list(Outcome))
def test_which_outcomes_are_in_the_denominator(outcome: Outcome) -> None:
    share = aggregate([a_record(outcome=outcome)]).overall()["overall"]
    assert share["total"] == (outcome in COUNTED)
    assert share["passed"] == (outcome is Outcome.passed)
    assert share["left_out"] == (outcome in (Outcome.unscorable, Outcome.skipped))


def test_the_means_are_over_all_that_count() -> None:
    counted = aggregate(
        [
            a_record("a", metrics={"ex": 1.0, "soft_f1": 1.0}),
            a_record("b", Outcome.failed, score=0.0, metrics={"ex": 0.0, "soft_f1": 0.5}),
            a_record("c", Outcome.limit),
            a_record("d", Outcome.unscorable),
        ]
    ).overall()
    assert counted["score"] == pytest.approx(1 / 3)
    assert counted["metrics"] == pytest.approx({"ex": 1 / 3, "soft_f1": 0.5})


def test_nothing_counted_has_no_accuracy() -> None:
    overall = aggregate([a_record(outcome=Outcome.unscorable)]).overall()
    assert overall["overall"]["accuracy"] is None
    assert overall["score"] is None


def test_usage_is_summed_and_an_unknown_price_stays_unknown() -> None:
    known = Usage(1, 100, 40, 10, 0.5)
    assert aggregate([a_record(usage=known)] * 2).usage == Usage(2, 200, 80, 20, 1.0)
    assert aggregate([a_record(usage=known), a_record(usage=Usage(1, cost=None))]).usage.cost is None


def test_what_was_not_judged_has_no_score_and_counts_as_nothing_earned() -> None:
    three = [a_record("1"), a_record("2", Outcome.error, score=None), a_record("3", Outcome.skipped, score=None)]
    assert aggregate(three).overall()["score"] == 0.5


@pytest.mark.parametrize(("count", "p50", "p90", "p99"), [(1, 1, 1, 1), (2, 1, 2, 2), (100, 50, 90, 99), (200, 100, 180, 198)])
def test_latencies_of_a_service_are_percentiles_that_occurred(count: int, p50: int, p90: int, p99: int) -> None:
    steps = [[ServiceStep({}, 200, {}, float(number))] for number in range(count, 0, -1)]
    found = aggregate(a_record(str(number), steps=each) for number, each in enumerate(steps)).overall()["service_seconds"]
    assert found == {"n": count, "p50": p50, "p90": p90, "p99": p99, "max": count}


def test_latencies_are_found_in_records_that_are_only_counted() -> None:
    text = ToolStep(ToolCall("1", "x", '{"type":"service"}'), Observation("y"), 5.0)
    record = a_record(steps=[text, ServiceStep({}, 200, {}, 2.0), NoteStep('"type":"service"')])
    slim = SLIM.decode(encoded(record))
    assert aggregate([slim]).overall()["service_seconds"]["max"] == 2.0
    assert "service_seconds" not in aggregate([SLIM.decode(encoded(a_record(steps=[text])))]).overall()


def test_a_benchmark_need_not_say_why_a_task_failed() -> None:
    judged = a_record("a", Outcome.failed, metrics={"near": 0.0}, reason="off by 1.50", evidence={})
    silent = a_record("b", Outcome.failed, metrics={}, reason="nothing was submitted", evidence={})
    late = a_record("c", Outcome.failed, metrics={"success": 0.0}, reason="the budget ran out before a submission", evidence={})
    assert aggregate([judged, silent, late]).overall()["failed_because"] == {"not submitted": 2, "other": 1}
