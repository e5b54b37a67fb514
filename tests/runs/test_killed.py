"""kill -9 at any moment: what was recorded is whole, the rest is owed, and no process stays behind."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

from tests.support.command import Started, finish, overall, records, run_directory, start, times_recorded
from tests.support.worlds import make_world, many_rows

TASKS = 400
ENOUGH = 2_000
"""More than are played before a busy machine comes to look."""


def test_every_task_is_recorded_once_after_many_kills(tmp_path: Path) -> None:
    world = make_world(tmp_path / "world", many_rows(TASKS))
    chance = random.Random(0)
    arguments: list[str | Path] = ["bird", *world.arguments, "--agent", "oracle", "-o", "out", "-p", "4"]
    kills = 0
    progress = 0
    while True:
        process = start(*arguments, cwd=tmp_path)
        if kills < 6 and killed_at_work(process, tmp_path / "out", progress, chance.random() / 10):
            kills += 1
        else:
            done = finish(process)
            assert done.code == 0, done.err
            break
        run = run_directory(tmp_path / "out")
        arguments = ["bird", "--resume", run, "-p", "4"]
        progress = size(run)
    assert kills >= 2
    run = run_directory(tmp_path / "out")
    assert times_recorded(run) == {(str(number), 0): 1 for number in range(TASKS)}
    assert overall(run)["outcomes"]["passed"] == TASKS


def test_no_worker_survives_its_killed_parent(tmp_path: Path) -> None:
    world = make_world(tmp_path / "world", many_rows(ENOUGH))
    process = start("bird", *world.arguments, "--agent", "oracle", "-o", "out", "-p", "4", cwd=tmp_path)
    assert killed_at_work(process, tmp_path / "out", 0, 0.0)
    deadline = time.monotonic() + 60
    while left := children_of(tmp_path):
        assert time.monotonic() < deadline, left
        time.sleep(0.02)


def killed_at_work(process: Started, output: Path, progress: int, pause: float) -> bool:
    """Kills the process a moment after it has recorded something; False if it was done before."""
    while process.poll() is None:
        runs = [path for path in output.glob("run-*") if size(path) > progress]
        if runs:
            time.sleep(pause)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            return process.returncode == -signal.SIGKILL
        time.sleep(0.001)
    return False


def size(run: Path) -> int:
    file = run / "runs.jsonl"
    return file.stat().st_size if file.exists() else 0


def children_of(directory: Path) -> list[int]:
    """Processes that were started with this test's own cache."""
    own = f"TOUCHSTONE_CACHE={directory / 'cache'}".encode()
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                environment = (entry / "environ").read_bytes()
            except OSError:
                continue
            if own in environment.split(b"\0"):
                found.append(int(entry.name))
    return found


def test_a_kill_leaves_whole_lines_but_for_the_last(tmp_path: Path) -> None:
    """`records` refuses a torn line, so it is cut off as a resume would."""
    world = make_world(tmp_path / "world", many_rows(ENOUGH))
    process = start("bird", *world.arguments, "--agent", "oracle", "-o", "out", "-p", "4", cwd=tmp_path)
    assert killed_at_work(process, tmp_path / "out", 0, 0.02)
    file = run_directory(tmp_path / "out") / "runs.jsonl"
    content = file.read_bytes()
    file.write_bytes(content[: content.rindex(b"\n") + 1])
    assert all(record["outcome"] == "passed" for record in records(file.parent))
