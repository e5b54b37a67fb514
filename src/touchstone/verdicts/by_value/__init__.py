"""Comparing results by their values: tolerant of how numbers and dates are represented, strict about everything else.

`strict` compares the results of unchanged queries and says in a sentence why a prediction is wrong. As elsewhere gold comes
first. Rows hold Python values as database drivers give them.
"""

from .strict import Conditions, Strict, strict

__all__ = ["Conditions", "Strict", "strict"]
