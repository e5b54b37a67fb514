"""Tools as JSON schema, and conversations as digests."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.models import request_digest
from touchstone.models.wire import tool_schema
from touchstone.types import Message, Tool


class Inner(msgspec.Struct):
    title: str
    kind: Literal["a", "b"] = "a"


class Arguments(msgspec.Struct):
    """Not shown: the tool says it."""

    sql: Annotated[str, msgspec.Meta(description="One statement.")]
    inner: Inner
    more: list[Inner] = []


class Nested(msgspec.Struct):
    again: Nested | None = None


TOOL = Tool("query", "Runs it.", Arguments)


def test_references_are_written_out() -> None:
    schema = tool_schema(TOOL)
    assert "$" not in msgspec.json.encode(schema).decode()
    parameters = schema["function"]["parameters"]
    assert parameters["required"] == ["sql", "inner"]
    assert parameters["properties"]["sql"] == {"type": "string", "description": "One statement."}
    assert parameters["properties"]["more"]["items"] == parameters["properties"]["inner"]


def test_titles_go_but_fields_called_title_stay() -> None:
    parameters = tool_schema(TOOL)["function"]["parameters"]
    assert "title" not in parameters
    assert parameters["properties"]["inner"]["properties"]["title"] == {"type": "string"}
    assert "description" not in parameters


def test_the_function_form_is_made_once() -> None:
    assert tool_schema(TOOL) is tool_schema(Tool("query", "Runs it.", Arguments))
    assert tool_schema(TOOL)["type"] == "function"
    assert tool_schema(TOOL)["function"]["name"] == "query"


def test_arguments_inside_themselves_are_refused() -> None:
    with pytest.raises(TypeError, match="Nested"):
        tool_schema(Tool("bad", "", Nested))


def test_a_digest_is_short_and_stable() -> None:
    assert request_digest([Message(role="user", content="hello")], [TOOL]) == "cfeb47809c7436d9"


@given(st.text(), st.text())
def test_a_digest_tells_texts_apart(one: str, other: str) -> None:
    digests = {request_digest([Message(role="user", content=text)], []) for text in (one, other)}
    assert len(digests) == len({one, other})


def test_a_digest_is_blind_to_the_order_of_keys_only() -> None:
    one = [Message(role="user", content="a"), Message(role="user", content="b")]
    turned = [Message(content="a", role="user"), Message(content="b", role="user")]
    assert request_digest(one, []) == request_digest(turned, [])
    assert request_digest(one, []) != request_digest(one[::-1], [])
    assert request_digest(one, []) != request_digest(one, [TOOL])
