"""What the tests of the simulated user share."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.support.data import shared_data
from touchstone.benchmarks.interact.user.view import Ambiguity, Situation
from touchstone.types import CallPosition

PLACE = CallPosition("signals_1", 0, 3)
GOLD = (
    "WITH scored AS (SELECT s.Station, s.SnrRatio - 0.15 * ABS(s.NoiseFloorDbm) AS quality_index FROM Signals s)\n"
    "SELECT Station, ROUND(AVG(quality_index), 3) AS avg_quality\n"
    "FROM scored\n"
    "WHERE quality_index > 42 AND Station <> 'Observatory North Pole'\n"
    "GROUP BY Station\n"
    "ORDER BY avg_quality DESC\n"
    "LIMIT 7;",
)
QUALITY = Ambiguity(
    "signal quality", "s.SnrRatio - 0.15 * ABS(s.NoiseFloorDbm) AS quality_index", "knowledge_linking_ambiguity"
)
GOOD = Ambiguity("good signals", "quality_index > 42", "semantic_ambiguity")
SHOWN = "Show me the average signal quality of good signals for each station."
FIRST = Situation(SHOWN, "The clear and secret wish.", (QUALITY, GOOD), GOLD, dialect="postgres")
FOLLOW_UP = Situation("And now by month.", "By calendar month.", (), GOLD)
WITHHELD = Situation(SHOWN, SHOWN, (QUALITY, GOOD), ())
NOTHING = Situation(SHOWN, SHOWN)


def mini_interact() -> Iterator[Situation]:
    """The 300 real tasks with their labelled ambiguities; their gold is withheld."""
    with (shared_data("mini-interact") / "mini_interact.jsonl").open() as lines:
        for row in map(json.loads, lines):
            vague = row["user_query_ambiguity"]
            labels = [*vague["critical_ambiguity"], *vague["non_critical_ambiguity"], *row["knowledge_ambiguity"]]
            ambiguities = tuple(Ambiguity(label["term"], label["sql_snippet"], label["type"]) for label in labels)
            yield Situation(row["amb_user_query"], row["amb_user_query"], ambiguities, dialect="sqlite")
