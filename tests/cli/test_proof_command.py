"""`touchstone score bird --proof` and `touchstone invariants`: EX with proof from the command line."""

from __future__ import annotations

import html
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import touchstone
from tests.cli.conftest import Cli
from tests.support.command import overall, records, run_directory
from tests.support.worlds import World, make_database, make_world, row
from touchstone import distribution

CITIES = ("Reno", "Elko", "Bend", "Salem")
RENO = "SELECT id FROM member WHERE city = 'Reno' AND age > 30"
PAID = "SELECT T1.name FROM member AS T1 JOIN payment AS T2 ON T1.id = T2.member_id WHERE T2.amount > 50"
CLUB = [
    row(1, "club", "Who in Reno is over 30?", RENO),
    row(2, "club", "Who paid more than 50?", PAID),
    row(3, "club", "How many members are there?", "SELECT COUNT(*) AS n FROM member AS m"),
    row(4, "club", "Who is 25?", "SELECT name FROM member WHERE age = 25"),
    row(5, "club", "Is it today?", "SELECT name FROM member WHERE age < 20 OR date('now') > '2001-01-01'"),
]
PREDICTIONS = {
    "1": "SELECT id FROM member WHERE city = 'Reno'",
    "2": "SELECT name FROM member WHERE id IN (SELECT member_id FROM payment WHERE 50 < amount)",
    "3": "select count( * ) from Member as who",
    "4": "SELECT name FROM member WHERE age = 26",
    "5": "SELECT name FROM member",
}
WORDS = {"1": "refuted", "2": "upheld", "3": "same", "5": "open"}


@pytest.fixture
def club(tmp_path: Path) -> World:
    """All members in Reno are over 30; elsewhere there are both. Members pay several times."""
    world = make_world(tmp_path / "data", CLUB)
    members = ", ".join(
        f"({number}, 'member {number * 7 % 40}', '{CITIES[number % 4]}', {31 + number if number % 4 == 0 else 18 + number})"
        for number in range(1, 41)
    )
    payments = ", ".join(f"({number}, {number * 17 % 40 + 1}, {number * 31 % 97})" for number in range(1, 121))
    script = f"""
        CREATE TABLE member (id INTEGER PRIMARY KEY, name TEXT, city TEXT, age INTEGER);
        CREATE TABLE payment (id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES member (id), amount INTEGER);
        INSERT INTO member VALUES {members};
        INSERT INTO payment VALUES {payments};
    """
    make_database(world.databases, "club", script)
    return world


def score(cli: Cli, world: World, tmp_path: Path, *options: str | Path) -> Any:
    (tmp_path / "p.json").write_text(json.dumps(PREDICTIONS))
    return cli("score", "bird", tmp_path / "p.json", "--data", world.tasks, "--databases", world.databases, *options)


def test_each_pass_gets_a_verdict_and_ex_stays_as_it_is(cli: Cli, tmp_path: Path, club: World) -> None:
    plain = score(cli, club, tmp_path, "-o", "plain")
    done = score(cli, club, tmp_path, "-o", "proof", "--proof", "--json", "v.json")
    assert (plain.code, done.code) == (0, 0)
    before = {each["task"]: each for each in records(run_directory(tmp_path / "plain"))}
    after = {each["task"]: each for each in records(run_directory(tmp_path / "proof"))}
    assert {task: each["evidence"]["proof"]["verdict"] for task, each in after.items() if "proof" in each["evidence"]} == WORDS
    for task, each in after.items():
        assert [each[name] for name in ("outcome", "score")] == [before[task][name] for name in ("outcome", "score")]
        assert each["metrics"] == {**before[task]["metrics"], "proven": float(WORDS.get(task) in ("same", "upheld"))}
        assert "proof" not in before[task]["evidence"]
    assert "clock" in after["5"]["evidence"]["proof"]["reason"]
    assert after["2"]["evidence"]["proof"]["databases"] >= 10
    verdicts = json.loads((tmp_path / "v.json").read_text())
    assert verdicts["1"]["proof"]["verdict"] == "refuted"
    assert "proof" not in verdicts["4"]


