"""Answering one question: an episode without a verdict, whose submission is the answer."""

from __future__ import annotations

import asyncio
from pathlib import Path

from msgspec import Struct

from ..benchmarks.sql_episode import Listings, SqlEpisode, request
from ..engines.sqlite.engine import SqliteEngine
from ..engines.sqlite.files import find
from ..failures import SqlError
from ..protocols import Agent, Limits
from ..runs.stage import RecordingStage
from ..values import Brief, Outcome, Verdict


class Answer(Struct, frozen=True):
    sql: str | None
    execution_success: bool
    error: str | None = None


class Asked(SqlEpisode):
    """There is no gold, so there is nothing to judge."""

    async def verdict(self) -> Verdict:
        return Verdict(Outcome.unscorable, 0.0, "a question without a reference")


class Answerer:
    """Plays each question with the agent, a bounded number at once."""

    def __init__(
        self,
        agent: Agent,
        engine: SqliteEngine,
        databases: Path,
        instructions: str,
        *,
        schema: bool,
        parallel: int,
        limits: Limits,
    ) -> None:
        self._agent = agent
        self._engine = engine
        self._databases = databases
        self._instructions = instructions
        self._schema = schema
        self._limits = limits
        self._listings = Listings(engine)
        self._turns = asyncio.Semaphore(parallel)

    async def answer(self, question: str, database: str, evidence: str = "") -> Answer:
        """Raises an EpisodeFailure if there is no such database, or the agent's model fails."""
        file = find(self._databases, database)
        fields = {"question": question, "database": database, "evidence": evidence}
        async with self._turns:
            listing = await self._listings.of(file) if self._schema else ""
            episode = Asked(Brief(self._instructions, request(fields, listing), fields), self._engine, file)
            try:
                await self._agent.play(RecordingStage(episode, question_key(question, database), 0))
            finally:
                await episode.close()
        if episode.submitted is None:
            return Answer(None, False, "the agent submitted nothing")
        return await self._tried(episode.submitted, file)

    async def _tried(self, sql: str, file: Path) -> Answer:
        session = self._engine.session(file, writable=False, limits=self._limits)
        try:
            await session.show(sql)
        except SqlError as error:
            return Answer(sql, False, error.message)
        return Answer(sql, True)


def question_key(question: str, database: str) -> str:
    """What a script for the oracle is looked up by."""
    return f"{database}\n{question}"
