"""A cheating agent, as a row of a table: what it tries, how it ends, and how it is played."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

import pytest

from touchstone.types import Outcome, Record

A = TypeVar("A")
"""Where it plays."""


@dataclass(frozen=True)
class Cheat(Generic[A]):
    who: str
    """What kind of agent it is: a model, a program, a service, …"""
    tries: str
    ends: Outcome
    play: Callable[[A], Awaitable[Record]]


def each(cheats: Iterable[Cheat[A]]) -> list[object]:
    return [pytest.param(cheat, id=f"{cheat.who} {cheat.tries}".replace(" ", "-")) for cheat in cheats]


def refuse(cheat: Cheat[A], record: Record) -> None:
    """It scores nothing, and the record says that this is the agent's own doing."""
    assert (record.outcome, record.score) == (cheat.ends, 0.0), record.reason
    assert record.outcome in (Outcome.failed, Outcome.limit)
    assert record.reason
