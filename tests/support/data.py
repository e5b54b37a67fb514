"""The shared benchmark data: below TOUCHSTONE_DATA, by default beside the repository. Tests skip where it is absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_DEFAULT = Path(__file__).parents[2].parent / "shared" / "data"


def shared_data(part: str) -> Path:
    """One folder of the shared data, or a skip that says what is missing."""
    root = Path(os.environ.get("TOUCHSTONE_DATA") or _DEFAULT)
    if not (root / part).is_dir():
        pytest.skip(f"the shared data '{part}' is not here; set TOUCHSTONE_DATA to the directory that holds it")
    return root / part
