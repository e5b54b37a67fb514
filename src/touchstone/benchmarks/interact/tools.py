"""What an agent can do in each mode. A tool's description says its price, so that a changed price is told too."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from ...types import Tool
from .budget import coins
from .rules import Prices


class Sql(Struct, frozen=True):
    sql: Annotated[str, Meta(examples=["SELECT count(*) FROM person"])]


class Question(Struct, frozen=True):
    question: str


class Nothing(Struct, frozen=True):
    pass


class Column(Struct, frozen=True):
    table_name: str
    column_name: str


class Knowledge(Struct, frozen=True):
    knowledge_name: str


_EXECUTE = Tool("execute", "Run SQL on the database and see the result. Nothing that it changes lasts.", Sql)
_ASK = Tool("ask", "Ask the user one question about what the request means.", Question)
_SUBMIT = Tool("submit", "Hand in your SQL for the present request. It is run and judged on a fresh copy of the database.", Sql)

AGENTIC = (
    _ASK,
    _EXECUTE,
    _SUBMIT,
    Tool("get_schema", "See all tables with their columns and some rows.", Nothing),
    Tool("get_all_column_meanings", "See what every column means.", Nothing),
    Tool("get_column_meaning", "See what one column means.", Column),
    Tool("get_all_external_knowledge_names", "See the names of all entries of the knowledge base.", Nothing),
    Tool("get_knowledge_definition", "See one entry of the knowledge base.", Knowledge),
    Tool("get_all_knowledge_definitions", "See all entries of the knowledge base.", Nothing),
)
CONVERSATIONAL = (_ASK, _SUBMIT)
SINGLE = (_SUBMIT,)


def priced(prices: Prices) -> tuple[Tool, ...]:
    return tuple(
        Tool(tool.name, f"{tool.description} Costs {coins(prices.of(tool.name))}.", tool.arguments) for tool in AGENTIC
    )
