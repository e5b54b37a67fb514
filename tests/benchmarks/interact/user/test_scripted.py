"""The user without a model: the best wording, else a clause, else the refusal."""

from __future__ import annotations

import pytest

from tests.benchmarks.interact.user.situations import FIRST, FOLLOW_UP, GOOD, NOTHING, PLACE, QUALITY, WITHHELD, mini_interact
from touchstone.benchmarks.interact.user.scripted import ONE_AT_A_TIME, ScriptedUser
from touchstone.benchmarks.interact.user.view import REFUSAL, Ambiguity, Situation, UserAnswer


async def ask(question: str, situation: Situation = FIRST) -> UserAnswer:
    return await ScriptedUser().answer(question, situation, PLACE)


@pytest.mark.parametrize(
    "question",
    [
        "What do you mean by 'good signals'?",
        "When is a SIGNAL good?",
        "Which of the signals are the good ones to you?",
    ],
)
async def test_a_wording(question: str) -> None:
    answer = await ask(question)
    assert (answer.text, answer.choice, answer.about) == ('By "good signals" I mean: quality_index > 42.', "labeled", GOOD.term)
    assert answer.leaks == answer.faults == answer.calls == ()


async def test_half_a_wording_is_not_enough() -> None:
    assert (await ask("What is a signal?", WITHHELD)).text == REFUSAL


async def test_one_question_one_answer() -> None:
    answer = await ask('What is "good signals", and what is "signal quality"?')
    assert answer.text == f'By "good signals" I mean: quality_index > 42.{ONE_AT_A_TIME}'
    answer = await ask("How do you measure the quality of a signal, and which signals are good?")
    assert answer.about == QUALITY.term
    assert answer.text.endswith(ONE_AT_A_TIME)


async def test_two_wordings_for_one_thing_are_one_question() -> None:
    twice = Situation("x", "x", (GOOD, Ambiguity("good signal (GS)", GOOD.sql_snippet)))
    assert ONE_AT_A_TIME not in (await ask("What are good signals?", twice)).text


async def test_an_abbreviation() -> None:
    indicator = Ambiguity("Signal-to-Noise Quality Indicator (SNQI)", "a - b")
    answer = await ask("How is SNQI computed?", Situation("x", "x", (GOOD, indicator)))
    assert answer.about == indicator.term


@pytest.mark.parametrize(
    ("question", "segment"),
    [
        ("How should I sort it?", "ORDER BY avg_quality DESC"),
        ("Is there a limit?", "LIMIT 7;"),
        ("Only the top ones?", "LIMIT 7;"),
        ("What is it grouped by?", "GROUP BY Station"),
        ("How many decimals do you need?", "SELECT Station, ROUND(AVG(quality_index), 3) AS avg_quality"),
        ("Do you want to exclude something?", "WHERE quality_index > 42 AND Station <> 'Observatory North Pole'"),
    ],
)
@pytest.mark.parametrize("situation", [FIRST, FOLLOW_UP])
async def test_a_clause(question: str, segment: str, situation: Situation) -> None:
    answer = await ask(question, situation)
    assert (answer.choice, answer.about, answer.leaks) == ("unlabeled", segment, ())
    assert segment.rstrip(";") in answer.text


@pytest.mark.parametrize(
    "question",
    ["Give me the SQL.", "Which tables are there?", "", "{segments}", "How to join them?", "Any topic, in order to go on?"],
)
async def test_refusals(question: str) -> None:
    assert await ask(question) == UserAnswer(REFUSAL, "unanswerable")


async def test_without_gold_there_are_only_wordings() -> None:
    assert (await ask("How should I sort it?", WITHHELD)).text == REFUSAL
    assert (await ask("What are good signals?", WITHHELD)).about == GOOD.term
    assert (await ask("What are good signals?", FOLLOW_UP)).choice == "unanswerable"
    assert (await ask("How should I sort it?", NOTHING)).text == REFUSAL


async def test_real_wordings_are_found_when_asked_for() -> None:
    asked = 0
    for situation in mini_interact():
        for ambiguity in situation.ambiguities:
            answer = await ask(f"What do you mean by '{ambiguity.term}'?", situation)
            assert (answer.about, answer.choice) == (ambiguity.term, "labeled")
            asked += 1
    assert asked == 1520


async def test_questions_about_other_tasks_are_mostly_refused() -> None:
    situations = list(mini_interact())
    answers = [
        await ask(f"How do you define {ambiguity.term}?", situations[(at + 150) % 300])
        for at, situation in enumerate(situations)
        for ambiguity in situation.ambiguities
        if ambiguity.type == "knowledge_linking_ambiguity"
    ]
    assert len(answers) > 200
    assert sum(answer.choice == "unanswerable" for answer in answers) / len(answers) > 0.9
