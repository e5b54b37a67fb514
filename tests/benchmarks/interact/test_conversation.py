"""The conversational mode: questions, then SQL, one attempt to debug; and the single turn that it is compared with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.interact.datasets import ACTIVE, TOTALS, make_dataset, query_task
from tests.benchmarks.interact.playing import play_moves, seen, sqlite_benchmark
from touchstone.benchmarks.interact.user.view import REFUSAL, Situation, UserAnswer
from touchstone.types import CallPosition, Outcome

WRONG = "SELECT 'nobody'"


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return make_dataset(tmp_path / "data")


@pytest.mark.parametrize(
    ("moves", "reward", "outcome"),
    [
        ([ACTIVE, TOTALS], 1.0, Outcome.passed),
        ([WRONG, ACTIVE, TOTALS], 0.8, Outcome.passed),
        ([ACTIVE, WRONG, TOTALS], 0.9, Outcome.passed),
        ([WRONG, ACTIVE, WRONG, TOTALS], 0.7, Outcome.passed),
        ([ACTIVE, WRONG, WRONG, TOTALS], 0.7, Outcome.failed),
        ([WRONG, WRONG, ACTIVE], 0.0, Outcome.failed),
    ],
)
async def test_an_attempt_to_debug_is_worth_less_and_there_is_one_in_each_phase(
    dataset: Path, moves: list[str], reward: float, outcome: Outcome
) -> None:
    async with sqlite_benchmark(dataset, mode="conversational") as benchmark:
        record = await play_moves(benchmark, "shop_1", *(("submit", sql) for sql in moves))
    assert record.score == pytest.approx(reward)
    assert record.outcome is outcome


async def test_without_a_follow_up_the_attempts_are_worth_one_and_a_half(tmp_path: Path) -> None:
    make_dataset(tmp_path / "d", query_task(follow_up=None))
    async with sqlite_benchmark(tmp_path / "d", mode="conversational") as benchmark:
        assert (await play_moves(benchmark, "shop_1", ("submit", ACTIVE))).score == 1.0
        assert (await play_moves(benchmark, "shop_1", ("submit", WRONG), ("submit", ACTIVE))).score == 0.5


@pytest.mark.parametrize(("compat", "allowed"), [("strict", 4), ("conv", 4), ("adk", 5)])
async def test_questions_are_counted_and_the_cap_holds(dataset: Path, compat: str, allowed: int) -> None:
    """Two ambiguities and a patience of three are five turns, of which the last is for the SQL."""
    async with sqlite_benchmark(dataset, mode="conversational", compat=compat) as benchmark:
        record = await play_moves(benchmark, "shop_1", *[("ask", "What does active mean?")] * 6, ("submit", ACTIVE))
    said = [observation.text for observation in seen(record)]
    assert sum("You have no questions left" in text for text in said) == 6 - allowed
    assert "[no questions left: submit your SQL]" in said[allowed - 1]
    assert record.metrics["questions"] == allowed
    assert record.metrics["phase_1"] == 1


class Speechless:
    """A user whose model has nothing usable to say at first."""

    name = "speechless"

    def __init__(self, failures: int) -> None:
        self._failures = failures

    def identity(self) -> dict[str, str]:
        return {}

    async def answer(self, question: str, situation: Situation, position: CallPosition) -> UserAnswer:
        self._failures -= 1
        return UserAnswer(REFUSAL, "unanswerable", faults=("stage 1: nothing",), decided=self._failures < 0)


async def test_a_question_that_the_user_model_fails_on_is_free(dataset: Path) -> None:
    async with sqlite_benchmark(dataset, user=Speechless(2), mode="conversational") as benchmark:
        record = await play_moves(benchmark, "shop_1", *[("ask", "What does active mean?")] * 4, ("submit", ACTIVE))
    left = [observation.text.splitlines()[-1] for observation in seen(record)[:4]]
    assert left == ["[4 questions left]", "[4 questions left]", "[3 questions left]", "[2 questions left]"]
    assert record.metrics["user_faults"] == 4


async def test_after_a_submission_there_are_no_more_questions(dataset: Path) -> None:
    async with sqlite_benchmark(dataset, mode="conversational") as benchmark:
        record = await play_moves(benchmark, "shop_1", ("submit", WRONG), ("ask", "why?"), ("submit", ACTIVE), ("ask", "what?"))
    assert "no more questions" in seen(record)[1].text
    assert "no more questions" in seen(record)[3].text
    assert record.metrics["questions"] == 0


async def test_schema_and_knowledge_are_in_the_brief_without_what_is_hidden(dataset: Path) -> None:
    async with sqlite_benchmark(dataset, mode="conversational") as benchmark, benchmark.open(benchmark.tasks()[0]) as episode:
        request = episode.brief.request
        assert [tool.name for tool in episode.tools] == ["ask", "submit"]
    assert "CREATE TABLE customer" in request
    assert "gold or none" in request
    assert "two or more purchases" not in request
    assert "Who are our active customers?" in request
    assert "Questions that you may ask: 4" in request


async def test_a_wrong_submission_is_answered_with_the_error_or_a_hint_and_never_with_a_flag(dataset: Path) -> None:
    async with sqlite_benchmark(dataset, mode="conversational") as benchmark:
        record = await play_moves(benchmark, "shop_1", ("submit", "SELEC"), ("submit", WRONG))
    assert 'cannot be run: near "SELEC": syntax error You have one more attempt.' in seen(record)[0].text
    assert seen(record)[1].text == "Your SQL is not correct. The task is over."


async def test_the_single_turn_gives_the_clear_request_with_all_knowledge_and_one_attempt(dataset: Path) -> None:
    async with sqlite_benchmark(dataset, mode="single") as benchmark:
        async with benchmark.open(benchmark.tasks()[0]) as episode:
            assert "Names of customers with two or more purchases." in episode.brief.request
            assert "Active Customer" in episode.brief.request
            assert [tool.name for tool in episode.tools] == ["submit"]
        wrong = await play_moves(benchmark, "shop_1", ("submit", WRONG), ("submit", ACTIVE))
        right = await play_moves(benchmark, "shop_1", ("submit", ACTIVE), ("submit", TOTALS))
    assert (wrong.score, right.score) == (0.0, 1.0)


async def test_without_a_clear_request_the_single_turn_skips_the_task(tmp_path: Path) -> None:
    make_dataset(tmp_path / "d", query_task(query=None))
    async with sqlite_benchmark(tmp_path / "d", mode="single") as benchmark:
        assert (await play_moves(benchmark, "shop_1", ("submit", ACTIVE))).outcome is Outcome.skipped
