"""`touchstone score bird --proof` and `touchstone invariants`: EX with proof from the command line."""

from __future__ import annotations

import html
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

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
        assert [each[name] for name in ("outcome", "score", "metrics")] == [
            before[task][name] for name in ("outcome", "score", "metrics")
        ]
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
        for words in ("Proof: refuted", "it does not say which is wrong", html.escape(record["evidence"]["proof"]["reason"])):
            assert (words in pages) is (folder == "open")


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
    laws.write_text('[[forbid]]\nkind = "inclusion"\n[[add]]\nkind = "unique"\ntable = "payment"\ncolumns = ["member_id"]\n')
    listed = json.loads(cli("invariants", database, "--laws", laws, "--json").out)
    assert {"kind": "unique", "table": "payment", "columns": ["member_id"]}.items() <= listed[-1].items()
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
