"""The statistics of comparisons, held against SciPy, statsmodels, published tables and exact enumeration."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from math import comb, sqrt
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from touchstone.reports.statistics import (
    bootstrap,
    holm,
    mcnemar,
    needed_for_mean,
    needed_for_shares,
    pass_at,
    pass_hat,
    sign_flips,
    smallest_for_mean,
    smallest_for_shares,
    tango,
)

stats = pytest.importorskip("scipy.stats")
optimize = pytest.importorskip("scipy.optimize")
numpy = pytest.importorskip("numpy")

Counts = st.integers(0, 300)


@given(Counts, Counts)
def test_mcnemar_is_the_exact_binomial_test(one: int, other: int) -> None:
    expected = stats.binomtest(one, one + other, 0.5).pvalue if one + other else 1.0
    assert mcnemar(one, other).p == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("one", "other"), [(0, 1), (1, 7), (5, 29), (40, 40), (3, 250)])
def test_mcnemar_is_that_of_statsmodels(one: int, other: int) -> None:
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    expected = tables.mcnemar([[10, one], [other, 20]], exact=True).pvalue
    assert mcnemar(one, other).p == pytest.approx(expected, rel=1e-9)


@given(Counts, Counts)
def test_mid_p_counts_the_observed_half(one: int, other: int) -> None:
    tosses, fewer = one + other, min(one, other)
    expected = 2 * (stats.binom.cdf(fewer, tosses, 0.5) - stats.binom.pmf(fewer, tosses, 0.5) / 2)
    assert mcnemar(one, other).mid_p == pytest.approx(min(1.0, expected), rel=1e-9)


def test_mcnemar_of_thousands_neither_overflows_nor_vanishes() -> None:
    assert mcnemar(4000, 4200).p == pytest.approx(stats.binomtest(4000, 8200).pvalue, rel=1e-9)


@pytest.fixture(scope="module")
def multitest() -> Any:
    return pytest.importorskip("statsmodels.stats.multitest")


@settings(max_examples=20)  # it collects garbage at every call
@given(p_values=st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_is_that_of_statsmodels(multitest: Any, p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(list(multitest.multipletests(p_values, method="holm")[1]))


def test_tango_gives_the_published_interval() -> None:
    """Fagerland, Lydersen and Laake (2014), airway hyper-responsiveness: 1, 1, 7, 12."""
    low, high = tango(1, 7, 21)
    assert (round(low, 3), round(high, 3)) == (-0.517, -0.026)


def numeric_score(gained: int, lost: int, n: int, difference: float) -> float:
    """Tango's statistic without its closed form: the likeliest share by numeric search."""

    def unlikely(share_lost: float) -> float:
        gain = share_lost + difference
        rest = 1 - gain - share_lost
        parts = ((gained, gain), (lost, share_lost), (n - gained - lost, rest))
        return -sum(count * numpy.log(max(share, 1e-300)) for count, share in parts if count)

    found = optimize.minimize_scalar(
        unlikely, bounds=(max(0.0, -difference), (1 - difference) / 2), method="bounded", options={"xatol": 1e-12}
    )
    return (gained - lost - n * difference) / sqrt(n * (2 * found.x + difference * (1 - difference)))


@pytest.mark.parametrize(("gained", "lost", "n"), [(1, 7, 21), (29, 5, 170), (2, 2, 30), (15, 1, 40)])
def test_tango_has_its_edges_where_the_score_is_1_96(gained: int, lost: int, n: int) -> None:
    low, high = tango(gained, lost, n)
    assert numeric_score(gained, lost, n, low) == pytest.approx(1.96, abs=1e-3)
    assert numeric_score(gained, lost, n, high) == pytest.approx(-1.96, abs=1e-3)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 200))
def test_tango_holds_the_estimate_and_turns_with_the_sides(gained: int, lost: int, agreeing: int) -> None:
    n = gained + lost + agreeing
    low, high = tango(gained, lost, n)
    assert -1 <= low <= high <= 1
    assert not n or low <= (gained - lost) / n <= high
    assert tango(lost, gained, n) == pytest.approx((-high, -low), abs=1e-9)


@cache
def interval_of(gained: int, lost: int, n: int) -> tuple[float, float]:
    return tango(gained, lost, n)


