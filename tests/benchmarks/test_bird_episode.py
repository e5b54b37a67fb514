"""One episode: what the agent is told, what its tools answer, and how its submission is judged."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.support.playing import observations, play_calls
from tests.support.scripted_model import execute, submit
from tests.support.worlds import ENDLESS, ROWS, World, make_database, make_world, row
from touchstone.benchmarks.bird.benchmark import Bird, BirdSettings
from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.models.wire import tool_schema
from touchstone.types import STEPS_PER_SECOND, Limits, Outcome, Record, ToolCall

pytestmark = pytest.mark.asyncio(loop_scope="module")

QUICK = Limits(seconds=0.3)
UNSTOPPABLE = "SELECT instr(printf('%.*c', 20000000, 'a'), printf('%.*c', 10000000, 'a') || 'b')"
"""One call inside SQLite that no handler can stop: the kernel ends the process."""
GOLD = "SELECT name FROM item WHERE price > 1.0"


@pytest.fixture
def bird(shared_world: World, engine: SqliteEngine) -> Bird:
    return Bird(shared_world.load(), shared_world.databases, engine)


def on(world: World, engine: SqliteEngine, gold: str, **settings: Any) -> Bird:
    """A benchmark of one task with this gold."""
    task = msgspec.structs.replace(world.load()[0], gold=gold)
    return Bird([task], world.databases, engine, settings=BirdSettings(**settings))


async def observed(bird: Bird, sql: str) -> str:
    """What execute_sql shows."""
    return observations(await play_calls(bird, execute(sql)))[0].text


class TestBrief:
    async def test_the_request_holds_question_evidence_and_database(self, bird: Bird) -> None:
        async with bird.open(bird.tasks()[0]) as episode:
            assert episode.brief.request == "Which items are dear?\n\nHint: dear means price > 1\n\nDatabase: shop"

    async def test_without_evidence_there_is_no_hint(self, bird: Bird) -> None:
        async with bird.open(bird.tasks()[1]) as episode:
            assert episode.brief.request == "How many items are there?\n\nDatabase: shop"

    async def test_evidence_can_be_withheld(self, shared_world: World, engine: SqliteEngine) -> None:
        bird = Bird(shared_world.load(), shared_world.databases, engine, evidence=False)
        async with bird.open(bird.tasks()[0]) as episode:
            assert episode.brief.request == "Which items are dear?\n\nDatabase: shop"
            assert episode.brief.fields == {"question": "Which items are dear?", "database": "shop", "evidence": ""}

    async def test_the_schema_can_be_told(self, shared_world: World, engine: SqliteEngine) -> None:
        bird = Bird(shared_world.load(), shared_world.databases, engine, schema=True)
        async with bird.open(bird.tasks()[1]) as episode:
            assert episode.brief.request == "Database: shop\nitem(id, name, price, stock)\n\nHow many items are there?"

    async def test_instructions_can_be_replaced(self, shared_world: World, engine: SqliteEngine) -> None:
        bird = Bird(shared_world.load(), shared_world.databases, engine, instructions="Just do it.")
        async with bird.open(bird.tasks()[0]) as episode:
            assert episode.brief.instructions == "Just do it."

    async def test_nothing_that_an_agent_sees_holds_a_part_of_the_gold(self, shared_world: World, engine: SqliteEngine) -> None:
        gold = "SELECT xyzzy_1 + plugh_2 FROM frotz_3 WHERE grue_4 = 'zork_5'"
        bird = on(shared_world, engine, gold)
        async with bird.open(bird.tasks()[0]) as episode:
            seen = [str(episode.brief), *(str(tool_schema(tool)) for tool in episode.tools)]
            seen += [(await episode.call(tool.name, tool.arguments("SELECT 1"))).text for tool in episode.tools]
        for secret in ("xyzzy_1", "plugh_2", "frotz_3", "grue_4", "zork_5", gold[:12]):
            assert not any(secret in text for text in seen)

    async def test_the_tools_are_execute_and_submit(self, bird: Bird) -> None:
        async with bird.open(bird.tasks()[0]) as episode:
            assert [tool.name for tool in episode.tools] == ["execute_sql", "submit_sql"]
            assert {tool.arguments.__struct_fields__ for tool in episode.tools} == {("sql",)}


class TestExecute:
    async def test_a_table_has_headers_and_a_row_count(self, bird: Bird) -> None:
        assert await observed(bird, "SELECT id, name AS what FROM item WHERE id < 3") == (
            "id | what\n---+------\n1  | apple\n2  | pear\n(2 rows)"
        )

    async def test_null_is_said_and_one_row_is_one_row(self, bird: Bird) -> None:
        assert await observed(bird, "SELECT stock FROM item WHERE id = 2") == "stock\n-----\nNULL\n(1 row)"

    async def test_an_empty_result_keeps_its_headers(self, bird: Bird) -> None:
        assert await observed(bird, "SELECT name FROM item WHERE 0") == "name\n----\n(0 rows)"

    async def test_the_schema_can_be_explored(self, bird: Bird) -> None:
        assert "CREATE TABLE item" in await observed(bird, "SELECT name, sql FROM sqlite_master")
        assert "price" in await observed(bird, "PRAGMA table_info(item)")

    @pytest.mark.parametrize(
        ("limit", "last_line"),
        [
            (100, "(100 rows)"),
            (101, "(the first 100 of 101 rows; the rest is not shown)"),
            (10_000, "(the first 100 of 10,000 rows; the rest is not shown)"),
            (10_001, "(the first 100 of more than 10,000 rows; the rest is not shown)"),
        ],
    )
    async def test_many_rows_are_cut_and_the_cut_is_said(self, bird: Bird, limit: int, last_line: str) -> None:
        sql = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n LIMIT {limit}"
        lines = (await observed(bird, sql)).splitlines()
        assert lines[-1] == last_line
        assert lines[2:-1] == [str(number) for number in range(1, 101)]

    async def test_a_long_cell_is_cut_and_its_length_is_said(self, bird: Bird) -> None:
        assert "x" * 200 + "… (5,000 characters)" in await observed(bird, "SELECT replace(hex(zeroblob(2500)), '0', 'x')")

    async def test_long_rows_are_cut_and_the_cut_is_said(self, bird: Bird) -> None:
        columns = ", ".join(["replace(hex(zeroblob(100)), '0', 'x')"] * 10)
        sql = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT {columns} FROM n LIMIT 50"
        text = await observed(bird, sql)
        assert len(text) < 21_000
        assert text.endswith(" of 50 rows, because they are long; the rest is not shown)")

    @pytest.mark.parametrize(
        ("sql", "shown"),
        [
            ("DELETE FROM item WHERE id > 2", "Done. 2 rows changed."),
            ("UPDATE item SET price = 0 WHERE id = 1", "Done. 1 row changed."),
            ("UPDATE item SET price = 0 WHERE id = 99", "Done."),
            ("CREATE TABLE extra (a)", "Done."),
        ],
    )
    async def test_changes_are_counted(self, bird: Bird, sql: str, shown: str) -> None:
        assert await observed(bird, sql) == shown

    async def test_of_several_statements_the_last_is_shown(self, bird: Bird) -> None:
        text = await observed(bird, "CREATE TABLE t (a); INSERT INTO t VALUES (7), (8); SELECT sum(a) AS total FROM t")
        assert text == "total\n-----\n15\n(1 row)"

    async def test_changes_stay_for_the_episode_and_never_reach_the_next(self, bird: Bird) -> None:
        count = execute("SELECT count(*) AS n FROM item")
        changed = await play_calls(bird, execute("DELETE FROM item"), count)
        assert observations(changed)[1].text == "n\n-\n0\n(1 row)"
        assert observations(await play_calls(bird, count))[0].text == "n\n-\n4\n(1 row)"

    @pytest.mark.parametrize(
        ("sql", "shown"),
        [
            ("SELECT colour FROM item", "SQL error: no such column: colour"),
            ("SELEC 1", 'SQL error: near "SELEC": syntax error'),
            ("", "There is no SQL statement in this text."),
            (" -- only a comment", "There is no SQL statement in this text."),
            ("ATTACH 'x' AS y", "ATTACH and VACUUM cannot be used here: only this one database is available."),
        ],
    )
    async def test_errors_are_observations_and_the_episode_goes_on(self, bird: Bird, sql: str, shown: str) -> None:
        record = await play_calls(bird, execute(sql), submit(GOLD))
        first, _ = observations(record)
        assert (first.text, first.error) == (shown, True)
        assert record.outcome is Outcome.passed

    async def test_an_endless_query_is_an_observation(self, shared_world: World, engine: SqliteEngine) -> None:
        bird = Bird(shared_world.load(), shared_world.databases, engine, settings=BirdSettings(exploring=QUICK))
        record = await play_calls(bird, execute(ENDLESS), submit(GOLD))
        assert observations(record)[0].text == "The query was stopped at its limit of 21,000,000 steps (0.3 seconds)."
        assert record.outcome is Outcome.passed

    @pytest.mark.parametrize(
        "arguments",
        [
            '{"sql": "SELECT \\ud800"}',
            '{"sql": "SELECT \\u0000"}',
            '{"sql": "SELECT \'\\ud83d\\ude00\'"}',
            '{"sql": "SELECT 99999999999999999999999 + 1"}',
            '{"sql": "' + "SELECT 1;" * 1000 + '"}',
            '{"sql": "' + "(" * 100_000 + '"}',
        ],
    )
    async def test_odd_text_never_ends_an_episode(self, bird: Bird, arguments: str) -> None:
        for tool in ("execute_sql", "submit_sql"):
            record = await play_calls(bird, ToolCall("c", tool, arguments), submit(GOLD))
            assert record.outcome in (Outcome.passed, Outcome.failed)


class TestSubmit:
    async def test_it_ends_the_episode(self, bird: Bird) -> None:
        record = await play_calls(bird, submit(GOLD), execute("SELECT 1"), submit("SELECT 2"))
        assert [seen.text for seen in observations(record)] == ["Submitted."]
        assert record.evidence["prediction"] == GOLD

    async def test_a_blank_one_does_not(self, bird: Bird) -> None:
        record = await play_calls(bird, submit(" \n\t"), submit(GOLD))
        first, second = observations(record)
        assert (first.text, first.error) == ("There is no SQL in this submission. Submit your final query.", True)
        assert second.text == "Submitted."
        assert record.outcome is Outcome.passed

    async def test_nothing_submitted_is_a_failure(self, bird: Bird) -> None:
        record = await play_calls(bird, execute("SELECT 1"))
        assert (record.outcome, record.score, record.reason) == (Outcome.failed, 0.0, "nothing was submitted")


class TestVerdict:
    async def test_the_gold_passes_with_all_metrics(self, bird: Bird) -> None:
        for task in bird.tasks():
            record = await play_calls(bird, *bird.solution(task), task=task.key)
            assert (record.outcome, record.score) == (Outcome.passed, 1.0)
            assert record.metrics == {"ex": 1.0, "multiset": 1.0, "soft_f1": 1.0}

    async def test_what_the_agent_wrote_does_not_count(self, bird: Bird) -> None:
        cheat = execute("DELETE FROM item WHERE price <= 1.0")
        assert (await play_calls(bird, cheat, submit("SELECT name FROM item"))).outcome is Outcome.failed
        assert (await play_calls(bird, execute("DELETE FROM item"), submit(GOLD))).outcome is Outcome.passed

    async def test_the_original_never_changes(self, bird: Bird) -> None:
        file = bird.database_file("shop")
        before = hashlib.sha256(file.read_bytes()).digest(), sorted(file.parent.iterdir())
        await play_calls(bird, execute("DROP TABLE item; CREATE TABLE item (name)"), submit("DELETE FROM item"))
        assert (hashlib.sha256(file.read_bytes()).digest(), sorted(file.parent.iterdir())) == before

    @pytest.mark.parametrize(
        ("prediction", "words"),
        [
            ("SELECT name FROM item", ["plum"]),
            ("SELECT name FROM item WHERE price > 3", ["apple"]),
            ("SELECT name, price FROM item WHERE price > 1", ["column"]),
            ("SELECT name FROM item WHERE 0", ["3 rows", "none"]),
            ("SELECT upper(name) FROM item WHERE price > 1", ["apple"]),
        ],
    )
    async def test_the_reason_shows_what_differs(self, bird: Bird, prediction: str, words: list[str]) -> None:
        record = await play_calls(bird, submit(prediction))
        assert record.outcome is Outcome.failed
        assert record.evidence["kind"]
        for word in words:
            assert word in record.reason
        assert "\n" not in record.reason

    @pytest.mark.parametrize(
        ("prediction", "reason"),
        [
            ("DELETE FROM item", "The prediction changes the database; only a query can be judged."),
            ("CREATE TABLE t (a)", "The prediction changes the database; only a query can be judged."),
            ("-- nothing", "The prediction is empty."),
            (";", "The prediction is empty."),
            ("SELECT colour FROM item", "The prediction cannot be run: no such column: colour"),
            ("SELECT 1; SELECT 2", "The prediction cannot be run: There are 2 statements; exactly one is expected."),
            ("Sorry, I cannot", 'The prediction cannot be run: near "Sorry": syntax error'),
        ],
    )
    async def test_what_cannot_be_judged_fails_with_the_reason(self, bird: Bird, prediction: str, reason: str) -> None:
        record = await play_calls(bird, submit(prediction))
        assert (record.outcome, record.score, record.reason) == (Outcome.failed, 0.0, reason)
        assert record.metrics == {"ex": 0.0, "multiset": 0.0, "soft_f1": 0.0}
        assert (record.evidence["prediction"], record.evidence["gold"]) == (prediction, GOLD)

    async def test_a_semicolon_and_a_comment_do_no_harm(self, bird: Bird) -> None:
        assert (await play_calls(bird, submit(f"-- mine\n{GOLD}; -- done"))).outcome is Outcome.passed

    async def test_an_endless_prediction_fails_for_its_time(self, shared_world: World, engine: SqliteEngine) -> None:
        record = await play_calls(on(shared_world, engine, "SELECT 1", judging=QUICK), submit(ENDLESS))
        assert record.outcome is Outcome.failed
        assert (
            record.reason
            == "The prediction cannot be run: The query was stopped at its limit of 21,000,000 steps (0.3 seconds)."
        )

    async def test_a_prediction_that_kills_its_worker_fails(self, shared_world: World, engine: SqliteEngine) -> None:
        record = await play_calls(on(shared_world, engine, "SELECT 1", judging=QUICK), submit(UNSTOPPABLE))
        assert record.outcome is Outcome.failed
        assert record.reason == (
            "The prediction cannot be run: The query was stopped: it used more than 2.2 seconds of CPU time."
        )
        assert (await play_calls(on(shared_world, engine, "SELECT 1"), submit("SELECT 1"))).outcome is Outcome.passed

    @pytest.mark.parametrize(
        ("gold", "reason"),
        [
            ("SELECT colour FROM item", "the gold SQL cannot be run: no such column: colour"),
            ("SELECT * FROM absent", "the gold SQL cannot be run: no such table: absent"),
            (ENDLESS, "the gold SQL cannot be run: The query was stopped at its limit of 21,000,000 steps (0.3 seconds)."),
            ("", "the gold SQL cannot be run: There is no SQL statement in this text."),
        ],
    )
    async def test_a_gold_that_fails_makes_the_task_unscorable(
        self, shared_world: World, engine: SqliteEngine, gold: str, reason: str
    ) -> None:
        record = await play_calls(on(shared_world, engine, gold, judging=QUICK), submit("SELECT 1"))
        assert (record.outcome, record.reason) == (Outcome.unscorable, reason)

    async def test_a_gold_that_kills_its_worker_makes_the_task_unscorable(
        self, shared_world: World, engine: SqliteEngine
    ) -> None:
        record = await play_calls(on(shared_world, engine, UNSTOPPABLE, judging=QUICK), submit("SELECT 1"))
        assert record.outcome is Outcome.unscorable
        assert record.reason.startswith("the gold SQL cannot be run: ")

    async def test_a_slow_gold_is_not_the_fault_of_a_slow_prediction(self, shared_world: World, engine: SqliteEngine) -> None:
        """Each has its own limit: together they may take longer than one."""
        slow = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000) SELECT count(*) FROM n"
        steps = 17_000_000  # what one of them takes
        both = on(shared_world, engine, slow, judging=Limits(seconds=1.5 * steps / STEPS_PER_SECOND))
        assert (await play_calls(both, submit(slow + " "))).outcome is Outcome.passed


class TestMetric:
    """EX looks at sets, multiset counts duplicates, Soft-F1 gives parts."""

    async def judged(self, world: World, engine: SqliteEngine, metric: str, prediction: str, **more: Any) -> Record:
        bird = on(world, engine, "SELECT name FROM item WHERE id < 3", metric=metric, **more)
        return await play_calls(bird, submit(prediction))

    @pytest.mark.parametrize(
        ("metric", "outcome", "score"),
        [("ex", Outcome.passed, 1.0), ("multiset", Outcome.failed, 0.0), ("soft_f1", Outcome.passed, 1.0)],
    )
    async def test_duplicates(
        self, shared_world: World, engine: SqliteEngine, metric: str, outcome: Outcome, score: float
    ) -> None:
        twice = "SELECT name FROM item WHERE id < 3 UNION ALL SELECT name FROM item WHERE id < 3"
        record = await self.judged(shared_world, engine, metric, twice)
        assert (record.outcome, record.score) == (outcome, score)
        assert record.metrics == {"ex": 1.0, "multiset": 0.0, "soft_f1": 1.0}

    async def test_soft_f1_gives_a_part_and_passes_only_the_whole(self, shared_world: World, engine: SqliteEngine) -> None:
        record = await self.judged(shared_world, engine, "soft_f1", "SELECT name FROM item WHERE id < 2")
        assert record.outcome is Outcome.failed
        assert record.score == record.metrics["soft_f1"] == pytest.approx(2 / 3)

    async def test_r_ves_is_there_on_request(self, shared_world: World, engine: SqliteEngine) -> None:
        right = await self.judged(shared_world, engine, "r_ves", "SELECT name FROM item WHERE id < 3 ", r_ves=True)
        assert right.outcome is Outcome.passed
        assert right.score == right.metrics["r_ves"] == right.metrics["r_ves_oracle"] == 100
        wrong = await self.judged(shared_world, engine, "r_ves", "SELECT 1", r_ves=True)
        assert (wrong.outcome, wrong.metrics["r_ves"], wrong.metrics["r_ves_oracle"]) == (Outcome.failed, 0.0, 100.0)
        broken = await self.judged(shared_world, engine, "r_ves", "SELECT", r_ves=True)
        assert broken.metrics == {"ex": 0.0, "multiset": 0.0, "soft_f1": 0.0, "r_ves": 0.0}

    @pytest.mark.parametrize(
        ("prediction", "score"),
        [
            ("SELECT name FROM item WHERE id < 3", 100.0),
            ("SELECT name FROM item WHERE id < 3 AND id IN (SELECT id FROM item WHERE length(name) < 100)", 70.7),
            ("SELECT name FROM item WHERE id < 3 AND (SELECT count(*) FROM item AS a, item AS b, item AS c) > 0", 50.0),
        ],
    )
    async def test_r_ves_counts_steps_so_it_is_the_same_each_time(
        self, shared_world: World, engine: SqliteEngine, prediction: str, score: float
    ) -> None:
        for _ in range(3):
            record = await self.judged(shared_world, engine, "r_ves", prediction, r_ves=True)
            assert (round(record.score, 1), record.metrics["r_ves_oracle"]) == (score, 100.0)

    async def test_the_official_r_ves_measures_the_oracle_too(self, shared_world: World, engine: SqliteEngine) -> None:
        record = await self.judged(shared_world, engine, "r_ves_wall", "SELECT name FROM item WHERE id < 3", r_ves_wall=True)
        assert record.outcome is Outcome.passed
        assert record.score == record.metrics["r_ves_wall"] > 0
        assert record.metrics["r_ves_wall_oracle"] > 0
        assert "r_ves" not in record.metrics


class TestDatabase:
    async def test_a_missing_one_makes_the_task_unscorable(self, tmp_path: Path, engine: SqliteEngine) -> None:
        world = make_world(tmp_path, [*ROWS, row(20, "gone", "?", "SELECT 1")])
        bird = Bird(world.load(), world.databases, engine)
        record = await play_calls(bird, submit("SELECT 1"), task="20")
        file = world.databases / "gone" / "gone.sqlite"
        assert (record.outcome, record.reason) == (Outcome.unscorable, f"database missing: {file}")

    @pytest.mark.parametrize("content", [b"", b"not a database at all", b"SQLite format 2\x00" + bytes(100)])
    async def test_one_that_is_not_sqlite_makes_the_task_unscorable(
        self, tmp_path: Path, engine: SqliteEngine, content: bytes
    ) -> None:
        world = make_world(tmp_path, [row(20, "odd", "?", "SELECT 1")])
        file = make_database(world.databases, "odd", "CREATE TABLE t (a)")
        file.write_bytes(content)
        record = await play_calls(Bird(world.load(), world.databases, engine), submit("SELECT 1"))
        assert (record.outcome, record.reason) == (Outcome.unscorable, f"not a SQLite database: {file}")

    async def test_a_damaged_one_makes_the_task_unscorable(self, tmp_path: Path, engine: SqliteEngine) -> None:
        world = make_world(tmp_path, [row(20, "torn", "?", "SELECT * FROM t")])
        file = make_database(world.databases, "torn", "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        file.write_bytes(file.read_bytes()[:100] + bytes(4000))
        record = await play_calls(Bird(world.load(), world.databases, engine), execute("SELECT 1"), submit("SELECT * FROM t"))
        assert record.outcome is Outcome.unscorable
        assert record.reason.startswith("the gold SQL cannot be run: ")
