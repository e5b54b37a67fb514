"""A service is an agent like any other: it can play `touchstone bird` too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.support.command import overall, records, run_directory
from tests.support.sql_service import SqlService, answering, failing, sql
from tests.support.worlds import ENDLESS, ROWS, World

KNOWN = {row["question"]: row["SQL"] for row in ROWS}


def play(cli: Cli, world: World, service: SqlService, *options: str | Path) -> Any:
    return cli("bird", *world.arguments, "--agent", "http", "--api-url", service.url, "-o", "out", *options)


def test_it_plays_every_task(cli: Cli, world: World, tmp_path: Path) -> None:
    with SqlService(answering(KNOWN)) as service:
        done = play(cli, world, service, "--parallel", "3")
    assert done.code == 0
    assert overall(run_directory(tmp_path / "out"))["overall"]["passed"] == len(ROWS)
    assert service.asked == dict.fromkeys(KNOWN, 1)
    assert "agent http" in done.out


def test_it_is_sent_the_evidence_too(cli: Cli, world: World) -> None:
    with SqlService(answering(KNOWN)) as service:
        play(cli, world, service, "-n", "1")
        play(cli, world, service, "-n", "1", "--no-evidence")
    told = {"question": "Which items are dear?", "db_id": "shop", "evidence": "dear means price > 1"}
    assert service.requests == [told, {**told, "evidence": ""}]


def test_headers_are_sent_and_never_written(cli: Cli, world: World, tmp_path: Path) -> None:
    with SqlService(answering(KNOWN)) as service:
        assert play(cli, world, service, "--header", "Authorization=Bearer sk-very-secret").code == 0
    assert {sent["Authorization"] for sent in service.headers} == {"Bearer sk-very-secret"}
    run = run_directory(tmp_path / "out")
    assert not [path.name for path in run.iterdir() if "sk-very-secret" in path.read_text()]


def test_sql_that_writes_or_never_ends_fails_and_the_database_stays(cli: Cli, world: World, tmp_path: Path) -> None:
    before = (world.databases / "shop" / "shop.sqlite").read_bytes()
    answers = {**KNOWN, "Which items are dear?": "DROP TABLE item", "How many items are there?": ENDLESS}
    with SqlService(answering(answers)) as service:
        assert play(cli, world, service, "--sql-timeout", "0.5", "-n", "4").code == 0
    reasons = {record["task"]: record["reason"] for record in records(run_directory(tmp_path / "out"))}
    assert reasons["10"] == "The prediction changes the database; only a query can be judged."
    assert (
        reasons["11"] == "The prediction cannot be run: The query was stopped at its limit of 35,000,000 steps (0.5 seconds)."
    )
    assert overall(run_directory(tmp_path / "out"))["overall"]["passed"] == 2
    assert (world.databases / "shop" / "shop.sqlite").read_bytes() == before


def test_a_resume_asks_only_what_is_owed(cli: Cli, world: World, tmp_path: Path) -> None:
    with SqlService(answering({**KNOWN, "How many legs are there?": failing(400)})) as service:
        assert play(cli, world, service).code == 0
        service.script = answering(KNOWN)
        before = len(service.requests)
        assert cli("bird", "--resume", run_directory(tmp_path / "out")).code == 0
    assert [request["question"] for request in service.requests[before:]] == ["How many legs are there?"]
    assert overall(run_directory(tmp_path / "out"))["overall"]["passed"] == len(ROWS)


def test_a_template_and_a_path_serve_another_contract(cli: Cli, world: World, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(json.dumps({"question": "{question}", "context": ["{database}", "{evidence}"]}))

    def answer(request: Any) -> Any:
        return sql(None, answers=[{"text": KNOWN[request["question"]]}])

    with SqlService(answer) as service:
        done = play(cli, world, service, "--request-template", "t.json", "--sql-field", "answers.0.text")
    assert done.code == 0
    assert service.requests[0]["context"] == ["shop", "dear means price > 1"]
    assert overall(run_directory(tmp_path / "out"))["overall"]["passed"] == len(ROWS)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ([], "--api-url: the http agent needs the address of a service"),
        (["--api-url", "ftp://example.org"], "--api-url ftp://example.org: expected an address that begins with http:// or "),
    ],
)
def test_an_address_that_is_none(cli: Cli, world: World, tmp_path: Path, options: list[str], complaint: str) -> None:
    done = cli("bird", *world.arguments, "--agent", "http", "-o", "out", *options)
    assert done.code == 2
    (line,) = done.err.splitlines()
    assert line.startswith(f"touchstone: {complaint}")
    assert not (tmp_path / "out").exists()
