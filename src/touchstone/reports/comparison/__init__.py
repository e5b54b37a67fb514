"""Runs compared task by task.

    load(path) -> RunData                       the records of a run, without their transcripts
    compare(runs, …) -> Comparison              all pairs of runs, as values that can be encoded as JSON
    accuracies(runs) -> [PairAccuracy]          of many runs: how much each pair differs in what it passes
    as_text(comparison) -> str                  the same for a terminal

`runs` loads and says what cannot be compared, `pairs` finds the partners and does the sums with the pure functions of
`touchstone.reports.statistics`, `compare` puts it together, `text` shows it, `results` has the values.
"""

from .compare import accuracies, compare
from .results import Comparison, Measure, PairAccuracy, RunPair
from .runs import Incomparable, RunData, load
from .text import as_text

__all__ = [
    "Comparison",
    "Incomparable",
    "Measure",
    "PairAccuracy",
    "RunData",
    "RunPair",
    "accuracies",
    "as_text",
    "compare",
    "load",
]
