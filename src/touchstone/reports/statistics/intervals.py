"""The interval of a difference between two shares that were measured on the same tasks.

Tango's score interval holds its 95% well for few tasks and few differing ones, stays within -1 and 1, and says something where
no task differs (the simple interval would have no width). It is one of the three that Fagerland, Lydersen and Laake recommend
(Statistics in Medicine 33, 2014); T. Tango, Statistics in Medicine 17 (1998).
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

Z = 1.959963984540054
"""97.5% of a normal distribution lies below."""
_STEPS = 50


def tango(gained: int, lost: int, n: int, z: float = Z) -> tuple[float, float]:
    """For (gained - lost) / n. Without tasks it says nothing: -1 to 1."""
    if n == 0:
        return -1.0, 1.0
    estimate = (gained - lost) / n
    low = _edge(lambda difference: _score(gained, lost, n, difference) > z, -1.0, estimate)
    high = _edge(lambda difference: _score(gained, lost, n, difference) < -z, 1.0, estimate)
    return low, high


def _score(gained: int, lost: int, n: int, difference: float) -> float:
    """How many standard errors the observed difference lies above this one, if this one were the truth."""
    b = (2 * n - gained + lost) * difference - gained - lost
    c = -lost * difference * (1 - difference)
    share_lost = (sqrt(max(0.0, b * b - 8 * n * c)) - b) / (4 * n)  # the likeliest, given the difference
    variance = n * (2 * share_lost + difference * (1 - difference))
    above = gained - lost - n * difference
    return above / sqrt(variance) if variance > 1e-12 else 0.0 if abs(above) < 1e-9 else above * 1e9


def _edge(outside: Callable[[float], bool], far: float, near: float) -> float:
    """Between a value that may be outside and one that is inside."""
    if not outside(far):
        return far
    for _ in range(_STEPS):
        middle = (far + near) / 2
        far, near = (middle, near) if outside(middle) else (far, middle)
    return near
