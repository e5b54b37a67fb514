"""Scripts that move a world on, run like a judgement."""

from __future__ import annotations

from msgspec import Struct

from ...failures import SqlError, SqlFault
from ..bench import Bench


class Scripts(Struct, frozen=True):
    texts: list[str]


class Ran(Struct, frozen=True):
    """Without a kind, all of them worked."""

    kind: SqlFault | None = None
    message: str = ""


def run_all(bench: Bench, scripts: Scripts) -> Ran:
    try:
        for text in scripts.texts:
            bench.run(text)
    except SqlError as error:
        return Ran(error.kind, error.message)
    return Ran()
