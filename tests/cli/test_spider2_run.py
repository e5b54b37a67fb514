"""`touchstone spider2 run` and `convert`: any agent on the questions, and the converted input file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.benchmarks.spider2.worlds import BY_QUESTION, SQL, Spider2World, make_spider2
from tests.cli.conftest import Cli
from tests.support.chat_players import tools_of
from tests.support.chat_server import JSON, Answer, ChatServer, tool_call
from tests.support.command import overall, records, run_directory
from tests.support.sql_service import SqlService, answering


@pytest.fixture
def spider2(tmp_path: Path) -> Spider2World:
    return make_spider2(tmp_path / "spider2")


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")


def reading(request: JSON) -> Answer:
    """A model that reads the document, if there is one, and then knows the answer."""
    asked = request["messages"][1]["content"].split("\n")[0]
    last = request["messages"][-1]["role"]
    if "read_document" in tools_of(request) and last != "tool":
        return tool_call("read_document", {})
    return tool_call("submit_sql", {"sql": BY_QUESTION[asked]})


class TestRun:
    def test_a_model_plays_every_question_that_has_a_golden_result(
        self, cli: Cli, spider2: Spider2World, tmp_path: Path
    ) -> None:
        with ChatServer(reading) as chat:
            done = cli(
                *("spider2", "run", spider2.questions, *spider2.options, "--documents", spider2.documents, "-p", "3"),
                *("--model", "clever", "--base-url", chat.url, "--results", "csv"),
            )
        assert done.code == 0, done.err
        assert done.err.splitlines()[0] == "touchstone: 1 of 6 questions are left out: they have no gold result"
        run = run_directory(tmp_path / "results" / "clever-spider2")
        assert {record["task"]: record["outcome"] for record in records(run)} == dict.fromkeys(SQL, "passed")
        assert len(list((tmp_path / "csv").iterdir())) == 5
        assert len(chat.requests) == 6
        assert "Spider2-lite: agent tools, model clever, strict comparison" in done.out

    def test_it_reads_the_document_of_its_question(self, cli: Cli, spider2: Spider2World) -> None:
        with ChatServer(reading) as chat:
            options = ("--documents", spider2.documents, "--task", "local004", "--base-url", chat.url, "-o", "out")
            assert cli("spider2", "run", spider2.questions, *spider2.options, *options).code == 0
        assert tools_of(chat.requests[0]) == ["execute_sql", "submit_sql", "read_document"]
        assert chat.requests[1]["messages"][-1]["content"] == "Legs are counted in pairs."

    def test_documents_that_nobody_can_read_are_told(self, cli: Cli, spider2: Spider2World) -> None:
        with ChatServer(reading) as chat:
            done = cli("spider2", "run", spider2.questions, *spider2.options, "--base-url", chat.url, "-o", "out")
        assert done.code == 0
        assert "touchstone: 1 of 5 questions have a document, which agents can only read with --documents\n" in done.err

    def test_the_oracle_plays_the_gold_sql_there_is(self, cli: Cli, spider2: Spider2World, tmp_path: Path) -> None:
        assert cli("spider2", "run", spider2.questions, *spider2.options, "--agent", "oracle", "-o", "out").code == 0
        outcomes = overall(run_directory(tmp_path / "out"))["outcomes"]
        assert (outcomes["passed"], outcomes["skipped"]) == (3, 2)

    def test_a_service_can_play_too(self, cli: Cli, spider2: Spider2World, tmp_path: Path) -> None:
        with SqlService(answering(BY_QUESTION)) as service:
            options = ("--agent", "http", "--api-url", service.url, "-o", "out")
            assert cli("spider2", "run", spider2.questions, *spider2.options, *options).code == 0
        assert service.requests[0] == {"question": "Which items are dear?", "db_id": "shop"}
        assert overall(run_directory(tmp_path / "out"))["outcomes"]["passed"] == 5

    def test_an_earlier_run_can_be_played_again(self, cli: Cli, spider2: Spider2World, tmp_path: Path) -> None:
        given = ("spider2", "run", spider2.questions, *spider2.options)
        assert cli(*given, "--agent", "oracle", "-o", "out").code == 0
        first = run_directory(tmp_path / "out")
        assert cli(*given, "--agent", "replay", "--predictions", first, "-o", "again").code == 0
        assert overall(run_directory(tmp_path / "again"))["outcomes"]["passed"] == 3

    def test_a_resume_plays_the_rest(self, cli: Cli, spider2: Spider2World, tmp_path: Path) -> None:
        oracle = ("--agent", "oracle", "-o", "out", "--schema")
        assert cli("spider2", "run", spider2.questions, *spider2.options, *oracle, "-n", "2").code == 0
        run = run_directory(tmp_path / "out")
        done = cli("spider2", "run", "--resume", run, "--limit", "3", "-v")
        assert done.code == 0, done.err
        assert [record["task"] for record in records(run)] == ["local001", "local002", "local003"]
        assert "(2 done before)" in done.out
        assert "passed     local003" in done.err

    @pytest.mark.parametrize(
        ("options", "complaint"),
        [
            (["--agent", "replay"], "--predictions: the replay agent needs a prediction file or a run directory"),
            (["--agent", "http"], "--api-url: the http agent needs the address of a service"),
            (["--agent", "oracle", "--results", "{file}"], "--results {file}: {file} is not a directory that can be "),
            (["--agent", "oracle", "--documents", "no"], "--documents no: there is no such folder"),
            (["--agent", "oracle", "-n", "-1"], "--limit -1: expected a positive whole number"),
            (["--agent", "oracle", "--epochs", "0"], "--epochs 0: expected a positive whole number"),
        ],
    )
    def test_what_makes_no_sense_is_refused(
        self, cli: Cli, spider2: Spider2World, tmp_path: Path, options: list[str], complaint: str
    ) -> None:
        given = [option.replace("{file}", str(spider2.questions)) for option in options]
        done = cli("spider2", "run", spider2.questions, *spider2.options, "-o", "out", *given)
        assert done.code == 2
        assert done.complaint.startswith("touchstone: " + complaint.replace("{file}", str(spider2.questions)))
        assert not (tmp_path / "out").exists()

    def test_no_questions_are_refused(self, cli: Cli) -> None:
        needed = "TASKS and DATABASES and GOLD, a dataset's name such as demo, or --resume RUN_DIR"
        assert cli("spider2", "run").err == f"touchstone: spider2 run needs {needed}\n"


class TestConvert:
    def test_it_writes_the_local_questions(self, cli: Cli, spider2: Spider2World, tmp_path: Path) -> None:
        done = cli("spider2", "convert", spider2.questions, "deep/new.json", "--gold", spider2.gold)
        assert (done.code, done.out) == (0, "deep/new.json: 5 local questions, 3 of them with gold SQL\n")
        entries = json.loads((tmp_path / "deep" / "new.json").read_text())
        assert [entry["metadata"]["instance_id"] for entry in entries] == list(SQL)
        assert entries[0]["gold_sql"] == SQL["local001"]

    @pytest.mark.parametrize(
        ("arguments", "complaint"),
        [
            (["no.jsonl", "new.json", "--gold", "{gold}"], "no.jsonl: cannot read the task file: No such file or directory"),
            (["{questions}", "new.json", "--gold", "no"], "no: not a gold folder (it has no exec_result/)"),
            (["{questions}", "{gold}", "--gold", "{gold}"], "cannot write {gold}: Is a directory"),
            (["{questions}", "{questions}/x.json", "--gold", "{gold}"], "cannot write {questions}/x.json: "),
        ],
    )
    def test_what_makes_no_sense_is_refused(
        self, cli: Cli, spider2: Spider2World, arguments: list[str], complaint: str
    ) -> None:
        def filled(text: str) -> str:
            return text.replace("{gold}", str(spider2.gold)).replace("{questions}", str(spider2.questions))

        done = cli("spider2", "convert", *map(filled, arguments))
        assert done.code == 2
        (line,) = done.err.splitlines()
        assert line.startswith(f"touchstone: {filled(complaint)}")
