"""An agent with two options of its own, and a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import touchstone


class Guesser:
    def __init__(self, model: touchstone.Model, sql: str, tries: int) -> None:
        self._model, self._sql, self._tries = model, sql, tries

    async def play(self, stage: touchstone.Stage) -> None:
        for _ in range(self._tries):
            await stage.ask(self._model, [touchstone.Message(role="user", content=stage.brief.request)])
        country = stage.brief.fields["country"]
        await stage.call(touchstone.ToolCall("1", "submit", f'{{"sql": "{self._sql.format(country=country)}"}}'))


class GuesserConfig(touchstone.AgentConfig, frozen=True, kw_only=True):
    """Fills the country into a query."""

    name: ClassVar[str] = "guesser"
    needs_model: ClassVar[bool] = True

    query: Annotated[str, touchstone.Opt(group="Guessing")] = "SELECT capital FROM world WHERE country = '{country}'"
    """The query, with {country} where the country goes."""
    tries: Annotated[touchstone.Count, touchstone.Opt(names=("-t",), group="Guessing")] = 1
    """How often the model is asked first."""

    def build(self, context: touchstone.AgentContext) -> Guesser:
        assert context.model is not None
        return Guesser(context.model, self.query, self.tries)

    def identity(self, agent: touchstone.Agent, context: touchstone.AgentContext) -> dict[str, Any]:
        return {"query": self.query}


class Parrot:
    name = "parrot"

    async def reply(
        self, messages: Sequence[touchstone.Message], tools: Sequence[touchstone.Tool], place: Any
    ) -> touchstone.Reply:
        return touchstone.Reply(str(messages[-1].get("content")))

    async def close(self) -> None: ...


class ParrotConfig(touchstone.ModelConfig, frozen=True, kw_only=True):
    """Says what it is told."""

    provider: ClassVar[str] = "parrot"

    def build(self, concurrency: int = 16) -> Parrot:
        return Parrot()
