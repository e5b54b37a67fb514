"""Ctrl-C: once lets the episodes in flight end, twice abandons them; either way a resume plays exactly the rest."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.support.chat_players import Held, knowing
from tests.support.chat_server import ChatServer
from tests.support.command import (
    Started,
    finish,
    overall,
    records,
    run_directory,
    start,
    times_recorded,
    touchstone,
    until_it_says,
)
from tests.support.worlds import ROWS, World

KEY = {"OPENAI_API_KEY": "sk-test"}
EVERY = {(str(row["question_id"]), 0): 1 for row in ROWS}


def begin(world: World, server: ChatServer, cwd: Path) -> Started:
    return start("bird", *world.arguments, "--base-url", server.url, "-o", "out", "-p", "2", cwd=cwd, env=KEY)


def resume(run: Path, cwd: Path) -> int:
    """How many requests the rest takes."""
    with ChatServer(knowing()) as server:
        done = touchstone("bird", "-r", run, "--base-url", server.url, cwd=cwd, env=KEY)
        assert done.code == 0, done.err
    assert times_recorded(run) == EVERY
    assert overall(run)["overall"]["passed"] == len(EVERY)
    return len(server.requests)


def test_one_ctrl_c_keeps_what_is_in_flight(world: World, tmp_path: Path) -> None:
    player = Held(quick=1)
    with ChatServer(player) as server:
        process = begin(world, server, tmp_path)
        player.wait_for(2)
        process.send_signal(signal.SIGINT)
        until_it_says(process, "waiting for 2 episodes to end; Ctrl-C again abandons them")
        assert process.poll() is None
        player.release()
        done = finish(process)
    run = run_directory(tmp_path / "out")
    assert done.code == 130
    assert done.complaint == f"touchstone: interrupted; continue with --resume {run.relative_to(tmp_path)}"
    assert "Traceback" not in done.err
    assert len(records(run)) == overall(run)["total"] == 3
    assert "Total tasks:      3\n" in (run / "summary.txt").read_text()
    assert resume(run, tmp_path) == 2 * 3


@pytest.mark.parametrize("signals", [[signal.SIGINT, signal.SIGINT], [signal.SIGTERM]])
def test_a_second_one_abandons_it_at_once(world: World, tmp_path: Path, signals: list[signal.Signals]) -> None:
    player = Held(quick=1)
    with ChatServer(player) as server:
        process = begin(world, server, tmp_path)
        player.wait_for(2)
        for which in signals[:-1]:
            process.send_signal(which)
            until_it_says(process, "Ctrl-C again abandons them")
        process.send_signal(signals[-1])
        done = finish(process)  # although nobody has answered
        player.release()
    run = run_directory(tmp_path / "out")
    assert done.code == 130
    assert "Traceback" not in done.err
    assert len(records(run)) == overall(run)["total"] == 1
    assert resume(run, tmp_path) == 2 * 5


def test_ctrl_c_before_the_first_record_leaves_nothing(world: World, tmp_path: Path) -> None:
    player = Held()
    with ChatServer(player) as server:
        process = begin(world, server, tmp_path)
        player.wait_for(2)
        process.send_signal(signal.SIGINT)
        until_it_says(process, "Ctrl-C again abandons them")
        process.send_signal(signal.SIGINT)
        done = finish(process)
        player.release()
    assert (done.code, done.complaint) == (130, "touchstone: interrupted")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_second_run_in_the_same_directory_is_refused_while_the_first_goes_on(world: World, tmp_path: Path) -> None:
    player = Held(quick=1)
    with ChatServer(player) as server:
        process = begin(world, server, tmp_path)
        player.wait_for(2)
        run = run_directory(tmp_path / "out")
        other = touchstone("bird", "-r", run, "--base-url", server.url, cwd=tmp_path, env=KEY)
        player.release()
        assert finish(process).code == 0
    assert (other.code, other.err) == (2, f"touchstone: {run}: another process is writing to this run\n")
    assert times_recorded(run) == EVERY
