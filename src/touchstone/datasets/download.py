"""Downloads that can be cut anywhere: a part is kept, continued with a range request, checked, and only then given its name.

A part goes on only if the server says that it still has the same file (its ETag or date is kept beside the part); otherwise,
and where a server knows no ranges, it starts over. A file whose checksum is wrong is removed. Nothing half-done ever has the
real name.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING

from ..addresses import shown_url
from ..errors import InputError, TouchstoneError
from ..files import lock_file

if TYPE_CHECKING:
    import httpx

Progress = Callable[[int, int | None], None]
"""Told how many bytes there are, and of how many if that is known."""


class FetchFailed(TouchstoneError):
    """A download that cannot be had, in one line."""


@dataclass(frozen=True, kw_only=True)
class ExpectedFile:
    """What a file must be. None is not checked."""

    sha256: str | None = None
    size: int | None = None
    largest: int = 64 * 2**30
    """What is longer is not the file, and is not fetched to its end."""
    archive: bool = False
    """A page of HTML in its place is a notice, not the file."""


@dataclass(frozen=True, kw_only=True)
class Patience:
    attempts: int = 5
    """How often in a row nothing may come."""
    pause: float = 1.0
    """Before the second; each next is twice as long."""
    timeout: float = 60.0
    """Seconds without a byte."""


LEFT_FREE = 512 * 2**20
"""Bytes of the disk that a download does not take."""
_BETWEEN_LOOKS = 16 * 2**20
_ANYTHING = ExpectedFile()
_PATIENT = Patience()


@dataclass
class _Part:
    """A download under way."""

    path: Path
    file: FileIO = field(init=False)

    @property
    def tag_file(self) -> Path:
        return self.path.with_name(f"{self.path.name}.tag")

    @property
    def size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    @property
    def tag(self) -> str:
        return self.tag_file.read_text() if self.tag_file.is_file() else ""

    def begin(self, tag: str) -> None:
        self.file.seek(0)
        self.file.truncate()
        self.tag_file.write_text(tag)

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)
        self.tag_file.unlink(missing_ok=True)


def fetch(
    url: str,
    target: Path,
    expected: ExpectedFile = _ANYTHING,
    *,
    progress: Progress = lambda done, total: None,
    patience: Patience = _PATIENT,
) -> None:
    """The file at the address, complete and checked, as `target`. Raises FetchFailed, or InputError for a hopeless address."""
    import httpx

    if not url.startswith(("http://", "https://")):
        raise InputError(f"{url}: expected an address that begins with http:// or https://")
    if expected.sha256 is not None and len(expected.sha256) != 64:
        raise InputError(f"{expected.sha256}: a SHA-256 has 64 hexadecimal digits")
    shown = shown_url(url)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _opened(target.with_name(f"{target.name}.part")) as part, _client(patience) as client:
            _complete(client, url, shown, part, expected, progress, patience)
            _check(shown, part, expected)
            part.path.replace(target)
            part.tag_file.unlink(missing_ok=True)
    except httpx.InvalidURL as error:
        raise InputError(f"{shown}: {error}") from None
    except OSError as error:
        raise FetchFailed(f"{target}: cannot be written: {error.strerror}") from None


def _complete(
    client: httpx.Client, url: str, shown: str, part: _Part, expected: ExpectedFile, progress: Progress, patience: Patience
) -> None:
    """Attempts until the part is the whole file."""
    import httpx

    failures = 0
    while True:
        before = part.size
        try:
            if _attempt(client, url, shown, part, expected, progress):
                return
            reason = "the connection was cut"
        except httpx.HTTPError as error:
            reason = str(error) or type(error).__name__
        failures = 0 if part.size > before else failures + 1
        if failures >= patience.attempts:
            raise FetchFailed(f"{shown}: {reason}; {part.size:,} bytes are kept; run the command again to continue")
        time.sleep(patience.pause * 2 ** max(failures - 1, 0))


def _client(patience: Patience) -> httpx.Client:
    import httpx

    # Compressed on the way, lengths and ranges would not be the file's.
    return httpx.Client(timeout=patience.timeout, follow_redirects=True, headers={"Accept-Encoding": "identity"})


@contextmanager
def _opened(path: Path) -> Generator[_Part]:
    part = _Part(path)
    with path.open("ab+", buffering=0) as part.file:
        try:
            lock_file(part.file.fileno())
        except BlockingIOError:
            raise InputError(f"{path}: another process is fetching this file") from None
        yield part


def _attempt(client: httpx.Client, url: str, shown: str, part: _Part, expected: ExpectedFile, progress: Progress) -> bool:
    """Whether the file is complete now."""
    start = part.size
    headers = {"Range": f"bytes={start}-", "If-Range": part.tag} if start and part.tag else {}
    with client.stream("GET", url, headers=headers) as response:
        if response.status_code == 416:  # the part is as long as the file or longer
            whole = _length(response.headers.get("Content-Range", "").rpartition("/")[2])
            if whole != start:
                part.begin("")
            return whole == start
        _refuse(shown, response, expected)
        going_on = response.status_code == 206 and response.headers.get("Content-Range", "").startswith(f"bytes {start}-")
        if not going_on:
            part.begin(_tag(response))
            start = 0
        length = _length(response.headers.get("Content-Length", ""))
        total = expected.size if length is None else start + length
        if total is not None and total > expected.largest:
            part.remove()
            raise FetchFailed(f"{shown}: it has {total:,} bytes, at most {expected.largest:,} were expected")
        _refuse_too_large(part.path, total, start)
        done = start
        checked = start
        for piece in response.iter_raw():  # as it comes: what waits in a buffer is lost with the connection
            part.file.write(piece)
            done += len(piece)
            progress(done, total)
            if expected.size is not None and done > expected.size:
                return True  # it is not the file, as the check will say; there is no telling when it would end
            if done > expected.largest:
                part.remove()
                raise FetchFailed(f"{shown}: it has more than the expected maximum of {expected.largest:,} bytes")
            if done - checked > _BETWEEN_LOOKS:
                checked = done
                _refuse_full_disk(shown, part)
        return total is None or done >= total


def _refuse(url: str, response: httpx.Response, expected: ExpectedFile) -> None:
    status = response.status_code
    if status == 429 or status >= 500:
        import httpx

        raise httpx.RemoteProtocolError(f"the server answered with status {status}")  # worth another attempt
    if status not in (200, 206):
        raise FetchFailed(f"{url}: the server answered with status {status}")
    if expected.archive and response.headers.get("Content-Type", "").startswith("text/html"):
        raise FetchFailed(f"{url}: this is a web page, not an archive; open it in a browser and fetch the file by hand")


def _refuse_too_large(path: Path, total: int | None, start: int) -> None:
    free = shutil.disk_usage(path.parent).free
    if total is not None and total - start > free:
        raise FetchFailed(f"{path.parent}: {total - start:,} bytes are still to come and {free:,} are free")


def _refuse_full_disk(shown: str, part: _Part) -> None:
    """A body whose length nobody has told must not be what fills the disk."""
    free = shutil.disk_usage(part.path.parent).free
    if free < LEFT_FREE:
        part.remove()
        raise FetchFailed(f"{shown}: only {free:,} bytes are still free in {part.path.parent}; what was fetched is removed")


def _check(url: str, part: _Part, expected: ExpectedFile) -> None:
    os.fsync(part.file.fileno())
    if expected.size is not None and part.size != expected.size:
        size = part.size
        part.remove()
        raise FetchFailed(f"{url}: expected {expected.size:,} bytes, got {size:,}")
    if expected.sha256 is not None:
        digest = sha256(part.path)
        if digest != expected.sha256.lower():
            part.remove()
            raise FetchFailed(f"{url}: the SHA-256 is {digest}, expected {expected.sha256}; the file was removed")


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _tag(response: httpx.Response) -> str:
    """What tells one version of a file from another. A weak ETag cannot (and may not be used with ranges)."""
    etag = response.headers.get("ETag", "")
    return etag if etag and not etag.startswith("W/") else response.headers.get("Last-Modified", "")


def _length(text: str) -> int | None:
    return int(text) if text.isdecimal() else None
