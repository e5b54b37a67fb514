"""What a mean difference is worth, from the differences themselves and no assumption on their distribution.

Both functions look only at differences that are not 0, which are few when two runs agree on most tasks: how many of n draws hit
them is one draw from a binomial distribution, and the rest adds nothing. The same seed gives the same result everywhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from itertools import accumulate, compress, product
from math import exp, fsum, lgamma, log
from random import Random

_ZEROS_AND_ONES = bytes.maketrans(b"01", b"\x00\x01")


def bootstrap(
    differences: Sequence[float],
    clusters: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
    resamples: int = 10_000,
    confidence: float = 0.95,
) -> tuple[float, float]:
    """The percentile interval of the mean. With `clusters`, one for each difference, whole clusters are drawn."""
    random = Random(seed)
    if clusters is None or len(set(clusters)) == len(clusters):
        means = sorted(_means(differences, random, resamples))
    else:
        means = sorted(_cluster_means(differences, clusters, random, resamples))
    tail = (1 - confidence) / 2
    return _quantile(means, tail), _quantile(means, 1 - tail)


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
    for hit in random.choices(range(n + 1), cum_weights=_binomial(n, len(values) / n), k=resamples):
        yield sum(random.choices(values, k=hit)) / n if hit else 0.0


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
