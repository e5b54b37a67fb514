"""Runs at an address: an S3 service on this machine, and a folder by its address."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import fsspec
import pytest
from fsspec.implementations.local import LocalFileSystem

from tests.benchmarks.desktop.support import ABSTRACT, make_dataset
from tests.support.chat_players import Held, knowing
from tests.support.chat_server import ChatServer, no_model
from tests.support.command import Done, finish, run_directory, start, times_recorded, touchstone
from tests.support.records import a_record
from tests.support.worlds import ROWS, World
from tests.workers.processes import until
from touchstone.addresses import address_of, without_secrets
from touchstone.code_digest import code_digest
from touchstone.errors import InputError
from touchstone.runs.directory import RunDirectory, encoded, read_records
from touchstone.runs.remote import Mirror, fetched, local_base
from touchstone.types import Outcome

pytestmark = pytest.mark.long

EVERY = {(str(row["question_id"]), 0): 1 for row in ROWS}
BUCKET = "s3://runs"
SECRET = "wJalrXUtnFEMI-secret"


class Bucket:
    """An S3 service with one empty bucket, and what a command needs to know of it."""

    def __init__(self, endpoint: str) -> None:
        from s3fs import S3FileSystem

        self.env = {
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_ACCESS_KEY_ID": "AKIATEST",
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_DEFAULT_REGION": "us-east-1",
            "TOUCHSTONE_MIRROR_SECONDS": "0.2",
            "OPENAI_API_KEY": "sk-test",
        }
        self._system: Any = S3FileSystem(endpoint_url=endpoint, key="AKIATEST", secret=SECRET, use_listings_cache=False)

    def create(self) -> None:
        with suppress(FileExistsError):  # moto keeps what servers of this process hold, and other tests have used it
            self._system.mkdir("runs")

    def names(self, folder: str) -> set[str]:
        found: list[str] = self._system.find(f"runs/{folder}")
        return {name.removeprefix(f"runs/{folder}/").partition("/")[2] for name in found}

    def run(self, folder: str) -> str:
        """The only run in a folder."""
        (found,) = {name.rpartition("/")[2] for name in self._system.ls(f"runs/{folder}")}
        return found

    def read(self, place: str) -> bytes:
        return self._system.cat_file(f"runs/{place}")

    def everything(self) -> bytes:
        return b"".join(self._system.cat_file(name) for name in self._system.find("runs"))


@pytest.fixture(scope="module")
def bucket() -> Iterator[Bucket]:
    if not (find_spec("moto") and find_spec("s3fs")):
        pytest.skip("moto or s3fs is not installed")
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    found = Bucket(f"http://{host}:{port}")
    os.environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")
    found.create()
    yield found
    server.stop()


def test_a_run_is_copied_while_it_grows_and_whole_at_the_end(bucket: Bucket, world: World, tmp_path: Path) -> None:
    player = Held(quick=2)
    with ChatServer(player) as server:
        given = (*world.arguments, "--base-url", server.url, "-o", f"{BUCKET}/grown")
        process = start("bird", *given, cwd=tmp_path, env=bucket.env)
        player.wait_for(1)
        while "runs.jsonl" not in bucket.names("grown"):
            assert process.poll() is None
        player.release()
        done = finish(process)
    assert done.code == 0, done.err
    local = run_directory(tmp_path / "results" / "s3-runs-grown")
    assert bucket.names("grown") == {path.name for path in local.iterdir()} > {"config.json", "config.toml", "runs.jsonl"}
    for name in bucket.names("grown"):
        assert bucket.read(f"grown/{local.name}/{name}") == (local / name).read_bytes()
    assert times_recorded(local) == EVERY
    assert SECRET.encode() not in bucket.everything()
    assert touchstone("verify", f"{BUCKET}/grown/{local.name}", cwd=tmp_path, env=bucket.env).code == 0
    said = touchstone("summary", f"{BUCKET}/grown/{local.name}", cwd=tmp_path, env=bucket.env)
    assert (said.code, said.out) == (0, (local / "summary.txt").read_text()), said.err


def test_an_interrupted_run_goes_on_from_its_address_on_another_machine(bucket: Bucket, world: World, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    player = Held(quick=2)
    with ChatServer(player) as server:
        given = (*world.arguments, "--base-url", server.url, "-o", f"{BUCKET}/moved")
        process = start("bird", *given, cwd=here, env=bucket.env)
        player.wait_for(1)
        process.send_signal(signal.SIGTERM)
        assert finish(process).code == 130
        player.release()
    address = f"{BUCKET}/moved/{bucket.run('moved')}"
    with ChatServer(knowing()) as server:
        again = touchstone("bird", "--resume", address, "--base-url", server.url, cwd=there, env=bucket.env)
    assert again.code == 0, again.err
    assert len(server.requests) == 2 * 4
    lines = bucket.read(address.removeprefix(f"{BUCKET}/") + "/runs.jsonl").splitlines()
    assert sorted(json.loads(line)["task"] for line in lines) == sorted(key for key, _ in EVERY)
    assert times_recorded(run_directory(there / "results" / "s3-runs-moved")) == EVERY


def desktop_run(*arguments: str | Path, bucket: Bucket, cwd: Path) -> Done:
    env = {**bucket.env, "PYTHONPATH": str(Path(__file__).parents[2])}
    return touchstone("desktop", "run", *arguments, cwd=cwd, env=env)


def test_pictures_and_videos_of_desktops_are_there_too(bucket: Bucket, tmp_path: Path) -> None:
    """A run that goes on elsewhere takes no name of what is there, and the viewer shows what is only there."""
    here, there = tmp_path / "here", tmp_path / "there"
    make_dataset(here)
    there.mkdir()
    drawn = ("--provider", "tests.benchmarks.desktop.drawn:provider", "--sleep-after-action", "0", "--settle", "0")
    given = (here, *drawn, "--agent", "oracle", "--abstract", "-o", f"{BUCKET}/desk")
    done = desktop_run(*given, bucket=bucket, cwd=here)
    assert done.code == 0, done.err
    local, address = run_directory(here / "results" / "s3-runs-desk"), f"{BUCKET}/desk/{bucket.run('desk')}"
    files = {path.relative_to(local).as_posix() for path in (local / "episodes").rglob("*") if path.is_file()}
    assert {f"episodes/{ABSTRACT}/000.png", f"episodes/{ABSTRACT}/video.mp4"} < files < bucket.names("desk")
    first = bucket.read(f"desk/{local.name}/episodes/{ABSTRACT}/000.png")
    assert first == (local / f"episodes/{ABSTRACT}/000.png").read_bytes()

    again = desktop_run("--resume", address, "--epochs", "2", bucket=bucket, cwd=there)
    assert again.code == 0, again.err
    assert f"episodes/{ABSTRACT}-2/000.png" in bucket.names("desk")
    assert bucket.read(f"desk/{local.name}/episodes/{ABSTRACT}/000.png") == first
    exported = touchstone("view", address, "--export", tmp_path / "site", cwd=there, env=bucket.env)
    assert exported.code == 0, exported.err
    assert [path.read_bytes() for path in (tmp_path / "site").rglob(f"{ABSTRACT}/000.png")] == [first]


class Busy(LocalFileSystem):
    """A place that is so slow that an episode ends whenever a picture is copied there."""

    protocol = "busy"
    run: ClassVar[Path]
    too_early: ClassVar[list[str]] = []

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return path.removeprefix("busy://")

    def put_file(self, lpath: str, rpath: str, *more: Any, **options: Any) -> None:
        Path(rpath).parent.mkdir(parents=True, exist_ok=True)
        super().put_file(lpath, rpath, *more, **options)
        if rpath.endswith(".png"):
            an_episode(self.run)
        if rpath.endswith("runs.jsonl"):
            named = [json.loads(line)["task"] for line in Path(rpath).read_bytes().splitlines()]
            self.too_early.extend(
                task for task in named if not Path(rpath).parent.joinpath("episodes", task, "000.png").exists()
            )


def an_episode(run: Path) -> None:
    """Its picture, then its record."""
    task = str(len(list((run / "episodes").iterdir())))
    (run / "episodes" / task).mkdir()
    (run / "episodes" / task / "000.png").write_bytes(b"picture")
    with (run / "runs.jsonl").open("ab") as file:
        file.write(line(task))


async def test_records_are_copied_after_the_pictures_that_they_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_MIRROR_SECONDS", "0.01")
    Busy.run = run = a_run(tmp_path / "run")
    (run / "episodes").mkdir()
    an_episode(run)
    said: list[str] = []
    fsspec.register_implementation("busy", Busy, clobber=True)
    mirror = Mirror(run, f"busy://{tmp_path / 'there'}", said.append)
    await mirror.start()
    assert await until((tmp_path / "there" / "runs.jsonl").exists)
    await mirror.stop()
    assert (Busy.too_early, said) == ([], [])


def test_a_run_that_never_got_going_leaves_nothing_there(bucket: Bucket, world: World, tmp_path: Path) -> None:
    with ChatServer([no_model()]) as server:
        given = ("--base-url", server.url, "-o", f"{BUCKET}/empty")
        done = touchstone("bird", *world.arguments, *given, cwd=tmp_path, env=bucket.env)
    assert done.code == 1, done.err
    assert bucket.names("empty") == set()


@pytest.mark.parametrize(
    ("address", "complaint"),
    [
        ("s3://no-such-bucket/x", "s3://no-such-bucket/x/run-"),
        ("nonsense://x", "nonsense://x: Protocol not known: nonsense"),
    ],
)
def test_an_address_that_cannot_be_written_is_said_before_anything_runs(
    bucket: Bucket, world: World, tmp_path: Path, address: str, complaint: str
) -> None:
    done = touchstone("bird", *world.arguments, "--agent", "oracle", "-o", address, cwd=tmp_path, env=bucket.env)
    assert done.code == 2
    assert done.err.startswith(f"touchstone: {complaint}")
    assert done.err.count("\n") == 1
    assert not list((tmp_path / "results").rglob("runs.jsonl"))


def line(task: str, outcome: Outcome = Outcome.passed) -> bytes:
    return encoded(a_record(task, outcome)) + b"\n"


def a_run(path: Path, *lines: bytes) -> Path:
    path.mkdir(parents=True)
    (path / "config.json").write_text(json.dumps({"identity": {"code": code_digest()}}))
    (path / "runs.jsonl").write_bytes(b"".join(lines))
    return path


def resumed(path: Path) -> list[str]:
    directory = RunDirectory.resume(path, {})
    directory.close()
    return [record.task for record in read_records(path)]


def test_what_only_one_of_two_copies_has_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    there = a_run(tmp_path / "there" / "run-1", line("1"), line("3"), line("4", Outcome.error), line("5"), line("6")[:-9])
    address = f"file://{there}"
    here = a_run(local_base(f"file://{there.parent}") / "run-1", line("1"), line("2"), line("5", Outcome.error), line("7")[:-9])
    assert fetched(address) == here
    assert resumed(here) == ["1", "2", "3", "5"]
    assert resumed(fetched(address)) == ["1", "2", "3", "5"]


def test_a_run_that_is_not_here_is_fetched_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    there = a_run(tmp_path / "there" / "run-1", line("1"), line("2", Outcome.error))
    here = fetched(f"file://{there}")
    assert here.resolve() != there
    assert resumed(here) == ["1"]


def test_another_run_of_the_same_name_is_not_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    there = a_run(tmp_path / "there" / "run-1", line("1"))
    here = a_run(local_base(f"file://{there.parent}") / "run-1", line("2"))
    (here / "config.json").write_text('{"identity": {"model": "other"}}')
    with pytest.raises(InputError, match="but another; move it away first"):
        fetched(f"file://{there}")
    assert resumed_text(here) == line("2")


def test_a_run_that_was_made_larger_elsewhere_is_the_same_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    there = a_run(tmp_path / "there" / "run-1", line("1"), line("2"))
    here = a_run(local_base(f"file://{there.parent}") / "run-1", line("1"))
    for path, planned in ((there, 2), (here, 1)):
        (path / "config.json").write_text(json.dumps({"identity": {"code": code_digest()}, "planned": planned}))
    assert resumed(fetched(f"file://{there}")) == ["1", "2"]
    assert json.loads((here / "config.json").read_text())["planned"] == 2


def resumed_text(path: Path) -> bytes:
    return (path / "runs.jsonl").read_bytes()


def test_no_run_at_the_address_is_said_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"not a run directory \(it has no config.json\)"):
        fetched(f"file://{tmp_path}/nothing")


@pytest.mark.parametrize(
    ("place", "address"),
    [
        (Path("s3://bucket/a/b"), "s3://bucket/a/b"),
        (Path("file:///tmp/x"), "file:///tmp/x"),
        ("gs://bucket/a/", "gs://bucket/a"),
        (Path("results/s3"), None),
        (Path("/tmp/a:b/c"), None),
        (Path("C:/runs"), None),
    ],
)
def test_an_address_survives_being_a_path(place: Path | str, address: str | None) -> None:
    assert address_of(place) == address


@pytest.mark.parametrize("secret", ["ftp://me:hunter2@host/a", "http://host/a?token=hunter2&b=1"])
def test_secrets_of_an_address_are_in_no_name(secret: str) -> None:
    assert "hunter2" not in without_secrets(secret)
    assert "hunter2" not in str(local_base(secret))
