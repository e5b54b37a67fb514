"""The ways in which data goes bad: hurried typing, half-filled forms, two date formats, lost zeros.

Only `random`, `randint` and `choice` of the generator are used: their results are the same in every Python version.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from random import Random
from typing import TypeVar

from demo_bird.model import Cell

Item = TypeVar("Item")


def sometimes(rng: Random, share: float) -> bool:
    return rng.random() < share


def typed(rng: Random, text: str, share: float = 0.25) -> str:
    """Text as a hurried clerk leaves it: mostly right, else in another case or with a blank behind it."""
    if not sometimes(rng, share):
        return text
    return rng.choice((text.upper(), text.lower(), text.capitalize(), text + " ", text.upper() + " "))


def missing(rng: Random, value: Cell, share: float, blank: Cell = None) -> Cell:
    """The value, or for a share of the rows what stands there when nobody filled it in."""
    return blank if sometimes(rng, share) else value


def unpadded(rng: Random, code: str, share: float) -> str:
    """A code that some spreadsheet took for a number: 007 comes back as 7."""
    return code.lstrip("0") if sometimes(rng, share) else code


def some_day(rng: Random, first: date, last: date) -> date:
    return first + timedelta(days=rng.randint(0, (last - first).days))


def skewed(rng: Random, items: Sequence[Item]) -> Item:
    """One of the items, the front ones more often: few customers bring most of the work."""
    return items[min(rng.randint(0, len(items) - 1), rng.randint(0, len(items) - 1))]
