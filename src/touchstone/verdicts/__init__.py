"""Comparing two query results: one small pure module per policy, and the explanation of a difference.

- `ex` and `multiset` say whether a prediction is right, as BIRD and as ro-eval understand it;
- `soft_f1` and `r_ves` grade it, by its cells and by its speed;
- `explain` says in a sentence why two results differ, whichever policy judged them.

Policies reproduce the numbers of the originals, which disagree with each other; name the policy with each score.
All of them take gold first, know nothing of databases, and change nothing.
"""

from .difference import Difference
from .ex import ex
from .explain import explain
from .multiset import multiset
from .r_ves import r_ves
from .shown import plain, plain_row, shown, shown_names, shown_row
from .soft_f1 import soft_f1

__all__ = [
    "Difference",
    "ex",
    "explain",
    "multiset",
    "plain",
    "plain_row",
    "r_ves",
    "shown",
    "shown_names",
    "shown_row",
    "soft_f1",
]