def coverage(n: int, gain: float, loss: float) -> float:
    """How often the interval holds the truth: the exact sum over everything that can happen."""
    total = 0.0
    for gained in range(n + 1):
        for lost in range(n + 1 - gained):
            low, high = interval_of(gained, lost, n)
            if low <= gain - loss <= high:
                ways = comb(n, gained) * comb(n - gained, lost)
                total += ways * gain**gained * loss**lost * (1 - gain - loss) ** (n - gained - lost)
    return total


@pytest.mark.parametrize(("gain", "loss"), [(0.05, 0.05), (0.2, 0.1), (0.3, 0.05), (0.02, 0.1), (0.25, 0.25)])
def test_tango_covers_what_it_promises(gain: float, loss: float) -> None:
    assert 0.94 <= coverage(40, gain, loss) <= 0.985


def some_scores(n: int, agreeing: float, seed: int) -> list[float]:
    random = Random(seed)
    return [0.0 if random.random() < agreeing else random.uniform(-0.6, 1.0) for _ in range(n)]


@pytest.mark.parametrize("agreeing", [0.0, 0.7])
def test_the_bootstrap_is_that_of_scipy(agreeing: float) -> None:
    data = some_scores(150, agreeing, 1)
    expected = stats.bootstrap((data,), numpy.mean, n_resamples=9999, method="percentile", rng=2).confidence_interval
    assert bootstrap(data, seed=3) == pytest.approx((expected.low, expected.high), abs=0.05 * (expected.high - expected.low))


@pytest.mark.parametrize(
    "counts", [{1.0: 3000, -1.0: 2600, 0.0: 9000}, {1.0: 4000, -0.25: 900, 0.5: 300, 0.0: 10}, {-1.0: 5000}]
)
def test_many_equal_differences_are_drawn_by_their_numbers(counts: dict[float, int]) -> None:
    """The same distribution as when each is drawn by itself."""
    values, sizes = list(counts), numpy.array(list(counts.values()))
    n = sizes.sum()
    means = numpy.random.default_rng(1).multinomial(n, sizes / n, size=50_000) @ numpy.array(values) / n
    low, high = numpy.quantile(means, [0.025, 0.975])
    differences = [value for value, size in counts.items() for _ in range(size)]
    assert bootstrap(differences, seed=3) == pytest.approx((low, high), abs=0.03 * (high - low))


@pytest.mark.parametrize(("gained", "lost"), [(3000, 3150), (3000, 3000), (0, 4000)])
def test_signs_of_many_equal_differences_are_flipped_by_their_numbers(gained: int, lost: int) -> None:
    assert sign_flips([1.0] * gained + [-1.0] * lost) == pytest.approx(mcnemar(gained, lost).p, abs=0.015)


def test_the_cluster_bootstrap_is_that_of_scipy() -> None:
    random = Random(5)
    sizes = [random.randint(5, 40) for _ in range(25)]
    clusters = [name for name, size in enumerate(sizes) for _ in range(size)]
    shift = {name: random.gauss(0, 0.3) for name in range(25)}
    data = [shift[name] + random.gauss(0.1, 0.3) for name in clusters]
    totals = [sum(value for value, name in zip(data, clusters, strict=True) if name == each) for each in range(25)]

    def ratio(total: Sequence[float], size: Sequence[int], axis: int = -1) -> object:
        return numpy.sum(total, axis=axis) / numpy.sum(size, axis=axis)

    found = stats.bootstrap((totals, sizes), ratio, paired=True, n_resamples=9999, method="percentile", rng=2)
    expected = found.confidence_interval
    width = expected.high - expected.low
    low, high = bootstrap(data, clusters, seed=3)
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=0.06 * width)
    plain = bootstrap(data, seed=3)
    assert high - low > 1.5 * (plain[1] - plain[0])  # tasks of one database are alike here


def test_the_bootstrap_knows_when_there_is_nothing_to_draw() -> None:
    assert bootstrap([0.0] * 30) == (0.0, 0.0)
    assert bootstrap([0.5] * 30) == pytest.approx((0.5, 0.5))


