"""A run that is not written to the disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..values import Record


class Memory:
    """Keeps records as a run directory does, and forgets them with the process."""

    path = Path("in memory")

    def __init__(self, identity: Mapping[str, Any]) -> None:
        self.config = {"identity": identity}
        self.kept: list[Record] = []

    def records(self) -> Iterator[Record]:
        return iter(self.kept)

    async def append(self, record: Record) -> None:
        self.kept.append(record)

    async def settle(self) -> None: ...

    def finish(self, overall: Mapping[str, Any], summary: str) -> None: ...
