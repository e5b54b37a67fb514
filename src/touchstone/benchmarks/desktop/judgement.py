"""What a metric says, and what it says when a file cannot be read."""

from __future__ import annotations

from pathlib import Path
from reprlib import Repr

from msgspec import Struct

_SHORT = Repr()
_SHORT.maxlevel = 5
_SHORT.maxstring = _SHORT.maxother = 120
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = _SHORT.maxset = 8


class Judgement(Struct, frozen=True):
    score: float
    reason: str


class Unreadable(Exception):
    """A file that is broken, too large or hostile. The agent's counts as wrong, ours as unscorable."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path.name}: {why}")
        self.path = path
        self.why = why


def verdict(passed: bool, difference: str, agreement: str = "as expected") -> Judgement:
    """All or nothing, with the reason that belongs to it."""
    return Judgement(1.0, agreement) if passed else Judgement(0.0, difference)


def missing(what: str = "result file") -> Judgement:
    return Judgement(0.0, f"there is no {what}")


def shown(value: object, width: int = 120) -> str:
    """A value in a reason: on one line, not too long. Never all of it first: a small YAML file can stand for gigabytes."""
    text = " ".join(_SHORT.repr(value).split())
    return text if len(text) <= width else text[: width - 1] + "…"
