"""How a run shows itself while it goes on: plain lines, or a live bar on a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.support.command import SCRIPTS, environment
from tests.support.records import a_record
from tests.support.worlds import World
from touchstone.cli.progress import clock, one_line, progress, status
from touchstone.runs.aggregate import aggregate
from touchstone.types import Outcome, Usage


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "0:00"), (59.4, "0:59"), (59.6, "1:00"), (3599, "59:59"), (3661, "1:01:01"), (100_000, "27:46:40")],
)
def test_a_clock(seconds: float, shown: str) -> None:
    assert clock(seconds) == shown


def test_the_status_says_what_happened_so_far() -> None:
    usage = Usage(2, 12_000, 0, 345, 0.5)
    counted = aggregate([a_record("1", usage=usage), a_record("2", Outcome.error), a_record("3", Outcome.unscorable)])
    assert status(counted, 2.5) == "1/2 passed, 2.5/s, 12.3k tokens, cost $0.5000, 1 errors"
    assert status(counted, 0.1).startswith("1/2 passed, 6.0/min, ")


def test_a_task_in_one_line() -> None:
    record = a_record("7", Outcome.failed, epoch=2, reason="Missing rows.")
    assert one_line(record) == "failed     7 (3)  shop  Missing rows."


def test_plain_lines_come_now_and_then_and_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    records = [a_record(str(number)) for number in range(50)]
    with progress(50, 0) as watch:
        for number, record in enumerate(records, 1):
            watch(record, aggregate(records[:number]))
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("50/50 done, 50/50 passed, ")
    assert line.endswith(", 0:00 left")


def test_on_a_terminal_there_is_a_bar(tmp_path: Path, world: World) -> None:
    ours, theirs = pty.openpty()
    command = [SCRIPTS / "touchstone", "bird", *world.arguments, "--agent", "oracle", "-o", "out", "-v"]
    env = environment(tmp_path / "cache", {"TERM": "xterm", "COLUMNS": "120"})
    process = subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 65536):
            shown += part
    except OSError:
        pass  # the other side is closed
    os.close(ours)
    assert process.wait(30) == 0
    assert b"6/6" in shown
    assert b"6/6 passed" in shown
    assert "━".encode() in shown
    assert b"passed     15  zoo  " in shown
