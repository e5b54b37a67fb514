"""R-VES: the steps of its reward, the filter, and the case on which the original fails."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.verdicts.metrics import r_ves


@pytest.mark.parametrize(
    ("tau", "score"),
    [
        (100.0, 111.80339887),
        (2.0, 111.80339887),
        (1.999, 100.0),
        (1.0, 100.0),
        (0.999, 86.60254038),
        (0.5, 86.60254038),
        (0.499, 70.71067812),
        (0.25, 70.71067812),
        (0.249, 50.0),
        (0.0, 50.0),
    ],
)
def test_steps(tau: float, score: float) -> None:
    assert r_ves([tau * 0.9999999, tau * 1.0000001] if tau in (100.0, 1.999, 0.999, 0.499, 0.249) else [tau]) == pytest.approx(
        score
    )


@pytest.mark.parametrize("ratio", [1.0, 0.1, 1 / 3])
def test_equal_ratios_count_as_that_ratio(ratio: float) -> None:
    assert r_ves([ratio] * 100) == r_ves([ratio]) > 0


def test_outliers_are_dropped() -> None:
    ratios = [1.01, 0.99] * 50
    assert r_ves([*ratios, 500.0]) == r_ves([*ratios, 1.0]) == 100.0


def test_a_ratio_on_the_edge_of_the_band_is_dropped() -> None:
    # Nine at 0 and one at 10: mean 1, deviation 3, so the 10 lies exactly on the edge. With it the mean would be 1.
    assert r_ves([0.0] * 9 + [10.0]) == 50.0


def test_a_wrong_query_scores_nothing() -> None:
    assert r_ves([]) == 0.0


@pytest.mark.parametrize("ratio", [float("nan"), float("inf"), -1.0])
def test_impossible_ratios_are_refused(ratio: float) -> None:
    with pytest.raises(ValueError, match="time ratio"):
        r_ves([1.0, ratio])


@given(st.lists(st.floats(0, 1e6), min_size=1))
def test_any_measurement_gets_one_of_the_scores(ratios: list[float]) -> None:
    assert round(r_ves(ratios), 2) in (111.8, 100.0, 86.6, 70.71, 50.0)


@given(st.lists(st.floats(0.001, 1000), min_size=1), st.randoms())
def test_the_order_of_measurements_does_not_matter(ratios: list[float], random: Random) -> None:
    shuffled = list(ratios)
    random.shuffle(shuffled)
    assert r_ves(shuffled) == r_ves(ratios)