def test_the_summary_shows_it_beside_ex(cli: Cli, tmp_path: Path, club: World) -> None:
    done = score(cli, club, tmp_path, "-o", "out", "--proof")
    run = run_directory(tmp_path / "out")
    assert overall(run)["proof"] == {"ex_passed": 4, "same": 1, "upheld": 1, "refuted": 1, "open": 1}
    assert overall(run)["overall"]["passed"] == 4
    assert "EX 80.0, of these refuted 25.0, open 25.0  (in percent, n = 5)" in done.out
    assert "of the 4 right by EX: 1 same, 1 upheld, 1 refuted, 1 open" in done.out
    assert "refuted: the queries differ on a small database; it does not say which is wrong" in done.out
    again = cli("summary", run)
    assert "of these refuted 25.0" in again.out
    assert cli("verify", run).code == 0


def test_the_script_reproduces_the_difference_and_the_page_shows_it(cli: Cli, tmp_path: Path, club: World) -> None:
    score(cli, club, tmp_path, "-o", "out", "--proof", "--task", "1")
    run = run_directory(tmp_path / "out")
    (record,) = records(run)
    found = record["evidence"]["proof"]["difference"]
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(found["script"])
        gold = [list(each) for each in connection.execute(RENO)]
        prediction = [list(each) for each in connection.execute(PREDICTIONS["1"])]
    assert (gold, prediction) == (found["gold"], found["prediction"])
    assert gold != prediction
    assert found["rows"] <= 10
    for folder, options in (("open", []), ("hidden", ["--hide-gold"])):
        assert cli("view", run, "--export", tmp_path / folder, *options).code == 0
        pages = "".join(page.read_text() for page in (tmp_path / folder).rglob("*.html"))
        for words in (
            "Proof: refuted",
            'class="number new"',
            "proof refuted",
            html.escape(record["evidence"]["proof"]["reason"]),
        ):
            assert (words in pages) is (folder == "open")


def test_the_metric_proven_counts_only_what_holds(cli: Cli, tmp_path: Path, club: World) -> None:
    done = score(cli, club, tmp_path, "-o", "out", "--metric", "proven")
    assert done.code == 0, done.err
    found = {each["task"]: each for each in records(run_directory(tmp_path / "out"))}
    assert {task for task, each in found.items() if each["outcome"] == "passed"} == {"2", "3"}
    assert {each["metrics"]["ex"] for task, each in found.items() if task != "4"} == {1.0}
    assert found["1"]["reason"].startswith("Right by EX, but refuted: The prediction keeps rows")
    assert found["5"]["reason"].startswith("Right by EX, but open: ")
    assert "EX 80.0, of these refuted 25.0, open 25.0" in done.out


def test_a_live_run_takes_proof_too_and_the_gold_is_proven(cli: Cli, tmp_path: Path, club: World) -> None:
    where = (club.tasks, club.databases, "--agent", "oracle", "-o", "out")
    done = cli("bird", *where, "--metric", "proven")
    assert done.code == 0, done.err
    assert overall(run_directory(tmp_path / "out"))["proof"] == {
        "ex_passed": 5, "same": 5, "upheld": 0, "refuted": 0, "open": 0,
    }  # fmt: skip
    results = touchstone.run(
        touchstone.bird(tasks=club.tasks, databases=club.databases, metric="proven"), agent="oracle", output=None
    )
    assert [record.metrics["proven"] for record in results.records] == [1.0] * 5


def test_compare_shows_both_and_proof_beside_ex_is_no_hindrance(cli: Cli, tmp_path: Path, club: World) -> None:
    score(cli, club, tmp_path, "-o", "plain")
    score(cli, club, tmp_path, "-o", "proof", "--proof")
    score(cli, club, tmp_path, "-o", "proven", "--metric", "proven")
    runs = {name: run_directory(tmp_path / name) for name in ("plain", "proof", "proven")}
    done = cli("compare", runs["plain"], runs["proof"], "--json", "c.json")
    assert done.code == 0, done.err
    assert "with proof: EX 80.0, of these refuted 25.0, open 25.0 (of the 4 right by EX: 1 same" in done.out
    assert json.loads((tmp_path / "c.json").read_text())["runs"][1]["proof"]["refuted"] == 1
    assert "metric" in cli("compare", runs["proof"], runs["proven"]).err
    cli("view", runs["proof"], "--export", tmp_path / "page")
    pages = "".join(page.read_text() for page in (tmp_path / "page").rglob("*.html"))
    assert "With proof: EX 80.0, of these refuted 25.0, open 25.0" in pages


