"""Runs compared task by task.

    load(path) -> RunData                       the records of a run, without their transcripts
    compare(runs, …) -> Comparison              all pairs of runs, as values that can be encoded as JSON
    accuracies(runs) -> [PairAccuracy]          of many runs: how much each pair differs in what it passes
    as_text(comparison) -> str                  the same for a terminal

`reading` loads, `identity` says what cannot be compared, `pairing` finds the partners, `measuring` does the sums with the
pure functions of `touchstone.reports.statistics`, `compared` puts it together, `text` shows it.
"""

from .compare import accuracies, compare
from .results import (
    Comparison,
    Flip,
    Group,
    LeftOut,
    Measure,
    PairAccuracy,
    PassK,
    Power,
    RunDifference,
    RunPair,
    RunSummary,
    Side,
)
from .runs import Incomparable, RunData, RunEntry, load
from .text import as_text

__all__ = [
    "Comparison",
    "Flip",
    "Group",
    "Incomparable",
    "LeftOut",
    "Measure",
    "PairAccuracy",
    "PassK",
    "Power",
    "RunData",
    "RunDifference",
    "RunEntry",
    "RunPair",
    "RunSummary",
    "Side",
    "accuracies",
    "as_text",
    "compare",
    "load",
]
