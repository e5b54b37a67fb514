"""What a verdict pays, what counts as an answer, and batches in process."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import touchstone
from tests.support.worlds import ROWS, World
from touchstone.env import EnvStep, RewardOptions, SyncBatchEnv, answer_in, open, payment
from touchstone.errors import InputError
from touchstone.options import OptionError
from touchstone.types import Outcome, Verdict

GOLD = ROWS[0]["SQL"]


def verdict(outcome: Outcome = Outcome.passed, **evidence: object) -> Verdict:
    passed = float(outcome is Outcome.passed)
    return Verdict(outcome, passed, "", {"ex": passed, "soft_f1": 0.5, "proven": 0.0}, {"gold_rows": 3, **evidence})


@pytest.mark.parametrize(
    ("given", "options", "reward", "usable"),
    [
        (verdict(), RewardOptions(), 1.0, True),
        (verdict(Outcome.failed), RewardOptions(), 0.0, True),
        (verdict(Outcome.limit), RewardOptions(), 0.0, True),
        (verdict(Outcome.unscorable), RewardOptions(), 0.0, False),
        (verdict(Outcome.error), RewardOptions(), 0.0, False),
        (verdict(gold_rows=0), RewardOptions(), 0.0, False),
        (verdict(gold_is_null=True), RewardOptions(), 0.0, False),
        (verdict(Outcome.failed), RewardOptions(reward="soft-f1"), 0.5, True),
        (verdict(Outcome.failed), RewardOptions(reward="score"), 0.0, True),
        (verdict(proof={"verdict": "refuted"}), RewardOptions(reward="proof"), 0.1, True),
        (verdict(proof={"verdict": "refuted"}), RewardOptions(reward="proof", refuted_reward=0.0), 0.0, True),
        (verdict(proof={"verdict": "upheld"}), RewardOptions(reward="proof"), 1.0, True),
        (verdict(proof={"verdict": "open"}), RewardOptions(reward="proof"), 1.0, True),
        (verdict(Outcome.failed), RewardOptions(reward="proof"), 0.0, True),
    ],
)
def test_what_a_verdict_pays(given: Verdict, options: RewardOptions, reward: float, usable: bool) -> None:
    paid = payment(given, options)
    assert (paid.reward, paid.usable) == (reward, usable)


def test_a_penalty_is_taken_for_each_call_that_cannot_be_read() -> None:
    assert payment(verdict(), RewardOptions(format_penalty=0.1), 3).reward == pytest.approx(0.7)
    assert payment(verdict(), RewardOptions(), 3).reward == 1.0


def test_a_refuted_answer_pays_no_more_than_a_proven_one() -> None:
    with pytest.raises(OptionError):
        RewardOptions(refuted_reward=1.5)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("SELECT 1", "SELECT 1"),
        ("-- so\nWITH a AS (SELECT 1) SELECT * FROM a", "-- so\nWITH a AS (SELECT 1) SELECT * FROM a"),
        ("It is\n```sql\nSELECT 1\n```\nthen.", "SELECT 1"),
        ("```\nSELECT 1\n```", "SELECT 1"),
        ("```sql\nSELECT 1\n```\n```sql\nSELECT 2\n```", "SELECT 2"),
        ("<think>```sql\nSELECT 1\n```</think><answer>SELECT 2</answer>", "SELECT 2"),
        ("<solution>```sql\nSELECT 2\n```</solution>", "SELECT 2"),
        ("The query would SELECT everything", None),
        ("<think>SELECT 1", None),
        ("", None),
    ],
)
def test_the_answer_in_a_text(text: str, answer: str | None) -> None:
    assert answer_in(text) == answer


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    found = answer_in(text)
    assert found is None or found.strip()


@given(st.text(alphabet="sqletSELECT 1'\"(),*\n", min_size=1).map(lambda sql: f"SELECT {sql}".strip()))
def test_what_is_marked_as_the_answer_is_the_answer(sql: str) -> None:
    assert answer_in(f"<think>{sql} or so</think>Well:\n```sql\n{sql}\n```\nDone.") == sql


def test_an_answer_that_the_suite_refutes_pays_less() -> None:
    benchmark = touchstone.bird("demo", suite="demo")
    highest = next(task for task in benchmark.chosen() if task.gold == "SELECT MAX(hourly_rate) FROM mechanics")
    with SyncBatchEnv(benchmark, RewardOptions(reward="proof")) as env:
        constant, gold, wrong = env.score([(highest.key, sql) for sql in ("SELECT 30.0", highest.gold, "SELECT 31.0")])
    assert (constant.reward, gold.reward, wrong.reward) == (0.1, 1.0, 0.0)


def test_proof_without_small_databases_is_refused() -> None:
    with pytest.raises(InputError, match="--suite"):
        SyncBatchEnv(touchstone.bird("demo"), RewardOptions(reward="proof"))


async def test_a_batch_is_reset_and_stepped_together(world: World) -> None:
    async with open(touchstone.bird(world.tasks, world.databases), max_steps=3) as env:
        begun = await env.reset(["10", "10", "12"])
        assert [step.info["task"] for step in begun] == ["10", "10", "12"]
        first = await env.step([("execute_sql", {"sql": "DELETE FROM item"}), ("submit_sql", {"sql": GOLD}), None])
        assert [(step.reward, step.done) for step in first] == [(0.0, False), (1.0, True), (0.0, False)]
        second = await env.step([("execute_sql", {"sql": "SELECT count(*) FROM item"}), None, "no answer"])
        assert "0" in second[0].text  # its own copy
        assert second[1] == first[1]
        assert (second[2].done, second[2].info["outcome"]) == (True, "failed")
        with pytest.raises(InputError, match="reset first"):
            await env.step([None, ("execute_sql", {"sql": "SELECT 1"}), None])
        with pytest.raises(InputError, match="3 slots and 1 actions"):
            await env.step([None])
        again: list[EnvStep] = await env.reset(2, seed=5)
        assert [step.info["task"] for step in again] == [step.info["task"] for step in await env.reset(2, seed=5)]


async def test_a_task_that_cannot_be_opened_is_over_at_once(world: World, tmp_path: Path) -> None:
    (world.databases / "zoo" / "zoo.sqlite").unlink()
    async with open(touchstone.bird(world.tasks, world.databases)) as env:
        (step,) = await env.reset(["12"])
        assert (step.done, step.info["usable"], step.info["outcome"]) == (True, False, "unscorable")
        (paid,) = await env.score([("12", "SELECT 1")])
        assert (paid.reward, paid.usable) == (0.0, False)
