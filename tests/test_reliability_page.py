"""Every claim on the page about reliability names a test that exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reliability.md"
CLAIMS = re.sub(r"<!-- made by .*?<!-- end -->", "", PAGE.read_text(), flags=re.DOTALL)  # figures are not claims
ROWS = [item for item in re.findall(r"^- (.+?)(?=^- |^$|\Z)", CLAIMS, re.MULTILINE | re.DOTALL) if "`tests/" in item]


def names_in(file: Path) -> set[str]:
    """As pytest names them, classes and functions."""
    found: set[str] = set()
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.ClassDef):
            found |= {
                f"{node.name}::{each.name}" for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
            }
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
    return {name for name in found if name.rpartition("::")[2].startswith("test_")}


def test_the_page_has_claims() -> None:
    assert len(ROWS) > 20


@pytest.mark.parametrize("cell", ROWS)
def test_a_claim_names_a_test_that_exists(cell: str) -> None:
    named = re.findall(r"`(tests/[^`]+)`", cell)
    assert named, f"no test is named: {cell}"
    for each in named:
        path, _, name = each.partition("::")
        file = ROOT / path
        assert file.exists(), each
        assert name in names_in(file) if name else file.is_dir() or names_in(file), each
