"""Playing and judging one question: from the brief to the verdict, with both comparisons on record."""

from __future__ import annotations

import csv
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.benchmarks.spider2.worlds import CONDITIONS, QUESTIONS, SQL, Spider2World, make_spider2, question, write_lines
from tests.support.scripted_model import ScriptedModel, call, calls, execute, submit
from tests.support.worlds import ENDLESS, SHOP, make_database
from touchstone.agents.scripted import ScriptedAgent
from touchstone.agents.tools import ToolAgent
from touchstone.benchmarks.spider2.benchmark import Spider2
from touchstone.benchmarks.spider2.config import Spider2Config
from touchstone.benchmarks.spider2.golden import Golden
from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.runs.episode_runner import play
from touchstone.types import Outcome, Record, ToolCall, ToolStep

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine() -> AsyncIterator[SqliteEngine]:
    engine = SqliteEngine(workers=1)
    yield engine
    await engine.close()


def benchmark(world: Spider2World, engine: SqliteEngine, **options: Any) -> Spider2:
    config = Spider2Config(databases=world.databases, gold=world.gold, **options)
    return Spider2(config, world.load(), Golden(world.gold), engine)


async def play_one(made: Spider2, key: str, *script: ToolCall) -> Record:
    task = next(task for task in made.tasks() if task.key == key)
    return (await play(made, ScriptedAgent(lambda _: script), task))[0]


async def judged(world: Spider2World, engine: SqliteEngine, key: str, sql: str, **options: Any) -> Record:
    return await play_one(benchmark(world, engine, **options), key, submit(sql))


def both(record: Record) -> dict[str, float]:
    """What the two comparisons say."""
    return {name: record.metrics[name] for name in ("official", "strict")}


class TestVerdicts:
    @pytest.mark.parametrize("key", SQL)
    async def test_what_is_right_passes_in_both_comparisons(
        self, spider2: Spider2World, engine: SqliteEngine, key: str
    ) -> None:
        record = await judged(spider2, engine, key, SQL[key])
        assert (record.outcome, record.score) == (Outcome.passed, 1.0)
        assert both(record) == {"official": 1.0, "strict": 1.0}
        assert record.evidence["prediction"] == SQL[key]
        assert record.evidence["executed"] is True

    async def test_a_variant_that_lacks_a_column_of_the_metadata_just_does_not_match(
        self, spider2: Spider2World, engine: SqliteEngine
    ) -> None:
        """As with bq389 of the official data."""
        line = {"instance_id": "local002", "condition_cols": [0, 1]}
        write_lines(spider2.gold / "spider2lite_eval.jsonl", [*CONDITIONS, line])
        assert both(await judged(spider2, engine, "local002", "SELECT 4, 3")) == {"official": 1.0, "strict": 1.0}
        assert both(await judged(spider2, engine, "local002", "SELECT 4")) == {"official": 0.0, "strict": 0.0}

    async def test_one_matching_variant_is_enough(self, spider2: Spider2World, engine: SqliteEngine) -> None:
        record = await judged(spider2, engine, "local002", "SELECT 4")
        details = {detail["gold_file"]: detail["match"] for detail in record.evidence["details"]}
        assert details == {"local002_a.csv": False, "local002_b.csv": True}
        assert record.evidence["gold_files"] == ["local002_a.csv", "local002_b.csv"]

    async def test_what_is_wrong_fails_with_a_reason(self, spider2: Spider2World, engine: SqliteEngine) -> None:
        record = await judged(spider2, engine, "local001", "SELECT name FROM item")
        assert (record.outcome, both(record)) == (Outcome.failed, {"official": 0.0, "strict": 0.0})
        assert "4" in record.reason
        assert "3" in record.reason
        assert record.evidence["kind"] == "row_count"

    @pytest.mark.parametrize(("compat", "outcome"), [("strict", Outcome.failed), ("official", Outcome.passed)])
    async def test_where_they_disagree_the_chosen_one_decides_and_the_other_is_told(
        self, spider2: Spider2World, engine: SqliteEngine, compat: str, outcome: Outcome
    ) -> None:
        scrambled = "SELECT name, CASE name WHEN 'heron' THEN 4 WHEN 'newt' THEN 2 ELSE legs END FROM animal"
        record = await judged(spider2, engine, "local003", scrambled, compat=compat)
        assert (record.outcome, both(record)) == (outcome, {"official": 1.0, "strict": 0.0})
        assert record.reason.endswith(" (The official comparison accepts it.)")

    async def test_conditions_and_order_of_the_metadata_are_honoured(self, spider2: Spider2World, engine: SqliteEngine) -> None:
        line = {"instance_id": "local003", "condition_cols": [0], "ignore_order": False}
        write_lines(spider2.gold / "spider2lite_eval.jsonl", [*CONDITIONS, line])
        assert (await judged(spider2, engine, "local003", "SELECT name FROM animal")).outcome is Outcome.passed
        reversed_order = "SELECT name FROM animal ORDER BY rowid DESC"
        record = await judged(spider2, engine, "local003", reversed_order)
        assert both(record) == {"official": 0.0, "strict": 0.0}
        assert record.evidence["kind"] == "row_order"

    @pytest.mark.parametrize(
        ("sql", "reason"),
        [
            ("SELECT colour FROM item", "The SQL cannot be run: no such column: colour"),
            ("DELETE FROM item", "The SQL cannot be run: This statement would change the database, which is read-only here."),
            ("DROP TABLE item", "The SQL cannot be run: This statement would change the database, which is read-only here."),
            ("-- nothing", "The SQL is empty."),
            ("SELECT 1; SELECT 2", "The SQL cannot be run: "),
            (ENDLESS, "The SQL cannot be run: The query was stopped at its limit of 21,000,000 steps (0.3 seconds)."),
        ],
    )
    async def test_sql_that_gives_no_table_fails(
        self, spider2: Spider2World, engine: SqliteEngine, sql: str, reason: str
    ) -> None:
        record = await judged(spider2, engine, "local001", sql, sql_timeout=0.3)
        assert (record.outcome, record.evidence["kind"]) == (Outcome.failed, "error")
        assert record.reason.startswith(reason)
        assert both(record) == {"official": 0.0, "strict": 0.0}
        assert "executed" not in record.evidence

    async def test_nothing_submitted_fails(self, spider2: Spider2World, engine: SqliteEngine) -> None:
        record = await play_one(benchmark(spider2, engine), "local001", execute("SELECT 1"))
        assert (record.outcome, record.reason) == (Outcome.failed, "nothing was submitted")
        assert record.evidence["gold_files"] == ["local001.csv"]


