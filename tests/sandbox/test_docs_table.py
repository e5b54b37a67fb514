"""The table in the docs has the levels and the groups of attempts that there are."""

from __future__ import annotations

import re
from pathlib import Path

from . import probes
from .surroundings import surroundings
from .test_probes import OPEN

PAGE = Path(__file__).parent.parent.parent / "docs" / "sandbox.md"


def test_the_table_is_of_these_levels_and_groups() -> None:
    text = PAGE.read_text().partition("<!-- made by tools/make_sandbox_table.py -->")[2].partition("<!-- end -->")[0]
    head, _, *rows = text.strip().splitlines()
    assert [cell.strip() for cell in head.strip("|").split("|")] == ["attempts", *OPEN]
    with surroundings() as facts:
        names = [name for name, _ in probes.attempts(facts)]
    shown = dict(re.findall(r"^\| ([^(|]+) \((\d+)\)", "\n".join(rows), re.MULTILINE))
    assert list(shown) == list(dict.fromkeys(name.partition(":")[0] for name in names))
    for group, count in shown.items():
        assert 0 < int(count) <= sum(name.startswith(f"{group}:") for name in names)
