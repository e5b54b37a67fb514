"""Traps of the published implementations, and of agents that look for a way around the judge: none of them works here."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.interact.datasets import ACTIVE, TOTALS, VIEW, make_dataset, management_task, query_task
from tests.benchmarks.interact.playing import play_moves, seen, sqlite_benchmark
from touchstone.benchmarks.interact.episode_databases import fault_of
from touchstone.benchmarks.interact.user.view import REFUSAL, Situation, UserAnswer
from touchstone.errors import SqlError
from touchstone.types import CallPosition, Outcome, ToolCall

RULES = ("strict", "batch", "adk", "conv")


class TestWhatAnAgentsSqlDoesToTheDatabase:
    @pytest.mark.parametrize("compat", RULES)
    async def test_a_prediction_cannot_change_the_data_that_the_gold_is_run_on(self, tmp_path: Path, compat: str) -> None:
        make_dataset(tmp_path / "d", query_task(sol_sql=["SELECT count(*) FROM purchase"], follow_up=None))
        async with sqlite_benchmark(tmp_path / "d", compat=compat) as benchmark:
            record = await play_moves(benchmark, "shop_1", ("submit", "DELETE FROM purchase; SELECT 0"))
        assert record.outcome is Outcome.failed

    @pytest.mark.parametrize("compat", RULES)
    async def test_a_gold_of_several_statements_is_more_than_the_originals_take(self, tmp_path: Path, compat: str) -> None:
        gold = "CREATE TABLE made AS SELECT 1 AS x; SELECT x FROM made"
        make_dataset(tmp_path / "d", query_task(sol_sql=[gold], follow_up=None))
        async with sqlite_benchmark(tmp_path / "d", compat=compat) as benchmark:
            record = await play_moves(benchmark, "shop_1", ("submit", gold))
        assert record.outcome is (Outcome.passed if compat == "strict" else Outcome.failed), record.reason

    async def test_clean_up_that_finds_nothing_to_do_is_noted_and_the_follow_up_is_played(self, tmp_path: Path) -> None:
        task = management_task(sol_sql=[f"{VIEW}; CREATE TABLE helper (x)"], clean_up_sqls=["DROP TABLE helper"])
        make_dataset(tmp_path / "d", task)
        async with sqlite_benchmark(tmp_path / "d") as benchmark:
            record = await play_moves(benchmark, "shop_M_1", ("submit", VIEW), ("submit", "SELECT count(*) FROM big"))
        assert (record.outcome, record.score) == (Outcome.passed, 1.0)
        assert record.evidence["notes"] == ["clean_up_sqls after phase 1: no such table: helper"]

    async def test_sql_that_does_not_work_a_second_time_ends_the_task_with_phase_1_kept(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from touchstone.engines.sqlite.database import SqliteEpisodeDatabase

        async def fail(*_: Any) -> None:
            raise SqlError("sql", "not this time")

        monkeypatch.setattr(SqliteEpisodeDatabase, "advance", fail)
        make_dataset(tmp_path / "d")
        async with sqlite_benchmark(tmp_path / "d", compat="adk") as benchmark:
            record = await play_moves(benchmark, "shop_M_1", ("submit", VIEW), ("submit", "SELECT 1"))
        assert (record.outcome, record.score) == (Outcome.failed, 0.7)
        assert "could not be run a second time: not this time" in record.reason
        assert len(seen(record)) == 1

    async def test_what_phase_1_left_is_the_same_for_every_later_action(self, tmp_path: Path) -> None:
        task = management_task(test_cases=["def test_case(*a): pass"])
        make_dataset(tmp_path / "d", task)
        look = ("execute", "SELECT x FROM mine")
        async with sqlite_benchmark(tmp_path / "d") as benchmark:
            record = await play_moves(
                benchmark, "shop_M_1", ("submit", "CREATE TABLE mine AS SELECT random() AS x"), look, look
            )
        assert seen(record)[1].text.splitlines()[:3] == seen(record)[2].text.splitlines()[:3]


class TestDatabasesThatAreNotWhatTheySeem:
    async def test_an_empty_one_is_unscorable(self, tmp_path: Path) -> None:
        _change(make_dataset(tmp_path / "d"), "DELETE FROM purchase; DELETE FROM customer")
        async with sqlite_benchmark(tmp_path / "d") as benchmark:
            record = await play_moves(benchmark, "shop_1", ("submit", ACTIVE))
        assert (record.outcome, record.reason) == (Outcome.unscorable, "the database shop is empty")

    async def test_one_that_lacks_a_table_of_its_schema_is_unscorable(self, tmp_path: Path) -> None:
        _change(make_dataset(tmp_path / "d"), "DROP TABLE purchase")
        async with sqlite_benchmark(tmp_path / "d") as benchmark:
            record = await play_moves(benchmark, "shop_1", ("execute", "SELECT 1"))
        assert (record.outcome, record.reason) == (Outcome.unscorable, "the database shop lacks tables: purchase")

    @pytest.mark.parametrize(
        ("schema", "there", "said"),
        [
            ('CREATE TABLE "Order Items" (x int);', ["public.Order Items"], ""),
            ('CREATE TABLE "a(b" (x int);', ['public."a(b"'], ""),
            ('CREATE TABLE public."Order" (x);\ncreate table if not exists b(x);', ["Order", "b"], ""),
            ("CREATE TABLE a (x);\nCREATE TABLE b (x);", ["A"], "the database shop lacks tables: b"),
        ],
    )
    def test_names_of_tables_are_read_as_they_are_written(
        self, tmp_path: Path, schema: str, there: list[str], said: str
    ) -> None:
        (tmp_path / "shop").mkdir()
        (tmp_path / "shop" / "shop_schema.txt").write_text(schema)
        assert fault_of(tmp_path, "shop", there, filled=True) == said

    async def test_a_task_may_name_its_own_file_and_without_a_template_the_database_stays_untouched(
        self, tmp_path: Path
    ) -> None:
        make_dataset(tmp_path / "d", query_task(db_file_path="other/place.sqlite"), query_task(instance_id="shop_2"))
        (tmp_path / "d" / "other").mkdir()
        template = tmp_path / "d" / "shop" / "shop_template.sqlite"
        (tmp_path / "d" / "other" / "place.sqlite").write_bytes(template.read_bytes())
        live = template.rename(tmp_path / "d" / "shop" / "shop.sqlite")
        before = live.read_bytes()
        async with sqlite_benchmark(tmp_path / "d") as benchmark:
            for task in ("shop_1", "shop_2"):
                moves = [("execute", "DELETE FROM customer"), ("submit", ACTIVE), ("submit", TOTALS)]
                assert (await play_moves(benchmark, task, *moves)).score == 1
            assert set((await benchmark.identity())["databases"]) == {"other/place.sqlite", "shop/shop.sqlite"}
        assert live.read_bytes() == before
        assert [file.name for file in live.parent.glob("*.sqlite*")] == ["shop.sqlite"]


class TestTheRulesOfTheOthers:
    @pytest.mark.parametrize("sql", ["-- look\nSELECT 1", "/* a */ WITH x AS (SELECT 1) SELECT * FROM x", "EXPLAIN SELECT 1"])
    async def test_adk_executes_what_begins_as_a_query_after_comments(self, tmp_path: Path, sql: str) -> None:
        make_dataset(tmp_path / "d")
        async with sqlite_benchmark(tmp_path / "d", compat="adk") as benchmark:
            assert not seen(await play_moves(benchmark, "shop_1", ("execute", sql)))[0].error

    @pytest.mark.parametrize("sql", ["DELETE FROM customer", "WITHDRAW", "(SELECT 1)", "-- SELECT", "VALUES (1)"])
    async def test_adk_refuses_anything_else(self, tmp_path: Path, sql: str) -> None:
        make_dataset(tmp_path / "d")
        async with sqlite_benchmark(tmp_path / "d", compat="adk") as benchmark:
            (refused,) = seen(await play_moves(benchmark, "shop_1", ("execute", sql)))
        assert refused.text.startswith("Only SELECT, WITH and EXPLAIN can be executed.")

    @pytest.mark.parametrize(("compat", "outcome"), [("conv", Outcome.passed), ("batch", Outcome.failed)])
    async def test_conv_compares_the_follow_up_by_the_conditions_of_phase_1(
        self, tmp_path: Path, compat: str, outcome: Outcome
    ) -> None:
        ordered = {"query": "in order", "sol_sql": ["SELECT id FROM customer ORDER BY id"], "conditions": {"order": True}}
        make_dataset(tmp_path / "d", query_task(follow_up=ordered))
        async with sqlite_benchmark(tmp_path / "d", compat=compat) as benchmark:
            other_way = ("submit", "SELECT id FROM customer ORDER BY id DESC")
            assert (await play_moves(benchmark, "shop_1", ("submit", ACTIVE), other_way)).outcome is outcome


async def test_a_user_whose_model_has_nothing_usable_to_say_costs_nothing(tmp_path: Path) -> None:
    class Babbling:
        name = "babbling"

        def identity(self) -> dict[str, Any]:
            return {"model": self.name}

        async def answer(self, question: str, situation: Situation, position: CallPosition) -> UserAnswer:
            return UserAnswer(REFUSAL, "unanswerable", faults=("no choice",))

    make_dataset(tmp_path / "d")
    async with sqlite_benchmark(tmp_path / "d", user=Babbling()) as benchmark:
        record = await play_moves(benchmark, "shop_1", ("ask", "what?"), ("execute", "SELECT 1"))
    assert [charge["action"] for charge in record.evidence["charges"]] == ["execute"]
    assert record.metrics["user_faults"] == 1


async def test_a_task_without_ambiguities_and_patience_has_no_negative_number_of_questions(tmp_path: Path) -> None:
    none: dict[str, Any] = {"critical_ambiguity": [], "non_critical_ambiguity": []}
    make_dataset(tmp_path / "d", query_task(user_query_ambiguity=none, knowledge_ambiguity=[]))
    async with (
        sqlite_benchmark(tmp_path / "d", mode="conversational", patience=0) as benchmark,
        benchmark.open(benchmark.tasks()[0]) as episode,
    ):
        assert "Questions that you may ask: 0" in episode.brief.request


async def test_an_unknown_action_is_answered_with_all_that_there_are(tmp_path: Path) -> None:
    make_dataset(tmp_path / "d")
    async with sqlite_benchmark(tmp_path / "d") as benchmark:
        (answer,) = seen(await play_moves(benchmark, "shop_1", ToolCall("1", "look", "{}")))
        async with benchmark.open(benchmark.tasks()[0]) as episode:
            names = [tool.name for tool in episode.tools]
    assert len(names) == 9
    assert all(name in answer.text for name in names)


async def test_a_path_or_a_name_with_fu_in_it_is_no_follow_up(tmp_path: Path) -> None:
    make_dataset(tmp_path / "bird_interact_full_fu", query_task(instance_id="shop_fu_1"))
    async with sqlite_benchmark(tmp_path / "bird_interact_full_fu") as benchmark:
        record = await play_moves(benchmark, "shop_fu_1", ("submit", ACTIVE), ("submit", TOTALS))
    assert record.score == 1


async def test_data_without_conditions_is_judged(tmp_path: Path) -> None:
    make_dataset(tmp_path / "d", query_task(conditions=None, query=None, follow_up=None))
    async with sqlite_benchmark(tmp_path / "d") as benchmark:
        assert (await play_moves(benchmark, "shop_1", ("submit", ACTIVE))).score == 1


@pytest.mark.parametrize("place", ["inside", "at the top"])
async def test_a_test_that_needs_a_module_that_is_not_here_makes_the_task_unscorable(tmp_path: Path, place: str) -> None:
    needs = "import not_a_module_at_all"
    inside = f"def test_case(*a):\n    {needs}\n"
    text = inside if place == "inside" else f"{needs}\ndef test_case(*a): pass\n"
    make_dataset(tmp_path / "d", management_task(test_cases=[text]))
    async with sqlite_benchmark(tmp_path / "d") as benchmark:
        record = await play_moves(benchmark, "shop_M_1", ("submit", VIEW))
    assert record.outcome is Outcome.unscorable
    assert "not_a_module_at_all" in record.reason


def test_nothing_of_the_reference_is_in_what_an_agent_sees(tmp_path: Path) -> None:
    """The record has the gold for its reader; no brief and no observation has it."""
    import asyncio

    async def look() -> str:
        make_dataset(tmp_path / "d")
        async with sqlite_benchmark(tmp_path / "d") as benchmark:
            moves = [
                ("get_all_knowledge_definitions",),
                ("get_knowledge_definition", "Active Customer"),
                ("submit", "SELECT 1"),
            ]
            record = await play_moves(benchmark, "shop_1", *moves)
        brief = record.brief
        assert brief is not None
        return json.dumps([brief.instructions, brief.request, *(observation.text for observation in seen(record))])

    shown = asyncio.run(look())
    for secret in ("HAVING", "two or more purchases", "Names of customers"):
        assert secret not in shown


def _change(dataset: Path, script: str) -> None:
    connection = sqlite3.connect(dataset / "shop" / "shop_template.sqlite")
    connection.executescript(script)
    connection.close()
