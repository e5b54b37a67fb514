"""Scripts for the chat server: a model that knows the answers, as quick or as slow as a test needs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

from tests.support.chat_server import JSON, Answer, tool_call
from tests.support.worlds import ROWS, Row

Player = Callable[[JSON], Answer]


def knowing(rows: Iterable[Row] = ROWS) -> Player:
    """Looks at the data once, then hands in the gold."""

    def answer(request: JSON) -> Answer:
        gold = gold_for(request, rows)
        explored = any(message["role"] == "tool" for message in request["messages"])
        return tool_call("submit_sql", {"sql": gold}) if explored else tool_call("execute_sql", {"sql": gold})

    return answer


def gold_for(request: JSON, rows: Iterable[Row] = ROWS) -> str:
    question = request["messages"][1]["content"].split("\n")[0]
    return next(row["SQL"] for row in rows if row["question"] == question)


class Held:
    """Hands in the gold at once, for the first `quick` requests; then holds every answer until it is released."""

    def __init__(self, quick: int = 0) -> None:
        self._quick = quick
        self._lock = threading.Lock()
        self._arrived = threading.Semaphore(0)
        self._gate = threading.Event()
        self.asked: list[str] = []

    def __call__(self, request: JSON) -> Answer:
        answer = tool_call("submit_sql", {"sql": gold_for(request)})
        with self._lock:
            self.asked.append(gold_for(request))
            held = len(self.asked) > self._quick
        if held:
            self._arrived.release()
            self._gate.wait(180)
        return answer

    def wait_for(self, count: int) -> None:
        """Until so many requests are held."""
        for _ in range(count):
            assert self._arrived.acquire(timeout=90)

    def release(self) -> None:
        self._gate.set()


def tools_of(request: JSON) -> list[str]:
    given: list[Any] = request["tools"]
    return [tool["function"]["name"] for tool in given]
