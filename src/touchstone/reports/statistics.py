"""The statistics of paired comparisons, small and pure: numbers in, numbers out.

    exact        McNemar's test and Holm's correction
    intervals    the interval of a difference between two shares of the same tasks
    resampling   paired bootstrap, by task or by cluster, and the sign-flip test
    repeats      pass@k and pass^k
    power        how many tasks show a difference of a given size

Nothing here needs NumPy or SciPy; SciPy and statsmodels are what the tests hold these functions against.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import accumulate, compress, product
from math import ceil, comb, exp, fsum, lgamma, log, sqrt
from random import Random
from typing import NamedTuple

# McNemar's test in integers, so that no p-value is rounded before its end, and Holm's correction.


class McNemar(NamedTuple):
    p: float
    """Two-sided and exact: never rejects too often."""
    mid_p: float
    """Counts what was observed half. Rejects about as often as it says, where the exact test is cautious."""


def mcnemar(one: int, other: int) -> McNemar:
    """Of the tasks on which two runs differ, `one` speak for the first and `other` for the second.

    Without a difference between the runs each such task is the toss of a coin.
    """
    tosses, fewer = one + other, min(one, other)
    term, below = 1, 0  # of a row of Pascal's triangle
    for position in range(fewer):
        below += term
        term = term * (tosses - position) // (position + 1)
    everything = 1 << tosses
    return McNemar(min(1.0, 2 * (below + term) / everything), min(1.0, (2 * below + term) / everything))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values: those at or below 5% are significant with at most 5% risk of any error among them.

    S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979).
    """
    adjusted = [1.0] * len(p_values)
    largest = 0.0
    for rank, position in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[position]))
        adjusted[position] = largest
    return adjusted


# The interval of a difference between two shares that were measured on the same tasks.
#
# Tango's score interval holds its 95% well for few tasks and few differing ones, stays within -1 and 1, and says something
# where no task differs (the simple interval would have no width). It is one of the three that Fagerland, Lydersen and Laake
# recommend (Statistics in Medicine 33, 2014); T. Tango, Statistics in Medicine 17 (1998).


Z = 1.959963984540054
"""97.5% of a normal distribution lies below."""
_STEPS = 50


def tango(gained: int, lost: int, n: int) -> tuple[float, float]:
    """For (gained - lost) / n. Without tasks it says nothing: -1 to 1."""
    if n == 0:
        return -1.0, 1.0
    estimate = (gained - lost) / n
    low = _edge(lambda difference: _score(gained, lost, n, difference) > Z, -1.0, estimate)
    high = _edge(lambda difference: _score(gained, lost, n, difference) < -Z, 1.0, estimate)
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


# How many tasks show a difference of a given size, and the smallest difference that so many tasks show.
#
# Two-sided at 5%, with a power of 80%. For shares: the usual formula for McNemar's test (R. J. Connor, Biometrics 43, 1987),
# from the share of tasks on which the runs differ, whichever way, and 1 / difference more, which the exact test's caution
# costs. For means: from the standard deviation of the differences.


_POWER = 0.8416212335729143
"""80% of a normal distribution lies below."""
_BISECTIONS = 60


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
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (low, middle) if needed_for_shares(middle, discordance) <= n else (middle, high)
    return high


def needed_for_mean(difference: float, deviation: float) -> int:
    return ceil(((Z + _POWER) * deviation / difference) ** 2)


def smallest_for_mean(n: int, deviation: float) -> float:
    return (Z + _POWER) * deviation / sqrt(n)


# Several attempts at one task, taken k at a time: unbiased estimates from n attempts of which some passed.
#
# pass@k: M. Chen et al., Evaluating large language models trained on code, arXiv 2107.03374 (2021).
# pass^k: S. Yao et al., tau-bench, arXiv 2406.12045 (2024).


def pass_at(k: int, attempts: int, passed: int) -> float:
    """The chance that at least one of k attempts passes."""
    return 1 - comb(attempts - passed, k) / comb(attempts, k)


def pass_hat(k: int, attempts: int, passed: int) -> float:
    """The chance that all of k attempts pass."""
    return comb(passed, k) / comb(attempts, k)


# What a mean difference is worth, from the differences themselves and no assumption on their distribution.
#
# Both functions look only at differences that are not 0, which are few when two runs agree on most tasks: how many of n draws
# hit them is one draw from a binomial distribution, and the rest adds nothing. Of a value that is there a thousand times only
# the number of its draws matters, which is one draw again. The same seed gives the same result everywhere.


