"""The baselines from the command line, on every SQL benchmark: what is in the prompt, what is handed in, what is recorded."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.cli.conftest import Cli
from tests.support.chat_server import JSON, Answer, ChatServer, text
from tests.support.command import Done, records, run_directory
from touchstone.benchmarks.sql.config import DEMO
from touchstone.datasets import bird_demo, interact_demo


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")


def golds() -> dict[str, str]:
    """By question, of all demos."""
    known = {row["question"]: row["sql"] for row in csv.DictReader((DEMO / "questions.csv").open())}
    known |= {row["question"]: row["SQL"] for row in json.loads(bird_demo()[0].read_text())}
    for line in (interact_demo() / "bird_interact_data.jsonl").read_text().splitlines():
        row: dict[str, Any] = json.loads(line)
        for part, question in ((row, "amb_user_query"), (row.get("follow_up") or {}, "query")):
            if question in part:
                known[part[question]] = "\n;\n".join(part["sol_sql"])
    return known


def played(cli: Cli, known: Mapping[str, str], *arguments: str | Path) -> tuple[Done, list[str]]:
    """And the prompts: the first message of each request."""

    def answer(request: JSON) -> Answer:
        asked = "\n".join(message["content"] for message in request["messages"])
        question = max(known, key=asked.rfind)
        return text(f"```sql\n{known[question]}\n```" if question in asked else "I do not know.")

    with ChatServer(answer) as server:
        done = cli(*arguments, "-m", "m", "--base-url", server.url, "-o", "out")
    return done, [request["messages"][0]["content"] for request in server.requests]


@pytest.mark.parametrize("benchmark", ["sql", "bird", "spider2"])
@pytest.mark.parametrize("agent", ["direct", "vote", "repair"])
def test_every_sql_benchmark_can_be_played(cli: Cli, tmp_path: Path, benchmark: str, agent: str) -> None:
    number = {"direct": (), "vote": ("-k", "2"), "repair": ("-n", "1")}[agent]
    done, prompts = played(
        cli, golds(), "run", benchmark, "demo", "--limit", "3", "--agent", agent, *number, "--schema", "values"
    )
    assert done.code == 0, done.stderr
    played_records = records(run_directory(tmp_path / "out"))
    assert [record["outcome"] for record in played_records] == ["passed"] * 3
    assert len(prompts) == 3 * (2 if agent == "vote" else 1)
    assert all("CREATE TABLE" in prompt and "Some rows of" in prompt for prompt in prompts)
    if benchmark != "sql":
        assert "-- " in prompts[0], "what columns mean"
    notes = [step["text"] for record in played_records for step in record["steps"] if step["type"] == "note"]
    assert set(notes) == set(prompts)
    assert all(step["request"] for record in played_records for step in record["steps"] if step["type"] == "model")


@pytest.mark.parametrize("mode", ["agentic", "conversational", "single"])
def test_interact_goes_on_with_the_follow_up(cli: Cli, tmp_path: Path, mode: str) -> None:
    done, prompts = played(
        cli, golds(), "run", "interact", "demo", "--limit", "2", "--mode", mode, "--agent", "direct", "--schema", "full"
    )
    assert done.code == 0, done.stderr
    (first, second) = records(run_directory(tmp_path / "out"))
    if mode != "single":  # there the clear request is asked, which the model does not know
        assert (first["outcome"], second["outcome"]) == ("passed", "passed")
        assert len(prompts) == 4
    assert all("PostgreSQL" in prompt and "CREATE TABLE" in prompt for prompt in prompts)


def test_a_vote_that_cannot_run_sql_is_skipped(cli: Cli, tmp_path: Path) -> None:
    done, _ = played(cli, golds(), "run", "interact", "demo", "-n", "1", "--mode", "conversational", "--agent", "vote")
    (record,) = records(run_directory(tmp_path / "out"))
    assert (record["outcome"], "a vote by results needs a tool that runs SQL" in record["reason"]) == ("skipped", True), done


def test_comments_keys_values_and_other_schemas_are_told(cli: Cli, tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "Shop.duckdb") as connection:
        connection.execute('CREATE TABLE customer (id INT PRIMARY KEY, "Home Town" VARCHAR, "order" VARCHAR)')
        connection.execute("COMMENT ON COLUMN customer.\"Home Town\" IS 'where\nthey live'")
        connection.execute("INSERT INTO customer VALUES (1, 'St. John''s', 'x'), (2, 'Joh', 'y'), (3, 'on', 'z')")
        connection.execute("CREATE SCHEMA other; CREATE TABLE other.visit (customer INT, day DATE)")
    (tmp_path / "database_description").mkdir()
    (tmp_path / "database_description" / "Customer.csv").write_text(
        'original_column_name,column_description,value_description\nORDER,"what they\nbought",caf\xe9\n', encoding="latin-1"
    )
    question = "Who lives in st. john's, on the hill?"
    (tmp_path / "q.json").write_text(json.dumps([{"question": question, "sql": "SELECT 1"}]))
    done, (prompt,) = played(
        cli, {question: "SELECT 1"}, "run", "sql", "q.json", "Shop.duckdb", "--agent", "direct", "--schema", "values"
    )
    assert done.code == 0, done.stderr
    assert '"Home Town" VARCHAR,  -- where they live' in prompt
    assert '"order" VARCHAR  -- what they bought; café' in prompt
    assert "PRIMARY KEY(id)" in prompt
    assert "CREATE TABLE other.visit (" in prompt
    assert 'Values that occur in the question:\ncustomer."Home Town": St. John\'s\n\n' in prompt


def test_the_schema_is_an_option_of_the_agent_or_of_the_benchmark(cli: Cli, tmp_path: Path) -> None:
    """One name, by who plays; a run's own configuration plays it again."""
    options = ("run", "sql", "demo", "-n", "1", "--agent", "direct", "--schema")
    done, _ = played(cli, golds(), *options, "much")
    assert (done.code, done.complaint) == (2, "touchstone: --schema much: expected one of ddl, full, values")
    assert played(cli, golds(), *options, "full")[0].code == 0
    config = run_directory(tmp_path / "out") / "config.toml"
    assert 'schema-form = "full"' in config.read_text()
    (tmp_path / "hand.toml").write_text('agent = "direct"\nschema = "full"\nquestions = "demo"\n')
    for file in (config, tmp_path / "hand.toml"):
        done, prompts = played(cli, golds(), "run", "sql", "--config", file, "--limit", "1")
        assert done.code == 0, done.stderr
        assert "PRIMARY KEY" in prompts[0]
    assert "--schema" in cli("run", "sql", "--help").out
