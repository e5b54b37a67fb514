"""The controller over HTTP: who may ask, what, and in which form the answers come."""

from __future__ import annotations

import json
import os
import socket
import time

import pytest

from touchstone.benchmarks.desktop.controller.commands import LATE, MOST_STRETCH, run, share

from .running import TOKEN, Running


def test_who_started_the_desktop_may_connect_as_another_user(controller: Running) -> None:
    assert controller.ask("GET", "/platform", TOKEN).status_code == 200  # so both sockets are there
    assert controller.socket.stat().st_mode & 0o777 == 0o666
    assert controller.tunnel.stat().st_mode & 0o777 == 0o666


@pytest.mark.parametrize("token", [None, "wrong", TOKEN + "x", TOKEN[:-1]])
def test_without_the_token_nothing_is_done(controller: Running, token: str | None) -> None:
    mark = controller.home / "mark"
    answer = controller.ask("POST", "/execute", token, json={"command": ["touch", str(mark)]})
    assert answer.status_code == 401
    assert not mark.exists()


def test_unknown_endpoints_and_wrong_methods(controller: Running) -> None:
    assert controller.ask("GET", "/nothing").status_code == 404
    assert controller.ask("GET", "/execute").status_code == 405
    assert controller.ask("GET", "/platform?a=b").text == "Linux"


@pytest.mark.parametrize("body", [b"{", b"[]", b'"x"', b"{}", b'{"command": []}', b'{"command": 5}', b'{"command": ["a", 5]}'])
def test_bad_requests_are_told_why(controller: Running, body: bytes) -> None:
    answer = controller.ask("POST", "/execute", content=body)
    assert answer.status_code == 400
    assert answer.json()["message"]


def test_a_command_in_the_published_form(controller: Running) -> None:
    answer = controller.ask("POST", "/setup/execute", json={"command": ["sh", "-c", "echo out; echo err >&2; exit 3"]})
    assert answer.json() == {"status": "success", "output": "out\n", "error": "err\n", "returncode": 3}


def test_one_connection_takes_many_requests(controller: Running) -> None:
    head = f"Host: x\r\nAuthorization: Bearer {TOKEN}\r\n"
    refused = "POST /execute HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n12345"
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(controller.socket))
        connection.sendall(f"GET /platform HTTP/1.1\r\n{head}\r\nGET /platform HTTP/1.1\r\n{head}\r\n{refused}".encode())
        connection.shutdown(socket.SHUT_WR)
        said = b""
        while part := connection.recv(65536):
            said += part
    assert said.count(b"Linux") == 2
    assert said.count(b"HTTP/1.1 401") == 1


@pytest.mark.parametrize(("path", "token"), [("/desktop_path", TOKEN), ("/execute", "wrong"), ("/nothing", TOKEN)])
def test_a_body_that_nobody_reads_does_not_cost_the_answer(controller: Running, path: str, token: str) -> None:
    """It is written after the head has been taken in."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(controller.socket))
        head = f"POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Length: 2\r\n\r\n"
        connection.sendall(head.encode())
        time.sleep(0.1)
        connection.sendall(b"{}" + f"GET /platform HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n\r\n".encode())
        said = b""
        while not said.endswith(b"Linux"):
            said += connection.recv(65536) or pytest.fail(f"the connection ended: {said!r}")
    assert said.count(b"HTTP/1.1 ") == 2


def test_without_a_screen_it_says_so_instead_of_dying(controller: Running) -> None:
    for method, path in (
        ("GET", "/screenshot"),
        ("GET", "/accessibility"),
        ("POST", "/screen_size"),
        ("POST", "/start_recording"),
    ):
        answer = controller.ask(method, path)
        assert answer.status_code == 500, path
        assert answer.json()["message"], path
    ready = controller.ask("GET", "/ready")
    assert ready.status_code == 503
    assert len(ready.json()["missing"]) == 3
    assert controller.ask("POST", "/end_recording").status_code == 404
    assert controller.process.poll() is None


def test_folders_are_listed(controller: Running) -> None:
    (controller.home / "tree" / "sub").mkdir(parents=True)
    (controller.home / "tree" / "sub" / "a.txt").touch()
    (controller.home / "tree" / "loop").symlink_to(controller.home)
    answer = controller.ask("POST", "/list_directory", json={"path": "~/tree"}).json()
    inner = {"type": "directory", "name": "sub", "children": [{"type": "file", "name": "a.txt"}]}
    assert answer["directory_tree"]["children"] == [{"type": "file", "name": "loop"}, inner]
    assert controller.ask("POST", "/list_directory", json={"path": "/nowhere"}).status_code == 404


def test_the_folder_of_the_desktop(controller: Running) -> None:
    assert controller.ask("POST", "/desktop_path").status_code == 404
    (controller.home / "Desktop").mkdir()
    assert controller.ask("POST", "/desktop_path").json() == {"desktop_path": str(controller.home / "Desktop")}


def test_files_that_are_no_files_are_not_sent(controller: Running) -> None:
    for path in ("/dev/zero", "/", "~/none", str(controller.socket)):
        assert controller.ask("POST", "/file", data={"file_path": path}).status_code == 404, path
    assert controller.ask("POST", "/file", data={}).status_code == 400


def test_downloads_are_of_the_web_only(controller: Running) -> None:
    asked = {"url": "file:///etc/passwd", "path": "~/stolen"}
    assert controller.ask("POST", "/setup/download_file", json=asked).status_code == 400
    nowhere = {"url": "http://127.0.0.1:1/x", "path": "~/x"}
    assert controller.ask("POST", "/setup/download_file", json=nowhere).status_code == 500
    assert not (controller.home / "stolen").exists()


def test_what_is_not_json_in_an_answer_is_text(controller: Running) -> None:
    answer = controller.ask("POST", "/setup/launch", json={"command": "true"})
    assert answer.text == "true launched successfully"
    with pytest.raises(json.JSONDecodeError):
        answer.json()


@pytest.mark.parametrize(("load", "cores", "counted"), [(0, 2, 1), (2, 2, 1), (6, 2, 1 / 3), (1000, 2, 1 / MOST_STRETCH)])
def test_a_second_counts_as_much_as_a_command_gets_of_a_core(load: float, cores: int, counted: float) -> None:
    assert share(load, cores) == pytest.approx(counted)


def test_a_time_limit_is_stretched_where_many_want_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """A set-up script of a minute took more than its five at a load of 100, and was stopped."""
    monkeypatch.setattr(os, "getloadavg", lambda: (1000.0, 0.0, 0.0))
    begun = time.monotonic()
    assert run(["sleep", "60"], False, 0.3).returncode == LATE
    assert time.monotonic() - begun >= 0.3 * MOST_STRETCH
