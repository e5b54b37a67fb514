"""Ways of drawing that give the same in every Python version: only `random`, `randint` and `choice` are used."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import TypeVar

Item = TypeVar("Item")


def sometimes(rng: Random, share: float) -> bool:
    return rng.random() < share


def maybe(rng: Random, value: Item, share: float) -> Item | None:
    """The value, or for a share of the rows nothing."""
    return None if sometimes(rng, share) else value


def decimal(rng: Random, low: float, high: float, places: int) -> Decimal:
    """A number with so many places, low numbers more often, as prices and distances are."""
    scale = 10**places
    first, last = round(low * scale), round(high * scale)
    return Decimal(min(rng.randint(first, last), rng.randint(first, last))).scaleb(-places)


def some_day(rng: Random, first: date, last: date) -> date:
    return first + timedelta(days=rng.randint(0, (last - first).days))


def some_time(rng: Random, first: date, last: date) -> datetime:
    return datetime.combine(some_day(rng, first, last), datetime.min.time()) + timedelta(minutes=rng.randint(0, 1439))


def weighted(rng: Random, shares: dict[Item, int]) -> Item:
    """One of the keys, as often as its share says."""
    return rng.choice([item for item, share in shares.items() for _ in range(share)])


def some(rng: Random, items: Sequence[Item], most: int) -> list[Item]:
    """Up to so many different items, in the order they stand in."""
    chosen = {rng.randint(0, len(items) - 1) for _ in range(rng.randint(0, most))}
    return [items[place] for place in sorted(chosen)]
