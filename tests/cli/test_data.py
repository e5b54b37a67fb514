"""`touchstone data`: what it lists, what it fetches from a real server, and what it finds wrong."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from tests.cli.conftest import Cli
from tests.support.command import overall, run_directory
from tests.support.data import shared_data
from tests.support.file_server import FileServer, serving
from tests.support.worlds import ROWS, Row, World, make_world
from touchstone.cli import data
from touchstone.cli.data import check
from touchstone.datasets import bird_demo, interact_demo, spider2_demo
from touchstone.datasets.catalogue import Dataset, KnownFile, Remote, catalogue, dataset
from touchstone.datasets.download import FetchFailed, sha256
from touchstone.errors import InputError
from touchstone.plugins import benchmark_type

SMALL = Dataset(
    title="small",
    home="https://example.org",
    licence="none",
    layout="bird",
    task_file="tasks.json",
    tasks=len(ROWS),
    size="small",
    use="touchstone bird {task_file} {databases}",
)


@pytest.fixture
def server() -> Iterator[FileServer]:
    with serving() as server:
        yield server


@pytest.fixture
def published(tmp_path: Path, server: FileServer) -> FileServer:
    """A dataset as BIRD publishes it: an archive, with the databases as an archive inside, in a folder of its own."""
    world = make_world(tmp_path / "published")
    inner, outer = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        for file in world.databases.rglob("*.sqlite"):
            archive.write(file, f"dev_databases/{file.relative_to(world.databases)}")
    with zipfile.ZipFile(outer, "w") as archive:
        archive.write(world.tasks, "dev_2024/dev.json")
        archive.writestr("dev_2024/dev_databases.zip", inner.getvalue())
    server.content = outer.getvalue()
    return server


@pytest.fixture
def small_dev(monkeypatch: pytest.MonkeyPatch) -> None:
    """BIRD's development set, but with six tasks."""
    found = msgspec.structs.replace(dataset("bird-dev"), tasks=len(ROWS), tested=())
    monkeypatch.setitem(catalogue(), "bird-dev", found)


def test_all_datasets_are_listed(cli: Cli) -> None:
    done = cli("data", "list")
    assert done.code == 0
    assert [line.split()[0] for line in done.out.splitlines()] == list(catalogue())


def test_one_dataset_is_described_with_what_is_not_known(cli: Cli) -> None:
    done = cli("data", "list", "bird-dev")
    for part in ("1,534 tasks, 11 databases", "https://bird-bench.github.io/", "CC BY-SA 4.0", "SHA-256   not recorded"):
        assert part in done.out
    assert cli("data", "list", "brid").complaint.startswith(
        "touchstone: there is no dataset named 'brid'; there are: bird-dev,"
    )


@pytest.mark.usefixtures("small_dev")
def test_a_dataset_is_fetched_unpacked_and_verified(cli: Cli, published: FileServer, tmp_path: Path) -> None:
    done = cli("data", "get", "bird-dev", "--url", published.url)
    assert done.code == 0, done.err
    assert "ok       tasks: 6" in done.out
    assert "data/bird-dev/dev_2024/dev_databases: all 2" in done.out
    played = done.out.partition("Play it with: touchstone ")[2].split()
    assert cli(*played, "--agent", "oracle").code == 0
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["bird-dev"], "nothing is left over"


