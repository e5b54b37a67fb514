"""The folder `evaluation_examples` as published, and the paths in task files that point into it."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Literal

import msgspec

from ...failures import InputError

NAME = "evaluation_examples"
Split = Literal["all", "abstract", "verbose", "account", "non_account", "one"]


def demo() -> Path:
    """The directory of the tasks that ship with Touchstone; `tools/make_demo_desktop.py` generates them."""
    return Path(__file__).parent / "demo"


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

    def listed(self, split: Split) -> dict[str, str]:
        """The domain of each id in a published list."""
        path = self.root / f"test_{split}.json"
        try:
            ids = msgspec.json.decode(path.read_bytes(), type=dict[str, list[str]])
        except OSError as error:
            raise InputError(f"{path}: cannot read the split list: {error.strerror}") from None
        except (msgspec.DecodeError, UnicodeError) as error:
            raise InputError(f"{path}: expected an object of domains with lists of ids: {error}") from None
        return {key: domain for domain, keys in ids.items() for key in keys}
