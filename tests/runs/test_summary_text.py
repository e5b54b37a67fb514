"""The summary page: what a person reads at the end of a run."""

from __future__ import annotations

import pytest

from tests.support.records import a_record
from touchstone.runs.aggregate import aggregate
from touchstone.runs.summary import money, summary_text
from touchstone.types import Outcome, Record, Usage

VERSIONS = {"touchstone": "9.9", "SQLite": "3.99"}


def page(*records: Record) -> str:
    return summary_text("BIRD: agent x, metric ex", aggregate(records).overall(), VERSIONS)


def on(difficulty: str, database: str, outcome: Outcome, task: str, **more: object) -> Record:
    return a_record(task, outcome, facets={"difficulty": difficulty, "database": database}, **more)


def test_tokens_that_nobody_counted_are_told_and_the_cost_is_unknown() -> None:
    told = Usage(1, 100, 0, 10, 0.01) + Usage(1, cost=None, uncounted=1)
    text = page(a_record(usage=told, usage_by={"user": told}))
    assert "Model calls:      2, 100 tokens in, 10 out (1 calls without a count)\nCost:             unknown\n" in text
    assert "The user:         2, 100 tokens in, 10 out (1 calls without a count), cost unknown" in text


def test_the_whole_page() -> None:
    text = page(
        on("simple", "shop", Outcome.passed, "1", metrics={"ex": 1.0}, usage=Usage(2, 1500, 0, 30, 0.25)),
        on("simple", "zoo", Outcome.failed, "2", metrics={"ex": 0.0}, evidence={"kind": "missing_rows"}),
        on("moderate", "zoo", Outcome.limit, "3", reason="not finished within 20 turns"),
        on("challenging", "zoo", Outcome.unscorable, "4", reason="database missing: zoo.sqlite"),
    )
    assert text == (
        "================================================================\n"
        "BIRD: agent x, metric ex\n"
        "================================================================\n"
        "Total tasks:      4\n"
        "Passed:           1\n"
        "Failed:           2\n"
        "Accuracy:         33.3%  (95%: 6.1 to 79.2), n = 3\n"
        "Limit:            1  (counted as failed: turns, context or time ran out)\n"
        "     1 × not finished within 20 turns\n"
        "Unscorable:       1  (not counted: the reference is missing or broken)\n"
        "     1 × database missing: zoo.sqlite\n"
        "\n"
        "By difficulty:\n"
        "  simple          1 / 2     50.0%  (95%: 9.5 to 90.5)\n"
        "  moderate        0 / 1      0.0%  (95%: 0.0 to 79.3)\n"
        "  challenging     0 / 0         –  + 1 not counted\n"
        "\n"
        "By database:\n"
        "  shop     1 / 1    100.0%  (95%: 20.7 to 100.0)\n"
        "  zoo      0 / 2      0.0%  (95%: 0.0 to 65.8)  + 1 not counted\n"
        "\n"
        "Failed because:\n"
        "     1 × missing rows  (33.3 points)\n"
        "\n"
        "Mean of each metric over the counted tasks:\n"
        "  ex         0.3333  n = 3\n"
        "\n"
        "Model calls:      2, 1,500 tokens in, 30 out\n"
        "Cost:             $0.2500\n"
        "Made with:        touchstone 9.9, SQLite 3.99\n"
        "================================================================\n"
    )


def test_errors_are_shown_apart_though_they_count() -> None:
    text = page(on("simple", "shop", Outcome.error, "1", reason="500 after 6 attempts"))
    assert "Error:            1  (counted: the model or our machinery failed; a resume tries again)" in text
    assert "n = 1" in text


def test_several_attempts_at_a_task_are_said() -> None:
    text = page(*(a_record("1", epoch=epoch) for epoch in range(3)))
    assert "Total tasks:      1 (3 attempts)\n" in text


def test_only_the_first_reasons_are_shown_and_the_rest_is_counted() -> None:
    text = page(*(a_record(str(n), Outcome.skipped, reason=f"reason {n}") for n in range(6)))
    assert text.count("× reason") == 3
    assert "and 3 more reasons" in text


def test_a_long_reason_is_cut() -> None:
    text = page(a_record(outcome=Outcome.error, reason="x" * 500))
    assert max(map(len, text.splitlines())) < 128


def test_nothing_at_all_is_a_page_too() -> None:
    assert "n = 0" in page()


@pytest.mark.parametrize(
    ("cost", "shown"), [(None, "unknown"), (0.0, "$0.0000"), (0.12345, "$0.1235"), (1.5, "$1.50"), (1234.5, "$1,234.50")]
)
def test_money(cost: float | None, shown: str) -> None:
    assert money(cost) == shown
