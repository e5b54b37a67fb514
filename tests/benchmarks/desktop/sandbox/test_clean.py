"""A desktop leaves nothing behind: neither after resets, nor when Touchstone is killed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command import Done, finish, records, run_directory, start, times_recorded
from touchstone.benchmarks.desktop.desktop import Desktop
from touchstone.benchmarks.desktop.tasks import demo

from .traces import descendants, traces, until_gone

pytestmark = pytest.mark.desktop
RESETS = 20


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this test's temporary files go, and no others."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


async def test_resets_leave_nothing_behind(make: Callable[[], Desktop], temporary: Path) -> None:
    desktop = make()
    await desktop.start()  # the first loads what stays loaded
    await desktop.stop()
    before, children = traces(), descendants(os.getpid())
    seen = set(children)
    await desktop.start()
    for number in range(RESETS):
        done = await desktop.execute(["bash", "-c", "ls -A /home/user /tmp; touch ~/mark /tmp/mark; setsid sleep 1000 &"])
        assert "mark" not in done.output, number
        seen |= descendants(os.getpid())
        await desktop.reset()
    seen |= descendants(os.getpid())
    await desktop.stop()
    assert len(seen - children) > RESETS
    assert until_gone(seen - children) == set()
    assert traces() == before
    assert os.listdir(temporary) == []  # noqa: PTH208


def test_a_killed_run_leaves_nothing_behind_and_is_finished_later(
    tmp_path: Path, temporary: Path, images: dict[str, str]
) -> None:
    before = traces()
    arguments = ["desktop", "run", demo(), "--agent", "oracle", "--abstract", "--domain", "terminal", "-o", "out"]
    env = {**images, "TMPDIR": str(temporary)}
    process = start(*arguments, cwd=tmp_path, env=env)
    started = in_mid_episode(process.pid, tmp_path / "out")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert len(started) > 10
    assert until_gone(started) == set()
    assert traces().mounts == before.mounts
    assert traces().devices == before.devices
    run = run_directory(tmp_path / "out")
    assert records(run) == []
    done = finish(start("desktop", "run", "--resume", run, cwd=tmp_path, env=env), 300)
    assert done.code == 0, done.err
    assert_passed(done, run)
    assert list(temporary.iterdir()) == []  # what the killed run had there, the next has removed


def in_mid_episode(pid: int, output: Path) -> set[tuple[int, str]]:
    """Waits for the picture after the first action; gives all processes."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if list(output.glob("run-*/**/*.png")):
            return descendants(pid)
        time.sleep(0.1)
    raise AssertionError("no episode has begun")


def assert_passed(done: Done, run: Path) -> None:
    assert [record["outcome"] for record in records(run)] == ["passed"], done.out
    assert set(times_recorded(run).values()) == {1}
