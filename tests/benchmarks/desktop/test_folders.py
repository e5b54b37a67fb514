"""An episode's folder: its own, gone with it, and not left behind for good by one that was killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from touchstone.benchmarks.desktop.artefacts import private_folder

HOLD = """
import sys
from touchstone.benchmarks.desktop.artefacts import private_folder
with private_folder() as folder:
    (folder / "fetched").write_text("x")
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


def test_it_is_empty_private_and_gone_afterwards(base: Path) -> None:
    with private_folder() as one, private_folder() as two:
        (one / "fetched").write_text("x")
        assert list(two.iterdir()) == []
        assert one.stat().st_mode & 0o777 == 0o700
    assert list(base.iterdir()) == []


def test_the_folder_of_a_killed_owner_is_removed_and_that_of_a_living_one_is_not(base: Path) -> None:
    owners = [
        subprocess.Popen([sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    folders = [Path(owner.stdout.readline().strip()) for owner in owners if owner.stdout]
    owners[0].send_signal(signal.SIGKILL)
    owners[0].communicate()
    assert (folders[0] / "fetched").exists()
    with private_folder():
        assert not folders[0].exists()
        assert (folders[1] / "fetched").exists()
    owners[1].communicate("")
    assert list(base.iterdir()) == []


def test_what_only_looks_like_one_is_left_alone(base: Path) -> None:
    elsewhere = base / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").write_text("x")
    (base / "touchstone-episode-link").symlink_to(elsewhere)
    (base / "touchstone-episode-file").write_text("x")
    with private_folder():
        pass
    assert (elsewhere / "kept").exists()
    assert (base / "touchstone-episode-file").exists()
