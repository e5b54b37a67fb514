"""What a paper says of a run of BIRD-Interact."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.records import a_record
from touchstone.benchmarks.interact.report import InteractReport, report_of
from touchstone.benchmarks.interact.report_tables import as_csv, as_latex, as_text, labels, told_apart
from touchstone.reports.estimates import Estimate, estimate
from touchstone.reports.statistics import bootstrap
from touchstone.runs.aggregate import wilson
from touchstone.types import Outcome, Record, Usage


def episode(task: str, reached: list[tuple[int, int, float, float]], *, epoch: int = 0, **more: Any) -> Record:
    """`reached`: phase, actions, reward and coins."""
    passed = [phase for phase, *_ in reached]
    metrics = {"phase_1": float(1 in passed), "phase_2": float(2 in passed), "first_submission": float(1 in passed)}
    metrics |= {"calls_ask": 2.0, "coins_ask": 4.0, "calls_submit": 1.0, "coins_submit": 3.0, "ambiguities_resolved": 0.5}
    if len(reached) < 2:
        metrics["failed_by_user"] = float(not reached)
    kept = [{"phase": a, "actions": b, "reward": c, "coins": d} for a, b, c, d in reached]
    given: dict[str, Any] = {
        "epoch": epoch,
        "score": reached[-1][2] if reached else 0.0,
        "metrics": metrics,
        "evidence": {"reached": kept},
        "facets": {"category": "Management" if "M" in task else "Query"},
        "usage": Usage(calls=2, cost=0.25),
        "usage_by": {"user": Usage(calls=1, cost=0.05)},
    }
    return a_record(task, Outcome.passed if len(reached) == 2 else Outcome.failed, **(given | more))


BOTH = [(1, 3, 0.7, 6.0), (2, 5, 1.0, 9.0)]
FIRST = [(1, 2, 0.7, 3.5)]


@pytest.fixture
def report() -> InteractReport:
    return report_of([episode("a", BOTH), episode("b", FIRST), episode("M_c", []), a_record("d", Outcome.unscorable)])


def test_success_by_category(report: InteractReport) -> None:
    rows = {row.category: row for row in report.categories}
    assert list(rows) == ["All", "Management", "Query"]
    assert (rows["All"].phase_1.value, rows["All"].phase_1.n) == (pytest.approx(2 / 3), 3)
    assert (rows["All"].phase_1.low, rows["All"].phase_1.high) == wilson(2, 3)
    assert rows["Query"].phase_2.value == 0.5
    assert rows["Query"].reward.value == pytest.approx(0.85)
    assert rows["Management"].reward.value == 0.0
    assert (report.episodes, report.left_out, report.passed.value) == (3, 1, pytest.approx(1 / 3))


def test_cost_actions_ambiguities_and_the_user(report: InteractReport) -> None:
    assert (report.cost_agent.value, report.cost_agent.n) == (pytest.approx(0.25), 3)
    assert report.cost_user.value == pytest.approx(0.05)
    assert [(row.action, row.calls.value, row.coins.value) for row in report.actions] == [("ask", 2, 4), ("submit", 1, 3)]
    assert all(row.calls.n == 3 and row.calls.low <= (row.calls.value or 0) <= row.calls.high for row in report.actions)
    assert (report.resolved.value, report.resolved.n) == (0.5, 3)
    assert (report.user["failed_by_user"].value, report.user["failed_by_user"].n) == (0.5, 2)


def test_curves_say_how_far_episodes_had_come(report: InteractReport) -> None:
    coins, turns = report.curves
    found = [(p.at, round(3 * p.phase_1), round(3 * p.passed), round(3 * p.reward, 6)) for p in coins.points]
    assert (coins.unit, found) == ("coins", [(0, 0, 0, 0), (3.5, 1, 0, 0.7), (6, 2, 0, 1.4), (9, 2, 1, 1.7)])
    assert (turns.unit, [point.at for point in turns.points]) == ("turns", [0, 2, 3, 5])


def test_a_run_of_an_earlier_version_has_no_curves() -> None:
    assert report_of([episode("a", BOTH, evidence={})]).curves == []


def test_an_error_counts_as_nothing_passed() -> None:
    (row,) = report_of([episode("a", BOTH), a_record("b", Outcome.error, facets={"category": "Query"})]).categories
    assert (row.phase_1.value, row.phase_1.n) == (0.5, 2)


def test_attempts_that_always_end_alike_are_worth_as_much_as_one_for_each_task() -> None:
    once = [episode("a", BOTH), episode("b", []), episode("c", FIRST), episode("d", [])]
    thrice = [episode(record.task, BOTH if record.metrics["phase_1"] else [], epoch=at) for record in once for at in range(3)]
    one, three = (report_of(records).categories[0].phase_1 for records in (once, thrice))
    assert (one.value, three.value, three.n) == (0.5, 0.5, 12)
    assert three.high - three.low > 0.9 * (one.high - one.low)  # not a third of the width


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=40))
def test_intervals_hold_the_share_and_never_promise_more_than_single_attempts(drawn: list[tuple[int, bool]]) -> None:
    records = [a_record(str(task), epoch=at, score=float(passed)) for at, (task, passed) in enumerate(drawn)]
    found = estimate(records, lambda record: record.score)
    assert found.value is not None
    assert 0 <= found.low <= found.value + 1e-9
    assert found.value - 1e-9 <= found.high <= 1
    low, high = wilson(sum(passed for _, passed in drawn), len(drawn))
    assert found.high - found.low >= high - low - 1e-9


def test_what_is_no_share_is_resampled_by_task() -> None:
    records = [a_record(str(at % 4), epoch=at, score=at / 10) for at in range(12)]
    found = estimate(records, lambda record: record.score)
    assert (found.low, found.high) == bootstrap([r.score for r in records], [r.task for r in records], resamples=2_000)


def test_text_csv_and_latex_have_every_figure_with_its_n(report: InteractReport) -> None:
    text = as_text(report)
    assert "66.7 (20.8 to 93.9)" in text
    assert "failures that it caused" in text
    assert "$0.2500 (" in text
    tiny = msgspec.structs.replace(report, cost_user=Estimate(3, 0.0000261, 0.00002, 0.00004))
    assert "$0.000026 (0.000020 to 0.000040)" in as_text(tiny)
    assert "With at most so many coins (percent, n = 3)" in text
    rows = list(csv.DictReader(io.StringIO(as_csv([report]))))
    assert all(int(row["n"]) >= 0 for row in rows)
    (cell,) = [row for row in rows if (row["table"], row["row"], row["metric"]) == ("by_coins", "6", "phase_1")]
    assert float(cell["value"]) == pytest.approx(2 / 3, abs=1e-5)
    latex = as_latex([report])
    assert r"All & 3 & 66.7 {\scriptsize [20.8, 93.9]}" in latex


def test_latex_names_runs_by_what_tells_them_apart(report: InteractReport) -> None:
    titles = [f"BIRD-Interact, {mode}: agent tools, model m_{mode[0]}^2, rules strict" for mode in ("agentic", "single")]
    runs = [msgspec.structs.replace(report, title=title) for title in titles]
    assert r"{lrrrrr}" in as_latex(runs[:1])
    lines = as_latex(runs).splitlines()
    assert lines[:2] == [f"% {title}" for title in titles]
    assert r"{llrrrrr}" in lines[2]
    assert sum(line.startswith(r"agentic, model m\_a\textasciicircum{}2 & All & 3") for line in lines) == 1
    assert sum(line.startswith(" & ") for line in lines) == 2 * (len(report.categories) - 1)


def test_runs_of_one_title_are_told_apart_by_their_directory(tmp_path: Path) -> None:
    (tmp_path / "run-1").mkdir()
    (tmp_path / "latest").symlink_to("run-1")
    titled = [("A", tmp_path / "latest"), ("A", tmp_path / "run-2"), ("B", tmp_path / "run-3")]
    assert told_apart(titled) == ["A, run-1", "A, run-2", "B"]


def test_lines_are_labelled_by_what_tells_runs_apart_and_nothing_is_cut() -> None:
    titles = [f"BIRD-Interact, agentic: agent {'long-' * 12}{end}, user u, rules batch" for end in ("a", "b")]
    assert labels(titles) == [f"agent {'long-' * 12}a", f"agent {'long-' * 12}b"]
    assert labels(titles[:1])[0].replace("\n", " ") == titles[0].partition(": ")[2]
    assert labels([titles[0]] * 2)[1].endswith("(2)")
    assert labels(["BIRD-Interact, agentic: agent a", "BIRD-Interact, conversational: agent a"]) == [
        "agentic",
        "conversational",
    ]
