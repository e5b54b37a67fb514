"""A plug-in that returns what its protocol does not allow is named, with what was expected: never a traceback."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, ClassVar

import pytest
from msgspec import Struct

import touchstone
from touchstone import InputError, ToolCall


class Number(Struct, frozen=True):
    value: str


WRONG: dict[str, Any] = {}
"""What is returned instead, by the name of the method."""
SUBMISSION = ToolCall("1", "submit", '{"value": "1"}')


class Episode(touchstone.PlainEpisode):
    tools: Any = (touchstone.Tool("submit", "Submit.", Number),)

    def __init__(self) -> None:
        self.brief: Any = WRONG.get("brief", touchstone.Brief("Count.", "How many?", {"question": "How many?"}))
        self.tools = WRONG.get("tools", self.tools)
        self._finished = False

    @property
    def finished(self) -> bool:
        return self._finished

    async def call(self, tool: str, arguments: Any) -> Any:
        self._finished = True
        return WRONG.get("call", touchstone.Observation("Thank you."))

    async def verdict(self) -> Any:
        return WRONG.get("verdict", touchstone.Verdict(touchstone.Outcome.passed, 1.0, "right"))


class Counting:
    name = "counting"

    def tasks(self) -> Any:
        return WRONG.get("tasks", [touchstone.Task(key="a", index=0, facets={}, digest="d")])

    def open(self, task: Any) -> Any:
        return WRONG["open"] if "open" in WRONG else self._opened()

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[Any]:
        yield WRONG.get("episode", Episode())

    def solution(self, task: Any) -> Any:
        return WRONG.get("solution", [SUBMISSION])

    async def identity(self) -> Any:
        return WRONG.get("identity", {"benchmark": self.name})

    def gold(self) -> Any:
        return WRONG.get("gold")


class CountingConfig(touchstone.BenchmarkConfig, frozen=True, kw_only=True):
    """Count."""

    name: ClassVar[str] = "counting"
    label: ClassVar[str] = "Counting"

    async def open(self, opening: touchstone.Opening) -> Any:
        return WRONG.get("config", Counting())

    def hints(self) -> Any:
        return WRONG.get("hints", touchstone.Hints())

    def title(self, who: str) -> Any:
        return WRONG.get("title", "Counting")


class OddModel:
    name = "odd"

    async def reply(self, messages: Sequence[Any], tools: Sequence[Any], position: Any = None) -> Any:
        return WRONG["reply"]

    async def close(self) -> None:
        return None


EPISODE = f"the episode {Episode.__module__}.Episode"


@pytest.fixture(autouse=True)
def right_again() -> Any:
    yield
    WRONG.clear()


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"config": "x"}, "the benchmark 'counting': open() returned a str, expected a Benchmark (it has no tasks())"),
        ({"tasks": None}, "the benchmark 'counting': tasks() returned None, expected a sequence of Task"),
        ({"tasks": ["a"]}, "the benchmark 'counting': tasks() returned a list, expected a sequence of Task"),
        ({"identity": ["x"]}, "the benchmark 'counting': identity() returned a list, expected a mapping"),
        ({"hints": None}, "the benchmark 'counting': hints() returned None, expected Hints"),
        ({"title": 5}, "the benchmark 'counting': title() returned an int, expected a string"),
        ({"gold": "SELECT 1"}, "the benchmark 'counting': gold() returned a str, expected Gold"),
    ],
)
def test_before_anything_is_played_it_stops_the_run(wrong: Mapping[str, Any], complaint: str) -> None:
    WRONG.update(wrong)
    with pytest.raises(InputError) as caught:
        touchstone.run(CountingConfig(), "oracle")
    assert str(caught.value) == complaint


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"open": None}, "the benchmark 'counting': open() returned None, expected an async context manager"),
        ({"episode": "x"}, "the benchmark 'counting': open() returned a str, expected an Episode"),
        ({"brief": "Count."}, f"{EPISODE}: brief returned a str, expected a Brief"),
        ({"tools": [1]}, f"{EPISODE}: tools is a list, expected a sequence of Tool"),
        ({"call": "Thank you."}, f"{EPISODE}: call() returned a str, expected an Observation"),
        ({"verdict": True}, "the benchmark 'counting': verdict() returned a bool, expected a Verdict"),
        ({"solution": "SELECT 1"}, "the benchmark 'counting': solution() returned a str, expected a list of ToolCall"),
        ({"solution": [["x"]]}, "the benchmark 'counting': solution() returned a list, expected a list of ToolCall"),
    ],
)
def test_in_an_episode_it_costs_that_episode(wrong: Mapping[str, Any], complaint: str) -> None:
    WRONG.update(wrong)
    (record,) = touchstone.run(CountingConfig(), "oracle").records
    assert record.outcome is touchstone.Outcome.error
    assert record.reason.startswith(complaint)
    assert "internal error" not in record.reason


def test_a_model_and_an_agent() -> None:
    WRONG["reply"] = "text"
    (record,) = touchstone.run(CountingConfig(), "tools", model=OddModel()).records
    assert record.reason == "the model 'odd': reply() returned a str, expected a Reply"

    async def odd(stage: touchstone.Stage) -> None:
        await stage.call("submit")  # pyright: ignore[reportArgumentType]

    (record,) = touchstone.run(CountingConfig(), odd).records
    assert record.reason == "the agent called a tool with a str, expected a ToolCall"


def test_the_same_plug_in_without_a_mistake() -> None:
    assert touchstone.run(CountingConfig(), "oracle").passed == 1
