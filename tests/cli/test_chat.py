"""`touchstone bird` with a model behind a real HTTP service: from end to end, and every way in which it can fail."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.support.chat_players import knowing, tools_of
from tests.support.chat_server import ChatServer, Script, bad_key, failure, no_model, overflow, refusal, refused_field, text
from tests.support.command import Done, Started, finish, overall, records, run_directory, start
from tests.support.ports import nobody_listens
from tests.support.worlds import ROWS, World, make_world
from touchstone.runs.config import stored_options

KEY = {"OPENAI_API_KEY": "sk-very-secret"}
PLAIN = {"model", "messages", "tools"}
"""What a request has that no option adds to."""


@pytest.fixture(scope="module", autouse=True)
def refused(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Started, Path]]:
    """A run against a port where nothing listens. Its retries take a while, so it starts before all other tests here."""
    directory = tmp_path_factory.mktemp("refused")
    world = make_world(directory / "world")
    with nobody_listens() as port:
        address = f"http://127.0.0.1:{port}/v1"
        process = start("bird", *world.arguments, "--base-url", address, "-o", "out", cwd=directory, env=KEY)
        yield process, directory / "out"
        process.kill()
        process.communicate()


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY["OPENAI_API_KEY"])


def play(cli: Cli, world: World, script: Script, *options: str | Path) -> tuple[Done, ChatServer]:
    with ChatServer(script) as server:
        done = cli("bird", *world.arguments, "-m", "some/model", "--base-url", server.url, "-o", "out", *options)
    return done, server


def resume(cli: Cli, run: Path, script: Script) -> tuple[Done, ChatServer]:
    with ChatServer(script) as server:
        return cli("bird", "--resume", run, "--base-url", server.url), server


def test_a_model_that_knows_passes_every_task(cli: Cli, world: World, tmp_path: Path) -> None:
    done, server = play(cli, world, knowing(), "-p", "3")
    assert (done.code, done.err.splitlines()[-1].startswith("6/6 done, 6/6 passed")) == (0, True)
    run = run_directory(tmp_path / "out")
    assert overall(run)["overall"]["passed"] == 6
    for record in records(run):
        kinds = [step["type"] for step in record["steps"]]
        assert kinds == ["model", "tool", "model", "tool"]
        assert record["usage"] == {**record["usage"], "calls": 2, "input_tokens": 200, "cached_tokens": 80, "output_tokens": 20}
    assert len(server.requests) == 12
    assert {request["model"] for request in server.requests} == {"some/model"}
    assert tools_of(server.requests[0]) == ["execute_sql", "submit_sql"]


def test_no_request_holds_the_gold_before_the_model_has_written_it(cli: Cli, world: World, tmp_path: Path) -> None:
    _, server = play(cli, world, lambda request: text("I give up."), "--max-turns", "2")
    assert len(server.requests) == 12
    for row in ROWS:
        assert not any(row["SQL"] in json.dumps(request) for request in server.requests)


def test_the_key_is_nowhere_in_the_run(cli: Cli, world: World, tmp_path: Path) -> None:
    done, server = play(cli, world, knowing(), "-n", "1")
    assert server.headers[0]["Authorization"] == f"Bearer {KEY['OPENAI_API_KEY']}"
    written = [file.read_text() for file in run_directory(tmp_path / "out").iterdir()]
    assert not any(KEY["OPENAI_API_KEY"] in each for each in [*written, done.out, done.err])


def test_the_options_reach_the_service_and_the_configuration(cli: Cli, world: World, tmp_path: Path) -> None:
    (tmp_path / "prompt.md").write_text("You are terse.")
    options = ["--service-tier", "flex", "--system-prompt", "prompt.md", "--no-evidence", "--task", "10"]
    _, server = play(cli, world, knowing(), *options)
    request = server.requests[0]
    assert request["service_tier"] == "flex"
    assert request["messages"][0] == {"role": "system", "content": "You are terse."}
    assert "Hint" not in request["messages"][1]["content"]
    arguments = stored_options(json.loads((run_directory(tmp_path / "out") / "config.json").read_text()))
    assert arguments["model"] == "some/model"
    assert arguments["evidence"] is False
    assert arguments["system-prompt"] == str(tmp_path / "prompt.md")


SAMPLING: list[tuple[str, str, dict[str, object]]] = [
    ("--temperature", "0.2", {"temperature": 0.2}),
    ("--temperature", "0", {"temperature": 0.0}),
    ("--top-p", "0.9", {"top_p": 0.9}),
    ("--max-tokens", "512", {"max_tokens": 512}),
    ("--reasoning-effort", "low", {"reasoning_effort": "low"}),
    ("--seed", "0", {"seed": 0}),
    (
        "--extra-body",
        '{"top_k": 5, "chat_template_kwargs": {"thinking": false}}',
        {"top_k": 5, "chat_template_kwargs": {"thinking": False}},
    ),
]


@pytest.mark.parametrize(("option", "value", "fields"), SAMPLING, ids=lambda each: str(each)[:20])
def test_a_sampling_option_is_sent_and_in_the_runs_identity(
    cli: Cli, world: World, tmp_path: Path, option: str, value: str, fields: dict[str, object]
) -> None:
    done, server = play(cli, world, knowing(), "-n", "1", option, value)
    assert done.code == 0
    for request in server.requests:
        assert {name: sent for name, sent in request.items() if name not in PLAIN} == fields
    run = run_directory(tmp_path / "out")
    assert json.loads((run / "config.json").read_text())["identity"]["sampling"] == fields


def test_a_sampling_option_that_was_not_given_is_neither_sent_nor_recorded(cli: Cli, world: World, tmp_path: Path) -> None:
    _, server = play(cli, world, knowing(), "-n", "1")
    assert all(request.keys() == PLAIN for request in server.requests)
    assert "sampling" not in json.loads((run_directory(tmp_path / "out") / "config.json").read_text())["identity"]


def test_a_refused_sampling_option_is_named_in_one_line(cli: Cli, world: World, tmp_path: Path) -> None:
    done, server = play(cli, world, [refused_field("temperature")], "--temperature", "0.2")
    (line,) = done.err.splitlines()
    assert (done.code, len(server.requests)) == (1, 1)
    assert line.startswith(
        "touchstone: the run was stopped: some/model: the service refuses --temperature; leave it out or give another value"
    )
    assert list((tmp_path / "out").iterdir()) == []


def test_the_service_can_come_from_the_environment(
    cli: Cli, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ChatServer(knowing()) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert cli("bird", *world.arguments, "-n", "1").code == 0
    assert server.requests[0]["model"] == "gpt-5-mini"
    assert overall(run_directory(tmp_path / "results" / "gpt-5-mini-bird"))["overall"]["passed"] == 1


def test_the_text_protocol_works_with_a_model_without_tools(cli: Cli, world: World, tmp_path: Path) -> None:
    reply = text("Thought: easy\nAction: submit_sql\nInput: SELECT COUNT(*) FROM item")
    done, server = play(cli, world, [reply], "--agent", "react", "--task", "11")
    assert (done.code, overall(run_directory(tmp_path / "out"))["overall"]["passed"]) == (0, 1)
    assert "tools" not in server.requests[0]


def test_the_text_protocol_is_in_the_runs_identity(cli: Cli, world: World, tmp_path: Path) -> None:
    """Records of one way to write calls are not mixed with those of another."""
    reply = text("Thought: easy\nAction: submit_sql\nInput: SELECT COUNT(*) FROM item")
    done, server = play(cli, world, [reply], "--agent", "react", "--task", "11")
    assert done.code == 0
    run = run_directory(tmp_path / "out")
    config = json.loads((run / "config.json").read_text())
    assert config["identity"]["protocol"] == "lines"
    config["identity"]["protocol"] = "tags"
    (run / "config.json").write_text(json.dumps(config))
    assert cli("bird", "--resume", run, "--base-url", server.url).complaint == (
        f"touchstone: {run}: cannot resume, the records would not be comparable: protocol was 'tags' and is now 'lines'"
    )


@pytest.mark.parametrize(
    ("script", "outcome", "words"),
    [
        ([refusal("No.")], "failed", "the model refused: No."),
        ([overflow()], "limit", "context"),
        ([text("hm")], "limit", "not finished within 3 turns"),
    ],
)
def test_what_ends_an_episode_is_in_its_record(
    cli: Cli, world: World, tmp_path: Path, script: Script, outcome: str, words: str
) -> None:
    done, _ = play(cli, world, script, "--max-turns", "3", "-n", "1")
    (record,) = records(run_directory(tmp_path / "out"))
    assert done.code == 0
    assert record["outcome"] == outcome
    assert words in record["reason"]


@pytest.mark.parametrize(
    ("script", "words"),
    [([no_model()], "does not exist"), ([bad_key("sk-very-secret")], "OPENAI_API_KEY")],
)
def test_a_model_that_can_never_work_stops_the_run_at_once(
    cli: Cli, world: World, tmp_path: Path, script: Script, words: str
) -> None:
    done, server = play(cli, world, script)
    assert done.code == 1
    (line,) = done.err.splitlines()
    assert line.startswith("touchstone: the run was stopped: ")
    assert words in line
    assert "sk-very-secret" not in line
    assert len(server.requests) == 1
    assert list((tmp_path / "out").iterdir()) == []


def test_a_model_that_is_taken_away_stops_the_run_and_a_resume_goes_on(cli: Cli, world: World, tmp_path: Path) -> None:
    player = knowing()
    turns = iter(range(1000))
    done, _ = play(cli, world, lambda request: player(request) if next(turns) < 4 else no_model())
    run = run_directory(tmp_path / "out")
    assert done.code == 1
    assert done.complaint.endswith(f"; continue with --resume {run.relative_to(tmp_path)}")
    assert [record["task"] for record in records(run)] == ["10", "11"]
    done, server = resume(cli, run, player)
    assert done.code == 0
    assert overall(run)["overall"]["passed"] == 6
    assert len(server.requests) == 8


def test_a_resume_keeps_to_its_model_and_service_whatever_the_environment_says(
    cli: Cli, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ChatServer(knowing()) as server, ChatServer([no_model()]) as other:
        assert cli("bird", *world.arguments, "-m", "a", "--base-url", server.url, "-o", "out", "-n", "1").code == 0
        monkeypatch.setenv("OPENAI_MODEL", "b")
        monkeypatch.setenv("OPENAI_BASE_URL", other.url)
        assert cli("bird", "-r", run_directory(tmp_path / "out"), "-n", "2").code == 0
    assert [request["model"] for request in server.requests] == ["a"] * 4
    assert other.requests == []


def test_no_key_and_no_service_is_refused_before_anything_is_written(
    cli: Cli, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    done = cli("bird", *world.arguments, "-o", "out")
    assert done.code == 2
    (line,) = done.err.splitlines()
    assert line.startswith("touchstone: ")
    assert "OPENAI_API_KEY" in line
    assert not (tmp_path / "out").exists()


def test_a_service_that_fails_is_an_error_that_a_resume_tries_again(cli: Cli, world: World, tmp_path: Path) -> None:
    player = knowing()
    last = ROWS[-1]["question"]
    failing = failure(503, "overloaded", retry_after_ms="1")
    done, _ = play(cli, world, lambda request: failing if last in json.dumps(request) else player(request), "-p", "2")
    assert done.code == 0
    run = run_directory(tmp_path / "out")
    assert overall(run)["outcomes"] == {**overall(run)["outcomes"], "passed": 5, "error": 1}
    done, server = resume(cli, run, player)
    assert done.code == 0
    assert overall(run)["overall"]["passed"] == 6
    assert len(server.requests) == 2


def test_five_failures_in_a_row_stop_the_run(cli: Cli, world: World, tmp_path: Path) -> None:
    done, _ = play(cli, world, [failure(503, "overloaded", retry_after_ms="1")])
    run = run_directory(tmp_path / "out")
    assert done.code == 1
    assert done.complaint.startswith("touchstone: the run was stopped: 5 errors in a row, the last: ")
    assert "overloaded" in done.complaint
    assert overall(run)["outcomes"]["error"] == len(records(run)) == 5


@pytest.mark.parametrize(("patience", "played", "code"), [("2", 2, 1), ("0", 6, 0)])
def test_how_many_failures_stop_the_run_can_be_chosen(
    cli: Cli, world: World, tmp_path: Path, patience: str, played: int, code: int
) -> None:
    failing = failure(503, "overloaded", retry_after_ms="1")
    done, _ = play(cli, world, [failing], "--max-consecutive-errors", patience)
    assert (done.code, len(records(run_directory(tmp_path / "out")))) == (code, played)


def test_a_refused_connection_stops_the_run_in_one_line(refused: tuple[Started, Path]) -> None:
    process, output = refused
    done = finish(process, timeout=90)
    assert done.code == 1
    (line,) = done.err.splitlines()
    assert line.startswith("touchstone: the run was stopped: ")
    assert "nothing answers at http://127.0.0.1:" in line
    assert list(output.iterdir()) == []
