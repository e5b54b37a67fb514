"""Fetching a whole dataset: everything is made ready beside its place, and gets its name only when it is complete."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ..addresses import without_secrets
from ..datasets.catalogue import Dataset, Remote
from ..datasets.fetching import Expected, FetchFailed, Progress, fetch
from ..datasets.fetching import sha256 as sha256_of
from ..datasets.unpacking import UnsafeArchive, unpack
from ..failures import InputError
from ..terminal import unfiltered

SOURCE = "source.json"
"""In the dataset's folder: what was fetched from where, by its SHA-256."""


def fetch_all(
    wanted: Dataset, directory: Path, *, url: str | None = None, sha256: str | None = None, unpinned: bool = False
) -> None:
    """Interrupted anywhere, the next call goes on; only the unpacking is done anew."""
    if not (sha256 or unpinned) and any(remote.moving and not remote.sha256 for remote in wanted.files):
        raise InputError(
            "what is at this dataset's address changes, and no checksum is known: give the --sha256 that you expect, "
            "or --unpinned to take what is there today"
        )
    if (url or sha256) and len(wanted.files) != 1:
        raise InputError("--url and --sha256 are for datasets that are one file")
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise InputError(f"{directory}: is there already; verify it, or name another place with --to")
    work = directory.with_name(f".{directory.name}.part")
    ready = work / "ready"
    try:
        shutil.rmtree(ready, ignore_errors=True)
        sources = [_one(remote, url or remote.url, sha256 or remote.sha256, work, ready) for remote in wanted.files]
        (ready / SOURCE).write_text(json.dumps(sources, indent=2) + "\n")
        if directory.exists():
            directory.rmdir()
        ready.replace(directory)
        shutil.rmtree(work)
    except OSError as error:
        raise InputError(f"{error.filename or directory}: {error.strerror}") from None


def _one(remote: Remote, url: str, sha256: str | None, work: Path, ready: Path) -> dict[str, str]:
    """Where it came from, and what it is."""
    file = work / remote.file_name
    if not file.is_file():
        expected = Expected(sha256=sha256, size=remote.size, largest=remote.largest, archive=remote.unpack)
        with _shown(file.name) as progress:
            fetch(url, file, expected, progress=progress)
    found = sha256_of(file)
    if sha256 and found != sha256.lower():
        file.unlink()
        raise FetchFailed(f"{file}: an earlier call has fetched another file, with the SHA-256 {found}; it was removed")
    if not sha256:
        print(f"{file.name}: SHA-256 {found}; the same file again: --sha256 {found}", file=sys.stderr, flush=True)
    source = {"file": remote.file_name, "url": without_secrets(url), "sha256": found}
    if not remote.unpack:
        ready.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, ready / file.name)
        return source
    try:
        _unpack(remote, file, ready)
    except UnsafeArchive:
        file.unlink()  # it is of no use; the next call fetches it anew
        raise
    return source


def _unpack(remote: Remote, file: Path, ready: Path) -> None:
    print(f"unpacking {file.name}", file=sys.stderr, flush=True)
    unpack(file, ready, only=remote.only)
    for name in remote.nested:
        for inner in sorted(ready.rglob(name)):
            unpack(inner, inner.parent)
            inner.unlink()


@contextmanager
def _shown(name: str) -> Generator[Progress]:
    """On a terminal one line that changes, otherwise a line now and then."""
    live = sys.stderr.isatty()
    shown = -1.0
    pause = 0.2 if live else 10.0

    def show(done: int, total: int | None) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - shown < pause and done != total:
            return
        shown = now
        share = f"{100 * done / total:3.0f}% of {total / 1e6:,.1f} MB" if total else f"{done / 1e6:,.1f} MB"
        start, end = ("\r", "") if live else ("", "\n")
        print(f"{start}fetching {name}: {share}", end=end, file=unfiltered(sys.stderr), flush=True)

    try:
        yield show
    finally:
        if live and shown >= 0:
            print(file=sys.stderr)
