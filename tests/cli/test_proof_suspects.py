"""`touchstone audit suspects`: golds that several systems agree against."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.support.command import run_directory
from tests.support.worlds import World, make_database, make_world, row

CITIES = ("Reno", "Elko", "Bend", "Salem")
OLD = "SELECT id FROM member WHERE city = 'Reno' AND age > 30"
ALL = "SELECT id FROM member WHERE city = 'Reno'"
COUNT = "SELECT COUNT(*) FROM member"
YOUNG = "SELECT id FROM member WHERE city = 'Elko' AND age < 20"
TASKS = [
    row(1, "club", "Who is in Reno?", OLD, evidence="Reno is a city"),
    row(2, "club", "How many members are there?", COUNT),
    row(3, "club", "Who in Elko is under 20?", YOUNG),
    row(4, "gone", "Is anybody there?", "SELECT 1"),
]


@pytest.fixture
def club(tmp_path: Path) -> World:
    """All members in Reno are over 30; elsewhere there are both."""
    world = make_world(tmp_path / "data", TASKS)
    members = ", ".join(
        f"({number}, '{CITIES[number % 4]}', {31 + number if number % 4 == 0 else 18 + number})" for number in range(1, 41)
    )
    script = f"CREATE TABLE member (id INTEGER PRIMARY KEY, city TEXT, age INTEGER); INSERT INTO member VALUES {members};"
    make_database(world.databases, "club", script)
    return world


def handed_in(path: Path, **predictions: str) -> Path:
    lines = [json.dumps({"question_id": int(key.removeprefix("t")), "sql": sql}) for key, sql in predictions.items()]
    path.write_text("\n".join(lines))
    return path


def suspects(cli: Cli, world: World, *arguments: str | Path) -> Any:
    return cli("audit", "suspects", *arguments, "--data", world.tasks, "--databases", world.databases)


def test_a_gold_that_systems_agree_against_is_listed_with_its_database(cli: Cli, tmp_path: Path, club: World) -> None:
    systems = [
        handed_in(tmp_path / "one.jsonl", t1=ALL, t2=COUNT, t3=YOUNG, t4="SELECT 1"),
        handed_in(tmp_path / "two.jsonl", t1=f"{ALL};", t2="SELECT COUNT(id) FROM member"),
        handed_in(tmp_path / "three.jsonl", t1=OLD, t2="nonsense", t3="SELECT id FROM member WHERE age < 20"),
    ]
    done = suspects(cli, club, *systems, "--json", tmp_path / "s.json")
    assert done.code == 0, done.err
    listed = json.loads((tmp_path / "s.json").read_text())
    assert listed["systems"] == {"one": str(systems[0]), "two": str(systems[1]), "three": str(systems[2])}
    (case,) = listed["suspects"]
    assert [case[name] for name in ("place", "task", "database", "question", "evidence", "gold", "majority")] == [
        1, "1", "club", "Who is in Reno?", "Reno is a city", OLD, ALL,
    ]  # fmt: skip
    assert (case["against"], case["beside"], case["refuted"]) == (["one", "two"], ["three"], ["one", "two"])
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(case["difference"]["script"])
        gold, other = ([list(each) for each in connection.execute(sql)] for sql in (OLD, ALL))
    assert (gold, other) == (case["difference"]["gold"], case["difference"]["prediction"])
    assert gold != other
    assert list(listed["not_tried"]) == ["4"]
    assert "Suspect golds: 1 of 3 tasks tried, 3 systems" in done.out
    for words in ("1. task 1 (club): Who is in Reno?", "Reno is a city", OLD, ALL, "CREATE TABLE", "2 (one, two)", "1 (three)"):
        assert words in done.out


def test_a_run_is_a_system_and_only_chosen_tasks_are_tried(cli: Cli, tmp_path: Path, club: World) -> None:
    one = handed_in(tmp_path / "one.jsonl", t1=ALL)
    where = ("--data", club.tasks, "--databases", club.databases)
    assert cli("score", "bird", one, *where, "--allow-missing", "-o", "out").code == 0
    run = run_directory(tmp_path / "out")
    done = suspects(cli, club, one, run, "--task", "1", "--json", "s.json")
    assert done.code == 0, done.err
    (case,) = json.loads((tmp_path / "s.json").read_text())["suspects"]
    assert case["against"] == ["one", run.name]
    none = suspects(cli, club, one, run, "--task", "2")
    assert "Suspect golds: 0 of 1 tasks tried, 2 systems" in none.out


def test_bad_input_is_refused_before_anything_is_tried(cli: Cli, tmp_path: Path, club: World) -> None:
    one = handed_in(tmp_path / "one.jsonl", t1=ALL)
    stray = handed_in(tmp_path / "stray.jsonl", t9=ALL)
    for arguments, words in (
        ([], "expected prediction files"),
        ([one, one], "given twice"),
        ([one, tmp_path / "none.json"], "none.json"),
        ([stray], "question_id 9 is not in the task file"),
        ([one, "--top", "0"], "--top 0"),
        ([one, "--json", tmp_path], "--json"),
        ([one, "--parallel", "0"], "--parallel 0"),
    ):
        done = suspects(cli, club, *arguments)
        assert (done.code, done.out) == (2, "")
        assert words in done.err
        assert done.err.count("\n") == 1


def test_the_list_is_shown_in_the_viewer(cli: Cli, tmp_path: Path, club: World) -> None:
    one, two = (handed_in(tmp_path / f"{name}.jsonl", t1=ALL) for name in ("one", "two"))
    assert suspects(cli, club, one, two, "--json", tmp_path / "s.json").code == 0
    for folder, options in (("open", []), ("hidden", ["--hide-gold"])):
        done = cli("view", tmp_path / "s.json", "--export", tmp_path / folder, *options)
        assert done.code == 0, done.err
        index, (page,) = (tmp_path / folder / "index.html").read_text(), (tmp_path / folder / "suspects").iterdir()
        assert f'href="suspects/{page.name}"' in index
        text = page.read_text()
        assert "It does not say which is wrong." in text
        for words in ("Who is in Reno?", 'id="task-1"', "2 systems: one, two", ' class="number new"'):
            assert (words in text) is (folder == "open")
    (tmp_path / "other.json").write_text("{}")
    assert "touchstone audit suspects --json" in cli("view", tmp_path / "other.json", "--export", tmp_path / "x").complaint
