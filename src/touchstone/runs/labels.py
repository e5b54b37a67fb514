"""Tags and a note that a reader gives to a run: `labels.json` in its directory, beside what the run itself wrote.

They are about a run and no part of it: no seal covers them, a run that is going can have them, and a resume keeps them.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from ..addresses import address_of
from ..errors import InputError, os_errors_as
from ..files import replace_file
from ..foreign import Unreadable, read_json, whole
from .records import read_config

FILE = "labels.json"
LONGEST_TAG = 60
LONGEST_NOTE = 10_000


class Labels(Struct, frozen=True):
    tags: list[str] = []
    """In the order in which they were given, each once."""
    note: str = ""


def read_labels(run: Path) -> Labels:
    """Those of a run directory; none where there is no such file. Raises InputError if it cannot be read."""
    file = run / FILE
    try:
        return read_json(file.read_bytes(), Labels)
    except FileNotFoundError:
        return Labels()
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from None
    except Unreadable as error:
        raise InputError(f'{file}: expected {{"tags": ["…"], "note": "…"}}: {error}') from None


def label_run(run: Path, add: Sequence[str] = (), remove: Sequence[str] = (), note: str | None = None) -> Labels:
    """Changes the labels of a run and gives them back. An empty note takes the note away.

    Raises InputError, and changes nothing, if this is no run directory, a tag is not one word, or a tag to remove is not there.
    """
    if address := address_of(run):
        raise InputError(f"{address}: only a run directory on this machine can be tagged; copies of it include the labels")
    read_config(run)
    for tag in add:
        _check(tag)
    if note is not None and len(note) > LONGEST_NOTE:
        raise InputError(f"--note: {len(note):,} characters, at most {LONGEST_NOTE:,} are allowed")
    with _alone(run):
        before = read_labels(run)
        if missing := [tag for tag in remove if tag not in before.tags]:
            raise InputError(f"--remove {missing[0]}: the run has no such tag ({_listed(before.tags)})")
        tags = [tag for tag in dict.fromkeys([*before.tags, *add]) if tag not in remove]
        after = Labels(tags, before.note if note is None else whole(note).strip())
        if after != before:
            with os_errors_as(InputError, f"{run / FILE}: cannot be written"):
                replace_file(run / FILE, msgspec.json.format(msgspec.json.encode(after), indent=2) + b"\n")
    return after


def _check(tag: str) -> None:
    if not tag or len(tag) > LONGEST_TAG or not tag.isprintable() or any(char.isspace() or char == "," for char in tag):
        raise InputError(f"{tag!r}: expected one word without spaces or commas, at most {LONGEST_TAG} characters")


def _listed(tags: Sequence[str]) -> str:
    return f"it has {', '.join(tags)}" if tags else "it has none"


@contextmanager
def _alone(run: Path) -> Generator[None]:
    """One writer at a time, where the system has locks: two people who tag the same run both keep their tags."""
    handle = None
    with suppress(OSError, ImportError):
        import fcntl

        handle = os.open(run, os.O_RDONLY | os.O_CLOEXEC)
        fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)
