"""The baselines: one prompt with the schema; a vote by results; corrections after an error or an empty result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.playing import notes, observations
from tests.support.scripted_model import ScriptedModel, says
from touchstone.agents.direct import DirectAgent, DirectConfig, Examples, RepairAgent, VoteAgent, sql_of
from touchstone.agents.schema_prompt import SchemaForm, quoted
from touchstone.benchmarks.bird.benchmark import Bird
from touchstone.options import OptionError
from touchstone.runs.episode_runner import play
from touchstone.types import ModelStep, Outcome, Record

pytestmark = pytest.mark.asyncio(loop_scope="module")


Make = Callable[[ScriptedModel], DirectAgent]


def block(sql: str) -> Any:
    return says(f"Here it is:\n```sql\n{sql}\n```")


async def played(bird: Bird, make: Make, answers: Sequence[str]) -> tuple[Record, ScriptedModel]:
    model = ScriptedModel([block(sql) for sql in answers])
    record, _ = await play(bird, make(model), bird.tasks()[0])
    return record, model


@pytest.mark.parametrize("form", ["ddl", "full", "values"])
async def test_one_prompt_has_the_schema_and_one_reply_is_handed_in(bird: Bird, form: SchemaForm) -> None:
    task = bird.tasks()[0]
    examples = Examples([("How many?", "SELECT 7")])
    record, model = await played(bird, lambda model: DirectAgent(model, form, examples), [task.gold])
    assert record.outcome is Outcome.passed, record.reason
    assert sum(isinstance(step, ModelStep) for step in record.steps) == 1
    assert model.offered == [[]]
    (prompt,) = [message["content"] for message in model.asked[0]]
    assert "CREATE TABLE" in prompt
    assert task.question in prompt
    assert "SELECT 7" in prompt
    assert ("Some rows of" in prompt) == (form == "values")
    assert ("PRIMARY KEY" in prompt) == (form != "ddl")
    assert notes(record) == [prompt]


async def test_the_vote_counts_results_and_not_texts(bird: Bird) -> None:
    gold = bird.tasks()[0].gold.rstrip(";")
    answers = ["SELECT 'alone'", f"SELECT * FROM ({gold})", "SELEC", f"{gold} -- again", "SELECT 'alonex"]
    record, _ = await played(bird, lambda model: VoteAgent(model, votes=5), answers)
    assert record.outcome is Outcome.passed, record.reason


async def test_a_vote_of_errors_alone_still_hands_something_in(bird: Bird) -> None:
    record, _ = await played(bird, lambda model: VoteAgent(model, votes=2), ["SELEC 1", "SELEC 2"])
    assert record.outcome is Outcome.failed
    assert record.evidence["prediction"] == "SELEC 1"


@pytest.mark.parametrize("first", ["SELECT nothing FROM nowhere", "SELECT 1 WHERE 0"])
async def test_an_error_or_an_empty_result_is_corrected(bird: Bird, first: str) -> None:
    record, model = await played(bird, lambda model: RepairAgent(model, repairs=2), [first, bird.tasks()[0].gold])
    assert record.outcome is Outcome.passed, record.reason
    assert len(model.asked) == 2
    told = model.asked[1][-1]["content"]
    assert "syntax error" in told or "no rows" in told


async def test_repairs_come_to_an_end(bird: Bird) -> None:
    record, model = await played(bird, lambda model: RepairAgent(model, repairs=2), ["SELEC 1", "SELEC 2", "SELEC 3"])
    assert len(model.asked) == 3
    assert record.evidence["prediction"] == "SELEC 3"
    assert observations(record)[-1].text == "Submitted."


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("```sql\nSELECT 1\n```", "SELECT 1"),
        ("First\n```sql\nSELECT 1\n```\nbetter:\n```SQL\nSELECT 2\n```", "SELECT 2"),
        ("```\nWITH a AS (SELECT 1) SELECT * FROM a", "WITH a AS (SELECT 1) SELECT * FROM a"),
        ("The query is: SELECT 1", "SELECT 1"),
        ("I cannot", "I cannot"),
    ],
)
async def test_the_sql_of_a_reply(text: str, sql: str) -> None:
    assert sql_of(text) == sql


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("shots.jsonl", '{"question": "q", "sql": "SELECT 1"}\n{"question": "r", "SQL": "SELECT 2"}\n'),
        ("shots.json", '[{"question": "q", "query": "SELECT 1"}, {"question": "r", "sql": "SELECT 2"}]'),
        ("shots.csv", "\ufeffquestion,sql\nq,SELECT 1\nr,SELECT 2\n"),
    ],
)
async def test_examples_are_read_or_refused(tmp_path: Path, name: str, content: str) -> None:
    file = tmp_path / name
    file.write_text(content)
    assert DirectConfig(examples=file).solved() == [("q", "SELECT 1"), ("r", "SELECT 2")]
    file.write_text('{"question": "q"}\n')
    with pytest.raises(OptionError, match="expected objects with question and sql"):
        DirectConfig(examples=file.rename(tmp_path / "broken.jsonl")).solved()


async def test_shots_need_a_file() -> None:
    with pytest.raises(OptionError, match="shots=3: needs examples"):
        DirectConfig(shots=3)


async def test_the_examples_most_like_the_question_are_shown_and_never_the_question_itself() -> None:
    pairs = [("How many dogs are there?", "1"), ("List the names of all cats", "2"), ("How many cats  are there", "3")]
    assert Examples(pairs, 1).of("How many cats are there?") == [pairs[0]]
    assert Examples(pairs, 1).of("List all names") == [pairs[1]]
    assert Examples(pairs).of("What is new?") == pairs


async def test_the_vote_does_not_depend_on_names_of_columns_or_numbers_of_one_value(bird: Bird) -> None:
    answers = ["SELECT 1 AS a_very_long_name, 'x' AS b", "SELECT 'other'", "SELECT 1.0, 'x'", "SELECT 'another'"]
    record, _ = await played(bird, lambda model: VoteAgent(model, votes=4), answers)
    assert record.evidence["prediction"] == answers[0]


@pytest.mark.parametrize(
    ("name", "dialect", "expected"),
    [
        ("customer", "sqlite", "customer"),
        ("Customer", "sqlite", "Customer"),
        ("Customer", "postgres", '"Customer"'),
        ("customer", "snowflake", '"customer"'),
        ("CUSTOMER", "snowflake", "CUSTOMER"),
        ("order", "duckdb", '"order"'),
        ("two words", "mysql", "`two words`"),
        ('a"b', "duckdb", '"a""b"'),
    ],
)
async def test_names_are_quoted_where_the_system_needs_it(name: str, dialect: str, expected: str) -> None:
    assert quoted(name, dialect) == expected
