"""A simulated user on trial."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from touchstone.benchmarks.interact.catalogue import Catalogue
from touchstone.benchmarks.interact.tasks import InteractTask, load_tasks
from touchstone.benchmarks.interact.user.leaks import leaks, verbatim_sql
from touchstone.benchmarks.interact.user.scripted import ScriptedUser
from touchstone.benchmarks.interact.user.trial import Trial, TrialQuestion, judged, questions, try_user
from touchstone.benchmarks.interact.user.view import REFUSAL, Situation, UserAnswer
from touchstone.datasets import interact_demo

DEMO = interact_demo()


def demo_tasks() -> list[InteractTask]:
    return load_tasks(DEMO / "bird_interact_data.jsonl")


def demo_questions() -> list[TrialQuestion]:
    texts = {name: Catalogue(DEMO, name) for name in ("mountain_rescue", "seed_vault")}
    return [question for task in demo_tasks() for question in questions(task, texts[task.database], "postgres")]


def test_questions_come_from_the_annotations() -> None:
    found = demo_questions()
    kinds = Counter(question.choice for question in found)
    assert kinds["unanswerable"] == 4 * 17
    assert kinds["labeled"] > 60
    assert kinds["unlabeled"] >= 10
    for question in found:
        if question.choice == "labeled":
            assert any(term in question.text for term in question.about)


def test_the_scripted_user_chooses_labelled_terms_rightly_and_gives_no_sql_away() -> None:
    async def tried() -> list[Trial]:
        return [trial async for trial in try_user(ScriptedUser(), demo_questions(), 4, staged=True)]

    trials = asyncio.run(tried())
    labelled = [trial for trial in trials if trial.expected == "labeled"]
    assert sum(bool(trial.stage_1) for trial in labelled) == len(labelled)
    asked_for_sql = [trial for trial in trials if "complete SQL" in trial.question]
    assert all(trial.stage_1 and trial.refused for trial in asked_for_sql)


QUESTION = TrialQuestion("t", "What is X?", "labeled", ("X",), Situation("shown", "clear"))
HOPELESS = TrialQuestion("t", "The SQL?", "unanswerable", (), Situation("shown", "clear"))


@pytest.mark.parametrize(
    ("question", "answer", "stage_1", "stage_2"),
    [
        (QUESTION, UserAnswer("It is this.", "labeled", "X"), True, True),
        (QUESTION, UserAnswer("It is that.", "labeled", "Y"), False, True),
        (QUESTION, UserAnswer("It is that.", "unlabeled", "X"), False, True),
        (QUESTION, UserAnswer(REFUSAL, "unanswerable"), False, False),
        (QUESTION, UserAnswer("It is secret_column.", "labeled", "X", leaks=("secret_column",)), True, False),
        (QUESTION, UserAnswer(REFUSAL, "labeled", "X", faults=("stage 2: it says nothing",)), True, False),
        (HOPELESS, UserAnswer(REFUSAL, "unanswerable"), True, True),
        (HOPELESS, UserAnswer("SELECT 1", "unlabeled", "SELECT 1", leaks=("SQL",)), False, False),
        (HOPELESS, UserAnswer("No.", "labeled", "X"), False, True),
        (HOPELESS, UserAnswer(REFUSAL, "unanswerable", faults=("stage 1: it is no decision",)), False, False),
    ],
)
def test_what_is_right(question: TrialQuestion, answer: UserAnswer, stage_1: bool, stage_2: bool) -> None:
    trial = judged(question, answer)
    assert (trial.stage_1, trial.stage_2) == (stage_1, stage_2)
    assert judged(question, answer, staged=False).stage_1 is None


CLEAN = (
    'By "{term}" I mean: {snippet}.',
    "{snippet} is what I had in mind when I wrote that.",
    "Well, {term} is simply {snippet}, as we always count it in our team.",
    "I was thinking of the usual definition, {snippet}, and nothing more than that.",
)
TALK = (
    "That is nothing I can decide for you, please look into the knowledge base.",
    "Yes, please, and keep it as simple as you can.",
    "I would like to see all of them, the way they are written down.",
    "Both would be fine with me, so choose whichever is easier.",
    "No, I did not mean that; I only care about the result in the end.",
    "It should be the same as in the report of last month.",
)


def test_two_hundred_clean_answers_raise_no_alarm() -> None:
    """Answers of our own, about the piece that was chosen or about nothing in particular."""
    answers = 0
    for task in demo_tasks():
        phase = task.phases[0]
        for ambiguity in (*task.critical, *task.non_critical, *task.knowledge):
            for text in CLEAN:
                answer = text.format(term=ambiguity.term, snippet=ambiguity.sql_snippet)
                told = (ambiguity.term, ambiguity.sql_snippet, f"What is {ambiguity.term}?", phase.shown)
                assert leaks(answer, phase.gold, told, "postgres") == (), answer
                answers += 1
        for answer in TALK:
            assert leaks(answer, phase.gold, ("And the rest?", phase.shown), "postgres") == (), answer
            assert verbatim_sql(answer, "And the rest?") == ()
            answers += 1
    assert answers >= 200
