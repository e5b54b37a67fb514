"""The statistics of paired comparisons, small and pure: numbers in, numbers out.

    exact        McNemar's test and Holm's correction
    intervals    the interval of a difference between two shares of the same tasks
    resampling   paired bootstrap, by task or by cluster, and the sign-flip test
    repeats      pass@k and pass^k
    power        how many tasks show a difference of a given size

Nothing here needs NumPy or SciPy; SciPy and statsmodels are what the tests hold these functions against.
"""

from .exact import holm, mcnemar
from .intervals import tango
from .power import needed_for_mean, needed_for_shares, smallest_for_mean, smallest_for_shares
from .repeats import pass_at, pass_hat
from .resampling import bootstrap, sign_flips

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
