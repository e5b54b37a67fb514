"""`--overlay`: corrections to a task file, scored beside what is published; and a task file without ids."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.support.command import overall, records, run_directory
from tests.support.worlds import World, make_database, make_world, row

TASKS = [
    row(1, "store", "Which is the dearest?", "SELECT name FROM goods ORDER BY name LIMIT 1"),
    row(2, "store", "How many are there?", "SELECT COUNT(*) FROM goods"),
]
RIGHT = "SELECT name FROM goods ORDER BY price DESC LIMIT 1"
SCRIPT = "CREATE TABLE goods (name TEXT, price INT); INSERT INTO goods VALUES ('a', 1), ('b', 2)"
CORRECTION = {"question_id": 1, "SQL": RIGHT, "why": "by price"}


@pytest.fixture
def shop(tmp_path: Path) -> World:
    world = make_world(tmp_path / "data", TASKS)
    make_database(world.databases, "store", SCRIPT)
    return world


def overlay(path: Path, *corrections: dict[str, Any], **more: Any) -> Path:
    path.write_text(json.dumps({"source": "read by hand", "corrections": corrections, **more}))
    return path


def scored(cli: Cli, tmp_path: Path, world: World, name: str, first: str, *options: str | Path) -> Path:
    path = tmp_path / f"{name}.jsonl"
    path.write_text(
        "".join(f"{json.dumps({'question_id': key, 'sql': sql})}\n" for key, sql in ((1, first), (2, TASKS[1]["SQL"])))
    )
    done = cli("score", "bird", path, "--data", world.tasks, "--databases", world.databases, "-o", name, *options)
    assert done.code == 0, done.err
    return run_directory(tmp_path / name)


def test_both_scores_are_recorded_and_ranks_that_change_are_named(cli: Cli, tmp_path: Path, shop: World) -> None:
    file = overlay(tmp_path / "o.json", CORRECTION, tasks=hashlib.sha256(shop.tasks.read_bytes()).hexdigest())
    good = scored(cli, tmp_path, shop, "good", RIGHT, "--overlay", file)
    poor = scored(cli, tmp_path, shop, "poor", TASKS[0]["SQL"], "--overlay", file)
    plain = scored(cli, tmp_path, shop, "plain", RIGHT)
    both = {each["task"]: (each["metrics"]["ex"], each["metrics"]["ex_published"]) for each in records(good)}
    assert [both[task] for task in sorted(both)] == [(1, 0), (1, 1)]
    assert overall(good)["overall"]["passed"] == 2
    assert "With corrections: EX 100.0, by the published golds 50.0" in (good / "summary.txt").read_text()
    assert "ex_published" not in records(plain)[0]["metrics"]
    compared = cli("compare", good, poor)
    assert compared.code == 0, compared.err
    assert "A  100.0%  50.0%  rank 1, published 2" in compared.out
    assert "The corrections change the rank of A, B." in compared.out
    assert "overlay" in cli("compare", good, plain).err
    again = cli("score", "bird", plain, "--data", shop.tasks, "--databases", shop.databases, "--overlay", file, "-o", "again")
    assert again.code == 0, again.err


def test_an_agent_is_asked_the_corrected_question_and_the_oracle_plays_the_corrected_gold(
    cli: Cli, tmp_path: Path, shop: World
) -> None:
    file = overlay(tmp_path / "o.json", CORRECTION | {"question": "Which costs the most?", "evidence": "by price"})
    done = cli("bird", shop.tasks, shop.databases, "--agent", "oracle", "--overlay", file, "-o", "out", "--task", "1")
    assert done.code == 0, done.err
    (record,) = records(run_directory(tmp_path / "out"))
    assert record["brief"]["fields"]["question"] == "Which costs the most?"
    assert record["brief"]["fields"]["evidence"] == "by price"
    assert record["metrics"]["ex_published"] == 0


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[", "not valid JSON"),
        ({"corrections": []}, "source"),
        ({"source": " ", "corrections": []}, "source"),
        ({"source": "x", "corrections": [{"question_id": 7}]}, "question_id 7 is not in the task file"),
        ({"source": "x", "corrections": [{"question_id": 1}, {"question_id": 1}]}, "occurs twice"),
        ({"source": "x", "corrections": [{"question_id": 1, "db_id": "zoo"}]}, "its task has 'store'"),
        ({"source": "x", "corrections": [{"question_id": 1, "sql": "SELECT 1"}]}, "sql"),
        ({"source": "x", "corrections": [], "tasks": "00"}, "different task file"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_in_one_line(
    cli: Cli, tmp_path: Path, shop: World, content: Any, words: str
) -> None:
    file = tmp_path / "o.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    done = cli("bird", shop.tasks, shop.databases, "--agent", "oracle", "--overlay", file, "-o", "out")
    assert done.code == 2
    assert words in done.complaint
    assert not (tmp_path / "out").exists()


def test_a_file_without_ids_names_its_tasks_by_position(cli: Cli, tmp_path: Path, shop: World) -> None:
    """As BIRD's training set has it."""
    kept = ("db_id", "question", "evidence", "SQL")
    shop.tasks.write_text(json.dumps([{name: task[name] for name in kept if name in task} for task in TASKS]))
    done = cli("bird", shop.tasks, shop.databases, "--agent", "oracle", "-o", "out")
    assert done.code == 0, done.err
    assert [each["task"] for each in records(run_directory(tmp_path / "out"))] == ["0", "1"]
