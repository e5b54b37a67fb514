"""The text-protocol agent: what it reads out of free text, and how it plays."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.playing import notes, observations, play_react
from tests.support.scripted_model import says
from touchstone.agents.react import parse
from touchstone.benchmarks.bird.benchmark import Bird
from touchstone.benchmarks.sql_episode import TOOLS
from touchstone.types import Outcome

GOLD = "SELECT name FROM item WHERE price > 1.0"
PROTOCOL_WORDS = re.compile(r"^[ \t*]*(?:observation|thought|action|input)", re.IGNORECASE | re.MULTILINE)


def parsed(text: str) -> tuple[str, str] | None:
    """The tool's name and the SQL that it would be given."""
    call = parse(text, TOOLS, "id")
    return None if call is None else (call.name, json.loads(call.arguments)["sql"])


statement = st.builds(
    lambda head, rest: f"{head} {rest}".strip(),
    st.sampled_from(["SELECT", "WITH", "PRAGMA", "(SELECT", "-- a comment\nSELECT", "/* so */ SELECT", "select"]),
    st.text(st.characters(codec="utf-8"), max_size=200),
).filter(lambda sql: not PROTOCOL_WORDS.search(sql) and "```" not in sql)


@given(statement)
@example("SELECT \"a\" FROM t\n  WHERE x = 'Input: 1'\n\n  AND y;")
@example("SELECT 'Thought: x', 'Action: y'")
def test_any_sql_survives_plain_and_fenced(sql: str) -> None:
    assert parsed(f"Thought: so\nAction: execute_sql\nInput: {sql}") == ("execute_sql", sql)
    assert parsed(f"Action: execute_sql\nInput:\n```sql\n{sql}\n```") == ("execute_sql", sql)


@given(statement)
def test_any_sql_survives_as_json(sql: str) -> None:
    for ascii_only in (True, False):
        text = json.dumps({"sql": sql}, ensure_ascii=ascii_only)
        assert parsed(f"Action: submit_sql\nInput: {text}") == ("submit_sql", sql)


@given(statement, st.sampled_from(["Observation: 4 rows", "\nThought: next", "Action: submit_sql\nInput: SELECT 2"]))
def test_what_the_model_invents_after_its_input_is_ignored(sql: str, more: str) -> None:
    assert parsed(f"Action: execute_sql\nInput: {sql}\n{more}") == ("execute_sql", sql)


@given(st.text())
def test_no_text_whatsoever_breaks_the_parser(text: str) -> None:
    parse(text, TOOLS, "id")
    parse(f"Action: execute_sql\nInput: {text}", TOOLS, "id")


@pytest.mark.parametrize(
    "text",
    [
        "Action: execute_sql\nInput: SELECT 1",
        "action: execute_sql\ninput: SELECT 1",
        "ACTION: execute_sql\nINPUT: SELECT 1",
        "**Action:** execute_sql\n**Input:** SELECT 1",
        "**Action**: `execute_sql`\n**Input**: SELECT 1",
        "Action: execute_sql\nAction Input: SELECT 1",
        "  Action: execute_sql\n  Input: SELECT 1",
        "Action: execute_sql  \n\nInput:\n\nSELECT 1\n\n",
        "Action: execute_sql\r\nInput: SELECT 1\r\n",
        "Action: execute_sql\nInput: ```\nSELECT 1\n```",
        "Action: execute_sql\nInput: ```sql\nSELECT 1\n```\nThat should do.",
        "Action: execute_sql\nInput: ```sqlite\nSELECT 1",
        "Action: execute_sql\nInput: ```sql SELECT 1 ```",
        'Action: execute_sql\nInput: ```json\n{"sql": "SELECT 1"}\n```',
        'Action: execute_sql\nInput: {"sql": "SELECT 1"}',
        "Thought: the Action: is clear\nand more\n\nAction: execute_sql\nInput: SELECT 1",
        "Action: think\nso far no input\nAction: execute_sql\nInput: SELECT 1",
        "Thought: I know.\nAction: execute_sql\nInput: SELECT 1\nObservation: 1\nThought: done",
    ],
)
def test_many_ways_of_writing_the_same_action(text: str) -> None:
    assert parsed(text) == ("execute_sql", "SELECT 1")