class TestTheResult:
    async def test_it_is_written_as_csv(self, spider2: Spider2World, engine: SqliteEngine, tmp_path: Path) -> None:
        results = tmp_path / "deep" / "results"
        sql = "SELECT name, stock, price / 3 AS third, 'a,\"b' AS quoted FROM item"
        await judged(spider2, engine, "local001", sql, results=results)
        assert [path.name for path in results.iterdir()] == ["local001.csv"]
        with (results / "local001.csv").open(newline="") as file:
            rows = list(csv.reader(file))
        assert rows[0] == ["name", "stock", "third", "quoted"]
        assert rows[2] == ["pear", "", "0.6666666666666666", 'a,"b']

    async def test_one_that_could_not_be_made_is_not(self, spider2: Spider2World, engine: SqliteEngine, tmp_path: Path) -> None:
        await judged(spider2, engine, "local001", "SELECT colour", results=tmp_path / "results")
        assert not (tmp_path / "results").exists()

    async def test_rows_are_kept_as_objects_with_their_types(self, spider2: Spider2World, engine: SqliteEngine) -> None:
        sql = "SELECT 9007199254740993 AS big, 1.0 AS whole, 0.5 AS half, NULL AS none, 'x' AS text, x'00ff' AS bytes"
        (row,) = (await judged(spider2, engine, "local001", sql)).evidence["rows"]
        assert (row["big"], row["whole"], row["half"], row["none"], row["text"]) == (9007199254740993, 1.0, 0.5, None, "x")
        json.dumps(row)

    @pytest.mark.parametrize(
        ("columns", "kept"),
        [
            ("1 AS a, 2 AS a", {"a": 1, "a_2": 2}),
            ("1 AS a, 2 AS a, 3 AS a", {"a": 1, "a_2": 2, "a_3": 3}),
            ("1 AS a_2, 2 AS a, 3 AS a", {"a_2": 1, "a": 2, "a_3": 3}),
            ("1 AS a_3, 2 AS a, 3 AS a", {"a_3": 1, "a": 2, "a_2": 3}),
            ("1 AS a, 2 AS a, 3 AS a_2", {"a": 1, "a_2": 2, "a_2_2": 3}),
        ],
    )
    async def test_columns_of_the_same_name_are_kept_apart(
        self, spider2: Spider2World, engine: SqliteEngine, columns: str, kept: dict[str, int]
    ) -> None:
        assert (await judged(spider2, engine, "local001", f"SELECT {columns}")).evidence["rows"] == [kept]

    async def test_a_large_one_is_kept_in_part_and_written_whole(
        self, spider2: Spider2World, engine: SqliteEngine, tmp_path: Path
    ) -> None:
        sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2500) SELECT i FROM n"
        record = await judged(spider2, engine, "local001", sql, results=tmp_path)
        assert (len(record.evidence["rows"]), record.evidence["predicted_rows"]) == (1000, 2500)
        assert len((tmp_path / "local001.csv").read_text().splitlines()) == 2501


