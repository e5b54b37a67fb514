"""A refutation made smaller: as few rows as still show it, each step keeping the invariants."""

from __future__ import annotations

from .generator import Content
from .judge import Refutation, Search


def minimised(search: Search, content: Content, budget: int) -> Refutation:
    left = budget
    shrinking = True
    while shrinking and left > 0:
        shrinking = False
        for name in sorted(content, key=lambda name: len(content[name]), reverse=True):
            place = len(content[name]) - 1
            while place >= 0 and left > 0:
                if place < len(content[name]):
                    smaller = search.without(content, name, place)
                    left -= 1
                    if search.differs(smaller):
                        content, shrinking = smaller, True
                place -= 1
    return search.refutation(content)
