"""The web service: `POST /infer`, in the form that Spider2's API evaluation expects, with an OpenAPI page at /docs."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import FastAPI, HTTPException
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict, Field

from .. import __version__
from ..failures import RULES, EpisodeFailure, Unscorable
from ..values import Outcome
from .answering import Answerer
from .documentation import POLICY, page


class Infer(BaseModel):
    """A question. Fields that other services take are accepted and ignored."""

    model_config = ConfigDict(extra="ignore")

    question: Annotated[str, Field(min_length=1, description="What to find out, in plain words.")]
    db_id: Annotated[str, Field(min_length=1, description="The database to ask.")]
    evidence: Annotated[str, Field(description="A hint, if there is one.")] = ""


class Inferred(BaseModel):
    sql: Annotated[str | None, Field(description="The query, or null if the agent submitted none.")]
    execution_success: Annotated[bool, Field(description="Whether the query could be run here.")]
    error: Annotated[str | None, Field(description="Why there is no query, or why it could not be run.")] = None


def build_app(answerer: Answerer, who: str) -> FastAPI:
    # FastAPI's own pages load scripts from elsewhere.
    said = f"Text to SQL, answered by {who}."
    app = FastAPI(title="Touchstone", version=__version__, description=said, docs_url=None, redoc_url=None)

    @app.post("/infer")
    async def infer(question: Infer) -> Inferred:  # pyright: ignore[reportUnusedFunction]
        """Write a query that answers a question."""
        try:
            answer = await answerer.answer(question.question, question.db_id, question.evidence)
        except Unscorable as failure:
            raise HTTPException(404, f"there is no database '{question.db_id}'") from failure
        except EpisodeFailure as failure:
            if RULES[type(failure)].outcome is Outcome.error:
                raise HTTPException(502, str(failure)) from failure
            return Inferred(sql=None, execution_success=False, error=str(failure))
        except asyncio.CancelledError:
            raise HTTPException(503, "the service is about to end") from None
        return Inferred(sql=answer.sql, execution_success=answer.execution_success, error=answer.error)

    @app.get("/health")
    async def health() -> dict[str, str]:  # pyright: ignore[reportUnusedFunction]
        """Whether the service is there, and who answers."""
        return {"status": "ok", "agent": who}

    @app.get("/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:  # pyright: ignore[reportUnusedFunction]
        return HTMLResponse(page(app.openapi()), headers={"Content-Security-Policy": POLICY})

    return app
