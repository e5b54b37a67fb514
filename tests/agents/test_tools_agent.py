"""The function-calling agent: whatever its model replies, the episode goes on or ends with the right outcome."""

from __future__ import annotations

import pytest

from tests.support.playing import notes, observations, play_tools
from tests.support.scripted_model import USAGE, call, calls, execute, says, submit
from touchstone.benchmarks.bird.benchmark import Bird
from touchstone.errors import ContextLimit, ModelFailure, ModelRefusal, ModelRejected, WorkerFailure
from touchstone.types import ModelStep, NoteStep, Outcome, Reply, ToolStep

pytestmark = pytest.mark.asyncio(loop_scope="module")

GOLD = "SELECT name FROM item WHERE price > 1.0"
RIGHT = calls(submit(GOLD))


async def test_it_explores_and_submits(bird: Bird) -> None:
    record, model = await play_tools(bird, [calls(execute("SELECT count(*) AS n FROM item")), RIGHT])
    assert record.outcome is Outcome.passed
    assert [type(step) for step in record.steps] == [ModelStep, ToolStep, ModelStep, ToolStep]
    assert record.usage == USAGE + USAGE
    first, second = model.asked
    assert [message["role"] for message in first] == ["system", "user"]
    assert [message["role"] for message in second] == ["system", "user", "assistant", "tool"]
    assert second[3] == {"role": "tool", "tool_call_id": "c1", "content": "n\n-\n4\n(1 row)"}
    assert model.offered == [["execute_sql", "submit_sql"]] * 2


@pytest.mark.parametrize(
    ("reply", "note"),
    [
        (says("I think the answer is four."), "Your reply did not call a tool, so nothing happened. "),
        (says(""), "Your reply was empty. "),
        (says(" \n"), "Your reply was empty. "),
        (says("SELECT name FROM", finish="length"), "Your reply was cut off at its length limit. "),
        (says("", finish="length"), "Your reply was cut off at its length limit. "),
    ],
)
async def test_a_reply_without_a_call_is_answered_and_the_model_can_recover(bird: Bird, reply: Reply, note: str) -> None:
    record, model = await play_tools(bird, [reply, RIGHT])
    assert record.outcome is Outcome.passed
    assert notes(record) == [note + "Call one of the tools: execute_sql, submit_sql."]
    assert model.asked[1][-1] == {"role": "user", "content": notes(record)[0]}
    assert [type(step) for step in record.steps] == [ModelStep, NoteStep, ModelStep, ToolStep]


@pytest.mark.parametrize(
    ("name", "arguments", "shown"),
    [
        ("execute_sql", '{"sql": "SELECT', "The arguments of execute_sql could not be read: Input data was truncated."),
        ("execute_sql", "SELECT 1", "The arguments of execute_sql could not be read: JSON is malformed"),
        ("execute_sql", "{}", "The arguments of execute_sql could not be read: Object missing required field `sql`."),
        ("execute_sql", "", "The arguments of execute_sql could not be read: Object missing required field `sql`."),
        ("execute_sql", '{"sql": 5}', "The arguments of execute_sql could not be read: Expected `str`, got `int`"),
        ("execute_sql", "[]", "The arguments of execute_sql could not be read: Expected `object`, got `array`."),
        ("execute_sql", '{"a":' * 50_000, "The arguments of execute_sql could not be read: "),
        ("run_query", {"sql": "SELECT 1"}, "There is no tool named 'run_query'. The tools are: execute_sql, submit_sql."),
        ("", "", "There is no tool named ''. The tools are: execute_sql, submit_sql."),
    ],
)
async def test_a_call_that_cannot_be_used_is_an_observation(bird: Bird, name: str, arguments: str, shown: str) -> None:
    record, _ = await play_tools(bird, [calls(call(name, arguments)), RIGHT])
    first, _ = observations(record)
    assert first.error
    assert first.text.startswith(shown)
    assert record.outcome is Outcome.passed


async def test_arguments_that_are_not_known_are_passed_over(bird: Bird) -> None:
    record, _ = await play_tools(bird, [calls(call("submit_sql", {"sql": GOLD, "why": "because"}))])
    assert record.outcome is Outcome.passed


async def test_two_calls_in_one_reply_are_both_answered(bird: Bird) -> None:
    both = calls(execute("SELECT 1 AS a", "x"), execute("SELECT nope", "y"), text="Let me look.")
    record, model = await play_tools(bird, [both, RIGHT])
    answers = model.asked[1][3:]
    assert [(message["tool_call_id"], message["content"]) for message in answers] == [
        ("x", "a\n-\n1\n(1 row)"),
        ("y", "SQL error: no such column: nope"),
    ]
    assert record.outcome is Outcome.passed


async def test_the_first_submission_counts(bird: Bird) -> None:
    record, _ = await play_tools(bird, [calls(submit(GOLD, "a"), submit("SELECT 1", "b"), execute("SELECT 1", "c"))])
    assert record.outcome is Outcome.passed
    assert len(observations(record)) == 1


async def test_a_blank_submission_does_not_end_the_episode(bird: Bird) -> None:
    record, model = await play_tools(bird, [calls(submit("")), RIGHT])
    assert model.asked[1][-1]["content"] == "There is no SQL in this submission. Submit your final query."
    assert record.outcome is Outcome.passed


async def test_no_submission_within_the_turns_is_a_limit(bird: Bird) -> None:
    record, model = await play_tools(bird, [calls(execute("SELECT 1"))] * 3, turns=3)
    assert (record.outcome, record.score, record.reason) == (Outcome.limit, 0.0, "not finished within 3 turns")
    assert len(model.asked) == 3
    assert len(observations(record)) == 3


async def test_replies_without_a_call_cost_turns_and_the_last_one_is_announced(bird: Bird) -> None:
    record, _ = await play_tools(bird, [says("hm")] * 3, turns=3)
    assert record.outcome is Outcome.limit
    assert [note.endswith("This is your last turn.") for note in notes(record)] == [False, True, False]


async def test_a_submission_in_the_last_turn_counts(bird: Bird) -> None:
    record, _ = await play_tools(bird, [says("hm"), RIGHT], turns=2)
    assert record.outcome is Outcome.passed


@pytest.mark.parametrize("text", ["I will not do this.", ""])
async def test_a_refusal_is_a_failure_of_the_model(bird: Bird, text: str) -> None:
    record, _ = await play_tools(bird, [says(text, finish="refusal")])
    assert (record.outcome, record.reason) == (Outcome.failed, f"the model refused: {text or 'no reason given'}")
    assert record.usage == USAGE


@pytest.mark.parametrize(
    ("failure", "outcome"),
    [
        (ContextLimit("the conversation is too long"), Outcome.limit),
        (ModelRefusal("filtered"), Outcome.failed),
        (ModelFailure("500 after 6 attempts"), Outcome.error),
        (ModelRejected("no such model"), Outcome.error),
        (WorkerFailure("gone"), Outcome.error),
    ],
)
async def test_a_model_that_fails_ends_the_episode_with_its_outcome(
    bird: Bird, failure: ContextLimit, outcome: Outcome
) -> None:
    record, _ = await play_tools(bird, [calls(execute("SELECT 1")), failure])
    score = None if outcome is Outcome.error else 0.0
    assert (record.outcome, record.reason, record.score) == (outcome, str(failure), score)
    assert record.usage == USAGE
    assert len(record.steps) == 2
