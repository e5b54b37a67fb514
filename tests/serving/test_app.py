"""The web service: what each question is answered with, and with which status."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.serving.conftest import Make, Post
from tests.support.scripted_model import ScriptedModel, says, submit
from touchstone import __version__
from touchstone.agents.scripted import Oracle, ScriptedAgent
from touchstone.agents.tools import ToolAgent
from touchstone.errors import ContextLimit, EpisodeFailure, ModelFailure, ModelRefusal, ModelRejected, WorkerFailure
from touchstone.serving.service import build_app

pytestmark = pytest.mark.asyncio(loop_scope="module")

QUESTION = {"question": "Which?", "db_id": "shop"}
RIGHT = ScriptedAgent(lambda _: [submit("SELECT 1")])


async def test_an_answer(post: Post) -> None:
    got = await post(RIGHT, QUESTION)
    assert (got.status_code, got.json()) == (200, {"sql": "SELECT 1", "execution_success": True, "error": None})


async def test_sql_that_fails_is_told_with_its_error(post: Post) -> None:
    got = await post(ScriptedAgent(lambda _: [submit("SELECT x")]), QUESTION)
    assert (got.status_code, got.json()) == (
        200,
        {"sql": "SELECT x", "execution_success": False, "error": "no such column: x"},
    )


async def test_fields_of_other_services_are_passed_over(post: Post) -> None:
    more = {"target_type": "natsql", "spider2_mode": True, "tables_path": "x.json", "num_beams": 4, "num_return_sequences": 1}
    assert (await post(RIGHT, {**QUESTION, **more})).status_code == 200


@pytest.mark.parametrize("name", ["aviary", "..", "../shop", "../../etc/passwd", "shop/shop", "a\0b"])
async def test_a_database_that_is_not_there_is_a_404(post: Post, name: str) -> None:
    got = await post(RIGHT, {**QUESTION, "db_id": name})
    assert (got.status_code, got.json()) == (404, {"detail": f"there is no database '{name}'"})


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "question"),
        ({"question": "Which?"}, "db_id"),
        ({**QUESTION, "question": ""}, "question"),
        ({**QUESTION, "question": 5}, "question"),
        ({**QUESTION, "db_id": None}, "db_id"),
        ({**QUESTION, "db_id": ""}, "db_id"),
        ({**QUESTION, "evidence": ["a"]}, "evidence"),
    ],
)
async def test_a_bad_field_is_a_422_that_names_it(post: Post, body: Any, field: str) -> None:
    got = await post(RIGHT, body)
    assert got.status_code == 422
    assert got.json()["detail"][0]["loc"] == ["body", field]


@pytest.mark.parametrize("body", [[], "Which?", None])
async def test_a_body_that_is_no_object_is_a_422(post: Post, body: Any) -> None:
    assert (await post(RIGHT, body)).status_code == 422


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        (ContextLimit("the conversation is too long"), "the conversation is too long"),
        (ModelRefusal("the model refused"), "the model refused"),
    ],
)
async def test_an_agent_that_gives_up_has_no_sql(post: Post, failure: EpisodeFailure, error: str) -> None:
    got = await post(ToolAgent(ScriptedModel([failure]), 3), QUESTION)
    assert (got.status_code, got.json()) == (200, {"sql": None, "execution_success": False, "error": error})


async def test_turns_that_run_out_and_questions_without_a_reference_have_no_sql(post: Post) -> None:
    got = await post(ToolAgent(ScriptedModel([says("Hm.")]), 1), QUESTION)
    assert got.json() == {"sql": None, "execution_success": False, "error": "not finished within 1 turns"}
    got = await post(Oracle(lambda _: None), QUESTION)
    assert got.json() == {"sql": None, "execution_success": False, "error": "there is no reference to play"}


@pytest.mark.parametrize("failure", [ModelFailure("overloaded"), ModelRejected("no such model"), WorkerFailure("died")])
async def test_a_model_or_a_worker_that_fails_is_a_502(post: Post, failure: EpisodeFailure) -> None:
    got = await post(ToolAgent(ScriptedModel([failure]), 3), QUESTION)
    assert (got.status_code, got.json()) == (502, {"detail": str(failure)})


async def test_health_and_documentation(make: Make) -> None:
    transport = httpx.ASGITransport(build_app(make(RIGHT), "somebody"))
    async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
        assert (await client.get("/health")).json() == {"status": "ok", "agent": "somebody"}
        described = (await client.get("/openapi.json")).json()
        assert described["info"] == {
            "title": "Touchstone",
            "version": __version__,
            "description": "Text to SQL, answered by somebody.",
        }
        assert {"/infer", "/health"} <= described["paths"].keys()
        assert described["components"]["schemas"]["Infer"]["required"] == ["question", "db_id"]
        assert described["components"]["schemas"]["Inferred"]["properties"].keys() == {"sql", "execution_success", "error"}
        assert (await client.get("/infer")).status_code == 405
        assert (await client.get("/nowhere")).status_code == 404
