"""The folder `evaluation_examples` as published, and the paths in task files that point into it."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from ...failures import InputError

NAME = "evaluation_examples"


class Dataset:
    """Task files name host files as `evaluation_examples/…`; nothing outside that folder is ever opened for them."""

    def __init__(self, directory: Path) -> None:
        inner = directory / NAME
        self.root = inner if inner.is_dir() else directory
        if not self.root.is_dir():
            raise InputError(f"{directory}: no such directory; expected the published {NAME}")

    def resolve(self, published: str) -> Path:
        """The file of a published path. It need not exist."""
        parts = PurePosixPath(published).parts
        path = self.root.joinpath(*(parts[1:] if parts[:1] == (NAME,) else parts))
        if not path.resolve().is_relative_to(self.root.resolve()):
            raise InputError(f"{published}: this path leads out of the dataset {self.root}")
        return path
