"""`touchstone desktop image` without making one: what it lists, removes and refuses."""

from __future__ import annotations

import fcntl
import time
from pathlib import Path

import msgspec
import pytest

from tests.support.data import shared_data
from touchstone.benchmarks.desktop.image.recipes import digests, recipes
from touchstone.benchmarks.desktop.image.store import Meta
from touchstone.benchmarks.desktop.providers.namespaces import host_ids
from touchstone.cli import main
from touchstone.errors import InputError


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    try:
        host_ids()
    except InputError as error:
        pytest.skip(str(error))
    root = tmp_path / "images"
    root.mkdir()
    monkeypatch.setenv("TOUCHSTONE_IMAGES", str(root))
    return root


def put(store: Path, name: str, digest: str | None = None, *, days: float = 0) -> Path:
    """A layer that looks complete."""
    ids = host_ids()
    digest = digest or digests(recipes(), ids)[name]
    folder = store / f"{name}-{digest}"
    (folder / "layer/files").mkdir(parents=True)
    made = time.time() - days * 86_400
    meta = Meta(name=name, digest=digest, bytes=123_000_000, made=made, seconds=61, versions={}, ids=tuple(ids))
    (folder / "meta.json").write_bytes(msgspec.json.encode(meta))
    return folder


def rows(text: str) -> dict[tuple[str, str], str]:
    lines = [line.split(maxsplit=2) for line in text.splitlines()[2:]]
    return {(name, digest): rest for name, digest, rest in lines}


def test_layers_are_listed_with_size_age_and_state(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(store, "jupyter", days=3)
    put(store, "jupyter", "0123456789ab", days=5)
    assert main(["desktop", "image", "list"]) == 0
    listed = rows(capsys.readouterr().out)
    current = digests(recipes(), host_ids())["jupyter"]
    assert listed["jupyter", current].split()[:7] == ["123", "MB", "3", "days", "61", "s", "current"]
    assert "stale" in listed["jupyter", "0123456789ab"]
    assert "not made" in listed["dbt", "-"]


def test_what_is_half_made_is_not_listed(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(store, "dbt").rename(store / "dbt-0123456789ab.building")
    (store / "dbt-0123456789ab.building/meta.json").unlink()
    assert main(["desktop", "image", "list"]) == 0
    assert ("dbt", "-") in rows(capsys.readouterr().out)


def test_layers_are_removed_by_name_by_state_or_all(store: Path) -> None:
    current, stale, other = put(store, "jupyter"), put(store, "jupyter", "0123456789ab"), put(store, "dbt")
    assert main(["desktop", "image", "rm", "--stale"]) == 0
    assert (current.exists(), stale.exists(), other.exists()) == (True, False, True)
    assert main(["desktop", "image", "rm", "jupyter"]) == 0
    assert (current.exists(), other.exists()) == (False, True)
    for name in ("downloads", "logs"):
        (store / name).mkdir()
    assert main(["desktop", "image", "rm", "--all"]) == 0
    assert [path.name for path in store.iterdir()] == ["lock"]


def test_one_of_several_layers_is_removed_by_its_digest(store: Path) -> None:
    current, stale = put(store, "jupyter"), put(store, "jupyter", "0123456789ab")
    assert main(["desktop", "image", "rm", "jupyter-0123456789ab"]) == 0
    assert (current.exists(), stale.exists()) == (True, False)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rm"], "name layers, or use --stale or --all"),
        (["rm", "jupiter"], "jupiter: no such layer; see touchstone desktop image list"),
        (["build", "jupiter"], "jupiter: no such layer; expected one of system, desktop, session, jupyter"),
        (["build", "metabase"], "metabase: needs --metabase-jar FILE"),
        (["build", "metabase", "--metabase-jar", "/nothing/metabase.jar"], "/nothing/metabase.jar: no such file"),
        (["build", "airbyte"], "airbyte: Airbyte 0.55.2 exists only as Docker images"),
    ],
)
def test_mistakes_are_told_in_one_line(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["desktop", "image", *words]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"touchstone: {message}")
    assert len(said.splitlines()) == 1


def test_nothing_is_removed_during_a_build(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layer = put(store, "jupyter")
    with (store / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert main(["desktop", "image", "rm", "jupyter"]) == 2
    assert "a build is running" in capsys.readouterr().err
    assert layer.exists()


def test_a_build_with_everything_there_makes_nothing(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("system", "desktop", "session", "jupyter"):
        put(store, name)
    assert main(["desktop", "image", "build", "jupyter"]) == 0
    assert [line.split()[0].rpartition("-")[0] for line in capsys.readouterr().err.splitlines()] == [
        "system",
        "desktop",
        "session",
        "jupyter",
    ]


def test_layers_for_tasks_follow_their_applications(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("system", "desktop", "session", "dbt", "vscode", "postgresql", "airflow"):
        put(store, name)
    dataset = shared_data("spider2v") / "evaluation_examples"
    words = ["--for-tasks", str(dataset), "--domain", "dbt", "--exclude-account"]
    assert main(["desktop", "image", "build", *words]) == 0
    said = capsys.readouterr().err
    made = [line.split()[0].rpartition("-")[0] for line in said.splitlines() if "is there" in line]
    assert made[:3] == ["system", "desktop", "session"]
    assert "dbt" in made
    assert not {"jupyter", "duckdb"} & set(made)
