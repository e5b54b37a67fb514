"""DuckDB without a file of its own: folders of CSV, Parquet and JSON files, set-up scripts, and :memory:."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import records
from touchstone.cli import main

duckdb = pytest.importorskip("duckdb")
QUESTIONS = """question,sql
How many?,SELECT count(*) FROM item
How dear?,SELECT sum(price) FROM item
Events?,SELECT sum(k) FROM ev
"""


@pytest.fixture(autouse=True)
def _data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    Path("data/item.csv").write_text("id,name,price\n1,bowl,3.5\n2,cup,\n")
    duckdb.sql("SELECT * FROM (VALUES (1), (2)) AS t(k)").write_parquet("data/ev.parquet")
    Path("q.csv").write_text(QUESTIONS)


def play(*options: str, out: str = "out", agent: str = "oracle") -> tuple[int, list[dict[str, object]]]:
    code = main(["run", "sql", *options, "--agent", agent, "-o", out])
    runs = sorted(Path(out).glob("run-*"))
    return code, records(runs[-1]) if runs else []


def outcomes(played: list[dict[str, object]]) -> list[object]:
    return [record["outcome"] for record in played]


def test_each_file_of_a_folder_is_a_table(capfd: pytest.CaptureFixture[str]) -> None:
    Path("data/more.jsonl").write_text('{"k": 1}\n{"k": 5}\n')
    Path("data/old items.tsv").write_text("id\tname\n1\tjug\n")
    Path("q.csv").write_text(QUESTIONS + 'Lines?,SELECT max(k) FROM more\nOld?,"SELECT name FROM ""old items"""\n')
    code, played = play("q.csv", "data")
    assert (code, outcomes(played)) == (0, ["passed"] * 5)
    assert {record["facets"]["database"] for record in played} == {"data"}  # type: ignore[index]


def test_folders_of_files_are_databases() -> None:
    for name in ("north", "south"):
        Path("dbs", name).mkdir(parents=True)
        Path("dbs", name, "item.csv").write_text(f"place\n{name}\n")
    Path("q.csv").write_text("question,sql,db\nWhere?,SELECT place FROM item,north\nWhere?,SELECT place FROM item,south\n")
    code, played = play("q.csv", "dbs")
    assert (code, outcomes(played)) == (0, ["passed"] * 2)
    config = json.loads(next(Path("out").glob("run-*/config.json")).read_text())
    assert len(set(config["identity"]["databases"].values())) == 2


def test_a_script_sets_a_database_up_from_files_of_its_folder() -> None:
    Path("setup.sql").write_text("CREATE TABLE item AS FROM 'data/*.csv';\nCREATE TABLE ev AS FROM 'data/ev.parquet';")
    assert outcomes(play("q.csv", "setup.sql", "--engine", "duckdb")[1]) == ["passed"] * 3
    first = _digests()
    Path("data/item.csv").write_text("id,name,price\n1,bowl,4.5\n")
    play("q.csv", "setup.sql", "--engine", "duckdb")
    assert _digests() != first
    Path("data/item.csv").write_text("id,name,price\n1,bowl,3.5\n2,cup,\n")
    play("q.csv", "setup.sql", "--engine", "duckdb")
    assert _digests() == first


def _digests() -> dict[str, str]:
    return json.loads((sorted(Path("out").glob("run-*"))[-1] / "config.json").read_text())["identity"]["databases"]


def test_an_empty_database_is_there_to_compute() -> None:
    Path("q.csv").write_text("question,sql\nWhat is six times seven?,SELECT 6 * 7\n")
    assert outcomes(play("q.csv", ":memory:")[1]) == ["passed"]


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("CREATE TABLE t AS FROM '../secret.csv'", "Permission Error"),
        ("CREATE TABLE t AS FROM read_csv('/etc/passwd')", "Permission Error"),
        ("INSTALL httpfs", "Permission Error"),
        ("SET enable_external_access = true", "locked"),
        ("CREATE TABLE t (a INT); INSERT INTO u VALUES (1)", "Table with name u does not exist"),
        ("CREATE TABEL t", "syntax error"),
    ],
)
def test_a_script_that_fails_or_reaches_out_is_refused(sql: str, why: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path("sub").mkdir()
    Path("secret.csv").write_text("a\n1\n")
    Path("sub/setup.sql").write_text(sql)
    assert play("q.csv", "sub/setup.sql", "--engine", "duckdb") == (2, [])
    complaint = capfd.readouterr().err
    assert complaint.startswith("touchstone: setup.sql: DuckDB says: ")
    assert (complaint.count("\n"), why in complaint) == (1, True)


def test_a_file_that_cannot_be_read_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    Path("data/ev.parquet").write_text("no Parquet")
    assert play("q.csv", "data") == (2, [])
    assert "touchstone: data/ev.parquet: DuckDB says: " in capfd.readouterr().err
    Path("data/ev.parquet").unlink()
    Path("data/ITEM.json").write_text("[]")
    assert play("q.csv", "data") == (2, [])
    assert "comes from ITEM.json already; rename one of the two" in capfd.readouterr().err


@pytest.mark.parametrize("inside", ["questions", "expected"])
def test_gold_among_the_data_is_refused(inside: str, capfd: pytest.CaptureFixture[str]) -> None:
    if inside == "questions":
        Path("q.csv").rename("data/q.csv")
        questions = "data/q.csv"
    else:
        questions = "q.csv"
        Path("q.csv").write_text("question,expected\nHow many?,data/right.csv\n")
        Path("data/right.csv").write_text("n\n2\n")
    assert play(questions, "data") == (2, [])
    assert "it lies in the database's folder, where agents could read it" in capfd.readouterr().err


def test_what_an_agent_writes_is_its_own() -> None:
    """Some drop and change the table; the others still have it, and the folder is as it was."""
    Path("q.csv").write_text("id,question,sql\na,How many?,SELECT count(*) FROM item\nb,How many?,SELECT count(*) FROM item\n")
    Path("p.json").write_text(json.dumps({"a": "DROP TABLE item; SELECT 2", "b": "SELECT count(id) FROM item"}))
    before = {file.name: file.read_bytes() for file in Path("data").iterdir()}
    assert main(["score", "sql", "p.json", "--questions", "q.csv", "--db", "data", "-p", "1", "-o", "out"]) == 0
    assert outcomes(records(next(Path("out").glob("run-*"))))[1] == "passed"
    assert {file.name: file.read_bytes() for file in Path("data").iterdir()} == before


def test_a_duckdb_file_is_not_mistaken_for_its_neighbours() -> None:
    with duckdb.connect("data/shop.duckdb") as connection:
        connection.execute("CREATE TABLE item AS SELECT 1 AS id, 'a' AS name, 7.5 AS price")
    Path("q.csv").write_text("question,sql,db\nHow dear?,SELECT price FROM item,shop\n")
    assert outcomes(play("q.csv", "data")[1]) == ["passed"]


def test_new_makes_an_evaluation_of_a_folder_and_of_a_script(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "mine", "--questions", "q.csv", "--database", "data"]) == 0
    Path("setup.sql").write_text("CREATE TABLE item AS FROM 'data/item.csv';\nCREATE TABLE ev AS FROM 'data/ev.parquet';")
    assert main(["new", "two", "--questions", "q.csv", "--database", "setup.sql", "--engine", "duckdb"]) == 0
    assert 'engine = "duckdb"' in Path("two/eval.toml").read_text()
    assert main(["new", "three", "--questions", "q.csv", "--database", "setup.sql"]) == 2
    assert "Add --engine mysql or postgres for a dump, duckdb for a script" in capfd.readouterr().err