class TestWhatCannotBeJudged:
    async def test_a_database_that_is_missing(self, spider2: Spider2World, engine: SqliteEngine) -> None:
        (spider2.databases / "zoo" / "zoo.sqlite").unlink()
        made = benchmark(spider2, engine)
        record = await play_one(made, "local003", submit("SELECT 1"))
        assert record.outcome is Outcome.unscorable
        assert record.reason == f"database missing: {spider2.databases / 'zoo' / 'zoo.sqlite'}"
        assert made.missing == ["zoo"]

    async def test_a_golden_result_that_is_missing(self, spider2: Spider2World, engine: SqliteEngine) -> None:
        (spider2.gold / "exec_result" / "local001.csv").unlink()
        record = await judged(spider2, engine, "local001", SQL["local001"])
        assert (record.outcome, record.evidence) == (Outcome.unscorable, {"kind": "gold_missing"})

    async def test_a_golden_result_that_is_no_file_costs_only_its_own_question(
        self, spider2: Spider2World, engine: SqliteEngine
    ) -> None:
        (spider2.gold / "exec_result" / "local001.csv").unlink()
        (spider2.gold / "exec_result" / "local001.csv").mkdir()
        made = benchmark(spider2, engine)
        assert await made.identity()
        record = await play_one(made, "local001", submit("SELECT 1"))
        assert (record.outcome, record.evidence) == (Outcome.unscorable, {"kind": "gold_unreadable"})
        assert (await play_one(made, "local003", submit(SQL["local003"]))).outcome is Outcome.passed

    @pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n3,4,5\n"])
    async def test_a_golden_result_that_is_no_csv(
        self, spider2: Spider2World, engine: SqliteEngine, tmp_path: Path, content: bytes
    ) -> None:
        spider2.result("local001.csv", content)
        record = await judged(spider2, engine, "local001", SQL["local001"], results=tmp_path)
        assert (record.outcome, record.evidence["kind"]) == (Outcome.unscorable, "gold_unreadable")
        assert record.reason.startswith("a gold result cannot be read: ")
        assert record.metrics == {}
        assert record.evidence["prediction"] == SQL["local001"]
        assert len(record.evidence["rows"]) == 3
        assert (tmp_path / "local001.csv").is_file()

    async def test_a_platform_that_is_not_here(self, spider2: Spider2World, engine: SqliteEngine) -> None:
        record = await play_one(benchmark(spider2, engine), "bq001", submit("SELECT 1"))
        assert (record.outcome, record.reason) == (Outcome.skipped, "needs bigquery")
        assert record.evidence["kind"] == "platform"

    @pytest.mark.parametrize("compat", ["strict", "official"])
    async def test_a_column_that_no_golden_file_has_is_unscorable_unless_the_official_comparison_decides(
        self, spider2: Spider2World, engine: SqliteEngine, compat: Any
    ) -> None:
        line = {"instance_id": "local003", "condition_cols": [7]}
        write_lines(spider2.gold / "spider2lite_eval.jsonl", [*CONDITIONS, line])
        record = await judged(spider2, engine, "local003", SQL["local003"], compat=compat)
        if compat == "strict":
            assert record.outcome is Outcome.unscorable
            assert record.reason.endswith("local003: field 'condition_cols': column 7 is not in local003.csv, which has 2")
            return
        assert record.outcome is Outcome.failed
        assert record.evidence["details"][-1] == {"official_error": "positional indexers are out-of-bounds"}


async def test_a_result_of_an_earlier_run_does_not_outlive_a_failure(
    spider2: Spider2World, engine: SqliteEngine, tmp_path: Path
) -> None:
    for moves in ([submit("SELEC")], []):
        (tmp_path / "local001.csv").write_text("name\nstale\n")
        await play_one(benchmark(spider2, engine, results=tmp_path), "local001", *moves)
        assert not (tmp_path / "local001.csv").exists()


