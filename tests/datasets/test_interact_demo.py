"""The demo for BIRD-Interact: what ships is what the generator makes, and its parts fit together.

What the gold and the misreadings really give is tested on a server, in `test_interact_demo_postgres`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from touchstone.datasets import interact_demo

GENERATOR = Path(__file__).parents[2] / "tools" / "make_demo_interact.py"
DEMO = interact_demo()
RECORDS: list[dict[str, Any]] = [
    json.loads(line) for line in (DEMO / "bird_interact_data.jsonl").read_text(encoding="utf-8").splitlines()
]
TASKS = {record["instance_id"]: record for record in RECORDS}
DATABASES = sorted({record["selected_database"] for record in RECORDS})
FIXTURE: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "interact_misreadings.json").read_text(encoding="utf-8")
)
FIELDS = """instance_id selected_database query amb_user_query preprocess_sql clean_up_sqls sol_sql external_knowledge
test_cases category high_level conditions user_query_ambiguity knowledge_ambiguity follow_up""".split()
FOLLOW_UP_FIELDS = ["query", "sol_sql", "external_knowledge", "test_cases", "type", "category", "conditions"]
CRITICAL = {"knowledge_linking", "schema_linking", "semantic", "intent", "lexical", "syntactic"}
MINOR = {"sort", "decimal", "null", "join", "distinct", "divide_zero", "rank", "date_format"}


def critical(record: dict[str, Any]) -> list[dict[str, Any]]:
    return record["user_query_ambiguity"]["critical_ambiguity"]


def minor(record: dict[str, Any]) -> list[dict[str, Any]]:
    return record["user_query_ambiguity"]["non_critical_ambiguity"]


def words(sql: str) -> str:
    return " ".join(sql.split())


def knowledge(database: str) -> list[dict[str, Any]]:
    text = (DEMO / database / f"{database}_kb.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def dumped(database: str) -> dict[str, str]:
    folder = DEMO / "postgre_table_dumps" / f"{database}_template"
    return {path.stem: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def lines_of_data(dump: str) -> list[str]:
    found = re.search(r"^COPY .* FROM stdin;\n(.*?)^\\\.$", dump, re.DOTALL | re.MULTILINE)
    assert found
    return found[1].splitlines()


def test_the_generator_makes_what_is_shipped(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(GENERATOR), "--output", str(tmp_path)], check=True, capture_output=True)
    files = sorted(path.relative_to(DEMO) for path in DEMO.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    assert [file for file in files if (DEMO / file).read_bytes() != (tmp_path / file).read_bytes()] == []
    assert sum((DEMO / file).stat().st_size for file in files) < 400_000


def test_the_benchmark_reads_it() -> None:
    from touchstone.benchmarks.interact.tasks import load_tasks

    tasks = load_tasks(DEMO / "bird_interact_data.jsonl")
    assert [task.key for task in tasks] == list(TASKS)
    assert all(len(task.phases) == 2 and all(phase.gold for phase in task.phases) for task in tasks)


def test_the_set_as_a_whole_is_varied() -> None:
    assert len(TASKS) == len(RECORDS)
    assert min(Counter((record["selected_database"], record["category"]) for record in RECORDS).values()) >= 3
    assert Counter(record["category"] for record in RECORDS) == {"Query": 11, "Management": 6}
    assert Counter(record["follow_up"]["category"] for record in RECORDS)["Management"] >= 3
    assert len({record["follow_up"]["type"] for record in RECORDS}) == 5
    assert {item["type"].removesuffix("_ambiguity") for record in RECORDS for item in critical(record)} == CRITICAL
    assert {item["type"].removesuffix("_ambiguity") for record in RECORDS for item in minor(record)} == MINOR
    for name, value in (("order", True), ("order", False), ("decimal", 2), ("distinct", True)):
        assert any(record["conditions"][name] == value for record in RECORDS)
    assert sum(bool(record["preprocess_sql"] and record["clean_up_sqls"]) for record in RECORDS) == 2
    assert {record["high_level"] for record in RECORDS} == {True, False}


@pytest.mark.parametrize("record", RECORDS, ids=list(TASKS))
def test_a_record_has_the_published_shape(record: dict[str, Any]) -> None:
    assert list(record) == FIELDS
    assert list(record["follow_up"]) == FOLLOW_UP_FIELDS
    infix = "_M_" if record["category"] == "Management" else "_"
    assert re.fullmatch(rf"{record['selected_database']}{infix}\d+", record["instance_id"])
    for phase in (record, record["follow_up"]):
        assert len(phase["sol_sql"]) == 1
        assert bool(phase["test_cases"]) == (phase["category"] == "Management")
        assert set(phase["conditions"]) == {"decimal", "distinct", "order"}
    assert record["query"] != record["amb_user_query"]


@pytest.mark.parametrize("record", RECORDS, ids=list(TASKS))
def test_ambiguities_are_settled_by_the_gold(record: dict[str, Any]) -> None:
    assert 1 <= len(critical(record)) + len(record["knowledge_ambiguity"]) <= 4
    gold = words(record["sol_sql"][0])
    for item in critical(record) + minor(record) + record["knowledge_ambiguity"]:
        assert words(item["sql_snippet"]) in gold
        assert isinstance(item["is_mask"], bool)
    for item in critical(record):
        assert item["term"] in record["amb_user_query"]
        assert words(item["sql_snippet"]) not in record["amb_user_query"]


@pytest.mark.parametrize("record", RECORDS, ids=list(TASKS))
def test_knowledge_that_is_needed_or_hidden_exists(record: dict[str, Any]) -> None:
    names = {entry["id"]: entry["knowledge"] for entry in knowledge(record["selected_database"])}
    for phase in (record, record["follow_up"]):
        assert set(phase["external_knowledge"]) <= set(names)
    for item in record["knowledge_ambiguity"]:
        assert item["deleted_knowledge"] in record["external_knowledge"]
        assert names[item["deleted_knowledge"]] == item["term"]


@pytest.mark.parametrize("record", RECORDS, ids=list(TASKS))
def test_test_cases_define_one_function_and_lean_on_nothing_else(record: dict[str, Any]) -> None:
    """Of everything at the top level, an official runner keeps nothing for the function to see."""
    for test in record["test_cases"] + record["follow_up"]["test_cases"]:
        scope: dict[str, Any] = {}
        exec(compile(test, "test_case", "exec"), {}, scope)
        assert list(scope) == ["test_case"]
        assert test.startswith("def test_case(pred_sqls, sol_sqls, db_name, conn):\n")


@pytest.mark.parametrize("database", DATABASES)
def test_knowledge_builds_on_itself_without_a_circle(database: str) -> None:
    entries = knowledge(database)
    assert [entry["id"] for entry in entries] == list(range(len(entries)))
    assert 12 <= len(entries) <= 20
    assert {entry["type"] for entry in entries} == {"calculation_knowledge", "domain_knowledge", "value_illustration"}
    children = {entry["id"]: [] if entry["children_knowledge"] == -1 else entry["children_knowledge"] for entry in entries}
    settled: set[int] = set()
    while ready := {number for number, needs in children.items() if number not in settled and settled.issuperset(needs)}:
        settled |= ready
    assert settled == set(children)
    assert any(children[child] for needs in children.values() for child in needs), "more than one level deep"


@pytest.mark.parametrize("database", DATABASES)
def test_schema_text_and_meanings_match_the_dumps(database: str) -> None:
    schema = (DEMO / database / f"{database}_schema.txt").read_text(encoding="utf-8")
    shown = dict(re.findall(r'^CREATE TABLE "(\w+)" \(\n(.*?)^\.\.\.$', schema, re.DOTALL | re.MULTILINE))
    meanings = json.loads((DEMO / database / f"{database}_column_meaning_base.json").read_text(encoding="utf-8"))
    expected: list[str] = []
    assert set(shown) == set(dumped(database))
    assert 5 <= len(shown) <= 7
    for table, dump in dumped(database).items():
        defined = re.search(rf"CREATE TABLE public\.{table} \(\n(.*?)\n\);", dump, re.DOTALL)
        assert defined
        columns = [line.strip() for line in defined[1].split(",\n")]
        definition, rows = shown[table].split("First 3 rows:\n")
        for column in columns:
            line = column if column.endswith(" NOT NULL") else f"{column} NULL"
            assert f"{line},\n" in definition
        names = [column.split()[0] for column in columns]
        expected += [f"{database}|{table}|{name}" for name in names]
        assert rows.splitlines()[0].split() == names
        assert len(rows.splitlines()) == 4
        assert re.findall(r"FOREIGN KEY \((\w+)\)", dump) == re.findall(r"FOREIGN KEY \((\w+)\)", definition)
        assert 40 <= len(lines_of_data(dump)) <= 420
    assert sorted(key.lower() for key in meanings) == sorted(expected)
    assert [key for key in meanings if key != key.lower()]
    assert any(isinstance(meaning, dict) and meaning["fields_meaning"] for meaning in meanings.values())


def test_the_data_has_what_makes_data_hard() -> None:
    everything = "\n".join(line for database in DATABASES for dump in dumped(database).values() for line in lines_of_data(dump))
    for pattern in (r"\\N", r"\d'\w|\w'\w", r'\\\\"|"\w+"', r"[ÀöéşŁð]", r"\t\{[^:\n]+\}\t", r'"\w+": \{', r"\d\d:\d\d:00\t"):
        assert re.search(pattern, everything), pattern


def test_every_ambiguity_that_counts_has_a_misreading() -> None:
    misread = {(case["instance_id"], case["term"]) for case in FIXTURE["wrong"] if "term" in case}
    labelled = {
        (key, item["term"]) for key, record in TASKS.items() for item in critical(record) + record["knowledge_ambiguity"]
    }
    assert labelled <= misread
    assert {(case["instance_id"], case["phase"]) for case in FIXTURE["wrong"]} == {
        (key, phase) for key in TASKS for phase in (1, 2)
    }
    assert len({case["instance_id"] for case in FIXTURE["right"]}) >= 3
    assert all(set(case) - {"term"} == {"instance_id", "phase", "sql", "why"} for kind in FIXTURE.values() for case in kind)


def test_nothing_asks_the_clock_or_the_dice() -> None:
    for record in RECORDS:
        for sql in record["sol_sql"] + record["follow_up"]["sol_sql"]:
            assert not re.search(r"\b(now|current_date|current_timestamp|localtimestamp|random)\b", sql, re.IGNORECASE)
