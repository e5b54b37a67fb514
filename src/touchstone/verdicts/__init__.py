"""Comparing two query results: pure functions, and the explanation of a difference.

- `ex` and `multiset` say whether a prediction is right, as BIRD and as ro-eval understand it;
- `soft_f1` and `r_ves` grade it, by its cells and by its speed;
- `explain` says in a sentence why two results differ, whichever policy judged them.

Policies reproduce the numbers of the originals, which disagree with each other; name the policy with each score.
All of them take gold first, know nothing of databases, and change nothing.
"""
