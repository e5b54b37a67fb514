"""Comparing results by their values: tolerant of how numbers and dates are represented, strict about everything else.

`strict` compares the results of unchanged queries and says in a sentence why a prediction is wrong. As elsewhere gold comes
first. Rows hold Python values as database drivers give them.
"""

from .strict import StrictConditions, StrictResult, strict

__all__ = ["StrictConditions", "StrictResult", "strict"]
