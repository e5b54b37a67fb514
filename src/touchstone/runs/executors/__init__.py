"""Where episodes are played: in this process, or on the nodes of a Ray cluster.

The runner hands an executor one job at a time for each episode that it can play at once, and gets a record back. What to play,
when to stop, what Ctrl-C means and what is written stays with the runner, so it is the same wherever the episodes are.

    Local       in this process (and the worker processes that the engines start)
    cluster     the driver's side of Ray: one long-lived actor per node, with a lease of jobs each
    leases      which node plays which job, and what becomes of the jobs of a lost one
    node        the actor: receives data that the node does not have, then plays leases
    shipping    files found or shipped by content hash
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ...errors import EpisodeFailure
from ...protocols import Agent, Benchmark
from ...types import Record, Step
from ..episode_runner import play
from ..scheduler import Job

__all__ = ["Executor", "Local"]


class Executor(Protocol):
    """Plays jobs."""

    @property
    def capacity(self) -> int:
        """How many episodes it can play at once, as of now."""
        ...

    async def play(self, job: Job) -> tuple[Record, EpisodeFailure | None]:
        """The record, and the failure that ended the episode if one did. Raises RunStopped if nothing can be played now."""
        ...


class Local:
    """In this process."""

    def __init__(
        self, benchmark: Benchmark, agent: Agent, capacity: int, watch: Callable[[Job], Callable[[Step], None] | None]
    ) -> None:
        """`watch` gives who is told of the steps of a job, if anybody is."""
        self.capacity = capacity
        self._benchmark = benchmark
        self._agent = agent
        self._watch = watch

    async def play(self, job: Job) -> tuple[Record, EpisodeFailure | None]:
        return await play(self._benchmark, self._agent, job.task, job.epoch, self._watch(job))
