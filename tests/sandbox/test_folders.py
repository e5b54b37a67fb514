"""Folders for temporary files: nobody else can prepare them, and what a killed process leaves is removed by the next."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from touchstone.sandbox.folders import claim, private_folder


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    private_folder.cache_clear()
    yield tmp_path
    private_folder.cache_clear()


def test_the_private_folder_is_shared_by_all_runs_of_a_user(temporary: Path) -> None:
    folder = private_folder()
    assert folder == temporary / f"touchstone-{os.geteuid()}"
    assert folder.stat().st_mode & 0o777 == 0o700
    private_folder.cache_clear()
    assert private_folder() == folder


@pytest.mark.parametrize("plant", ["open", "link", "file", *(["owned"] if os.geteuid() == 0 else [])])
def test_a_folder_that_somebody_planted_is_not_used(temporary: Path, plant: str) -> None:
    planted, elsewhere = temporary / f"touchstone-{os.geteuid()}", temporary / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    if plant == "link":
        planted.symlink_to(elsewhere)
    elif plant == "file":
        planted.touch()
    else:
        planted.mkdir(mode=0o700)
        planted.chmod(0o777 if plant == "open" else 0o700)
        os.chown(planted, *((12345, 12345) if plant == "owned" else (-1, -1)))
    folder = private_folder()
    assert folder not in (planted, elsewhere)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert folder.stat().st_uid == os.geteuid()


def test_a_planted_database_changes_nothing(temporary: Path) -> None:
    """The attack: a copy with other content lies where the copy with the log worked in will be looked for."""
    import sqlite3

    from touchstone.engines.sqlite import files

    original = temporary / "shop.sqlite"
    writer = sqlite3.connect(original)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("CREATE TABLE item (name)")
    writer.commit()
    name = files.folded(original).name
    private_folder.cache_clear()
    own = temporary / f"touchstone-{os.geteuid()}"
    (own / name).write_bytes(b"planted")
    own.chmod(0o777)
    with sqlite3.connect(files.folded(original)) as reader:
        assert reader.execute("SELECT count(*) FROM item").fetchone() == (0,)
    writer.close()


def test_what_a_killed_process_leaves_is_removed_by_the_next(temporary: Path) -> None:
    code = "import sys, time; from touchstone.sandbox.folders import claim; print(claim().folder, flush=True); time.sleep(600)"
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout
        left = Path(process.stdout.readline().strip())
        (left / "1" / "work").mkdir(parents=True)
        first = claim()
        assert left.exists()  # its process lives
        process.send_signal(signal.SIGKILL)
    second = claim()
    assert not left.exists()
    assert first.folder.exists()
    first.close()
    second.close()
    assert not first.folder.exists()


def test_folders_of_others_are_left_alone(temporary: Path) -> None:
    new, other = temporary / "touchstone-run-new", temporary / "touchstone-other"
    new.mkdir()
    other.mkdir()
    claim().close()
    assert new.exists()  # it may just be being made
    assert other.exists()