def test_clusters_of_one_are_no_clusters() -> None:
    data = some_scores(60, 0.3, 2)
    assert bootstrap(data, list(range(60))) == bootstrap(data)


def test_the_same_seed_gives_the_same_interval() -> None:
    data = some_scores(80, 0.5, 4)
    assert bootstrap(data, seed=1) == bootstrap(data, seed=1) != bootstrap(data, seed=2)


@given(st.integers(0, 6), st.integers(0, 7), st.integers(0, 20))
def test_flipping_signs_of_pass_and_fail_is_mcnemar(gained: int, lost: int, ties: int) -> None:
    assert sign_flips([1.0] * gained + [-1.0] * lost + [0.0] * ties) == pytest.approx(mcnemar(gained, lost).p)


@pytest.mark.parametrize(("n", "shift"), [(11, 0.2), (120, 0.03), (120, 0.0)])
def test_sign_flips_are_the_permutation_test_of_scipy(n: int, shift: float) -> None:
    random = Random(n)
    data = numpy.array([random.gauss(shift, 0.3) for _ in range(n)])
    found = stats.permutation_test((data,), numpy.mean, permutation_type="samples", n_resamples=20_000, rng=1, vectorized=True)
    assert sign_flips(list(data), resamples=20_000) == pytest.approx(found.pvalue, abs=0.015)


def test_sign_flips_reject_as_often_as_they_say() -> None:
    random = Random(9)
    rejected = sum(
        sign_flips([random.gauss(0, 1) for _ in range(30)], seed=number, resamples=400) <= 0.05 for number in range(400)
    )
    assert 8 <= rejected <= 34  # 20 expected; four standard deviations either way


@given(st.integers(1, 9), st.data())
def test_pass_at_and_pass_hat_are_what_drawing_k_attempts_gives(attempts: int, data: st.DataObject) -> None:
    passed = data.draw(st.integers(0, attempts))
    k = data.draw(st.integers(1, attempts))
    drawn = list(combinations([True] * passed + [False] * (attempts - passed), k))
    assert pass_at(k, attempts, passed) == pytest.approx(sum(map(any, drawn)) / len(drawn))
    assert pass_hat(k, attempts, passed) == pytest.approx(sum(map(all, drawn)) / len(drawn))


def exact_power(n: int, difference: float, discordance: float) -> float:
    """Of McNemar's exact test at 5%: over the number of differing tasks, and how they fall."""
    share = (discordance + difference) / (2 * discordance)
    power = 0.0
    for differing in range(n + 1):
        weight = stats.binom.pmf(differing, n, discordance)
        if weight > 1e-9:
            rejecting = [gained for gained in range(differing + 1) if mcnemar(gained, differing - gained).p <= 0.05]
            power += weight * stats.binom.pmf(rejecting, differing, share).sum()
    return float(power)


@pytest.mark.parametrize(("difference", "discordance"), [(0.1, 0.2), (0.15, 0.4), (0.1, 0.12)])
def test_so_many_tasks_have_about_the_power_that_is_promised(difference: float, discordance: float) -> None:
    n = needed_for_shares(difference, discordance)
    assert 0.79 <= exact_power(n, difference, discordance) <= 0.85


def test_paired_power_of_means_is_that_of_statsmodels() -> None:
    power = pytest.importorskip("statsmodels.stats.power")
    expected = power.NormalIndPower(ddof=0).solve_power(0.05 / 0.4, alpha=0.05, power=0.8, ratio=0)
    assert needed_for_mean(0.05, 0.4) == pytest.approx(expected, abs=1)


@settings(max_examples=50)
@given(st.integers(30, 5000), st.floats(0.02, 0.9))
def test_the_smallest_difference_is_the_inverse_of_the_tasks_needed(n: int, discordance: float) -> None:
    smallest = smallest_for_shares(n, discordance)
    if smallest is None:
        assert needed_for_shares(discordance, discordance) > n
    else:
        assert needed_for_shares(smallest, discordance) <= n < needed_for_shares(smallest * 0.98, discordance)
    assert needed_for_mean(smallest_for_mean(n, 0.4), 0.4) == pytest.approx(n, abs=1)


def test_nothing_can_be_promised_of_runs_that_never_differ() -> None:
    assert smallest_for_shares(100, 0.0) is None
