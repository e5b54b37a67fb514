"""How many tasks show a difference of a given size, and the smallest difference that so many tasks show.

Two-sided at 5%, with a power of 80%. For shares: the usual formula for McNemar's test (R. J. Connor, Biometrics 43, 1987),
from the share of tasks on which the runs differ, whichever way, and 1 / difference more, which the exact test's caution costs.
For means: from the standard deviation of the differences.
"""

from __future__ import annotations

from math import ceil, sqrt

from .intervals import Z

_POWER = 0.8416212335729143
"""80% of a normal distribution lies below."""
_STEPS = 60


def needed_for_shares(difference: float, discordance: float) -> int:
    """A difference cannot be larger than the discordance; if it is, every differing task is taken to speak for one side."""
    discordance = max(discordance, difference)
    spread = Z * sqrt(discordance) + _POWER * sqrt(discordance - difference**2)
    return ceil((spread / difference) ** 2 + 1 / difference)


def smallest_for_shares(n: int, discordance: float) -> float | None:
    """None if even a difference in which every differing task speaks for one side would not be seen."""
    if discordance <= 0 or needed_for_shares(discordance, discordance) > n:
        return None
    low, high = 0.0, discordance
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if needed_for_shares(middle, discordance) <= n else (middle, high)
    return high


def needed_for_mean(difference: float, deviation: float) -> int:
    return ceil(((Z + _POWER) * deviation / difference) ** 2)


def smallest_for_mean(n: int, deviation: float) -> float:
    return (Z + _POWER) * deviation / sqrt(n)
