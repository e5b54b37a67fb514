"""One hash of all the code that can change a result: part of every remembered result's key and of every run's identity.

Every file of Touchstone counts, prompts and SQL included, but for the packages that only read finished runs, fetch data or
offer what is here to others. So a package that somebody adds counts until it is said here that it does not.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent
NO_PART_IN_RESULTS = ("datasets", "integrations", "reports", "serving")


def counted_files(package: Path = PACKAGE) -> list[Path]:
    """In a fixed order."""
    folders = [path for path in package.iterdir() if path.is_dir() and path.name not in (*NO_PART_IN_RESULTS, "__pycache__")]
    own = [path for path in package.iterdir() if path.is_file()]
    return sorted([*own, *(file for folder in folders for file in _files(folder))])


def digest_of(package: Path = PACKAGE) -> str:
    return _hash(package, counted_files(package))


@cache
def code_digest() -> str:
    """Of this Touchstone, as it was when this process first asked."""
    return digest_of()


@cache
def code_digest_with(module: str) -> str:
    """Of Touchstone together with a plug-in's code: all of the package that the module is in, or the files beside it."""
    top = module.partition(".")[0]
    if top == PACKAGE.name:
        return code_digest()
    package = sys.modules.get(top) or sys.modules[module]
    folders = [Path(folder) for folder in getattr(package, "__path__", ())]
    parts = [_hash(folder, sorted(_files(folder, ".py"))) for folder in folders]
    if not folders and package.__file__:
        folder = Path(package.__file__).parent
        parts = [_hash(folder, sorted(folder.glob("*.py")))]
    return hashlib.sha256("".join([code_digest(), *parts]).encode()).hexdigest()


def _files(folder: Path, suffix: str = "") -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__" and not name.startswith(".")]
        yield from (Path(parent, name) for name in names if name.endswith(suffix) and not name.startswith("."))


def _hash(folder: Path, files: list[Path]) -> str:
    """Of names and contents, each with its length, so that nothing can move from one to the other."""
    digest, start = hashlib.sha256(), len(str(folder)) + 1
    for file in files:
        for part in (str(file)[start:].encode(), file.read_bytes()):
            digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()
