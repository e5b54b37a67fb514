"""Several attempts at one task, taken k at a time: unbiased estimates from n attempts of which some passed.

pass@k: M. Chen et al., Evaluating large language models trained on code, arXiv 2107.03374 (2021).
pass^k: S. Yao et al., tau-bench, arXiv 2406.12045 (2024).
"""

from __future__ import annotations

from math import comb


def pass_at(k: int, attempts: int, passed: int) -> float:
    """The chance that at least one of k attempts passes."""
    return 1 - comb(attempts - passed, k) / comb(attempts, k)


def pass_hat(k: int, attempts: int, passed: int) -> float:
    """The chance that all of k attempts pass."""
    return comb(passed, k) / comb(attempts, k)
