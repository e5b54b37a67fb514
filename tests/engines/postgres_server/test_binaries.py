"""Finding PostgreSQL's programs, with pretended installations."""

from __future__ import annotations

from pathlib import Path

import pytest

from touchstone.engines.postgres import binaries
from touchstone.errors import InputError

pytestmark = pytest.mark.long


def install(directory: Path, version: str) -> Path:
    directory.mkdir(parents=True)
    for name in ("initdb", "postgres"):
        (directory / name).write_text(f"#!/bin/sh\necho 'postgres (PostgreSQL) {version}'\n")
        (directory / name).chmod(0o755)
    return directory


def test_what_is_here_is_found() -> None:
    found = binaries.find()
    assert found.major >= binaries.OLDEST
    assert (found.directory / "initdb").exists()


def test_the_user_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = install(tmp_path / "own", "16.4 (Debian 16.4-1)")
    monkeypatch.setenv("TOUCHSTONE_POSTGRES", str(own))
    assert binaries.find() == binaries.Binaries(own, 16)


@pytest.mark.parametrize(("version", "message"), [("13.2", "version 13: 14 or newer"), ("nonsense", "no working")])
def test_what_the_user_names_must_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, message: str) -> None:
    monkeypatch.setenv("TOUCHSTONE_POSTGRES", str(install(tmp_path / "own", version)))
    with pytest.raises(InputError, match=message):
        binaries.find()


def test_a_directory_without_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_POSTGRES", str(tmp_path))
    with pytest.raises(InputError, match=f"TOUCHSTONE_POSTGRES is {tmp_path}"):
        binaries.find()


def test_the_first_new_enough_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = [
        install(tmp_path / "a", "12.1"),
        tmp_path / "absent",
        install(tmp_path / "b", "18beta2"),
        install(tmp_path / "c", "17.1"),
    ]
    monkeypatch.delenv("TOUCHSTONE_POSTGRES", raising=False)
    monkeypatch.setattr(binaries, "places", lambda: iter(places))
    assert binaries.find() == binaries.Binaries(places[2], 18)


def test_without_any_the_message_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOUCHSTONE_POSTGRES", raising=False)
    old = install(tmp_path / "old", "9.6.1")
    monkeypatch.setattr(binaries, "places", lambda: iter([old]))
    with pytest.raises(
        InputError, match=r"apt install postgresql.*touchstone-harness\[postgres-server\].*--database-url"
    ) as caught:
        binaries.find()
    assert f"{old} has version 9" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_path_is_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = install(tmp_path / "bin", "17.1")
    monkeypatch.setenv("PATH", str(directory), prepend=":")
    assert directory in list(binaries.places())