def test_a_fetched_dataset_is_played_by_its_name(
    cli: Cli, server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """mini-dev as BIRD packs it: two folders deep, other dialects beside, and a Mac's droppings."""
    world = make_world(tmp_path / "published")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("__MACOSX/minidev/MINIDEV/._mini_dev_sqlite.json", b"\x00\x05")
        archive.write(world.tasks, "minidev/MINIDEV/mini_dev_sqlite.json")
        archive.writestr("minidev/MINIDEV/mini_dev_mysql.json", "[]")
        for file in world.databases.rglob("*.sqlite"):
            archive.write(file, f"minidev/MINIDEV/dev_databases/{file.relative_to(world.databases)}")
    server.content = packed.getvalue()
    small = msgspec.structs.replace(dataset("bird-mini-dev"), tasks=len(ROWS), tested=())
    monkeypatch.setitem(catalogue(), "bird-mini-dev", small)
    missing = cli("bird", "mini-dev", "--agent", "oracle")
    assert (missing.code, missing.complaint) == (
        2,
        "touchstone: bird-mini-dev is not in data/bird-mini-dev: fetch it with 'touchstone data get bird-mini-dev'",
    )
    assert cli("data", "get", "bird-mini-dev", "--url", server.url).code == 0
    for name in ("mini-dev", "bird-mini-dev"):
        assert cli("bird", name, "--agent", "oracle", "-o", name).code == 0
        assert overall(run_directory(tmp_path / name))["overall"]["passed"] == len(ROWS)


@pytest.mark.usefixtures("small_dev")
def test_what_was_fetched_is_not_fetched_again(cli: Cli, published: FileServer) -> None:
    whole = published.content
    published.content = whole[: len(whole) // 2] + bytes(len(whole) - len(whole) // 2)
    broken = cli("data", "get", "bird-dev", "--url", published.url)
    assert broken.code == 1
    assert "dev.zip" in broken.complaint
    published.content, published.etag = whole, '"two"'
    assert cli("data", "get", "bird-dev", "--url", published.url).code == 0, "a broken archive is not kept"


@pytest.mark.usefixtures("small_dev")
def test_a_checksum_is_kept_to(cli: Cli, published: FileServer, tmp_path: Path) -> None:
    done = cli("data", "get", "bird-dev", "--url", published.url, "--sha256", "0" * 64)
    assert done.code == 1
    assert "the SHA-256 is" in done.complaint
    assert not (tmp_path / "data" / "bird-dev").exists()
    right = hashlib.sha256(published.content).hexdigest()
    assert cli("data", "get", "bird-dev", "--url", published.url, "--sha256", right, "--to", "elsewhere").code == 0


def test_mistakes_are_one_line(cli: Cli, server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "data" / "bird-dev").mkdir(parents=True)
    (tmp_path / "data" / "bird-dev" / "mine").write_text("")
    assert "it exists already" in cli("data", "get", "bird-dev").complaint
    server.statuses = [404]
    gone = cli("data", "get", "bird-mini-dev", "--url", server.url)
    assert (gone.code, gone.complaint.endswith("the server answered with status 404")) == (1, True)
    assert cli("data", "get", "mini-interact", "--url", server.url).code == 2
    assert "no such directory" in cli("data", "verify", "spider2-v").complaint
    assert "there is no dev.json in it" in cli("data", "verify", "bird-dev", tmp_path).complaint


def test_what_must_be_asked_for_is_told_step_by_step(cli: Cli) -> None:
    done = cli("data", "get", "bird-interact-full", "--to", "there")
    assert done.code == 1
    for part in ("1. git clone", "bird.bench25@gmail.com", "[bird-interact-full GT&Test Cases]", "there/postgre_table_dumps"):
        assert part in done.out


def test_a_part_of_a_repository_is_kept(server: FileServer, tmp_path: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name in ("R-main/README.md", "R-main/lite/q.jsonl", "R-main/lite/gold/a.csv"):
            archive.writestr(name, name)
    server.content = content.getvalue()
    remote = Remote(url=server.url, unpack=True, only=("*/lite/*",))
    data.fetch_all(msgspec.structs.replace(SMALL, files=(remote,)), tmp_path / "kept")
    kept = {str(path.relative_to(tmp_path / "kept")) for path in (tmp_path / "kept").rglob("*") if path.is_file()}
    assert kept == {"R-main/lite/q.jsonl", "R-main/lite/gold/a.csv", "source.json"}


def test_what_moves_is_refused_unless_it_is_pinned_or_taken_as_it_is(server: FileServer, tmp_path: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("q.jsonl", "x")
    server.content = content.getvalue()
    digest = hashlib.sha256(server.content).hexdigest()
    moving = msgspec.structs.replace(SMALL, files=(Remote(url=server.url, unpack=True, moving=True),))
    with pytest.raises(InputError, match="give the --sha256 that you expect, or --unpinned"):
        data.fetch_all(moving, tmp_path / "a")
    assert server.asked == []
    data.fetch_all(moving, tmp_path / "a", unpinned=True)
    (source,) = json.loads((tmp_path / "a" / "source.json").read_text())
    assert source == {"file": "data.zip", "url": server.url, "sha256": digest}
    data.fetch_all(moving, tmp_path / "b", sha256=digest)
    server.content += b" "
    with pytest.raises(FetchFailed, match=f"expected {digest}"):
        data.fetch_all(moving, tmp_path / "c", sha256=digest)


def test_the_catalogue_marks_what_moves() -> None:
    for name, wanted in catalogue().items():
        for remote in wanted.files:
            assert remote.moving == ("/heads/" in remote.url), name
            assert remote.largest < 10**10, name


def a_dataset(path: Path, rows: Sequence[Row] = ROWS) -> World:
    """In BIRD's layout."""
    world = make_world(path, rows)
    return World(world.tasks, world.databases.rename(path / "dev_databases"))


def lines(wanted: Dataset, directory: Path, *, deep: bool = False) -> list[str]:
    return check(wanted, directory, deep=deep).lines


def test_a_complete_dataset_passes(tmp_path: Path) -> None:
    world = a_dataset(tmp_path / "world")
    tested = KnownFile(name="tasks.json", sha256=sha256(world.tasks))
    found = check(msgspec.structs.replace(SMALL, tested=(tested,)), tmp_path / "world", deep=True)
    assert not found.wrong, found.lines
    assert found.lines[0] == "ok       tasks.json: as tested"


def test_missing_and_broken_databases_are_named(tmp_path: Path) -> None:
    world = a_dataset(tmp_path / "world")
    (world.databases / "zoo" / "zoo.sqlite").write_bytes(b"not a database")
    found = check(SMALL, tmp_path / "world")
    assert found.wrong
    assert found.lines[-1].endswith("1 of 2 are missing or broken: zoo")


def test_a_damaged_page_is_found_when_asked_for(tmp_path: Path) -> None:
    world = a_dataset(tmp_path / "world")
    file = world.databases / "shop" / "shop.sqlite"
    content = bytearray(file.read_bytes())
    content[4096:4196] = b"\xff" * 100
    file.write_bytes(content)
    assert not check(SMALL, tmp_path / "world").wrong
    assert check(SMALL, tmp_path / "world", deep=True).wrong


def test_other_task_counts_and_versions_are_told(tmp_path: Path) -> None:
    a_dataset(tmp_path / "world", ROWS[:4])
    other = msgspec.structs.replace(SMALL, tested=(KnownFile(name="tasks.json", sha256="0" * 64),))
    found = lines(other, tmp_path / "world")
    assert "note     tasks.json: not the version that was tested with" in found
    assert "WRONG    tasks: 4, expected 6" in found


def test_the_datasets_that_ship_pass(tmp_path: Path) -> None:
    """Each in the layout of the published one it is like."""
    demo = interact_demo()
    count = len((demo / "bird_interact_data.jsonl").read_text().splitlines())
    interact = Dataset(**{**_fields("bird-interact-lite"), "tasks": count, "tested": ()})
    assert not check(interact, demo).wrong, lines(interact, demo)
    questions, gold, databases = spider2_demo()
    for place, source in {"evaluation_suite/gold": gold, "spider2-localdb": databases}.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).symlink_to(source)
    (tmp_path / "spider2-lite.jsonl").symlink_to(questions)
    spider2 = Dataset(**{**_fields("spider2-lite"), "tasks": len(questions.read_text().splitlines())})
    assert not [line for line in lines(spider2, tmp_path) if line.startswith("WRONG")], lines(spider2, tmp_path)
    bird = Dataset(**{**_fields("bird-dev"), "tasks": len(json.loads(bird_demo()[0].read_text())), "task_file": "tasks.json"})
    (tmp_path / "dev_databases").symlink_to(bird_demo()[1])
    (tmp_path / "tasks.json").symlink_to(bird_demo()[0])
    assert not check(bird, tmp_path).wrong, lines(bird, tmp_path)


def _fields(name: str) -> dict[str, object]:
    found = dataset(name)
    return {field: getattr(found, field) for field in found.__struct_fields__}


REAL = {
    "bird-dev": ("bird", "7 of 11 are missing"),
    "bird-mini-dev": ("bird", "7 of 11 are missing"),
    "mini-interact": ("mini-interact", "gold SQL: 0 of 300"),
    "spider2-lite": ("spider2-lite", "gold results of the local questions: all 135"),
    "spider2-v": ("spider2v", "task files: all 494"),
}


@pytest.mark.parametrize("name", REAL)
def test_real_data_is_recognised(cli: Cli, name: str) -> None:
    part, said = REAL[name]
    done = cli("data", "verify", name, shared_data(part))
    assert "as tested" in done.out
    assert said in done.out
    assert done.code == (0 if name == "spider2-v" else 1)


def test_every_layout_has_a_check() -> None:
    for layout in {found.layout for found in catalogue().values()}:
        assert hasattr(benchmark_type(layout), "check_data")