@pytest.mark.parametrize(
    ("written", "sql"),
    [
        ("SELECT 1;", "SELECT 1;"),
        ("SELECT 1;\nSELECT 2;", "SELECT 1;\nSELECT 2;"),
        ("SELECT a,\n       b\n  FROM t", "SELECT a,\n       b\n  FROM t"),
        ("SELECT '{\"sql\": 1}'", "SELECT '{\"sql\": 1}'"),
        ('{"query": "SELECT 1"}', '{"query": "SELECT 1"}'),
        ("SELECT '```' AS fence", "SELECT '```' AS fence"),
        ("", ""),
    ],
)
def test_the_input_is_taken_as_it_stands(written: str, sql: str) -> None:
    assert parsed(f"Action: execute_sql\nInput: {written}") == ("execute_sql", sql)


@pytest.mark.parametrize(
    "text",
    ["", "SELECT 1", "Action: execute_sql", "Input: SELECT 1", "I will act.\nAction:\nInput: x", "Action: run this\nInput: x"],
)
def test_text_without_a_complete_action_has_none(text: str) -> None:
    assert parse(text, TOOLS, "id") is None


def test_degenerate_json_is_taken_as_text() -> None:
    nested = '{"a":' * 5000
    assert parsed(f"Action: execute_sql\nInput: {nested}") == ("execute_sql", nested)


def test_the_call_carries_its_id() -> None:
    call = parse("Action: submit_sql\nInput: SELECT 1", TOOLS, "turn-3")
    assert call is not None
    assert call.id == "turn-3"


@pytest.mark.asyncio(loop_scope="module")
class TestPlay:
    async def test_it_explores_and_submits_in_text_alone(self, bird: Bird) -> None:
        answers = [
            says("Thought: how many?\nAction: execute_sql\nInput: SELECT count(*) AS n FROM item"),
            says(f"Thought: done\nAction: submit_sql\nInput: {GOLD}"),
        ]
        record, model = await play_react(bird, answers)
        assert record.outcome is Outcome.passed
        assert model.offered == [[], []]
        assert model.asked[1][-1] == {"role": "user", "content": "Observation: n\n-\n4\n(1 row)"}
        assert all(message["role"] in ("system", "user", "assistant") for message in model.asked[1])

    async def test_the_protocol_and_the_tools_are_explained(self, bird: Bird) -> None:
        _, model = await play_react(bird, [says(f"Action: submit_sql\nInput: {GOLD}")])
        system = model.asked[0][0]["content"]
        for words in ("Action:", "Input:", "execute_sql (sql): ", "submit_sql (sql): "):
            assert words in system

    @pytest.mark.parametrize("text", ["", "I do not know.", "Action: execute_sql"])
    async def test_no_action_is_answered_and_the_model_can_recover(self, bird: Bird, text: str) -> None:
        record, model = await play_react(bird, [says(text), says(f"Action: submit_sql\nInput: {GOLD}")])
        assert record.outcome is Outcome.passed
        assert notes(record) == [model.asked[1][-1]["content"]]
        assert notes(record)[0].startswith("No action was found in your answer.")

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("Action: run_sql\nInput: SELECT 1", "There is no tool named 'run_sql'."),
            ("Action: execute_sql\nInput: SELECT nope", "SQL error: no such column: nope"),
            ("Action: submit_sql\nInput:", "There is no SQL in this submission."),
        ],
    )
    async def test_an_action_that_fails_is_an_observation(self, bird: Bird, text: str, shown: str) -> None:
        record, _ = await play_react(bird, [says(text), says(f"Action: submit_sql\nInput: {GOLD}")])
        assert observations(record)[0].text.startswith(shown)
        assert record.outcome is Outcome.passed

    async def test_no_submission_within_the_turns_is_a_limit(self, bird: Bird) -> None:
        record, _ = await play_react(bird, [says("hm"), says("hm")], turns=2)
        assert (record.outcome, record.reason) == (Outcome.limit, "not finished within 2 turns")

    async def test_a_refusal_is_a_failure_of_the_model(self, bird: Bird) -> None:
        record, _ = await play_react(bird, [says("No.", finish="refusal")])
        assert (record.outcome, record.reason) == (Outcome.failed, "the model refused: No.")
