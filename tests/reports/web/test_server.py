"""The app over HTTP: who may ask, what is sent along, and a run that is going."""

from __future__ import annotations

import http.client
import json
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from tests.reports.web.conftest import Open, only_run, page
from tests.reports.web.runs import KEY, run_of, write_run
from tests.support.chat_players import Held
from tests.support.chat_server import ChatServer
from tests.support.command import Started, finish, start, touchstone
from tests.support.records import a_record
from tests.support.worlds import World
from touchstone.reports.web.server import ViewerServer, known_host


@pytest.fixture
def served(tmp_path: Path, site: Open) -> Iterator[ViewerServer]:
    write_run(tmp_path / "x" / "run", a_record("1"), a_record("2"))
    with serving(ViewerServer(site(tmp_path), "127.0.0.1", 0)) as server:
        yield server


@contextmanager
def serving(server: ViewerServer) -> Iterator[ViewerServer]:
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def ask(server: ViewerServer, path: str, method: str = "GET", **headers: str) -> tuple[http.client.HTTPResponse, str]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    connection.request(method, path, headers=headers)
    response = connection.getresponse()
    body = response.read().decode()
    connection.close()
    return response, body


def test_pages_come_with_a_policy_that_allows_nothing_from_elsewhere(served: ViewerServer) -> None:
    response, body = ask(served, "/")
    assert response.status == 200
    assert "x/run" in body
    assert "default-src 'self'" in str(response.getheader("Content-Security-Policy"))
    assert response.getheader("X-Content-Type-Options") == "nosniff"
    assert response.getheader("Cross-Origin-Resource-Policy") == "same-origin"
    assert response.getheader("Access-Control-Allow-Origin") is None
    assert ask(served, "/static/view.js")[0].getheader("Content-Type") == "text/javascript; charset=utf-8"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "localhost.evil.example"])
def test_a_name_that_somebody_else_may_answer_for_is_refused(served: ViewerServer, host: str) -> None:
    response, body = ask(served, "/", Host=host)
    assert response.status == 421
    assert "x/run" not in body


def test_own_names_and_addresses_are_known() -> None:
    for header in ("localhost", "localhost:80", "127.0.0.1:1", "[::1]:8080", "[::1]", "LOCALHOST:1", "10.1.2.3:80"):
        assert known_host(header, "127.0.0.1"), header
    assert known_host("box:80", "box")
    assert not known_host("box:80", "127.0.0.1")


@pytest.mark.parametrize(
    "path",
    [
        "/static/../site.py",
        "/static/%2e%2e/site.py",
        "/static/..%2fsite.py",
        "/../../etc/passwd",
        "/runs/x.run/../../x/run/config.json",
        "/runs/x.run/config.json",
        "/runs/x.run/files/..%2f..%2fx",
        "/runs/none/index.html",
        "/runs/x.run/t-9~0.html",
        "/runs/x.run",
        "/compare/x.run/none/index.html",
        "/%ff",
        "//etc/passwd",
        "/runs/x.run/t-1~0.html%00",
    ],
)
def test_nothing_else_is_served(served: ViewerServer, path: str) -> None:
    response, body = ask(served, path)
    assert response.status == 404, body[:200]


def test_it_can_only_be_read(served: ViewerServer) -> None:
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        assert ask(served, "/", method)[0].status == 501
    response, body = ask(served, "/", "HEAD")
    assert (response.status, body) == (200, "")


def test_a_port_that_is_taken_is_one_line(served: ViewerServer, tmp_path: Path) -> None:
    done = touchstone("view", tmp_path / "x", "--port", str(served.server_port), cwd=tmp_path)
    assert done.code == 2
    assert done.complaint.endswith("Address already in use")


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for arguments, complaint in (
        (["nowhere"], "nowhere: there is no such directory"),
        (
            ["empty", "--export", "out"],
            "empty: no run directory (with config.json and runs.jsonl) here or up to 4 levels below",
        ),
    ):
        done = touchstone("view", *arguments, cwd=tmp_path)
        assert (done.code, done.complaint) == (2, f"touchstone: {complaint}")
    assert not (tmp_path / "out").exists()