class TestTheWorld:
    async def test_what_an_agent_is_told(self, spider2: Spider2World, engine: SqliteEngine, tmp_path: Path) -> None:
        (tmp_path / "prompt.md").write_text("Be brief.")
        record = await play_one(benchmark(spider2, engine, system_prompt=tmp_path / "prompt.md"), "local001")
        assert record.brief is not None
        assert record.brief.instructions == "Be brief."
        assert record.brief.request == "Which items are dear?\n\nDatabase: shop"
        assert record.brief.fields == {
            "question": "Which items are dear?",
            "database": "shop",
            "evidence": "",
            "instance_id": "local001",
        }

    async def test_the_tables_are_told_if_it_is_wanted(self, spider2: Spider2World, engine: SqliteEngine) -> None:
        record = await play_one(benchmark(spider2, engine, schema=True), "local003")
        assert record.brief is not None
        assert record.brief.request.startswith("Database: zoo\nanimal(name, legs)\n\n")

    async def test_databases_may_lie_flat_in_a_folder(self, tmp_path: Path, engine: SqliteEngine) -> None:
        world = make_spider2(tmp_path / "spider2")
        for name in ("shop", "zoo"):
            (world.databases / name / f"{name}.sqlite").rename(world.databases / f"{name}.sqlite")
            (world.databases / name).rmdir()
        for key in ("local001", "local003"):
            assert (await judged(world, engine, key, SQL[key])).outcome is Outcome.passed

    async def test_the_agent_explores_a_copy_of_its_own(self, spider2: Spider2World, engine: SqliteEngine) -> None:
        script = (execute("DELETE FROM item"), execute("SELECT count(*) AS n FROM item"), submit(SQL["local001"]))
        record = await play_one(benchmark(spider2, engine), "local001", *script)
        seen = [step.observation.text for step in record.steps if isinstance(step, ToolStep)]
        assert seen[1] == "n\n-\n0\n(1 row)"
        assert record.outcome is Outcome.passed

    async def test_a_question_of_ones_own_is_played(self, tmp_path: Path, engine: SqliteEngine) -> None:
        world = make_spider2(tmp_path / "spider2", [question("sales-17", "sales", "How many?")])
        make_database(world.databases, "sales", SHOP)
        world.result("sales-17.csv", "n\n4\n")
        assert (await judged(world, engine, "sales-17", "SELECT count(*) FROM item")).outcome is Outcome.passed

    async def test_the_reference_is_played_where_there_is_gold_sql(self, spider2: Spider2World, engine: SqliteEngine) -> None:
        made = benchmark(spider2, engine)
        played = {task.key: [json.loads(each.arguments)["sql"] for each in made.solution(task)] for task in made.tasks()}
        assert played == {each["instance_id"]: [] for each in QUESTIONS} | {key: [SQL[key]] for key in list(SQL)[:3]}

    async def test_its_identity_changes_with_what_is_measured(self, spider2: Spider2World, engine: SqliteEngine) -> None:
        before = dict(await benchmark(spider2, engine).identity())
        assert before["databases"].keys() == {"shop", "zoo"}
        assert dict(await benchmark(spider2, engine).identity()) == before
        spider2.result("local001.csv", "name\napple\n")
        after = dict(await benchmark(spider2, engine, compat="official", schema=True).identity())
        assert {name for name in before if before[name] != after[name]} == {"gold", "compat", "schema"}


class TestDocuments:
    async def read(self, world: Spider2World, engine: SqliteEngine, key: str, documents: Path | None) -> ScriptedModel:
        model = ScriptedModel([calls(call("read_document", {})), calls(submit(SQL[key]))])
        made = benchmark(world, engine, documents=documents)
        task = next(task for task in made.tasks() if task.key == key)
        assert (await play(made, ToolAgent(model, 2), task))[0].outcome is Outcome.passed
        return model

    async def test_the_one_of_a_question_can_be_read(self, spider2: Spider2World, engine: SqliteEngine) -> None:
        model = await self.read(spider2, engine, "local004", spider2.documents)
        assert model.offered[0] == ["execute_sql", "submit_sql", "read_document"]
        assert model.asked[1][-1]["content"] == "Legs are counted in pairs."

    @pytest.mark.parametrize("name", ["../spider2-lite.jsonl", "/etc/hostname"])
    async def test_none_outside_the_folder_can_be_read(self, tmp_path: Path, engine: SqliteEngine, name: str) -> None:
        world = make_spider2(tmp_path / "spider2", [question("local004", "zoo", "How many legs are there?", name)])
        model = await self.read(world, engine, "local004", world.documents)
        assert model.asked[1][-1]["content"] == f"The document {name} is not available."

    async def test_one_that_is_not_there_is_said(self, spider2: Spider2World, engine: SqliteEngine, tmp_path: Path) -> None:
        model = await self.read(spider2, engine, "local004", tmp_path)
        assert model.asked[1][-1]["content"] == "The document legs.md is not available."

    @pytest.mark.parametrize(("key", "given"), [("local001", True), ("local004", False)])
    async def test_the_tool_is_offered_only_where_there_is_a_document(
        self, spider2: Spider2World, engine: SqliteEngine, key: str, given: bool
    ) -> None:
        model = await self.read(spider2, engine, key, spider2.documents if given else None)
        assert model.offered[0] == ["execute_sql", "submit_sql"]
        assert model.asked[1][-1]["content"].startswith("There is no tool named 'read_document'.")
