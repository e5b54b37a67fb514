"""Comparing two results as BIRD-Interact does, and as it should be done.

- `remove_comments`, `remove_distinct` and `remove_round` do to a query's text what the official suite does before it runs it;
  `rewritten` does all three;
- `official` reproduces the official comparison of two results to the letter, `normalise` its view of a row;
- `strict` compares results of unchanged queries by their values, and says in a sentence why a prediction is wrong.

As elsewhere gold comes first. Rows hold Python values as database drivers give them.
"""

from .official import Conditions, normalise, official, remove_comments, remove_distinct, remove_round, rewritten
from .strict import Strict, strict

__all__ = [
    "Conditions",
    "Strict",
    "normalise",
    "official",
    "remove_comments",
    "remove_distinct",
    "remove_round",
    "rewritten",
    "strict",
]
