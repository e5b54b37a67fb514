"""A column as the official comparison sees it, and when two of them match.

A vector is a list of numbers (truth values among them) and words, with 0 for whatever is missing. Two vectors
match if they are equally long and match item by item: two numbers if `math.isclose` holds with an absolute
tolerance of 0.01 and its usual relative one of 1e-9, anything else if it is equal. If order is to be ignored,
both are sorted by how the items print, a word before the number that prints like it.

Sorting by print is slow and mostly not needed. Numbers that are equal once sorted by value match if both sides
print alike; numbers that are too far apart once sorted by value do not match, for if any order brings all items
within tolerance, then that one does. Only what is left over is printed.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property, partial
from math import fsum, isclose
from typing import Any, Literal

Item = bool | int | float | bytes
Items = Sequence[Item]

_close = partial(isclose, abs_tol=1e-2)
_nearly_close = partial(isclose, rel_tol=1.001e-9, abs_tol=1.001e-2)
_MINUS_ZERO = array("d", [-0.0]).tobytes()


class Vector:
    def __init__(self, items: Items, kind: Literal["int", "float", "words", "mixed"]) -> None:
        self.items = items
        self.kind = kind

    @cached_property
    def words(self) -> int:
        """How many items are words."""
        return {"int": 0, "float": 0, "words": len(self.items)}.get(self.kind, sum(map(_is_word, self.items)))

    @cached_property
    def summary(self) -> object:
        """Cheap, and equal for equal items in any order."""
        if self.kind == "words":
            return self.kind, len(b"".join(self.items))  # type: ignore
        return self.kind, _total(self.items) if not self.words else self.words

    @cached_property
    def by_value(self) -> list[Any]:
        return sorted(self.items)  # type: ignore

    @cached_property
    def by_print(self) -> list[Any]:
        if self.kind == "words":
            return self.by_value
        return sorted(self.items, key=str if not self.words else _printed)  # type: ignore

    @cached_property
    def prints_alike(self) -> bool:
        """Equal numbers print alike. Minus zero is the exception."""
        return self.kind == "int" or (self.kind == "float" and _MINUS_ZERO not in array("d", self.items).tobytes())  # type: ignore


