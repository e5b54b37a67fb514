"""Downloads from a real server that cuts, lies and lacks; archives that try to leave their folder."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.file_server import FileServer, serving

from touchstone.datasets import download
from touchstone.datasets.archive import Bounds, UnsafeArchive, unpack
from touchstone.datasets.catalogue import catalogue, find_file
from touchstone.datasets.download import ExpectedFile, FetchFailed, Patience, fetch
from touchstone.errors import InputError

CONTENT = os.urandom(300_000)
DIGEST = hashlib.sha256(CONTENT).hexdigest()
QUICK = Patience(attempts=3, pause=0.01, timeout=30)


@pytest.fixture
def server() -> Iterator[FileServer]:
    with serving(CONTENT) as server:
        yield server


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "data.zip"


def left(target: Path) -> list[str]:
    return sorted(path.name for path in target.parent.iterdir())


def test_a_file_is_fetched_checked_and_named(server: FileServer, target: Path) -> None:
    told: list[tuple[int, int | None]] = []
    expected = ExpectedFile(sha256=DIGEST.upper(), size=len(CONTENT), archive=True)
    fetch(server.url, target, expected, progress=lambda done, total: told.append((done, total)))
    assert target.read_bytes() == CONTENT
    assert left(target) == ["data.zip"]
    assert told[-1] == (len(CONTENT), len(CONTENT))
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_cut_connections_are_continued_where_they_were(server: FileServer, target: Path) -> None:
    server.cuts = [100_000, 1, 150_000]
    fetch(server.url, target, ExpectedFile(sha256=DIGEST), patience=QUICK)
    assert target.read_bytes() == CONTENT
    assert server.asked == [None, "bytes=100000-", "bytes=100001-", "bytes=250001-"]
    assert server.sent == len(CONTENT), "no byte came twice"


def test_another_call_goes_on_with_what_is_there(server: FileServer, target: Path) -> None:
    server.cuts = [100_000, 0, 0, 0]
    with pytest.raises(FetchFailed, match="100,000 bytes are kept"):
        fetch(server.url, target, patience=QUICK)
    assert left(target) == ["data.zip.part", "data.zip.part.tag"]
    fetch(server.url, target, ExpectedFile(sha256=DIGEST), patience=QUICK)
    assert target.read_bytes() == CONTENT
    assert server.asked[-1] == "bytes=100000-"


def test_an_interrupt_keeps_the_part(server: FileServer, target: Path) -> None:
    def interrupt(done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch(server.url, target, progress=interrupt)
    assert "data.zip" not in left(target)
    fetch(server.url, target, ExpectedFile(sha256=DIGEST))
    assert server.asked[-1] is not None
    assert target.read_bytes() == CONTENT


def test_a_file_that_changed_meanwhile_starts_over(server: FileServer, target: Path) -> None:
    server.cuts = [100_000, 0, 0, 0]
    with pytest.raises(FetchFailed):
        fetch(server.url, target, patience=QUICK)
    server.content, server.etag = b"new" * 100_000, '"two"'
    fetch(server.url, target, patience=QUICK)
    assert target.read_bytes() == server.content


@pytest.mark.parametrize("without", ["ranges", "etag"])
def test_a_server_that_cannot_continue_starts_over(server: FileServer, target: Path, without: str) -> None:
    server.ranges = without != "ranges"
    server.etag = None if without == "etag" else server.etag
    server.cuts = [100_000]
    fetch(server.url, target, ExpectedFile(sha256=DIGEST), patience=QUICK)
    assert target.read_bytes() == CONTENT


def test_a_part_that_was_complete_is_taken(server: FileServer, target: Path) -> None:
    target.parent.mkdir()
    Path(f"{target}.part").write_bytes(CONTENT)
    Path(f"{target}.part.tag").write_text('"one"')
    fetch(server.url, target, ExpectedFile(sha256=DIGEST))
    assert target.read_bytes() == CONTENT
    assert server.sent == 0


def test_a_wrong_checksum_removes_the_file(server: FileServer, target: Path) -> None:
    with pytest.raises(FetchFailed, match=f"the SHA-256 is {DIGEST}, expected {'0' * 64}"):
        fetch(server.url, target, ExpectedFile(sha256="0" * 64))
    assert left(target) == []


@pytest.mark.parametrize("size", [10, len(CONTENT) + 1])
def test_a_wrong_size_removes_the_file(server: FileServer, target: Path, size: int) -> None:
    with pytest.raises(FetchFailed, match=f"expected {size:,} bytes"):
        fetch(server.url, target, ExpectedFile(size=size))
    assert left(target) == []


def test_a_busy_server_is_asked_again(server: FileServer, target: Path) -> None:
    server.statuses = [503, 429]
    fetch(server.url, target, patience=QUICK)
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("statuses", "complaint"), [([404], "status 404"), ([403], "status 403"), ([500] * 3, "status 500; 0 bytes are kept")]
)
def test_what_the_server_refuses_is_told(server: FileServer, target: Path, statuses: list[int], complaint: str) -> None:
    asked = len(statuses)
    server.statuses = list(statuses)
    with pytest.raises(FetchFailed, match=complaint):
        fetch(server.url, target, patience=QUICK)
    assert len(server.asked) == asked
    assert not target.exists()


def test_a_page_in_place_of_an_archive_is_refused(server: FileServer, target: Path) -> None:
    server.kind = "text/html; charset=utf-8"
    with pytest.raises(FetchFailed, match="a web page, not an archive"):
        fetch(server.url, target, ExpectedFile(archive=True))


def test_nobody_there_and_no_address(target: Path) -> None:
    with pytest.raises(FetchFailed, match="refused"):
        fetch("http://someone:secret@127.0.0.1:9/data.zip?key=secret", target, patience=QUICK)
    for url in ("ftp://example.org/x", "data.zip", "http://host:port/x"):
        with pytest.raises(InputError):
            fetch(url, target)


def test_secrets_of_an_address_are_not_told(target: Path) -> None:
    with pytest.raises(FetchFailed) as caught:
        fetch("http://someone:secret@127.0.0.1:9/data.zip?key=secret", target, patience=QUICK)
    assert "secret" not in str(caught.value)


def test_one_at_a_time(server: FileServer, target: Path) -> None:
    complaints: list[str] = []

    def another(done: int, total: int | None) -> None:
        try:
            fetch(server.url, target)
        except InputError as error:
            complaints.append(str(error))

    fetch(server.url, target, progress=another)
    assert complaints
    assert "another process is fetching" in complaints[0]


# Archives


def a_zip(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def zip_with(path: Path, name: str, *, mode: int = stat.S_IFREG | 0o644, content: bytes = b"x") -> Path:
    info = zipfile.ZipInfo("placeholder")
    info.filename = name
    info.external_attr = mode << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(info, content)
    return path


def tar_with(path: Path, name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> Path:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, link, 1 if kind == tarfile.REGTYPE else 0
    with tarfile.open(path, "w:gz") as archive:
        archive.addfile(info, io.BytesIO(b"x") if info.size else None)
    return path


def everything_below(path: Path) -> set[str]:
    return {str(each.relative_to(path)) for each in path.rglob("*") if each.is_file()}


def test_archives_are_unpacked(tmp_path: Path) -> None:
    members = {"top/a.txt": b"1", "top/b/c.txt": b"2", "__MACOSX/top/._a": b"", "top/.DS_Store": b""}
    archive = a_zip(tmp_path / "a.zip", **members)
    assert unpack(archive, tmp_path / "out") == 2
    assert everything_below(tmp_path / "out") == {"top/a.txt", "top/b/c.txt"}
    assert (tmp_path / "out/top/b/c.txt").read_bytes() == b"2"
    assert unpack(archive, tmp_path / "some", only=("*/b/*",)) == 1


def test_a_folder_packed_with_tar_is_unpacked(tmp_path: Path) -> None:
    (tmp_path / "top").mkdir()
    (tmp_path / "top" / "x").write_text("1")
    for packing in ("gz", "bz2", "xz"):
        with tarfile.open(tmp_path / f"a.tar.{packing}", f"w:{packing}") as archive:
            archive.add(tmp_path / "top", arcname=".")
        assert unpack(tmp_path / f"a.tar.{packing}", tmp_path / packing) == 1
        assert everything_below(tmp_path / packing) == {"x"}


CLIMBING = ["../out.txt", "a/../../out.txt", "/etc/out.txt", "..\\out.txt", "C:/out.txt", "a/..", "", "./../x"]


@pytest.mark.parametrize("name", CLIMBING)
@pytest.mark.parametrize("make", [zip_with, tar_with])
def test_nothing_is_written_outside(tmp_path: Path, name: str, make: Callable[[Path, str], Path]) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    archive = make(inside / "bad.archive", name)
    with pytest.raises(UnsafeArchive):
        unpack(archive, inside / "target")
    assert everything_below(tmp_path) == {"in/bad.archive"}


@given(name=st.text(alphabet="a./\\:~", max_size=12))
def test_no_name_leads_outside(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    base = tmp_path_factory.mktemp("law")
    archive = zip_with(base / "bad.zip", name)
    with suppress(UnsafeArchive):
        unpack(archive, base / "target" / "deep")
    outside = {path for path in everything_below(base) if not path.startswith("target/deep/")}
    assert outside == {"bad.zip"}


def test_links_and_devices_are_refused(tmp_path: Path) -> None:
    archives = [zip_with(tmp_path / "link.zip", "link", mode=stat.S_IFLNK | 0o777, content=b"/etc/passwd")]
    kinds = (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE)
    archives += [tar_with(tmp_path / f"{kind.decode()}.tar.gz", "link", kind, "/etc/passwd") for kind in kinds]
    for archive in archives:
        with pytest.raises(UnsafeArchive, match="a link or a device"):
            unpack(archive, tmp_path / "out" / archive.name)


def test_a_bomb_is_stopped(tmp_path: Path) -> None:
    archive = a_zip(tmp_path / "bomb.zip", zeros=bytes(30 * 2**20))
    with pytest.raises(UnsafeArchive, match="unpacks to more than"):
        unpack(archive, tmp_path / "out", bounds=Bounds(free=2**20, ratio=100))
    assert sum(path.stat().st_size for path in (tmp_path / "out").rglob("*") if path.is_file()) < 6 * 2**20


def test_too_many_files_are_stopped(tmp_path: Path) -> None:
    archive = a_zip(tmp_path / "many.zip", **{f"f{number}": b"" for number in range(20)})
    with pytest.raises(UnsafeArchive, match="more than 10 files"):
        unpack(archive, tmp_path / "out", bounds=Bounds(files=10))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_other_tricks_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "twice.zip", "w") as archive:
        archive.writestr("a", "1")
        archive.writestr("a", "2")
    a_zip(tmp_path / "folder.zip", **{"a": b"1", "a/b": b"2"})
    (tmp_path / "broken.zip").write_bytes(a_zip(tmp_path / "whole.zip", a=b"1" * 1000).read_bytes()[:60])
    (tmp_path / "text.zip").write_bytes(b"not an archive")
    a_zip(tmp_path / "empty.zip")
    for name, complaint in {
        "twice": "occurs twice",
        "folder": "a file and a folder",
        "broken": "neither a zip",
        "text": "neither a zip",
        "empty": "empty",
    }.items():
        with pytest.raises(UnsafeArchive, match=complaint):
            unpack(tmp_path / f"{name}.zip", tmp_path / "out" / name)


# The catalogue


def a_tar(path: Path, packing: str, size: int = 400_000) -> Path:
    """Of three files that do not compress."""
    with tarfile.open(path, f"w:{packing}") as archive:
        for name in "abc":
            info = tarfile.TarInfo(name)
            info.size = size
            archive.addfile(info, io.BytesIO(os.urandom(size)))
    return path


@pytest.mark.parametrize("packing", ["", "gz", "bz2", "xz"])
def test_a_whole_tar_is_taken(tmp_path: Path, packing: str) -> None:
    assert unpack(a_tar(tmp_path / "a.tar", packing), tmp_path / "out") == 3


@pytest.mark.parametrize("packing", ["gz", "bz2", "xz"])
@pytest.mark.parametrize("place", [0.02, 0.3, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("damage", ["flipped", "cut"])
def test_a_damaged_archive_is_refused_in_one_line(tmp_path: Path, packing: str, place: float, damage: str) -> None:
    archive = a_tar(tmp_path / "a.tar", packing)
    content = bytearray(archive.read_bytes())
    at = int(len(content) * place)
    if damage == "cut":
        del content[at:]
    else:
        content[at] ^= 0xFF
    archive.write_bytes(bytes(content))
    with pytest.raises(UnsafeArchive) as caught:
        unpack(archive, tmp_path / "out")
    assert "\n" not in str(caught.value)
    assert not str(caught.value).endswith("None")


@pytest.mark.parametrize("at", [512 + 400_384 + 100, 2 * (512 + 400_384) + 148])
def test_a_damaged_header_is_not_the_end(tmp_path: Path, at: int) -> None:
    archive = a_tar(tmp_path / "a.tar", "")
    content = bytearray(archive.read_bytes())
    content[at] ^= 0xFF
    archive.write_bytes(bytes(content))
    with pytest.raises(UnsafeArchive, match="damaged at byte"):
        unpack(archive, tmp_path / "out")


def test_a_tar_without_its_end_and_one_that_goes_on_are_refused(tmp_path: Path) -> None:
    archive = a_tar(tmp_path / "a.tar", "")
    archive.write_bytes(archive.read_bytes()[: 2 * (512 + 400_384)])
    with pytest.raises(UnsafeArchive, match="damaged at byte"):
        unpack(archive, tmp_path / "out")
    longer = tmp_path / "b.tar"
    longer.write_bytes(a_tar(tmp_path / "c.tar", "").read_bytes() + bytes(65 * 2**20))
    with pytest.raises(UnsafeArchive, match="there is data after its end"):
        unpack(longer, tmp_path / "out2")


class TestEndless:
    """A body without a length, which never ends."""

    def test_it_is_left_at_what_is_expected_at_most(self, server: FileServer, target: Path) -> None:
        server.endless = True
        with pytest.raises(FetchFailed, match="more than the expected maximum of 2,000,000 bytes"):
            fetch(server.url, target, ExpectedFile(largest=2_000_000), patience=QUICK)
        assert left(target) == []
        assert server.sent < 60_000_000

    def test_it_does_not_fill_the_disk(self, server: FileServer, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(download, "LEFT_FREE", shutil.disk_usage(target.anchor).total * 2)
        server.endless = True
        with pytest.raises(FetchFailed, match=r"bytes are still free in .*; what was fetched is removed"):
            fetch(server.url, target, patience=QUICK)
        assert left(target) == []

    def test_a_length_beyond_what_is_expected_is_refused_at_once(self, server: FileServer, target: Path) -> None:
        with pytest.raises(FetchFailed, match=r"it has 300,000 bytes, at most 1,000 were expected"):
            fetch(server.url, target, ExpectedFile(largest=1_000), patience=QUICK)


def test_the_catalogue_names_what_it_must() -> None:
    for name, found in catalogue().items():
        assert found.files or found.by_hand, name
        assert found.home.startswith("https://"), name
        for remote in found.files:
            assert remote.url.startswith("https://"), name
            assert remote.file_name.endswith(".zip"), name
        for tested in found.tested:
            assert len(bytes.fromhex(tested.sha256)) == 32, name


def test_a_file_is_found_nearest_to_the_top(tmp_path: Path) -> None:
    for place in ("a/b/dev.json", "z/dev.json"):
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).write_text("")
    assert find_file(tmp_path, "dev.json") == tmp_path / "z/dev.json"
    assert find_file(tmp_path, "test.json") is None
