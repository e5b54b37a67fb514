"""`touchstone data`: where benchmark data comes from, how to get it, and whether it is complete."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from ..datasets.catalogue import Dataset, catalogue, dataset
from ..failures import InputError

app = App(name="data", help="Where benchmark data comes from, how to get it, and whether it is complete.")


@app.command(name="list")
def list_(name: str | None = None) -> int:
    """List the datasets, or say all that is known of one.

    Parameters
    ----------
    name
        The dataset to describe.
    """
    if name is not None:
        print("\n".join(_described(name, dataset(name))))
        return 0
    width = max(map(len, catalogue()))
    for each, found in catalogue().items():
        how = "by hand" if not found.files else "fetched, a part by hand" if found.by_hand else "fetched"
        print(f"{each:<{width}}  {found.tasks:>5} tasks  {found.licence:<12}  {how:<23}  {found.title}")
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
    """Fetch a dataset: what was fetched before is continued, archives are unpacked, and the result is verified.

    Parameters
    ----------
    name
        The dataset; see list.
    to
        Where it goes; data/<name> by default. It must not be there yet.
    url
        A mirror to fetch from instead, for a dataset that is one file.
    sha256
        What the fetched file must have; the catalogue's by default, where it has one.
    unpinned
        Take what is there today, where the address always has the newest version. Its SHA-256 is told and kept.
    """
    from .data_getting import fetch_all

    wanted = dataset(name)
    directory = to or Path("data", name)
    if not wanted.files:
        if url or sha256:
            raise InputError(f"{name} is not one file that could be fetched: see 'touchstone data list {name}'")
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
    from .data_checks import check

    found = check(wanted, directory, deep=deep)
    for line in found.lines:
        print(line)
    if found.use and not found.wrong:
        print(f"Play it with: {found.use}")
    return 1 if found.wrong else 0


def _described(name: str, found: Dataset) -> list[str]:
    databases = f", {found.databases} databases" if found.databases else ""
    lines = [
        f"{name}: {found.title}",
        f"  {found.tasks:,} tasks{databases}",
        f"  home      {found.home}",
        *([f"  edition   {found.edition}"] if found.edition else []),
        f"  licence   {found.licence}",
        f"  size      {found.size}",
    ]
    for remote in found.files:
        lines += [f"  address   {remote.url}", f"  SHA-256   {remote.sha256 or 'not recorded'}"]
    lines += [f"  tested    {each.name}, SHA-256 {each.sha256}" for each in found.tested]
    if found.by_hand:
        lines += ["  by hand:", *(f"  {line}" for line in _by_hand(found, Path("data", name)))]
    return lines


def _by_hand(found: Dataset, directory: Path) -> list[str]:
    return [f"  {number}. {step.replace('{directory}', str(directory))}" for number, step in enumerate(found.by_hand, 1)]
