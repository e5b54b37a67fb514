"""The cheating agents as a table of the docs."""

from __future__ import annotations

from collections.abc import Iterable

from tests.cheating import test_bird_cheats, test_desktop_cheats, test_interact_cheats, test_spider2_cheats
from tests.cheating.cheat import Cheat

BENCHMARKS: dict[str, Iterable[Cheat[object]]] = {
    "bird": test_bird_cheats.CHEATS,  # pyright: ignore[reportAssignmentType] - each plays in an arena of its own
    "spider2": test_spider2_cheats.CHEATS,  # pyright: ignore[reportAssignmentType]
    "interact": test_interact_cheats.CHEATS,  # pyright: ignore[reportAssignmentType]
    "desktop": test_desktop_cheats.CHEATS,  # pyright: ignore[reportAssignmentType]
}


def listing() -> str:
    rows = [
        f"| {benchmark} | {cheat.who} {cheat.tries} | {cheat.ends.value} |"
        for benchmark, cheats in BENCHMARKS.items()
        for cheat in cheats
    ]
    return "\n".join(["| benchmark | who tries what | ends as |", "| --- | --- | --- |", *rows])
