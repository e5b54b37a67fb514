"""`touchstone data`: where benchmark data comes from, how to get it, and whether it is complete."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from cyclopts import App, Parameter

from ..addresses import without_secrets
from ..benchmarks.data_check import Found
from ..datasets.archive import UnsafeArchive, unpack
from ..datasets.catalogue import Dataset, Remote, catalogue, dataset, find_file
from ..datasets.download import ExpectedFile, FetchFailed, Progress, fetch
from ..datasets.download import sha256 as sha256_of
from ..errors import InputError
from ..plugins import benchmark_type
from ..terminal import unfiltered

app = App(name="data", help="Where benchmark data comes from, how to get it, and whether it is complete.")


@app.command(name="list")
def list_(name: str | None = None) -> int:
    """List the datasets, or show one in detail.

    Parameters
    ----------
    name
        The dataset to describe.
    """
    if name is not None:
        print("\n".join(_described(name, dataset(name))))
        return 0
    width = max(map(len, catalogue()))
    for each, entry in catalogue().items():
        how = "by hand" if not entry.files else "fetched, a part by hand" if entry.by_hand else "fetched"
        print(f"{each:<{width}}  {entry.tasks:>5} tasks  {entry.licence:<12}  {how:<23}  {entry.title}")
    return 0


@app.command
def get(
    name: str,
    *,
    to: Annotated[Path | None, Parameter(name=["--to", "-o"])] = None,
    url: str | None = None,
    sha256: str | None = None,
    unpinned: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Download, unpack and verify a dataset; an interrupted download continues.

    Parameters
    ----------
    name
        The dataset; see list.
    to
        The target folder; data/<name> by default. It must not exist yet.
    url
        A mirror to fetch from instead, for a dataset that is one file.
    sha256
        The checksum that the file must have; by default the catalogue's, if it has one.
    unpinned
        Accept today's version, where the address always has the newest one. Its SHA-256 is printed and saved.
    """
    wanted = dataset(name)
    directory = to or Path("data", name)
    if not wanted.files:
        if url or sha256:
            raise InputError(f"{name} is not a single file that can be fetched: see 'touchstone data list {name}'")
        print(f"{name} cannot be fetched by a program:\n" + "\n".join(_by_hand(wanted, directory)))
        return 1
    fetch_all(wanted, directory, url=url, sha256=sha256, unpinned=unpinned)
    print(f"{name} is in {directory}")
    if wanted.by_hand:
        print("What remains to be done by hand:\n" + "\n".join(_by_hand(wanted, directory)))
    return _verified(wanted, directory)


@app.command
def verify(name: str, directory: Path | None = None, *, deep: Annotated[bool, Parameter(negative="")] = False) -> int:
    """Check a dataset with the loaders that runs use: tasks, databases, gold, texts.

    Parameters
    ----------
    name
        The dataset; see list.
    directory
        Where it is; data/<name> by default.
    deep
        Let SQLite check every page of every database too.
    """
    return _verified(dataset(name), directory or Path("data", name), deep=deep)


def _verified(wanted: Dataset, directory: Path, *, deep: bool = False) -> int:
    report = check(wanted, directory, deep=deep)
    for line in report.lines:
        print(line)
    if report.use and not report.wrong:
        print(f"Play it with: {report.use}")
    return 1 if report.wrong else 0


def _described(name: str, dataset: Dataset) -> list[str]:
    databases = f", {dataset.databases} databases" if dataset.databases else ""
    lines = [
        f"{name}: {dataset.title}",
        f"  {dataset.tasks:,} tasks{databases}",
        f"  home      {dataset.home}",
        *([f"  edition   {dataset.edition}"] if dataset.edition else []),
        f"  licence   {dataset.licence}",
        f"  size      {dataset.size}",
    ]
    for remote in dataset.files:
        lines += [f"  address   {remote.url}", f"  SHA-256   {remote.sha256 or 'not recorded'}"]
    lines += [f"  tested    {each.name}, SHA-256 {each.sha256}" for each in dataset.tested]
    if dataset.by_hand:
        lines += ["  by hand:", *(f"  {line}" for line in _by_hand(dataset, Path("data", name)))]
    return lines


def _by_hand(dataset: Dataset, directory: Path) -> list[str]:
    return [f"  {number}. {step.replace('{directory}', str(directory))}" for number, step in enumerate(dataset.by_hand, 1)]


# Fetching a whole dataset: everything is made ready beside its place, and gets its name only when it is complete.


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
        raise InputError(f"{directory}: it exists already; verify it, or choose another folder with --to")
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
        expected = ExpectedFile(sha256=sha256, size=remote.size, largest=remote.largest, archive=remote.unpack)
        print(f"connecting to {urlsplit(url).hostname} for {file.name}", file=sys.stderr, flush=True)
        with _shown(file.name) as progress:
            fetch(url, file, expected, progress=progress)
    digest = sha256_of(file)
    if sha256 and digest != sha256.lower():
        file.unlink()
        raise FetchFailed(f"{file}: an earlier call has fetched another file, with the SHA-256 {digest}; it was removed")
    if not sha256:
        print(f"{file.name}: SHA-256 {digest}; the same file again: --sha256 {digest}", file=sys.stderr, flush=True)
    source = {"file": remote.file_name, "url": without_secrets(url), "sha256": digest}
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


# Is a dataset complete? The files are read with the loaders that runs use; what they say is put in a few lines.


def check(wanted: Dataset, directory: Path, *, deep: bool = False) -> Found:
    """Raises InputError if there is nothing to check, or a file cannot be read at all."""
    if not directory.is_dir():
        raise InputError(f"{directory}: there is no such directory")
    file = find_file(directory, wanted.task_file)
    if file is None:
        raise InputError(f"{directory}: there is no {wanted.task_file} in it")
    report = Found()
    for tested in wanted.tested:
        same = sha256_of(file) == tested.sha256
        report.ok(f"{file.name}: as tested") if same else report.note(f"{file.name}: not the version that was tested with")
    if not wanted.tested:
        report.note("no checksums are recorded for this dataset; only its structure is checked")
    if looks := getattr(benchmark_type(wanted.layout), "check_data", None):
        looks(wanted, file, report, deep)
    else:
        report.note(f"the benchmark '{wanted.layout}' has no check of its data")
    return report
