"""`touchstone score sql` on SQLite, DuckDB and MySQL: golds, expected rows, order, tolerance, columns; audit and run."""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from touchstone.cli import main

SHOP = """
CREATE TABLE item (id INTEGER, name TEXT, price DOUBLE, made DATE);
INSERT INTO item VALUES (1, 'bowl', 12.5, '2024-02-29'), (2, 'cup', 7.0, '2024-03-01'), (3, 'jug', 7.0, NULL);
"""

Q: dict[str, dict[str, Any]] = {
    "rows": {"sql": "SELECT name FROM item WHERE price = 7"},
    "order": {"sql": "SELECT name FROM item ORDER BY id", "order": "yes"},
    "near": {"sql": "SELECT avg(price) FROM item", "tolerance": "0.01"},
    "percent": {"sql": "SELECT sum(price) FROM item", "tolerance": "1%"},
    "either": {"sql": "SELECT min(name) FROM item", "sql_2": "SELECT max(name) FROM item"},
    "some": {"sql": "SELECT id, name FROM item WHERE id < 3", "columns": "name"},
    "file": {"expected": "right.csv"},
    "inline": {"expected": '[["cup", 7], ["jug", 7]]'},
    "broken": {"sql": "SELECT nothing FROM nowhere"},
}

ANSWERS: list[tuple[str, str, str]] = [
    ("rows", "SELECT name FROM item WHERE price = 7 ORDER BY 1 DESC", "passed"),
    ("rows", "SELECT name FROM item", "failed"),
    ("rows", "SELECT name, id FROM item WHERE price = 7", "failed"),
    ("rows", "SELECT name FROM item WHERE price = 7 UNION ALL SELECT 'cup'", "failed"),
    ("rows", "SELEC", "failed"),
    ("rows", "DELETE FROM item", "failed"),
    ("order", "SELECT name FROM item ORDER BY id", "passed"),
    ("order", "SELECT name FROM item ORDER BY id DESC", "failed"),
    ("near", "SELECT 8.84", "passed"),
    ("near", "SELECT 8.85", "failed"),
    ("percent", "SELECT 26.7", "passed"),
    ("percent", "SELECT 27", "failed"),
    ("either", "SELECT 'bowl'", "passed"),
    ("either", "SELECT 'jug'", "passed"),
    ("either", "SELECT 'cup'", "failed"),
    ("some", "SELECT name FROM item WHERE id < 3", "passed"),
    ("some", "SELECT price, name FROM item WHERE id < 3", "passed"),
    ("some", "SELECT price, id, made FROM item WHERE id < 3", "failed"),
    ("file", "SELECT name, price, made FROM item", "passed"),
    ("file", "SELECT name, price + 1, made FROM item", "failed"),
    ("inline", "SELECT name, price FROM item WHERE id > 1", "passed"),
    ("inline", "SELECT name, id FROM item WHERE id > 1", "failed"),
    ("broken", "SELECT 1", "unscorable"),
]
ON_FILES: list[tuple[str, str, str]] = [
    ("rows", "DELETE FROM item WHERE price = 7 RETURNING name", "failed"),
    ("rows", "DELETE FROM item WHERE price <> 7; SELECT name FROM item", "failed"),
    ("rows", "CREATE TABLE seven AS SELECT name FROM item WHERE price = 7; SELECT * FROM seven", "failed"),
    ("rows", "CREATE TEMP TABLE seven AS SELECT name FROM item WHERE price = 7; SELECT * FROM seven", "passed"),
    ("rows", "BEGIN; SELECT name FROM item WHERE price = 7", "passed"),
]
"""Servers run what writes on a copy, and compare what it returns."""


