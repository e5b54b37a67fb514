"""A benchmark of one's own in one file: sums, with a tool to add and a tool to answer."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Annotated, Any, ClassVar

from msgspec import Struct

import touchstone


class Sum(touchstone.Task, frozen=True, kw_only=True):
    numbers: list[int]


class Add(Struct, frozen=True):
    a: int
    b: int


class Answer(Struct, frozen=True):
    value: str


TOOLS = (touchstone.Tool("add", "Add two numbers.", Add), touchstone.Tool("submit", "Hand in the sum.", Answer))


class SumEpisode(touchstone.PlainEpisode):
    tools: Sequence[touchstone.Tool] = TOOLS

    def __init__(self, task: Sum) -> None:
        asked = f"What is {' + '.join(map(str, task.numbers))}?"
        self.brief = touchstone.Brief("Answer with a number.", asked, {"question": asked})
        self._expected = str(sum(task.numbers))
        self._answer: str | None = None

    @property
    def finished(self) -> bool:
        return self._answer is not None

    async def call(self, tool: str, arguments: Any) -> touchstone.Observation:
        if tool == "add":
            return touchstone.Observation(str(arguments.a + arguments.b))
        self._answer = arguments.value
        return touchstone.Observation("Thank you.")

    async def verdict(self) -> touchstone.Verdict:
        passed = self._answer == self._expected
        outcome = touchstone.Outcome.passed if passed else touchstone.Outcome.failed
        return touchstone.Verdict(outcome, float(passed), f"expected {self._expected}, the answer was {self._answer}")


class Sums:
    """Implements touchstone.Benchmark."""

    name = "sums"

    def __init__(self, count: int = 5) -> None:
        numbers = [[each, each + 1, 10 * each] for each in range(count)]
        self._tasks = [
            Sum(key=f"sum-{i}", index=i, facets={"size": "small"}, digest=touchstone.digest(n), numbers=n)
            for i, n in enumerate(numbers)
        ]

    def tasks(self) -> list[Sum]:
        return self._tasks

    @asynccontextmanager
    async def open(self, task: touchstone.Task) -> AsyncIterator[SumEpisode]:
        assert isinstance(task, Sum)
        yield SumEpisode(task)

    def solution(self, task: touchstone.Task) -> list[touchstone.ToolCall]:
        assert isinstance(task, Sum)
        return [touchstone.ToolCall("gold", "submit", f'{{"value": "{sum(task.numbers)}"}}')]

    async def identity(self) -> dict[str, Any]:
        return {"benchmark": self.name, "version": 1}


class SumsConfig(touchstone.BenchmarkConfig, frozen=True, kw_only=True):
    """Add numbers.

    Named by an entry point `sums` of `touchstone.benchmarks`, it is played by `touchstone run sums --count 3`.
    """

    name: ClassVar[str] = "sums"
    label: ClassVar[str] = "Sums"

    count: Annotated[int, touchstone.Opt(group="Which tasks")] = 5
    """How many sums there are."""

    async def open(self, opening: touchstone.Opening) -> Sums:
        return Sums(self.count)


def main() -> None:
    def calculator(question: str) -> str:
        return str(sum(int(word) for word in question.strip("?").split() if word.isdigit()))

    for agent in ("oracle", calculator, lambda question: "7"):
        print(repr(touchstone.run(Sums(), agent)))


if __name__ == "__main__":
    main()
