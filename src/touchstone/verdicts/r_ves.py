"""R-VES of BIRD: a reward for a right query by how fast it is, from times somebody else has measured.

The ratio of one measurement is gold's time by the prediction's, so more than 1 means faster than gold.
Ratios three or more population standard deviations off their mean are dropped, and the mean of the rest is
looked up in steps. A task scores the square root of its reward times 100: 111.80, 100, 86.60, 70.71 or 50.
BIRD's published formula omits the root, its code has it. A wrong query scores 0.

One thing differs from the original on purpose. When all ratios are equal, nothing is strictly inside a band
of width zero: the original drops every measurement, fails, and rewards 0 for a query as fast as gold. Here
the common ratio counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

STEPS = ((2.0, 1.25), (1.0, 1.0), (0.5, 0.75), (0.25, 0.5), (0.0, 0.25))
"""From which mean ratio on which reward is given."""


def r_ves(ratios: Sequence[float]) -> float:
    """The score of one task. No ratios means that the query was wrong and nothing was timed."""
    if not ratios:
        return 0.0
    if not all(0 <= ratio < float("inf") for ratio in ratios):
        raise ValueError("a time ratio must be finite and not negative")
    from statistics import fmean  # slow to import, and few runs measure efficiency

    tau = fmean(_typical(ratios))
    return 100 * sqrt(next(reward for least, reward in STEPS if tau >= least))


def _typical(ratios: Sequence[float]) -> Sequence[float]:
    from statistics import fmean, pstdev

    mean, band = fmean(ratios), 3 * pstdev(ratios)
    return [ratio for ratio in ratios if mean - band < ratio < mean + band] or ratios