def test_it_waits_for_the_first_run(tmp_path: Path, site: Open) -> None:
    """In a directory that is not even there yet, and for the first record of a run."""
    process = start("view", "--port", "0", cwd=tmp_path)
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("no run in results yet, waiting for one at http://127.0.0.1:")
    finally:
        process.send_signal(signal.SIGINT)
        finish(process)
    (tmp_path / "empty").mkdir()
    over = site(tmp_path / "empty")
    assert "There is no run in " in page(over, "index.html")
    run = write_run(tmp_path / "empty" / "x" / "run")
    (run / "runs.jsonl").unlink()
    over.library._looked = float("-inf")  # pyright: ignore[reportPrivateUsage]
    assert "nothing yet" in page(over, "index.html")
    shown = f"runs/{only_run(over)}/index.html"
    assert "No task has ended yet." in page(over, shown)
    (run / "runs.jsonl").write_bytes(msgspec.json.encode(a_record("1")) + b"\n")
    assert "1 of n = 1" in page(over, shown)


def address(process: Started) -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert " at http://127.0.0.1:" in line, line
    return line.split(" at ")[1].split()[0]


def test_the_command_serves_until_it_is_told_to_end(tmp_path: Path) -> None:
    write_run(tmp_path / "results" / "x" / "run", a_record("1"))
    process = start("view", "--port", "0", cwd=tmp_path)
    try:
        port = int(address(process).rstrip("/").rpartition(":")[2])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("GET", "/runs/x.run/index.html")
        assert connection.getresponse().status == 200
    finally:
        process.send_signal(signal.SIGINT)
        done = finish(process)
    assert (done.code, done.err) == (0, "")


def test_a_run_that_is_going_shows_its_progress(tmp_path: Path, world: World, site: Open) -> None:
    held = Held(quick=2)
    with ChatServer(held) as chat:
        options = ("--model", "m", "--base-url", chat.url, "-o", "out")
        process = start("bird", *world.arguments, *options, cwd=tmp_path, env=KEY)
        try:
            held.wait_for(1)
            with serving(ViewerServer(site(tmp_path / "out"), "127.0.0.1", 0)) as server:
                _, first = ask(server, "/")
                assert "live: 2 of 6 done" in first
                run = server.site.library.runs()[0]
                _, shown = ask(server, f"/runs/{run.name}/index.html")
                assert 'data-live="live.json"' in shown
                stamp = run.index.stamp
                live = f"/runs/{run.name}/live.json?from=2&stamp="
                assert ask(server, live + stamp)[0].status == 204
                held.release()
                assert finish(process).code == 0
                response, body = ask(server, live + stamp)
                news = json.loads(body)
                assert (response.status, news["live"], len(news["rows"])) == (200, False, 4)
                assert "100.0%" in news["html"]
                assert json.loads(ask(server, live + "7.1")[1]) == {"reload": True}
                assert "live:" not in ask(server, "/")[1]
        finally:
            held.release()
            process.kill()
            process.communicate()


def test_a_run_that_was_killed_is_not_live(tmp_path: Path, site: Open) -> None:
    run = write_run(tmp_path / "x" / "run", a_record("1"))
    with (run / "runs.jsonl").open("ab") as file:
        file.write(msgspec.json.encode(a_record("2"))[:50])
    (found,) = site(tmp_path).library.runs()
    assert not found.live
    assert len(found.index.entries) == 1


def test_runs_that_begin_later_are_found(results: Path, tmp_path: Path, site: Open) -> None:
    write_run(tmp_path / "x" / "run", a_record("1"))
    library = site(tmp_path, run_of(results, "good"), results).library
    assert len(library.runs()) == 4
    write_run(tmp_path / "y" / "z" / "run", a_record("1"))
    library._looked = float("-inf")  # pyright: ignore[reportPrivateUsage]
    assert len(library.runs()) == 5


def test_the_runs_of_a_sweep_are_found_below_its_configuration(tmp_path: Path, site: Open) -> None:
    sweep = tmp_path / "sweep"
    write_run(sweep / "patience-0" / "run", a_record("1"))
    (sweep / "config.json").write_text('{"command": "interact sweep"}')
    front = page(site(tmp_path), "index.html")
    assert "sweep/patience-0/run" in front
    assert "Cannot be read" not in front
