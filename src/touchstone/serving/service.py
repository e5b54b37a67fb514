"""The web service: `POST /infer`, in the form that Spider2's API evaluation expects, with an OpenAPI page at /docs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, HTTPException
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict, Field

from .. import __version__
from ..benchmarks.sql_episode import Listings, SqlEpisode, request
from ..engines.sqlite.engine import SqliteEngine
from ..engines.sqlite.files import find
from ..errors import RULES, EpisodeFailure, SqlError, Unscorable
from ..protocols import Agent
from ..runs.stage import RecordingStage
from ..types import Brief, Limits, Outcome, Verdict

# The page at /docs: the service's own description as a page that loads nothing from anywhere.


POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem}"
    "td,th{text-align:left;padding:.2rem 1rem .2rem 0}"
)


def page(described: Mapping[str, Any]) -> str:
    """From an OpenAPI description."""
    about: Mapping[str, Any] = described["info"]
    head = (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{escape(about['title'])}</title><style>{_STYLE}</style>"
    )
    body = f"<h1>{escape(about['title'])} {escape(about['version'])}</h1><p>{escape(about['description'])}</p>"
    rest = "<p>In full, for programs: <a href='openapi.json'>openapi.json</a></p>"
    return head + body + "".join(_operations(described)) + rest


def _operations(described: Mapping[str, Any]) -> Iterator[str]:
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            yield f"<h2><code>{escape(method.upper())} {escape(path)}</code></h2>"
            yield f"<p>{escape(operation.get('description', ''))}</p>"
            yield from _fields("Send", operation.get("requestBody"), described)
            yield from _fields("Get", operation["responses"].get("200"), described)


def _fields(what: str, content: Mapping[str, Any] | None, described: Mapping[str, Any]) -> Iterator[str]:
    kinds: Mapping[str, Any] = content["content"] if content else {}
    schema: Any = kinds.get("application/json", {}).get("schema", {})
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    if not name:
        return
    model: Mapping[str, Any] = described["components"]["schemas"][name]
    required: list[str] = model.get("required", [])
    yield f"<h3>{what}, as JSON</h3><table>"
    for field, about in model["properties"].items():
        needed = ("required" if field in required else "optional") if what == "Send" else ""
        yield f"<tr><th><code>{escape(field)}</code><td>{needed}<td>{escape(about.get('description', ''))}"
    yield "</table>"


# Answering one question: an episode without a verdict, whose submission is the answer.


@dataclass
class Inferred:
    sql: Annotated[str | None, Field(description="The query, or null if the agent submitted none.")]
    execution_success: Annotated[bool, Field(description="Whether the query could be run here.")]
    error: Annotated[str | None, Field(description="Why there is no query, or why it could not be run.")] = None


class ServedQuestion(SqlEpisode):
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

    async def answer(self, question: str, database: str, evidence: str = "") -> Inferred:
        """Raises an EpisodeFailure if there is no such database, or the agent's model fails."""
        file = find(self._databases, database)
        fields = {"question": question, "database": database, "evidence": evidence}
        async with self._turns:
            listing = await self._listings.of(file) if self._schema else ""
            episode = ServedQuestion(Brief(self._instructions, request(fields, listing), fields), self._engine, file)
            try:
                await self._agent.play(RecordingStage(episode, question_key(question, database), 0))
            finally:
                await episode.close()
        if episode.submitted is None:
            return Inferred(None, False, "the agent submitted nothing")
        return await self._tried(episode.submitted, file)

    async def _tried(self, sql: str, file: Path) -> Inferred:
        session = self._engine.session(file, writable=False, limits=self._limits)
        try:
            await session.show(sql)
        except SqlError as error:
            return Inferred(sql, False, error.message)
        return Inferred(sql, True)


def question_key(question: str, database: str) -> str:
    """What a script for the oracle is looked up by."""
    return f"{database}\n{question}"


class Infer(BaseModel):
    """A question. Fields that other services take are accepted and ignored."""

    model_config = ConfigDict(extra="ignore")

    question: Annotated[str, Field(min_length=1, description="What to find out, in plain words.")]
    db_id: Annotated[str, Field(min_length=1, description="The database to ask.")]
    evidence: Annotated[str, Field(description="A hint, if there is one.")] = ""


def build_app(answerer: Answerer, who: str) -> FastAPI:
    # FastAPI's own pages load scripts from elsewhere.
    description = f"Text to SQL, answered by {who}."
    app = FastAPI(title="Touchstone", version=__version__, description=description, docs_url=None, redoc_url=None)

    @app.post("/infer")
    async def infer(question: Infer) -> Inferred:  # pyright: ignore[reportUnusedFunction]
        """Write a query that answers a question."""
        try:
            return await answerer.answer(question.question, question.db_id, question.evidence)
        except Unscorable as failure:
            raise HTTPException(404, f"there is no database '{question.db_id}'") from failure
        except EpisodeFailure as failure:
            if RULES[type(failure)].outcome is Outcome.error:
                raise HTTPException(502, str(failure)) from failure
            return Inferred(None, False, str(failure))
        except asyncio.CancelledError:
            raise HTTPException(503, "the service is shutting down") from None

    @app.get("/health")
    async def health() -> dict[str, str]:  # pyright: ignore[reportUnusedFunction]
        """Whether the service is there, and who answers."""
        return {"status": "ok", "agent": who}

    @app.get("/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:  # pyright: ignore[reportUnusedFunction]
        return HTMLResponse(page(app.openapi()), headers={"Content-Security-Policy": POLICY})

    return app