@pytest.fixture(scope="module", params=["sqlite", "duckdb", "mysql"])
def shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    database = folder / f"shop.{'sql' if request.param == 'mysql' else request.param}"
    if request.param == "mysql":
        if shutil.which("mariadbd") is None and not Path("/usr/sbin/mariadbd").exists():
            pytest.skip("there is no MariaDB server here: apt install mariadb-server-core")
        database.write_text(f"-- MySQL dump\n{SHOP}")
    elif request.param == "sqlite":
        with closing(sqlite3.connect(database)) as connection:
            connection.executescript(SHOP)
    else:
        with pytest.importorskip("duckdb").connect(database) as connection:
            connection.execute(SHOP)
    (folder / "right.csv").write_text("name,price,made\nbowl,12.50,2024-02-29\njug,7,\ncup,7,2024-03-01\n")
    columns = list(dict.fromkeys(["id", "question", *(name for each in Q.values() for name in each)]))
    with (folder / "questions.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows({"id": key, "question": f"{key}?", **each} for key, each in Q.items())
    return database


def said(shop: Path) -> list[str]:
    return ["--questions", str(shop.parent / "questions.csv"), "--db", str(shop)]


def test_answers_are_judged_by_their_rows(shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = shop.read_bytes()
    judged = ANSWERS if shop.suffix == ".sql" else ANSWERS + ON_FILES
    rounds = max(sum(key == each for key, _, _ in judged) for each in Q)
    for number in range(rounds):
        mine = {key: [(sql, outcome) for each, sql, outcome in judged if each == key] for key in Q}
        answers = {key: several[number] for key, several in mine.items() if number < len(several)}
        file, verdicts = tmp_path / f"{number}.json", tmp_path / f"verdicts-{number}.json"
        file.write_text(json.dumps({key: sql for key, (sql, _) in answers.items()}))
        options = ["--allow-missing", "--json", str(verdicts), "-o", str(tmp_path / "out")]
        assert main(["score", "sql", str(file), *said(shop), *options]) == 0, capsys.readouterr().err
        found = json.loads(verdicts.read_text())
        for key, (sql, outcome) in answers.items():
            assert found[key]["outcome"] == outcome, (key, sql, found[key])
    assert shop.read_bytes() == before


def test_the_oracle_passes_what_can_be_scored(shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "sql", *said(shop), "--agent", "oracle", "-o", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "Passed:           6" in text
    assert "Unscorable" in text


def test_the_audit_says_which_gold_is_broken(shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "sql", *said(shop), "--json", str(tmp_path / "a.json")]) == 0
    kinds = {(each["task"], each["kind"]) for each in json.loads((tmp_path / "a.json").read_text())["findings"]}
    assert ("broken", "gold_fails") in kinds
    assert not {kind for task, kind in kinds if task == "rows"}


def test_columns_that_the_gold_has_not_make_a_question_unscorable(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    questions = tmp_path / "odd.csv"
    questions.write_text("question,sql,columns\nOne?,SELECT 1 AS x,nope\nTwo?,SELECT 2 AS x,X\n")
    assert main(["run", "sql", str(questions), str(shop), "--agent", "oracle"]) == 0
    shown = capsys.readouterr().out
    assert "columns: the gold has no column 'nope'; it has x" in shown
    assert "Passed:           1" in shown


def test_a_filter_by_tag_or_a_wrong_name_is_told(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "sql", *said(shop), "--agent", "oracle", "--tag", "none"]) == 2
    assert "--tag none: not in the questions" in capsys.readouterr().err
    assert main(["run", "sql", "--questions", str(shop.parent / "questions.csv"), "--db", "nowhere.duckdb"]) == 2
    assert "nowhere.duckdb: there is no such database" in capsys.readouterr().err


def test_predictions_for_nobody_are_refused(shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.csv").write_text("id,sql\nrowz,SELECT 1\n")
    assert main(["score", "sql", str(tmp_path / "p.csv"), *said(shop)]) == 2
    assert "'rowz' is not the id of a question" in capsys.readouterr().err
    (tmp_path / "p.csv").write_text("id,sql\nrows,SELECT 1\n")
    assert main(["score", "sql", str(tmp_path / "p.csv"), *said(shop)]) == 2
    assert "8 of 9 tasks have no prediction, the first is order" in capsys.readouterr().err


def test_the_demo_needs_no_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", "demo", "--agent", "oracle", "-o", str(tmp_path)]) == 0
    assert "Accuracy:         100.0%" in capsys.readouterr().out
