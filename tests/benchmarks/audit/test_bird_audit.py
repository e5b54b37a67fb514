"""BIRD's audit on a small dataset that has one defect of each kind, and on what a gold file says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.worlds import ENDLESS, ROWS, make_database, make_world, row
from touchstone.benchmarks.audit import AuditFinding
from touchstone.benchmarks.bird.audit import audit
from touchstone.benchmarks.bird.benchmark import Bird
from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.errors import InputError
from touchstone.protocols import Limits

BAD = (
    row(1, "shop", "Fails?", "SELECT nothing FROM item"),
    row(2, "shop", "Ends?", ENDLESS),
    row(3, "nowhere", "Is there a database?", "SELECT 1"),
    row(4, "shop", "Any?", "SELECT name FROM item WHERE price > 99"),
    row(5, "zoo", "How many legs?", "SELECT legs FROM animal"),
    row(6, "zoo", "Who has four?", "SELECT name FROM animal WHERE legs = 4"),
    row(7, "zoo", "who has  FOUR", "SELECT name FROM animal WHERE legs = 2"),
    row(8, "zoo", "Who has four", "SELECT name FROM animal WHERE legs = 4"),
    row(9, "shop", "How hard?", "SELECT count(*) FROM item", "insane"),
    row(
        10,
        "shop",
        "What does it cost?",
        "SELECT max(price) FROM item",
        evidence="price refers to item.prize, stock to item.stock",
    ),
    row(11, "shop", "Twice?", "SELECT 1"),
    row(11, "shop", "Twice, really?", "SELECT 1"),
)


async def findings(engine: SqliteEngine, world: Path, rows: object = BAD, **more: object) -> list[AuditFinding]:
    made = make_world(world, rows)  # pyright: ignore[reportArgumentType]
    benchmark = Bird(made.load(), made.databases, engine)
    return await audit(benchmark, engine, limits=Limits(seconds=1), watch=lambda done, total: None, **more)  # pyright: ignore


def by_task(found: list[AuditFinding]) -> dict[str, set[str]]:
    kinds: dict[str, set[str]] = {}
    for finding in found:
        kinds.setdefault(finding.task, set()).add(finding.kind)
    return kinds


@pytest.mark.asyncio(loop_scope="module")
async def test_each_defect_is_found_and_nothing_else(engine: SqliteEngine, tmp_path: Path) -> None:
    assert by_task(await findings(engine, tmp_path)) == {
        "1": {"gold_fails"},
        "2": {"gold_times_out"},
        "3": {"database_missing"},
        "4": {"gold_empty"},
        "5": {"duplicate_rows", "soft_f1_order"},
        "6": {"contradicting_gold", "soft_f1_order"},
        "7": {"contradicting_gold"},
        "8": {"repeated_question", "soft_f1_order"},
        "9": {"unknown_difficulty"},
        "10": {"evidence_column"},
        "11@10": {"repeated_id"},
        "11@11": {"repeated_id"},
    }


@pytest.mark.asyncio(loop_scope="module")
async def test_a_sound_dataset_has_no_error(engine: SqliteEngine, tmp_path: Path) -> None:
    assert {finding.severity for finding in await findings(engine, tmp_path, ROWS)} <= {"note"}


@pytest.mark.asyncio(loop_scope="module")
async def test_the_gold_file_is_compared_by_its_results(engine: SqliteEngine, tmp_path: Path) -> None:
    golds = [each["SQL"] for each in ROWS]
    golds[1], golds[2] = "SELECT count(id) FROM item", "SELECT name FROM animal"
    (tmp_path / "gold.sql").write_text("".join(f"{sql}\t{each['db_id']}\n" for sql, each in zip(golds, ROWS, strict=True)))
    found = await findings(engine, tmp_path, ROWS, gold_file=tmp_path / "gold.sql")
    kinds = by_task([finding for finding in found if finding.kind.startswith("gold_")])
    assert kinds == {"11": {"gold_text_differs"}, "12": {"gold_file_differs"}}


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("text", "complaint"), [("", r"row 1: expected SQL, a tab and 'shop'"), ("SELECT 1\tshop", "needs row 2")]
)
async def test_a_gold_file_that_does_not_fit(engine: SqliteEngine, tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "gold.sql").write_text(text)
    with pytest.raises(InputError, match=complaint):
        await findings(engine, tmp_path, ROWS, gold_file=tmp_path / "gold.sql")


@pytest.mark.asyncio(loop_scope="module")
async def test_what_was_found_is_remembered_only_for_the_same_content(engine: SqliteEngine, tmp_path: Path) -> None:
    rows = [row(1, "pond", "Who is first?", "SELECT name FROM frog ORDER BY size LIMIT 1")]
    for name, size, kinds in (("a", 2, {}), ("b", 1, {"1": {"ties_under_limit"}}), ("c", 1, {"1": {"ties_under_limit"}})):
        script = f"CREATE TABLE frog (name, size); INSERT INTO frog VALUES ('x', 1), ('y', {size})"
        make_database(tmp_path / name / "databases", "pond", script)
        assert by_task(await findings(engine, tmp_path / name, rows)) == kinds
