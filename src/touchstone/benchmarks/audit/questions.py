"""Questions that occur more than once in a dataset."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


def repeated(questions: Iterable[tuple[T, str, str]]) -> list[Sequence[T]]:
    """Groups of two or more that ask the same of the same database: (task, database, question)."""
    groups: defaultdict[tuple[str, str], list[T]] = defaultdict(list)
    for task, database, question in questions:
        groups[database, normal(question)].append(task)
    return [group for group in groups.values() if len(group) > 1]


def normal(text: str) -> str:
    """Case, blanks and the punctuation at the end make no other question."""
    return " ".join(text.casefold().split()).rstrip(" .?!")
