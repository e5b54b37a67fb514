"""What `import touchstone` offers, and what it costs."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import touchstone


def test_every_name_can_be_used() -> None:
    for name in touchstone.__all__:
        assert getattr(touchstone, name) is not None


def test_types_are_told_for_exactly_these_names() -> None:
    stub = ast.parse(Path(touchstone.__file__).with_suffix(".pyi").read_text())
    told = {name.asname for node in stub.body if isinstance(node, ast.ImportFrom) for name in node.names}
    told = {name for name in told if name and not name.startswith("_")}
    told |= {
        each.id for node in stub.body if isinstance(node, ast.Assign) for each in node.targets if isinstance(each, ast.Name)
    }
    told |= {node.target.id for node in stub.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)}
    benchmarks = {"bird", "desktop", "interact", "spider2"}
    assert told == {*touchstone.__all__, *benchmarks}
    assert all(getattr(touchstone, name) for name in benchmarks)
    assert set(touchstone.__all__) <= set(dir(touchstone))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'brid'"):
        touchstone.brid  # noqa: B018  # pyright: ignore


def test_importing_brings_in_nothing() -> None:
    code = "import sys; import touchstone; print([name for name in sys.modules if name.startswith(('touchstone.', 'msgspec'))])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"
