"""Runs compared task by task.

    load(path) -> RunData                       the records of a run, without their transcripts
    compare(runs, …) -> Comparison              all pairs of runs, as values that can be encoded as JSON
    as_text(comparison) -> str                  the same for a terminal

`reading` loads, `identity` says what cannot be compared, `pairing` finds the partners, `measuring` does the sums with the
pure functions of `touchstone.reports.statistics`, `compared` puts it together, `text` shows it.
"""

from .compare import compare
from .results import Comparison, Difference, Flip, Group, LeftOut, Measure, PassK, Power, RunPair, RunSummary, Side
from .runs import Incomparable, RunData, RunEntry, load
from .text import as_text

__all__ = [
    "Comparison",
    "Difference",
    "Flip",
    "Group",
    "Incomparable",
    "LeftOut",
    "Measure",
    "PassK",
    "Power",
    "RunData",
    "RunEntry",
    "RunPair",
    "RunSummary",
    "Side",
    "as_text",
    "compare",
    "load",
]
