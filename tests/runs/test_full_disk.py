"""A disk that fills up: the run stops with the reason, its directory stays valid, and a resume finishes it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.command import finish, overall, records, run_directory, start, times_recorded, touchstone
from tests.support.worlds import World, make_world, many_rows

TASKS = 60


@pytest.fixture
def many(tmp_path: Path) -> World:
    return make_world(tmp_path / "world", many_rows(TASKS))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 40 kB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small file system")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=40k", "tmpfs", disk], capture_output=True, text=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip(f"a small file system cannot be mounted here: {mounted.stderr.strip()}")
    yield disk
    subprocess.run(["umount", disk], check=True)


def test_a_file_that_may_not_grow_stops_the_run(tmp_path: Path, many: World) -> None:
    arguments = ["bird", *many.arguments, "--agent", "oracle", "-o", "out", "-p", "4"]
    done = finish(start(*arguments, cwd=tmp_path, largest_file=60_000))
    run = run_directory(tmp_path / "out")
    assert done.code == 1
    file = run.relative_to(tmp_path) / "runs.jsonl"
    assert done.complaint == (
        f"touchstone: the run was stopped: cannot write to {file}: File too large; continue with --resume {file.parent}"
    )
    assert "Traceback" not in done.err
    assert 0 < len(records(run)) < TASKS
    assert overall(run)["total"] == len(records(run))
    finishes(run, tmp_path)


def test_a_full_disk_stops_the_run(tmp_path: Path, many: World, small_disk: Path) -> None:
    done = touchstone("bird", *many.arguments, "--agent", "oracle", "-o", small_disk / "out", "-p", "4", cwd=tmp_path)
    run = run_directory(small_disk / "out")
    assert done.code == 1
    assert "runs.jsonl: No space left on device; continue with --resume " in done.complaint
    assert "Traceback" not in done.err
    assert 0 < len(records(run)) < TASKS
    still_full = touchstone("bird", "--resume", run, cwd=tmp_path)
    assert still_full.code in (1, 2)
    assert "No space left on device" in still_full.complaint
    assert "Traceback" not in still_full.err
    subprocess.run(["mount", "-o", "remount,size=10m", small_disk], check=True)
    finishes(run, tmp_path)


def test_a_disk_that_is_full_from_the_start_is_said_and_left_as_it_was(tmp_path: Path, many: World, small_disk: Path) -> None:
    (small_disk / "out").mkdir()
    with suppress(OSError), (small_disk / "filler").open("wb", buffering=0) as filler:
        while True:
            filler.write(bytes(4096))
    done = touchstone("bird", *many.arguments, "--agent", "oracle", "-o", small_disk / "out", cwd=tmp_path)
    complaint = f"touchstone: cannot create a run directory in {small_disk / 'out'}: No space left on device\n"
    assert (done.code, done.err) == (2, complaint)
    assert list((small_disk / "out").iterdir()) == []


def finishes(run: Path, cwd: Path) -> None:
    """A resume, now that there is room, plays the rest."""
    done = touchstone("bird", "--resume", run, cwd=cwd)
    assert done.code == 0, done.err
    assert times_recorded(run) == {(str(number), 0): 1 for number in range(TASKS)}
    assert overall(run)["outcomes"]["passed"] == TASKS
