"""Replaying a run: the same conversation gets the same replies, any other is told where it parted."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import msgspec
import pytest

from touchstone.errors import InputError, ModelFailure
from touchstone.models import request_digest
from touchstone.models.recorded import RecordedConfig, RecordedModel
from touchstone.types import (
    CallPosition,
    Message,
    ModelStep,
    NoteStep,
    Observation,
    Outcome,
    Record,
    Reply,
    Step,
    Tool,
    ToolCall,
    ToolStep,
    Usage,
)


class Query(msgspec.Struct):
    sql: str


TOOLS = [Tool("execute_sql", "Runs a query.", Query)]
CALL = ToolCall("call_1", "execute_sql", "{}")


def conversation(task: str, length: int) -> list[Message]:
    return [Message(role="user", content=f"{task} {turn}") for turn in range(length + 1)]


def record(task: str, epoch: int = 0, calls: int = 2, word: str = "reply") -> Record:
    steps: list[Step] = [NoteStep("a note")]
    for call in range(calls):
        reply = Reply(f"{word} {call} to {task}", (CALL,), "tool_calls", Usage(1, 100, 50, 10, 0.25))
        steps.append(ModelStep(reply, request_digest(conversation(task, call), TOOLS), 1.0))
        steps.append(ToolStep(CALL, Observation("1"), 0.1))
    return Record(
        task=task, index=0, epoch=epoch, digest="d", facets={}, outcome=Outcome.passed, score=1.0, reason="", metrics={},
        evidence={}, usage=Usage(), started="2026-01-01T00:00:00Z", seconds=1.0, steps=steps,
    )  # fmt: skip


def run_of(path: Path, *records: Record, tail: bytes = b"") -> RecordedModel:
    lines = b"".join(msgspec.json.encode(record) + b"\n" for record in records)
    (path / "runs.jsonl").write_bytes(lines + tail)
    return RecordedConfig(model=f"recorded:{path}").build()


async def ask(model: RecordedModel, task: str, call: int, epoch: int = 0) -> Reply:
    return await model.reply(conversation(task, call), TOOLS, CallPosition(task, epoch, call))


async def test_replies_come_in_order_and_cost_nothing(tmp_path: Path) -> None:
    model = run_of(tmp_path, record("a"), record("b"))
    for task in ("b", "a"):
        for call in range(2):
            reply = await ask(model, task, call)
            assert reply.text == f"reply {call} to {task}"
            assert reply.calls == (CALL,)
            assert reply.usage == Usage(1, 100, 50, 10, 0.0)
    await model.close()


async def test_episodes_may_be_interleaved_and_repeated(tmp_path: Path) -> None:
    model = run_of(tmp_path, record("a"), record("b"))
    texts = [(await ask(model, task, call)).text for call in range(2) for task in ("a", "b")]
    assert texts == [f"reply {call} to {task}" for call in range(2) for task in ("a", "b")]
    assert (await ask(model, "a", 1)).text == "reply 1 to a"


async def test_epochs_are_kept_apart(tmp_path: Path) -> None:
    model = run_of(tmp_path, record("a", 0, word="first"), record("a", 1, word="second"))
    assert (await ask(model, "a", 0, epoch=1)).text == "second 0 to a"
    assert (await ask(model, "a", 0, epoch=0)).text == "first 0 to a"


async def test_the_last_record_of_a_task_counts(tmp_path: Path) -> None:
    model = run_of(tmp_path, record("a", word="old"), record("a", word="new"))
    assert (await ask(model, "a", 0)).text == "new 0 to a"


async def test_another_conversation_is_told_where_it_parted(tmp_path: Path) -> None:
    model = run_of(tmp_path, record("a"))
    await ask(model, "a", 0)
    with pytest.raises(ModelFailure, match="at call 2 of a"):
        await model.reply([Message(role="user", content="else")], TOOLS, CallPosition("a", 0, 1))
    with pytest.raises(ModelFailure, match="at call 1 of a"):
        await model.reply(conversation("a", 0), [], CallPosition("a", 0, 0))


async def test_past_the_end(tmp_path: Path) -> None:
    model = run_of(tmp_path, record("a", calls=2), record("empty", calls=0))
    with pytest.raises(ModelFailure, match="ends before call 3 of a"):
        await ask(model, "a", 2)
    with pytest.raises(ModelFailure, match="it has 0 calls"):
        await ask(model, "empty", 0)


async def test_an_unknown_task_or_epoch(tmp_path: Path) -> None:
    model = run_of(tmp_path, record("a"))
    with pytest.raises(ModelFailure, match="epoch 0 of z"):
        await ask(model, "z", 0)
    with pytest.raises(ModelFailure, match="epoch 3 of a"):
        await ask(model, "a", 0, epoch=3)


@pytest.mark.parametrize("tail", [b'{"task": "b", "epo', b'{"task": "b"\n', b"\n", b"\xff"])
async def test_a_torn_last_line_is_ignored(tmp_path: Path, tail: bytes) -> None:
    model = run_of(tmp_path, record("a"), tail=tail)
    assert (await ask(model, "a", 0)).text == "reply 0 to a"


async def test_a_last_line_without_its_end_of_line_counts(tmp_path: Path) -> None:
    model = run_of(tmp_path, tail=msgspec.json.encode(record("a")))
    assert (await ask(model, "a", 0)).text == "reply 0 to a"


def test_a_broken_line_in_the_middle_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 2 of"):
        run_of(tmp_path, record("a"), tail=b"broken\n" + msgspec.json.encode(record("b")))


async def test_a_record_of_another_form(tmp_path: Path) -> None:
    model = run_of(tmp_path, tail=b'{"task": "a", "epoch": 0}\n')
    with pytest.raises(ModelFailure, match="record of a cannot be read"):
        await ask(model, "a", 0)


@pytest.mark.parametrize("name", ["recorded:/nowhere/at/all", "recorded:", "recorded"])
def test_no_run_there(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"runs\.jsonl"):
        RecordedConfig(model=name).build()


async def test_memory_stays_small(tmp_path: Path) -> None:
    """200 records of 100 kB: the index keeps places, and nothing is kept of a task that was played to its end."""
    tasks = [f"task-{number}" for number in range(200)]
    with (tmp_path / "runs.jsonl").open("wb") as file:
        for task in tasks:
            file.write(msgspec.json.encode(record(task, word="x" * 50_000)) + b"\n")
    tracemalloc.start()
    model = RecordedConfig(model=f"recorded:{tmp_path}").build()
    for task in tasks:
        for call in range(2):
            await ask(model, task, call)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 2_000_000
