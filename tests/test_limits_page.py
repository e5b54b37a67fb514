"""docs/limits.md says what the code does."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from touchstone.budgets import Budgets

ROOT = Path(__file__).parents[1]


def test_the_page_is_current() -> None:
    spec = importlib.util.spec_from_file_location("make_limits_page", ROOT / "tools" / "make_limits_page.py")
    assert spec
    assert spec.loader
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    assert made.page(made.PAGE.read_text()) == made.PAGE.read_text(), "run tools/make_limits_page.py"
    assert made.items().count("- `") == len(Budgets.__struct_fields__)