_ZEROS_AND_ONES = bytes.maketrans(b"01", b"\x00\x01")
_MANY = 1000
"""Of equal values, on average."""


def bootstrap(
    differences: Sequence[float],
    clusters: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
    resamples: int = 10_000,
) -> tuple[float, float]:
    """The percentile interval of the mean, at 95%. With `clusters`, one for each difference, whole clusters are drawn."""
    random = Random(seed)
    if clusters is None or len(set(clusters)) == len(clusters):
        means = sorted(_means(differences, random, resamples))
    else:
        means = sorted(_cluster_means(differences, clusters, random, resamples))
    return _quantile(means, 0.025), _quantile(means, 0.975)


def sign_flips(differences: Sequence[float], *, seed: int = 0, resamples: int = 10_000) -> float:
    """The two-sided p-value of the mean against 0, when each difference could as well have been the other way round.

    All ways of flipping are tried if they are at most `resamples`; else as many random ones, and the observed one counts too.
    For differences of 1 and -1 this is McNemar's exact test.
    """
    values = [value for value in differences if value]
    total = fsum(values)
    enough = abs(total) * (1 - 1e-12) - 1e-12
    if 2 ** len(values) <= resamples:
        sums = [fsum(signed) for signed in product(*((value, -value) for value in values))]
        return sum(abs(each) >= enough for each in sums) / len(sums)
    hits = sum(abs(2 * part - total) >= enough for part in _part_sums(values, Random(seed), resamples))
    return (hits + 1) / (resamples + 1)


def _means(differences: Sequence[float], random: Random, resamples: int) -> Iterator[float]:
    n = len(differences)
    values = [value for value in differences if value]
    hits = random.choices(range(n + 1), cum_weights=_binomial(n, len(values) / n), k=resamples)
    if len(values) >= _MANY * len(counts := Counter(values)) > 0:
        yield from (total / n for total in _drawn_sums(counts, hits, random))
        return
    for hit in hits:
        yield sum(random.choices(values, k=hit)) / n if hit else 0.0


def _drawn_sums(counts: Counter[float], draws: list[int], random: Random) -> list[float]:
    """Of so many draws each. What all have in common is split between one value and the others by its number of draws, and
    what some have more, which is little, is drawn one by one."""
    sums = [0.0] * len(draws)
    while counts:
        shared, everything = min(draws), list(counts.elements())
        value, count = counts.popitem()
        chances = _binomial(shared, count / len(everything))
        taken = random.choices(range(shared + 1), cum_weights=chances, k=len(draws))
        for position, (drawn, of_this) in enumerate(zip(draws, taken, strict=True)):
            sums[position] += of_this * value + sum(random.choices(everything, k=drawn - shared))
        draws = [shared - of_this for of_this in taken]
    return sums


def _cluster_means(
    differences: Sequence[float], clusters: Sequence[Hashable], random: Random, resamples: int
) -> Iterator[float]:
    members: defaultdict[Hashable, list[float]] = defaultdict(list)
    for cluster, difference in zip(clusters, differences, strict=True):
        members[cluster].append(difference)
    totals = [(fsum(each), len(each)) for each in members.values()]
    for _ in range(resamples):
        drawn = random.choices(totals, k=len(totals))
        yield sum([total for total, _ in drawn]) / sum([size for _, size in drawn])


def _part_sums(values: Sequence[float], random: Random, resamples: int) -> Iterator[float]:
    """Of random halves: the sum with flipped signs is twice that minus the total."""
    n = len(values)
    if n >= _MANY * len(counts := Counter(values)):
        for _ in range(resamples):
            yield sum([value * random.getrandbits(count).bit_count() for value, count in counts.items()])
        return
    for _ in range(resamples):
        yield sum(compress(values, f"{random.getrandbits(n):0{n}b}".encode().translate(_ZEROS_AND_ONES)))


def _binomial(n: int, p: float) -> list[float]:
    """The cumulative distribution of hits in n draws."""
    if p <= 0 or p >= 1:
        return [float(p <= 0)] * n + [1.0]
    row = lgamma(n + 1)
    return list(
        accumulate(exp(row - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log(1 - p)) for k in range(n + 1))
    )


def _quantile(ordered: Sequence[float], share: float) -> float:
    position = share * (len(ordered) - 1)
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])


__all__ = [
    "bootstrap",
    "holm",
    "mcnemar",
    "needed_for_mean",
    "needed_for_shares",
    "pass_at",
    "pass_hat",
    "sign_flips",
    "smallest_for_mean",
    "smallest_for_shares",
    "tango",
]
