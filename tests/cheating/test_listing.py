from __future__ import annotations

from pathlib import Path

from tests.cheating.listing import BENCHMARKS, listing


def test_the_docs_list_every_cheat() -> None:
    page = Path(__file__).parents[2] / "docs" / "custody.md"
    assert listing() in page.read_text(), "make the table anew: python -m tests.cheating"


def test_there_are_enough_of_them_and_each_is_there_once() -> None:
    named = [(benchmark, cheat.who, cheat.tries) for benchmark, cheats in BENCHMARKS.items() for cheat in cheats]
    assert len(named) >= 50
    assert len(set(named)) == len(named)
