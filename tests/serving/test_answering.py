"""Answering one question: the agent plays, and its submission is tried out."""

from __future__ import annotations

import asyncio

import pytest

from tests.serving.conftest import Make
from tests.support.scripted_model import ScriptedModel, calls, execute, says, submit
from tests.support.worlds import ENDLESS
from touchstone.agents.scripted import ScriptedAgent
from touchstone.agents.tools import ToolAgent
from touchstone.errors import TurnLimit, Unscorable
from touchstone.protocols import Stage
from touchstone.serving.service import Inferred, question_key

pytestmark = pytest.mark.asyncio(loop_scope="module")


def submitting(sql: str) -> ScriptedAgent:
    return ScriptedAgent(lambda _: [submit(sql)])


async def test_what_the_agent_submits_is_the_answer(make: Make) -> None:
    answer = await make(submitting("SELECT name FROM item")).answer("Which?", "shop")
    assert answer == Inferred("SELECT name FROM item", True)


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("SELECT nam FROM item", "no such column: nam"),
        ("DELETE FROM item", "This statement would change the database, which is read-only here."),
        ("-- nothing", "There is no SQL statement in this text."),
    ],
)
async def test_sql_that_fails_is_an_answer_that_says_so(make: Make, sql: str, error: str) -> None:
    answer = await make(submitting(sql)).answer("Which?", "shop")
    assert (answer.sql, answer.execution_success) == (sql, False)
    assert answer.error == error


async def test_sql_that_never_ends_is_stopped(make: Make) -> None:
    answer = await make(submitting(ENDLESS), seconds=0.3).answer("Which?", "shop")
    assert (answer.sql, answer.execution_success) == (ENDLESS, False)
    assert "0.3" in (answer.error or "")


async def test_an_agent_that_submits_nothing_has_no_answer(make: Make) -> None:
    answer = await make(ScriptedAgent(lambda _: None)).answer("Which?", "shop")
    assert answer == Inferred(None, False, "the agent submitted nothing")


async def test_the_agent_is_told_the_question_and_the_evidence(make: Make) -> None:
    model = ScriptedModel([calls(submit("SELECT 1"))])
    await make(ToolAgent(model, 1)).answer("Which?", "shop", "only the dear ones")
    system, user = model.asked[0]
    assert system["content"] == "Be brief."
    assert user["content"] == "Which?\n\nHint: only the dear ones\n\nDatabase: shop"


async def test_the_agent_is_told_the_tables_if_it_is_wanted(make: Make) -> None:
    model = ScriptedModel([calls(submit("SELECT 1"))])
    await make(ToolAgent(model, 1), schema=True).answer("Which?", "zoo")
    assert model.asked[0][1]["content"] == "Database: zoo\nanimal(name, legs)\n\nWhich?"


async def test_what_the_agent_changes_is_gone_afterwards(make: Make) -> None:
    writer = ScriptedAgent(lambda _: [execute("DELETE FROM item"), submit("SELECT count(*) FROM item")])
    await make(writer).answer("Which?", "shop")
    model = ScriptedModel([calls(execute("SELECT count(*) AS n FROM item")), calls(submit("SELECT 1"))])
    await make(ToolAgent(model, 2)).answer("Which?", "shop")
    assert model.asked[1][-1]["content"] == "n\n-\n4\n(1 row)"


@pytest.mark.parametrize("name", ["", ".", "..", "../shop", "shop/shop", "/etc/passwd", "shop\0", "aviary"])
async def test_only_databases_of_the_directory_can_be_asked(make: Make, name: str) -> None:
    with pytest.raises(Unscorable):
        await make(submitting("SELECT 1")).answer("Which?", name)


async def test_turns_that_run_out_are_said(make: Make) -> None:
    with pytest.raises(TurnLimit):
        await make(ToolAgent(ScriptedModel([says("Hm."), says("Hm.")]), 2)).answer("Which?", "shop")


async def test_the_oracle_knows_questions_by_their_words_and_their_database(make: Make) -> None:
    known = {question_key("Which?", "shop"): [submit("SELECT 1")], question_key("Which?", "zoo"): [submit("SELECT 2")]}
    answerer = make(ScriptedAgent(known.get))
    assert (await answerer.answer("Which?", "shop")).sql == "SELECT 1"
    assert (await answerer.answer("Which?", "zoo")).sql == "SELECT 2"
    assert (await answerer.answer("What?", "zoo")).sql is None


class Counting:
    """An agent that sees how many play at once."""

    def __init__(self) -> None:
        self.now = self.most = 0
        self.three = asyncio.Event()

    async def play(self, stage: Stage) -> None:
        self.now += 1
        self.most = max(self.most, self.now)
        if self.now == 3:
            self.three.set()
        await asyncio.wait_for(self.three.wait(), 30)
        await asyncio.sleep(0.02)
        await stage.call(submit("SELECT 1"))
        self.now -= 1


async def test_only_so_many_questions_are_played_at_once(make: Make) -> None:
    agent = Counting()
    answerer = make(agent, parallel=3)
    answers = await asyncio.gather(*(answerer.answer(f"{number}?", "shop") for number in range(12)))
    assert [answer.sql for answer in answers] == ["SELECT 1"] * 12
    assert agent.most == 3
