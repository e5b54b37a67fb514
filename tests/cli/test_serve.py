"""`touchstone serve` as a user starts it: a process of its own, asked over HTTP, and ended by a signal."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.cli.conftest import Cli
from tests.support.chat_players import knowing
from tests.support.chat_server import ChatServer, hang
from tests.support.command import Done, Started, finish, start
from tests.support.ports import port_to_come_back_to
from tests.support.worlds import ENDLESS, ROWS, World, make_world, row
from tests.workers.processes import children, is_running

KEY = {"OPENAI_API_KEY": "sk-test"}
UNENDING = row(98, "shop", "How far can you count?", ENDLESS)
BROKEN = row(99, "shop", "Which colour?", "SELECT colour FROM item")


@dataclass(frozen=True)
class Serving:
    process: Started
    line: str
    """What it said when it was ready."""

    @property
    def address(self) -> str:
        return self.line.partition(" answers at ")[2].partition("/infer")[0]

    def ask(self, question: str, db_id: str = "shop") -> httpx.Response:
        return httpx.post(f"{self.address}/infer", json={"question": question, "db_id": db_id}, timeout=120)

    def end(self, how: signal.Signals = signal.SIGTERM) -> Done:
        self.process.send_signal(how)
        return finish(self.process)


@contextmanager
def serving(world: World, cwd: Path, *options: str | Path, port: str = "0") -> Generator[Serving]:
    process = start("serve", "--databases", world.databases, "--port", port, *options, cwd=cwd, env=KEY)
    assert process.stdout is not None
    try:
        yield Serving(process, process.stdout.readline())
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


@contextmanager
def oracle(world: World, cwd: Path, *options: str, port: str = "0") -> Generator[Serving]:
    with serving(world, cwd, "--agent", "oracle", "--data", world.tasks, *options, port=port) as service:
        yield service


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """One service with the oracle for all tests that only ask; in the end it must not have complained of anything."""
    directory = tmp_path_factory.mktemp("served")
    world = make_world(directory / "world", [*ROWS, UNENDING, BROKEN])
    with oracle(world, directory, "--sql-timeout", "0.5") as service:
        yield service
        assert service.end() == Done(0, "", "")


def processes_of(service: Serving) -> set[int]:
    """The process that starts workers, and the workers."""
    found = children(service.process.pid)
    return found.union(*map(children, found))


def wait_until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


class TestQuestions:
    @pytest.mark.parametrize("known", ROWS, ids=lambda known: known["db_id"])
    def test_the_oracle_answers_with_the_gold(self, service: Serving, known: dict[str, str]) -> None:
        got = service.ask(known["question"], known["db_id"])
        assert (got.status_code, got.json()) == (200, {"sql": known["SQL"], "execution_success": True, "error": None})

    def test_a_question_without_an_answer(self, service: Serving) -> None:
        error = "there is no reference to play"
        assert service.ask("What?").json() == {"sql": None, "execution_success": False, "error": error}

    def test_sql_that_fails(self, service: Serving) -> None:
        assert service.ask(BROKEN["question"]).json() == {
            "sql": BROKEN["SQL"],
            "execution_success": False,
            "error": "no such column: colour",
        }

    def test_sql_that_never_ends(self, service: Serving) -> None:
        got = service.ask(UNENDING["question"]).json()
        assert (got["sql"], got["execution_success"]) == (ENDLESS, False)
        assert "0.5" in got["error"]

    @pytest.mark.parametrize("name", ["aviary", "..", "../shop", "../../../etc/passwd"])
    def test_a_database_that_is_not_there(self, service: Serving, name: str) -> None:
        assert service.ask("Which?", name).status_code == 404

    @pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"question": "Which?"}'])
    def test_a_bad_body(self, service: Serving, body: bytes) -> None:
        headers = {"Content-Type": "application/json"}
        assert httpx.post(f"{service.address}/infer", content=body, headers=headers).status_code == 422

    def test_many_at_once(self, service: Serving) -> None:
        with ThreadPoolExecutor(16) as pool:
            answers = list(pool.map(lambda known: service.ask(known["question"], known["db_id"]), ROWS * 4))
        assert [answer.json()["sql"] for answer in answers] == [known["SQL"] for known in ROWS * 4]

    def test_health_and_documentation(self, service: Serving) -> None:
        assert httpx.get(f"{service.address}/health").json() == {"status": "ok", "agent": "agent oracle"}
        assert "/infer" in httpx.get(f"{service.address}/openapi.json").json()["paths"]
        assert httpx.get(f"{service.address}/docs").status_code == 200
        assert service.line == (f"agent oracle answers at {service.address}/infer (documentation at {service.address}/docs)\n")


def test_a_model_can_answer(world: World, tmp_path: Path) -> None:
    with (
        ChatServer(knowing()) as chat,
        serving(world, tmp_path, "--model", "clever", "--base-url", chat.url) as service,
    ):
        got = service.ask(ROWS[1]["question"]).json()
        assert got == {"sql": ROWS[1]["SQL"], "execution_success": True, "error": None}
        assert service.line.startswith("agent tools, model clever answers at http://127.0.0.1:")
        assert len(chat.requests) == 2


class TestTheEnd:
    @pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
    def test_a_signal_ends_it_in_order(self, world: World, tmp_path: Path, how: signal.Signals) -> None:
        with oracle(world, tmp_path) as service:
            service.ask(ROWS[0]["question"])
            workers = processes_of(service)
            assert len(workers) >= 2
            assert service.end(how) == Done(0, "", "")
        wait_until(lambda: not any(map(is_running, workers)))

    @pytest.mark.parametrize("how", [[signal.SIGTERM], [signal.SIGINT, signal.SIGINT]])
    def test_an_answer_that_does_not_come_is_not_waited_for(
        self, world: World, tmp_path: Path, how: list[signal.Signals]
    ) -> None:
        with (
            ChatServer([hang(60)]) as chat,
            serving(world, tmp_path, "--base-url", chat.url) as service,
            ThreadPoolExecutor(1) as pool,
        ):
            asked = pool.submit(service.ask, "Which?")
            wait_until(lambda: chat.requests)
            for each in how[:-1]:
                service.process.send_signal(each)
                time.sleep(1)
            done = service.end(how[-1])
            assert done.code == 0
            assert "Traceback" not in done.err
            assert asked.result().status_code == 503

    def test_a_second_service_can_take_the_port_at_once(self, world: World, tmp_path: Path) -> None:
        port = str(port_to_come_back_to())
        with oracle(world, tmp_path, port=port) as first:
            first.ask(ROWS[0]["question"])
            first.end()
        with oracle(world, tmp_path, port=port) as second:
            assert second.address == first.address
            assert second.ask(ROWS[0]["question"]).status_code == 200


class TestMistakes:
    def refused(self, cli: Cli, *options: str | Path) -> str:
        done = cli("serve", *options)
        assert (done.code, done.out) == (2, "")
        (line,) = done.err.splitlines()
        return line.removeprefix("touchstone: ")

    def test_a_port_that_is_in_use(self, cli: Cli, world: World) -> None:
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            port = other.getsockname()[1]
            complaint = self.refused(
                cli, "--databases", world.databases, "--port", str(port), "--agent", "oracle", "--data", world.tasks
            )
        assert complaint == f"cannot listen on 127.0.0.1:{port}: {os.strerror(98)}"

    @pytest.mark.parametrize(
        ("options", "complaint"),
        [
            (["--port", "70000"], "cannot listen on 127.0.0.1:70000: bind(): port must be 0-65535."),
            (["--host", "no.such.host.example"], "cannot listen on no.such.host.example:8000: "),
            (["--port", "0", "--parallel", "0"], "--parallel 0: expected a positive whole number"),
            (["--port", "0", "--sql-timeout", "0"], "--sql-timeout 0: expected a positive number"),
            (["--port", "0", "--epochs", "2"], "Unknown option: --epochs"),
            (["--port", "0"], "the oracle answers from gold SQL: give a task file with --data"),
            (["--port", "0", "--data", "no.json"], "no.json: cannot read the task file: No such file or directory"),
        ],
    )
    def test_options_that_make_no_sense(self, cli: Cli, world: World, options: list[str], complaint: str) -> None:
        assert self.refused(cli, "--databases", world.databases, "--agent", "oracle", *options).startswith(complaint)

    @pytest.mark.parametrize(
        ("agent", "complaint"),
        [
            ("replay", "the replay agent needs tasks, and a service has only questions: use another agent"),
            ("http", "--api-url: the http agent needs the address of a service"),
            ("clever", "there is no agent named 'clever'; there are: "),
        ],
    )
    def test_agents_that_cannot_serve(self, cli: Cli, world: World, agent: str, complaint: str) -> None:
        options = ("--databases", world.databases, "--port", "0", "--agent", agent)
        assert self.refused(cli, *options).startswith(complaint)

    def test_no_databases(self, cli: Cli) -> None:
        assert self.refused(cli, "--databases", "nowhere") == "nowhere: there is no such directory of databases"