def test_laws_from_a_file_decide(cli: Cli, tmp_path: Path, club: World) -> None:
    """All names differ by accident, so that counting them once each is no difference, until the law is forbidden."""
    (tmp_path / "p.jsonl").write_text('{"question_id": 3, "sql": "SELECT COUNT(DISTINCT name) FROM member"}\n')
    where = ("score", "bird", tmp_path / "p.jsonl", "--data", club.tasks, "--databases", club.databases, "--task", "3")
    laws = tmp_path / "laws.toml"
    laws.write_text('[[forbid]]\nkind = "unique"\ndatabase = "Club"\ntable = "member"\ncolumns = ["name"]\n')
    words: list[str] = []
    for name, options in (("mined", ()), ("amended", ("--laws", laws))):
        assert cli(*where, "-o", name, "--allow-missing", "--proof", *options).code == 0
        words += [each["evidence"]["proof"]["verdict"] for each in records(run_directory(tmp_path / name))]
    assert words == ["upheld", "refuted"]
    for text, options, words_said in (
        ('[[add]]\nkind = "unique"\ntable = "member"\ncolumns = ["shoe"]\n', ["--proof"], "no member.shoe"),
        ('[[add]]\nkind = "unique"\ntable = "member"\ncolumns = ["city"]\n', ["--proof"], "does not hold in the rows of club"),
        ('[[add]]\nkind = "unique"\ndatabase = "clubs"\ntable = "member"\ncolumns = ["id"]\n', ["--proof"], "'clubs'"),
        ('[[forbid]]\nkind = "unique"\n', [], "works only with a search"),
    ):
        laws.write_text(text)
        done = score(cli, club, tmp_path, "-o", "bad", *options, "--laws", laws)
        assert done.code == 2
        assert words_said in done.complaint
    assert not (tmp_path / "bad").exists()


def test_a_search_that_fails_leaves_the_verdict_and_says_open(cli: Cli, tmp_path: Path, club: World) -> None:
    """A page of a table that no query reads is destroyed: EX does not see it, the search for invariants does."""
    path = make_database(club.databases, "club", "CREATE TABLE aside (id INTEGER); INSERT INTO aside VALUES (1), (2)")
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'aside'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    assert score(cli, club, tmp_path, "-o", "out", "--proof", "--task", "1").code == 0
    (record,) = records(run_directory(tmp_path / "out"))
    assert record["outcome"] == "passed"
    assert record["evidence"]["proof"]["verdict"] == "open"
    assert "malformed" in record["evidence"]["proof"]["reason"]


def test_invariants_are_printed(cli: Cli, tmp_path: Path, club: World) -> None:
    database = club.databases / "club" / "club.sqlite"
    done = cli("invariants", database)
    assert done.code == 0
    assert "inclusion        payment.member_id occurs in member.id\n" in done.out
    laws = tmp_path / "laws.toml"
    laws.write_text('[[forbid]]\nkind = "inclusion"\n[[add]]\nkind = "unique"\ntable = "payment"\ncolumns = ["id", "amount"]\n')
    listed = json.loads(cli("invariants", database, "--laws", laws, "--json").out)
    assert {"kind": "unique", "table": "payment", "columns": ["id", "amount"]}.items() <= listed[-1].items()
    assert all(law["kind"] != "inclusion" and law["sentence"] for law in listed)


def test_bad_input_is_refused_in_one_line(cli: Cli, tmp_path: Path, club: World, monkeypatch: pytest.MonkeyPatch) -> None:
    database = club.databases / "club" / "club.sqlite"
    (tmp_path / "no.sqlite").write_text("no database")
    (tmp_path / "broken.sqlite").write_bytes(database.read_bytes()[:1000])
    (tmp_path / "no.toml").write_text("[[add]")
    for arguments, words in (
        ([tmp_path / "none.sqlite"], "database missing"),
        ([tmp_path], "database unreadable"),
        ([tmp_path / "no.sqlite"], "not a SQLite database"),
        ([tmp_path / "broken.sqlite"], "cannot be read"),
        ([database, "--laws", tmp_path / "no.toml"], "no.toml"),
        ([database, "--laws", tmp_path / "none.toml"], "none.toml"),
    ):
        done = cli("invariants", *arguments)
        assert (done.code, done.out) == (2, "")
        assert words in done.err
        assert done.err.count("\n") == 1

    def absent(name: str) -> None:
        assert name == "sqlglot"

    monkeypatch.setattr(distribution, "find_spec", absent)
    for done in (cli("invariants", database), score(cli, club, tmp_path, "-o", "out", "--proof")):
        assert done.code == 2
        assert "[proof]'" in done.complaint
    assert not (tmp_path / "out").exists()
