"""One episode's database where a database is a file: exploring leaves nothing behind, and a judgement has a copy to itself.

Whoever writes has a private copy in the worker. What an episode has come past is kept as a file of its own, from which later
copies are made.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from ..sandbox.folders import scratch_folder
from ..types import Limits, Observation, Table
from ..workers.pool import STALLED, WorkerLost
from .judging_connection import JudgingConnection, name_of
from .judging_workers import JudgingWorkers, blamed
from .messages import FileAnswer, FileWork, FunctionResponse, ShownTable, SqlRows, checked, decoded, encoded

A = TypeVar("A")
R = TypeVar("R")


class FileDatabase:
    """One episode's database. `do` is what its workers run."""

    def __init__(self, workers: JudgingWorkers, path: Path, do: Callable[[FileWork], FileAnswer]) -> None:
        self._workers = workers
        self._source = str(path)
        self._do = do
        self._states: list[Path] = []

    async def explore(self, sql: str, limits: Limits) -> Table:
        answer = await self._call(FileWork(self._source, limits, sql))
        assert isinstance(answer, SqlRows)
        return answer.table

    async def show(self, sql: str, limits: Limits) -> Observation:
        answer = await self._call(FileWork(self._source, limits, sql, shown=True))
        assert isinstance(answer, ShownTable)
        return answer.seen

    async def judge(
        self, function: Callable[[JudgingConnection, A], R], request: A, limits: Limits, *, writes: bool = False, wall: float
    ) -> R:
        """`wall` is for what the function waits for: its SQL is limited by its work."""
        work = FileWork(self._source, limits, function=name_of(function), request=encoded(request), private=writes)
        answer = checked(await self._workers.judged(self._do, work, limits, stalled=max(wall, STALLED)))
        assert isinstance(answer, FunctionResponse)
        return decoded(answer, function)

    async def advance(self, scripts: Sequence[str], limits: Limits) -> None:
        """The state is from now on what it was, and these run. Raises SqlError, and then it is as before."""
        if not scripts:
            return
        descriptor, name = tempfile.mkstemp(suffix=Path(self._source).suffix, dir=scratch_folder())
        os.close(descriptor)
        self._states.append(Path(name))
        await self._call(FileWork(self._source, limits, "\n;\n".join(scripts), keep=name, shown=True))
        self._source = name

    async def close(self) -> None:
        while self._states:
            self._states.pop().unlink(missing_ok=True)

    async def _call(self, work: FileWork) -> SqlRows | ShownTable | FunctionResponse:
        try:
            return checked(await self._workers.pool.call(self._do, work))
        except WorkerLost as lost:
            raise blamed(lost, work.limits) from None
