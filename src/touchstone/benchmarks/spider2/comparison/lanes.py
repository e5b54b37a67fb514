"""Columns of words as arrays, and columns of which no value is there twice.

Words are kept in lanes: eight bytes each as one number, so that a word of eleven bytes is a pair of numbers. Two columns hold
the same words if they agree once both are sorted by a hash, which is the word itself where one lane suffices; that they agree
is then looked at, not assumed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from secrets import randbits
from typing import Any

np: Any = import_module("numpy")  # whose own annotations say little about arrays of any length
Array = Any

_U = np.uint64
_FACTORS = [_U(randbits(64) | 1) for _ in range(9)]
"""Drawn anew in each process, so that nobody can prepare words whose hashes collide."""
_ROOM = 16
"""A table may have so many places for each row."""


class WordLanes(Sequence[bytes]):
    def __init__(self, lanes: list[Array]) -> None:
        self.lanes = lanes

    def __len__(self) -> int:
        return len(self.lanes[0])

    def __getitem__(self, row: Any) -> Any:
        if isinstance(row, slice):
            return WordLanes([lane[row] for lane in self.lanes]).tolist()
        return b"".join(int(lane[row]).to_bytes(8, "little") for lane in self.lanes).rstrip(b"\0")

    def __iter__(self) -> Any:
        return iter(self.tolist())

    def tolist(self) -> list[bytes]:
        return np.stack(self.lanes, 1).view(f"S{8 * len(self.lanes)}").ravel().tolist()

    def chosen(self, rows: Array) -> WordLanes:
        """Those at some places, or where a mask is set."""
        return WordLanes([lane[rows] for lane in self.lanes])

    def among(self, short: Array) -> Array:
        """Which of them are one of these words of one lane."""
        matches = np.zeros(len(self), bool)
        for word in short:
            matches |= self.lanes[0] == word
        for lane in self.lanes[1:]:
            matches &= lane == 0
        return matches

    def without(self, missing: Array | None) -> WordLanes:
        return self if missing is None else WordLanes([np.where(missing, _U(0), lane) for lane in self.lanes])

    @cached_property
    def hashes(self) -> Array:
        return mixed(self.lanes)

    @property
    def length(self) -> int:
        """Of all of them together."""
        return sum(int(np.count_nonzero(lane.view(np.uint8))) for lane in self.lanes)


def mixed(lanes: Sequence[Array]) -> Array:
    """A number for each row, the same for the same lanes; a single lane is itself. Lanes of zeros at the end add nothing."""
    if len(lanes) == 1:
        return lanes[0]
    total = np.zeros(len(lanes[0]), np.uint64)
    for lane, factor in zip(lanes, (_FACTORS * len(lanes))[: len(lanes)], strict=True):
        spread = lane * factor
        total = (total ^ (total >> _U(29))) * _FACTORS[-1] + (spread ^ (spread >> _U(32)))
    return total


def joined_words(parts: Sequence[Any]) -> WordLanes:
    lanes = max(len(part.lanes) for part in parts)
    return WordLanes([np.concatenate(column) for column in zip(*[padded(part, lanes) for part in parts], strict=True)])


def same_words(gold: WordLanes, predicted: WordLanes) -> bool:
    """As they stand."""
    lanes = max(len(gold.lanes), len(predicted.lanes))
    return all(np.array_equal(*pair) for pair in zip(padded(gold, lanes), padded(predicted, lanes), strict=True))


def padded(words: WordLanes, lanes: int) -> list[Array]:
    return [*words.lanes, *[np.zeros(len(words), np.uint64)] * (lanes - len(words.lanes))]


def same_words_sorted(gold: WordLanes, predicted: WordLanes) -> bool:
    """In any order."""
    if len(gold) != len(predicted):
        return False
    lanes = max(len(gold.lanes), len(predicted.lanes))
    sides = [WordLanes(padded(words, lanes)) for words in (gold, predicted)]
    if lanes == 1:
        return np.array_equal(*[np.sort(words.lanes[0]) for words in sides])
    orders = [np.argsort(words.hashes) for words in sides]
    if not np.array_equal(*[words.hashes[order] for words, order in zip(sides, orders, strict=True)]):
        return False
    if same_words(*[words.chosen(order) for words, order in zip(sides, orders, strict=True)]):
        return True
    return Counter(gold) == Counter(predicted)  # two words have one hash


def same_at(gold: WordLanes, predicted: WordLanes) -> Array:
    """Where both have the same word."""
    lanes = max(len(gold.lanes), len(predicted.lanes))
    same = np.ones(len(gold), bool)
    for one, other in zip(padded(gold, lanes), padded(predicted, lanes), strict=True):
        same &= one == other
    return same


def same_by_pairs(gold: Any, predicted: Any, rows: Array) -> bool | None:
    """Whether two columns without NaN hold the same in any order. Each predicted row has a partner, of whatever kind: what
    agrees with its partner can be left out on both sides. None if too little is left out by this."""
    paired = gold.chosen(rows) if isinstance(gold, WordLanes) else gold[rows]
    apart = np.flatnonzero(~same_at(paired, predicted) if isinstance(gold, WordLanes) else paired != predicted)
    if len(apart) * _ROOM > len(rows):
        return None
    if isinstance(gold, WordLanes):
        return same_words_sorted(paired.chosen(apart), predicted.chosen(apart))
    return np.array_equal(np.sort(paired[apart]), np.sort(predicted[apart]))


def sum_in_any_order(numbers: Array) -> int:
    """The same for the same numbers: of floats it adds up the bits, since their sum depends on the order."""
    return int((numbers + 0.0).view(np.uint64).sum() if numbers.dtype == np.float64 else numbers.sum())


def identical(gold: Any, predicted: Any) -> bool:
    if isinstance(gold, WordLanes):
        return same_words(gold, predicted)
    return gold.dtype == predicted.dtype and np.array_equal(gold, predicted, equal_nan=gold.dtype == np.float64)


def partner_rows(gold: Any, predicted: Any) -> Array | None:
    """For each predicted row the golden one with the same key, if no key is there twice and all have a partner."""
    if isinstance(gold, WordLanes):
        return _partners_by_hash(gold, predicted)
    lowest, highest = int(gold.min()), int(gold.max())
    if highest - lowest >= _ROOM * len(gold):
        return _partners_by_order(gold, predicted)
    if int(predicted.min()) < lowest or int(predicted.max()) > highest:
        return None
    numbers = np.arange(len(gold), dtype=np.int32)
    table = np.full(highest - lowest + 1, -1, np.int32)
    table[gold - lowest] = numbers
    rows = table[predicted - lowest]
    if (rows < 0).any() or not np.array_equal(table[gold - lowest], numbers):
        return None
    taken = np.zeros(len(gold), bool)
    taken[rows] = True
    return rows if taken.all() else None


def _partners_by_order(gold: Array, predicted: Array) -> Array | None:
    order, other = np.argsort(gold), np.argsort(predicted)
    ascending = gold[order]
    if (ascending[1:] == ascending[:-1]).any() or not np.array_equal(ascending, predicted[other]):
        return None
    rows = np.empty_like(order)
    rows[other] = order
    return rows


def _partners_by_hash(gold: WordLanes, predicted: WordLanes) -> Array | None:
    lanes = max(len(gold.lanes), len(predicted.lanes))
    sides = [WordLanes(padded(words, lanes)) for words in (gold, predicted)]
    rows = _partners_by_order(sides[0].hashes, sides[1].hashes)
    return rows if rows is not None and same_words(sides[0].chosen(rows), sides[1]) else None
