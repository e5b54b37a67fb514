"""The agentic mode from the brief to the record: phases, rewards, charges, states, and what an agent is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.interact.datasets import ACTIVE, COUNTED, TOTALS, VIEW, make_dataset, management_task, query_task
from tests.benchmarks.interact.playing import call, play_moves, seen, sqlite_benchmark
from tests.support.scripted_model import Answer as ModelAnswer
from tests.support.scripted_model import ScriptedModel, calls, says
from touchstone.agents.scripted import ScriptedAgent
from touchstone.agents.tools import ToolAgent
from touchstone.benchmarks.interact.rules import Compat
from touchstone.benchmarks.interact.user.view import Situation, UserAnswer
from touchstone.errors import ContextLimit, ModelFailure, ModelNonsense, ModelRefusal, SizeLimit
from touchstone.runs.episode_runner import play
from touchstone.types import CallPosition, Outcome, ToolCall

WRONG = "SELECT 'nobody'"


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return make_dataset(tmp_path / "data")


@pytest.mark.parametrize(
    ("then", "outcome"),
    [
        (says("I will not go on.", finish="refusal"), Outcome.failed),
        (ModelRefusal("filtered"), Outcome.failed),
        (ModelNonsense("cannot be read"), Outcome.failed),
        (ContextLimit("too long"), Outcome.limit),
        (SizeLimit("too much"), Outcome.limit),
    ],
)
async def test_what_was_earned_is_kept_when_the_model_gives_up(dataset: Path, then: ModelAnswer, outcome: Outcome) -> None:
    async with sqlite_benchmark(dataset) as benchmark:
        agent = ToolAgent(ScriptedModel([calls(call(("submit", ACTIVE))), then]), 5)
        record, _ = await play(benchmark, agent, next(task for task in benchmark.tasks() if task.key == "shop_1"))
    assert (record.outcome, record.score) == (outcome, 0.7)
    assert (record.metrics["phase_1"], record.metrics["phase_2"]) == (1, 0)


async def test_both_phases_passed_is_a_reward_of_one(dataset: Path) -> None:
    async with sqlite_benchmark(dataset) as benchmark:
        record = await play_moves(benchmark, "shop_1", ("submit", ACTIVE), ("submit", TOTALS))
    assert (record.outcome, record.score) == (Outcome.passed, 1.0)
    assert (record.metrics["phase_1"], record.metrics["phase_2"]) == (1, 1)
    assert "follow-up request:\n\nGive the total of each customer." in seen(record)[0].text


class TestTheRewardComesFromThePhasesPassed:
    """The original keeps a running value that a failed submission resets."""

    async def test_a_failed_follow_up_does_not_take_phase_1_away(self, dataset: Path) -> None:
        async with sqlite_benchmark(dataset) as benchmark:
            record = await play_moves(benchmark, "shop_1", ("submit", ACTIVE), ("submit", WRONG))
        assert (record.outcome, record.score) == (Outcome.failed, 0.7)
        assert record.reason.startswith("Phase 2 of 2:")

    async def test_failures_in_between_cost_nothing_but_coins(self, dataset: Path) -> None:
        async with sqlite_benchmark(dataset, patience=14) as benchmark:
            moves = [("submit", WRONG), ("submit", ACTIVE), ("submit", WRONG), ("submit", TOTALS)]
            record = await play_moves(benchmark, "shop_1", *moves)
        assert (record.outcome, record.score) == (Outcome.passed, 1.0)
        assert record.metrics["coins"] == 12

    async def test_whoever_runs_out_of_turns_keeps_phase_1(self, dataset: Path) -> None:
        async with sqlite_benchmark(dataset) as benchmark:
            record = await play_moves(benchmark, "shop_1", ("submit", ACTIVE), gives_up=True)
        assert (record.outcome, record.score, record.reason) == (Outcome.limit, 0.7, "out of turns")
        assert record.metrics["phase_1"] == 1

    async def test_without_a_follow_up_the_request_is_the_whole_task(self, tmp_path: Path) -> None:
        make_dataset(tmp_path / "d", query_task(follow_up=None))
        async with sqlite_benchmark(tmp_path / "d") as benchmark:
            record = await play_moves(benchmark, "shop_1", ("submit", ACTIVE))
        assert (record.outcome, record.score) == (Outcome.passed, 1.0)
        assert "phase_2" not in record.metrics


class TestCharges:
    async def test_every_charge_is_in_the_record_and_the_balance_is_shown(self, dataset: Path) -> None:
        moves = [
            ("get_schema",),
            ("get_column_meaning", "Customer", "TIER"),
            ("execute", "SELECT 1"),
            ("ask", "active customers?"),
        ]
        async with sqlite_benchmark(dataset) as benchmark:
            record = await play_moves(benchmark, "shop_1", *moves, ("submit", WRONG))
        charges = [(charge["action"], charge["price"], charge["after"]) for charge in record.evidence["charges"]]
        assert charges == [
            ("get_schema", 1, 15),
            ("get_column_meaning", 0.5, 14.5),
            ("execute", 1, 13.5),
            ("ask", 2, 11.5),
            ("submit", 3, 8.5),
        ]
        assert record.evidence["budget"] == 16
        assert seen(record)[1].text == "how dear the customer is\n[14.5 of 16 bird-coins left]"
        assert record.metrics["coins_ask"] == 2

    async def test_an_action_that_cannot_be_read_costs_a_fifth_of_a_coin(self, dataset: Path) -> None:
        async with sqlite_benchmark(dataset) as benchmark:
            broken = [ToolCall("1", "look", "{}"), ToolCall("2", "execute", "{")]
            record = await play_moves(benchmark, "shop_1", *broken, ("submit", WRONG))
        assert [charge["after"] for charge in record.evidence["charges"]] == [15.8, 15.6, 12.6]
        assert seen(record)[0].text.endswith("[15.8 of 16 bird-coins left]")

    async def test_with_the_rules_of_adk_it_costs_nothing(self, dataset: Path) -> None:
        async with sqlite_benchmark(dataset, compat="adk") as benchmark:
            record = await play_moves(benchmark, "shop_1", ToolCall("1", "look", "{}"), ("execute", "SELECT 1"))
        assert [charge["after"] for charge in record.evidence["charges"]] == [15]

    async def test_a_failure_of_the_user_model_is_never_charged(self, dataset: Path) -> None:
        class Down:
            name = "down"

            async def answer(self, question: str, situation: Situation, position: CallPosition) -> UserAnswer:
                raise ModelFailure("the service is down")

        async with sqlite_benchmark(dataset, user=Down()) as benchmark:
            record = await play_moves(benchmark, "shop_1", ("execute", "SELECT 1"), ("ask", "what?"))
        assert (record.outcome, record.reason) == (Outcome.error, "the service is down")
        assert [step.call.name for step in record.steps] == ["execute"]  # type: ignore[union-attr]

    async def test_what_cannot_be_paid_is_refused_and_a_last_submission_remains(self, dataset: Path) -> None:
        async with sqlite_benchmark(dataset, patience=0) as benchmark:  # 10 coins
            moves = [("ask", "active?")] * 4 + [("execute", "SELECT 1"), ("ask", "active?"), ("submit", ACTIVE)]
            record = await play_moves(benchmark, "shop_1", *moves)
        refused = seen(record)[5]
        assert "ask costs 2 bird-coins, and you have 1 left" in refused.text
        assert refused.error
        assert (record.outcome, record.score) == (Outcome.failed, 0.7)  # nothing was left for the follow-up
        assert record.evidence["charges"][-1] == {"action": "submit", "price": 1, "after": 0}
        assert "follow-up" not in seen(record)[-1].text

    @pytest.mark.parametrize("compat", ["batch", "conv"])
    @pytest.mark.parametrize("forbidden", [("execute", "SELECT 1"), ToolCall("1", "look", "{}")])
    async def test_a_spent_budget_without_a_submission_is_a_limit_under_the_rules_of_batch(
        self, dataset: Path, compat: Compat, forbidden: ToolCall | tuple[str, str]
    ) -> None:
        async with sqlite_benchmark(dataset, compat=compat, patience=0) as benchmark:
            record = await play_moves(benchmark, "shop_1", *[("ask", "active?")] * 5, forbidden, ("submit", ACTIVE))
        assert (record.outcome, record.reason) == (Outcome.limit, "the budget ran out before a submission")
        assert len(seen(record)) == 6
        assert record.evidence["charges"][-1] == {"action": "ask", "price": 2, "after": 0}
        assert "your next action must be a submission" in seen(record)[4].text


class TestStates:
    async def test_nothing_that_exploration_does_lasts(self, dataset: Path) -> None:
        async with sqlite_benchmark(dataset) as benchmark:
            moves = [("execute", "DELETE FROM purchase"), ("execute", "SELECT count(*) AS n FROM purchase"), ("submit", ACTIVE)]
            record = await play_moves(benchmark, "shop_1", *moves)
        assert "5 rows changed" in seen(record)[0].text
        assert seen(record)[1].text.splitlines()[0:3] == ["n", "-", "5"]
        assert record.metrics["phase_1"] == 1

    async def test_phase_2_explores_and_judges_what_phase_1_left(self, dataset: Path) -> None:
        async with sqlite_benchmark(dataset) as benchmark:
            moves = [("execute", COUNTED), ("submit", VIEW), ("execute", COUNTED), ("submit", COUNTED)]
            record = await play_moves(benchmark, "shop_M_1", *moves)
        assert "no such table: big" in seen(record)[0].text
        assert "(1 row)" in seen(record)[2].text
        assert (record.outcome, record.score) == (Outcome.passed, 1.0)

    async def test_the_rules_of_batch_explore_the_untouched_database_in_phase_2_too(self, dataset: Path) -> None:
        async with sqlite_benchmark(dataset, compat="batch") as benchmark:
            record = await play_moves(benchmark, "shop_M_1", ("submit", VIEW), ("execute", COUNTED), ("submit", COUNTED))
        assert "no such table: big" in seen(record)[1].text
        assert record.score == 1.0

    async def test_phase_2_sees_the_agents_own_sql_and_with_the_rules_of_conv_the_golds(self, tmp_path: Path) -> None:
        follow_up = {
            "query": "Which views?",
            "sol_sql": ["SELECT name FROM sqlite_master WHERE type = 'view'"],
            "category": "Query",
        }
        make_dataset(tmp_path / "d", management_task(test_cases=["def test_case(*a): pass"], follow_up=follow_up))
        own = "CREATE VIEW mine AS SELECT 1 AS x"
        for compat, views in (("strict", "mine"), ("batch", "mine"), ("adk", "mine"), ("conv", "big")):
            async with sqlite_benchmark(tmp_path / "d", compat=compat, patience=20) as benchmark:
                wrong, right = ("submit", "SELECT 'other'"), ("submit", f"SELECT '{views}'")
                record = await play_moves(benchmark, "shop_M_1", ("submit", own), wrong, right)
            assert [step.details["finding"]["passed"] for step in seen(record)] == [True, False, True], compat

    async def test_preprocess_is_there_before_and_clean_up_after_phase_1(self, tmp_path: Path) -> None:
        task = query_task(
            preprocess_sql=[
                "INSERT INTO customer VALUES (9, 'Di', NULL)",
                "INSERT INTO purchase VALUES (9, 9, 1, ''), (10, 9, 2, '')",
            ],
            clean_up_sqls=["DELETE FROM purchase WHERE customer = 9"],
        )
        make_dataset(tmp_path / "d", task)
        async with sqlite_benchmark(tmp_path / "d") as benchmark:
            count = ("execute", "SELECT count(*) AS n FROM purchase")
            record = await play_moves(benchmark, "shop_1", count, ("submit", ACTIVE), count, ("submit", TOTALS))
        assert seen(record)[0].text.splitlines()[2] == "7"
        assert seen(record)[2].text.splitlines()[2] == "5"
        assert record.score == 1.0

    async def test_broken_preprocess_sql_makes_the_task_unscorable(self, tmp_path: Path) -> None:
        make_dataset(tmp_path / "d", query_task(preprocess_sql=["DROP TABLE absent"]))
        async with sqlite_benchmark(tmp_path / "d") as benchmark:
            record = await play_moves(benchmark, "shop_1", ("submit", ACTIVE))
        assert record.outcome is Outcome.unscorable
        assert "preprocess_sql cannot be run: no such table: absent" in record.reason


class TestFeedback:
    async def test_results_have_headers_and_row_counts(self, dataset: Path) -> None:
        async with sqlite_benchmark(dataset) as benchmark:
            record = await play_moves(benchmark, "shop_1", ("execute", "SELECT name, tier FROM customer ORDER BY id"))
        lines = seen(record)[0].text.splitlines()
        assert lines[0].split() == ["name", "|", "tier"]
        assert lines[3].split() == ["Bo", "|", "NULL"]
        assert lines[5] == "(3 rows)"

    async def test_sql_errors_are_told_as_they_are(self, dataset: Path) -> None:
        async with sqlite_benchmark(dataset) as benchmark:
            record = await play_moves(benchmark, "shop_1", ("execute", "SELEC 1"), ("submit", "SELECT x FROM nowhere"))
        assert 'SQL error: near "SELEC": syntax error' in seen(record)[0].text
        assert "Your SQL cannot be run: no such table: nowhere" in seen(record)[1].text
        assert record.evidence["kind"] == "error"

    async def test_an_assertions_text_is_for_the_record_alone(self, dataset: Path) -> None:
        async with sqlite_benchmark(dataset) as benchmark:
            wrong = "CREATE VIEW big AS SELECT * FROM purchase WHERE amount > 5"
            record = await play_moves(benchmark, "shop_M_1", ("submit", wrong))
        assert "expected two" not in seen(record)[0].text
        assert seen(record)[0].text.startswith("Your SQL is not correct.\n")
        assert "expected two big purchases" in record.reason
        assert record.evidence["kind"] == "test assertion"

    async def test_a_finding_names_the_phase_that_it_was_made_in(self, dataset: Path) -> None:
        async with sqlite_benchmark(dataset) as benchmark:
            record = await play_moves(benchmark, "shop_1", ("submit", ACTIVE), ("submit", WRONG))
        assert [step["phase"] for step in record.evidence["submissions"]] == [1, 2]
        assert seen(record)[0].details["finding"]["phase"] == 1

    async def test_a_literal_at_the_end_of_a_submission_keeps_its_quote(self, tmp_path: Path) -> None:
        gold = "SELECT name FROM customer WHERE tier = 'gold'"
        make_dataset(tmp_path / "d", query_task(sol_sql=[gold], follow_up=None))
        async with sqlite_benchmark(tmp_path / "d") as benchmark:
            record = await play_moves(benchmark, "shop_1", ("submit", gold))
        assert record.outcome is Outcome.passed


class TestJudging:
    async def test_strict_and_official_are_both_recorded_and_the_rules_say_which_decides(self, tmp_path: Path) -> None:
        make_dataset(tmp_path / "d", query_task(sol_sql=["SELECT tier FROM customer WHERE tier = 'gold'"], follow_up=None))
        once = "SELECT 'gold'"
        outcomes: dict[str, Any] = {}
        for compat in ("strict", "batch"):
            async with sqlite_benchmark(tmp_path / "d", compat=compat) as benchmark:
                record = await play_moves(benchmark, "shop_1", ("submit", once))
            outcomes[compat] = record.outcome
            assert (record.metrics["phase_1_strict"], record.metrics["phase_1_official"]) == (0, 1)
        assert outcomes == {"strict": Outcome.failed, "batch": Outcome.passed}

    async def test_two_empty_results_are_equal_unless_the_original_judges(self, tmp_path: Path) -> None:
        gold = "SELECT name FROM customer WHERE id > 99"
        make_dataset(tmp_path / "d", query_task(sol_sql=[gold], follow_up=None))
        async with sqlite_benchmark(tmp_path / "d") as benchmark:
            record = await play_moves(benchmark, "shop_1", ("submit", gold))
        assert record.outcome is Outcome.passed
        assert record.metrics["phase_1_official"] == 0

    async def test_a_prediction_that_writes_before_it_reads_does_not_touch_the_gold(self, dataset: Path) -> None:
        async with sqlite_benchmark(dataset) as benchmark:
            cheat = f"DELETE FROM purchase; {ACTIVE}"
            record = await play_moves(benchmark, "shop_1", ("submit", cheat))
        assert record.metrics["phase_1"] == 0

    async def test_gold_that_is_withheld_or_broken_makes_the_task_unscorable(self, tmp_path: Path) -> None:
        make_dataset(tmp_path / "d", query_task(sol_sql=[]), query_task(instance_id="shop_2", sol_sql=["SELECT nothing"]))
        async with sqlite_benchmark(tmp_path / "d") as benchmark:
            withheld = await play_moves(benchmark, "shop_1", ("execute", "SELECT 1"), ("submit", ACTIVE))
            broken = await play_moves(benchmark, "shop_2", ("submit", ACTIVE))
        assert (withheld.outcome, withheld.reason) == (
            Outcome.unscorable,
            "the gold SQL and the tests of this task are withheld",
        )
        assert broken.outcome is Outcome.unscorable
        assert "the gold SQL cannot be run" in broken.reason

    async def test_a_gold_that_only_the_original_can_run_decides_only_under_its_rules(self, tmp_path: Path) -> None:
        """It takes DISTINCT out of the text before it runs it."""
        make_dataset(tmp_path / "d", query_task(sol_sql=["SELECT DISTINCT DISTINCT name FROM customer"], follow_up=None))
        right = "SELECT name FROM customer"
        outcomes: dict[str, list[Outcome]] = {}
        for compat in ("strict", "batch"):
            async with sqlite_benchmark(tmp_path / "d", compat=compat) as benchmark:
                records = [await play_moves(benchmark, "shop_1", ("submit", sql)) for sql in (right, "SELECT 1", "SELECT no")]
            outcomes[compat] = [record.outcome for record in records]
        assert outcomes == {
            "strict": [Outcome.unscorable] * 3,
            "batch": [Outcome.passed, Outcome.failed, Outcome.failed],
        }

    async def test_management_without_tests_passes_only_under_the_old_rules(self, tmp_path: Path) -> None:
        make_dataset(tmp_path / "d", management_task(test_cases=[]))
        outcomes: dict[str, Any] = {}
        for compat in ("strict", "batch"):
            async with sqlite_benchmark(tmp_path / "d", compat=compat) as benchmark:
                outcomes[compat] = (await play_moves(benchmark, "shop_M_1", ("submit", VIEW))).outcome
        assert outcomes == {"strict": Outcome.unscorable, "batch": Outcome.failed}


async def test_a_missing_database_is_unscorable(dataset: Path) -> None:
    (dataset / "shop" / "shop_template.sqlite").unlink()
    async with sqlite_benchmark(dataset) as benchmark:
        record = await play_moves(benchmark, "shop_1", ("submit", ACTIVE))
    assert record.outcome is Outcome.unscorable


async def test_in_phase_2_the_user_speaks_of_the_follow_up_and_its_gold(dataset: Path) -> None:
    asked: list[Situation] = []

    class Listening:
        name = "listening"

        async def answer(self, question: str, situation: Situation, position: CallPosition) -> UserAnswer:
            asked.append(situation)
            return UserAnswer("yes", "unanswerable")

    async with sqlite_benchmark(dataset, user=Listening()) as benchmark:
        await play_moves(benchmark, "shop_1", ("ask", "a"), ("submit", ACTIVE), ("ask", "b"))
    first, second = asked
    assert (first.clear, first.gold) == ("Names of customers with two or more purchases.", (ACTIVE,))
    assert [each.term for each in first.ambiguities] == ["active customers", "Active Customer"]
    assert (second.clear, second.gold, second.ambiguities) == ("Give the total of each customer.", (TOTALS,), ())


async def test_the_oracle_submits_every_statement_of_the_gold(tmp_path: Path) -> None:
    parts = [
        "CREATE TABLE big AS SELECT * FROM purchase WHERE amount > 60",
        "INSERT INTO big SELECT * FROM purchase WHERE amount = 60",
    ]
    make_dataset(tmp_path / "d", management_task(sol_sql=parts))
    async with sqlite_benchmark(tmp_path / "d") as benchmark:
        record = await play_moves(benchmark, "shop_M_1", *benchmark.solution(benchmark.tasks()[0]))
    assert (record.outcome, record.score) == (Outcome.passed, 1.0)


async def test_the_brief_names_the_budget_and_the_prices_but_neither_gold_nor_the_clear_request(dataset: Path) -> None:
    async with sqlite_benchmark(dataset) as benchmark, benchmark.open(benchmark.tasks()[0]) as episode:
        brief = episode.brief
        tools = {tool.name: tool.description for tool in episode.tools}
    assert "Your budget for both phases: 16 bird-coins" in brief.request
    assert tools["ask"].endswith("Costs 2 bird-coins.")
    assert tools["execute"].endswith("Costs 1 bird-coin.")
    assert "two or more" not in brief.request + brief.instructions


class NotesPositions:
    """A user that notes where each question stands in the run."""

    name = "noting"

    def __init__(self) -> None:
        self.positions: list[CallPosition] = []

    def identity(self) -> dict[str, Any]:
        return {}

    async def answer(self, question: str, situation: Situation, position: CallPosition) -> UserAnswer:
        self.positions.append(position)
        return UserAnswer("As you like.", "unanswerable")


async def test_the_user_of_another_attempt_is_asked_anew(dataset: Path) -> None:
    """Replies are remembered by task, attempt and number of the call: attempts must not share the user's."""
    user = NotesPositions()
    async with sqlite_benchmark(dataset, user) as benchmark:
        task = next(each for each in benchmark.tasks() if each.key == "shop_1")
        for epoch in (0, 3):
            await play(benchmark, ScriptedAgent(lambda _: [call(("ask", "Which ones?"))]), task, epoch)
    assert user.positions == [CallPosition("shop_1#user", 0, 0), CallPosition("shop_1#user", 3, 0)]


async def test_a_second_semicolon_is_a_second_statement_to_the_originals_on_sqlite(dataset: Path) -> None:
    async def passes(sql: str, compat: str) -> bool:
        async with sqlite_benchmark(dataset, compat=compat) as benchmark:
            record = await play_moves(benchmark, "shop_1", ("submit", sql))
        return record.metrics["phase_1"] == 1

    assert await passes(f"{ACTIVE} ; -- done;", "batch")
    assert not await passes(f"{ACTIVE};\n;", "batch")
    assert await passes(f"{ACTIVE};\n;", "strict")
