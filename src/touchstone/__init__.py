"""Touchstone runs agents on data benchmarks, scores what they did, and says why."""

__version__ = "0.1.0"
