"""`touchstone suite build` and `touchstone score bird --suite`: frozen databases, no search."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.cli.conftest import Cli
from tests.cli.test_proof_suspects import ALL, OLD, YOUNG, club, handed_in
from tests.support.command import Done, overall, records, run_directory
from tests.support.worlds import World
from touchstone.datasets import bird_demo, named_suite
from touchstone.proof import load

__all__ = ["club"]


def build(cli: Cli, world: World, *arguments: str | Path) -> Done:
    return cli("suite", "build", *arguments, "--data", world.tasks, "--databases", world.databases)


def score(cli: Cli, world: World, *arguments: str | Path) -> Done:
    where = ("--data", world.tasks, "--databases", world.databases, "--allow-missing")
    return cli("score", "bird", *arguments, *where)


def proofs(directory: Path) -> dict[str, Any]:
    return {each["task"]: each["evidence"].get("proof") for each in records(run_directory(directory))}


def test_a_suite_tells_without_a_search(cli: Cli, tmp_path: Path, club: World) -> None:
    done = build(cli, club, "-o", "suite-of-mine.bin", "--task", "1", "--task", "2")
    assert done.code == 0, done.err
    suite = load(tmp_path / "suite-of-mine.bin")
    assert list(suite.tasks) == ["1", "2"]
    assert suite.digest in done.out
    one = handed_in(tmp_path / "one.jsonl", t1=ALL, t2="SELECT COUNT(id) FROM member", t3=f"{YOUNG};")
    assert score(cli, club, one, "-o", "plain").code == 0
    scored = score(cli, club, one, "-o", "out", "--suite", "suite-of-mine.bin")
    assert scored.code == 0, scored.err
    found = proofs(tmp_path / "out")
    assert {task: proof and proof["verdict"] for task, proof in found.items()} == {
        "1": "refuted", "2": "upheld", "3": "same", "4": None,
    }  # fmt: skip
    assert found["3"]["reason"] == "the same statement (searched: the suite does not have this task)"
    assert overall(run_directory(tmp_path / "out"))["proof"]["ex_passed"] == 3
    assert overall(run_directory(tmp_path / "out"))["overall"] == overall(run_directory(tmp_path / "plain"))["overall"]
    difference = found["1"]["difference"]
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(difference["script"])
        gold, other = ([list(each) for each in connection.execute(sql)] for sql in (OLD, ALL))
        (rows,) = connection.execute("SELECT COUNT(*) FROM member").fetchone()
    assert (sorted(gold), sorted(other), rows) == (
        sorted(difference["gold"]), sorted(difference["prediction"]), difference["rows"],
    )  # fmt: skip
    assert gold != other


def test_a_prediction_that_means_the_same_is_upheld(cli: Cli, tmp_path: Path, club: World) -> None:
    assert build(cli, club, "-o", "s.bin", "--task", "1").code == 0
    databases = load(tmp_path / "s.bin").tasks["1"].databases
    one = handed_in(tmp_path / "one.jsonl", t1="SELECT m.id FROM member AS m WHERE 30 < m.age AND m.city = 'Reno'")
    assert score(cli, club, one, "-o", "out", "--suite", "s.bin", "--task", "1").code == 0
    found = proofs(tmp_path / "out")["1"]
    assert (found["verdict"], found["databases"]) == ("upheld", len(databases))
    assert databases


def test_it_is_the_same_file_each_time_and_takes_predictions_in(cli: Cli, tmp_path: Path, club: World) -> None:
    one = handed_in(tmp_path / "one.jsonl", t1=ALL, t3="SELECT id FROM member WHERE city = 'Elko' AND age < 25")
    for name in ("a.bin", "b.bin"):
        assert build(cli, club, one, "-o", name, "--task", "1", "--no-cache").code == 0
    assert (tmp_path / "a.bin").read_bytes() == (tmp_path / "b.bin").read_bytes()
    assert build(cli, club, "-o", "c.bin", "--task", "3").code == 0
    assert build(cli, club, one, "-o", "d.bin", "--task", "3").code == 0
    assert load(tmp_path / "d.bin").tasks["3"].targets == load(tmp_path / "c.bin").tasks["3"].targets + 1


def test_a_task_with_another_gold_is_searched(cli: Cli, tmp_path: Path, club: World) -> None:
    assert build(cli, club, "-o", "s.bin", "--task", "1", "--task", "3").code == 0
    tasks = json.loads(club.tasks.read_text())
    tasks[0]["SQL"] = ALL
    club.tasks.write_text(json.dumps(tasks))
    one = handed_in(tmp_path / "one.jsonl", t1=f"{ALL};")
    assert score(cli, club, one, "-o", "out", "--suite", "s.bin").code == 0
    same = {"verdict": "same", "reason": "the same statement (searched: the suite has another gold)"}
    assert proofs(tmp_path / "out")["1"] == same
    alone = score(cli, club, one, "-o", "out", "--suite", "s.bin", "--task", "1")
    assert alone.code == 2
    assert "built for other tasks" in alone.complaint


def test_bad_input_is_refused_in_one_line(cli: Cli, tmp_path: Path, club: World) -> None:
    one = handed_in(tmp_path / "one.jsonl", t1=ALL)
    (tmp_path / "no.bin").write_text("no suite")
    for done, words in (
        (build(cli, club, "-o", tmp_path), "--output"),
        (build(cli, club, "-o", tmp_path / "none" / "s.bin"), "--output"),
        (build(cli, club, tmp_path / "none.json", "-o", "s.bin"), "none.json"),
        (score(cli, club, one, "-o", "out", "--suite", "no.bin"), "not a suite"),
        (score(cli, club, one, "-o", "out", "--suite", "none.bin"), "cannot read"),
        (score(cli, club, one, "-o", "out", "--suite", "no.bin", "--proof"), "cannot be combined with proof"),
    ):
        assert (done.code, done.out) == (2, "")
        assert words in done.err
        assert done.err.count("\n") == 1
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "s.bin").exists()


def test_the_demo_has_a_suite_of_its_own(cli: Cli, tmp_path: Path) -> None:
    tasks, _ = bird_demo()
    golds = {str(task["question_id"]): task["SQL"] for task in json.loads(tasks.read_text())}
    suite = load(named_suite(Path("demo")))
    assert {key: task.gold for key, task in suite.tasks.items()} == golds
    told, targets = (sum(getattr(task, name) for task in suite.tasks.values()) for name in ("told", "targets"))
    assert told >= 0.8 * targets
    done = cli("bird", "demo", "--agent", "oracle", "--suite", "demo", "--metric", "proven", "-o", "out")
    assert done.code == 0, done.err
    assert overall(run_directory(tmp_path / "out"))["overall"]["accuracy"] == 1
