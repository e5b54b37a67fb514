"""Each limit of an episode, by an agent that goes beyond it: `limit`, never `error`, and a record of a bounded size."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from hashlib import blake2b

import msgspec
import pytest

from tests.support.scripted_model import ScriptedModel, calls, execute, says, submit
from tests.support.worlds import World
from touchstone.agents.tools import ToolAgent
from touchstone.benchmarks.bird.benchmark import Bird
from touchstone.budgets import MIB, Budgets
from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.protocols import Agent, Stage
from touchstone.runs.directory import encoded
from touchstone.runs.episode_runner import play
from touchstone.types import ModelStep, NoteStep, Outcome, Record, ServiceStep, ToolStep, Truncation

GOLD = "SELECT name FROM item WHERE price > 1.0"


@pytest.fixture
async def bird(world: World) -> AsyncIterator[Bird]:
    engine = SqliteEngine(workers=1)
    yield Bird(world.load(), world.databases, engine)
    await engine.close()


class Doing:
    """An agent that does one thing."""

    def __init__(self, do: Callable[[Stage], Awaitable[object]]) -> None:
        self._do = do

    async def play(self, stage: Stage) -> None:
        await self._do(stage)


async def played(bird: Bird, agent: Agent, budgets: Budgets) -> Record:
    return (await play(bird, agent, bird.tasks()[0], budgets=budgets))[0]


async def test_calls(bird: Bird) -> None:
    async def call_on(stage: Stage) -> None:
        while True:
            await stage.call(execute("SELECT 1"))

    record = await played(bird, Doing(call_on), Budgets(calls=7))
    assert (record.outcome, record.evidence["kind"]) == (Outcome.limit, "calls")
    assert record.reason == "more than 7 tool calls in one episode"
    assert len(record.steps) == 7


async def test_call_bytes(bird: Bird) -> None:
    """It is told, and can do better."""

    async def call_long(stage: Stage) -> None:
        told = await stage.call(execute(f"SELECT '{'x' * 1000}'"))
        assert told.error
        assert told.text.startswith("The arguments of execute_sql are longer than 1,000 bytes: nothing was done.")
        await stage.call(submit(GOLD))

    record = await played(bird, Doing(call_long), Budgets(call_bytes=1000))
    assert record.outcome is Outcome.passed


async def test_bytes_in_of_calls(bird: Bird) -> None:
    async def send(stage: Stage) -> None:
        while True:
            await stage.call(execute(f"SELECT '{'ä' * 400}'"))

    record = await played(bird, Doing(send), Budgets(bytes_in=8_500))
    assert (record.outcome, record.evidence["kind"]) == (Outcome.limit, "bytes_in")
    assert len(record.steps) == 3  # an ä has six bytes as JSON escapes it


async def test_bytes_in_of_replies(bird: Bird) -> None:
    model = ScriptedModel(lambda _: says("x" * 1000))
    record = await played(bird, ToolAgent(model, 20), Budgets(bytes_in=2500))
    assert (record.outcome, record.evidence["kind"]) == (Outcome.limit, "bytes_in")
    assert record.reason == "the agent has sent more than 2,500 bytes in one episode"
    assert record.usage.calls == 3


async def test_bytes_out(bird: Bird) -> None:
    async def look(stage: Stage) -> None:
        while True:
            await stage.call(execute("SELECT hex(zeroblob(1000))"))

    record = await played(bird, Doing(look), Budgets(bytes_out=5000))
    assert (record.outcome, record.evidence["kind"]) == (Outcome.limit, "bytes_out")
    shown = sum(len(step.observation.text) for step in record.steps if isinstance(step, ToolStep))
    assert 5000 < shown < 5500


async def test_seconds(bird: Bird) -> None:
    async def hang(stage: Stage) -> None:
        await stage.call(execute("SELECT 1"))
        await asyncio.sleep(600)

    record = await played(bird, Doing(hang), Budgets(seconds=1.5))
    assert (record.outcome, record.evidence["kind"]) == (Outcome.limit, "time")
    assert record.reason == "the episode did not end within 1.5 seconds"


async def test_an_agents_own_time_out_is_not_the_episodes(bird: Bird) -> None:
    async def give_up(stage: Stage) -> None:
        raise TimeoutError

    record = await played(bird, Doing(give_up), Budgets())
    assert record.outcome is Outcome.error


async def test_kept_text(bird: Bird) -> None:
    """Everything long is cut in the record, with its length and digest; the agent sees all of it."""
    long = "ß" * 5000

    async def talk(stage: Stage) -> None:
        observation = await stage.call(execute(f"SELECT '{long}'"))
        assert long in observation.text
        stage.log(NoteStep(long))
        stage.log(ServiceStep({"question": long}, 200, {"sql": long}, 0.1))
        await stage.ask(ScriptedModel([says(long)]), [])
        await stage.call(submit(GOLD))

    record = await played(bird, Doing(talk), Budgets(kept_text=300))
    assert record.outcome is Outcome.passed
    tool, note, service, model, last = record.steps
    digest = blake2b(long.encode(), digest_size=16).hexdigest()
    assert isinstance(note, NoteStep)
    assert note == NoteStep(
        f"{long[:300]}… [cut here: 5,000 characters in all, blake2b {digest}]", {"text": Truncation(5000, digest)}
    )
    assert isinstance(model, ModelStep)
    assert model.cut == {"reply.text": Truncation(5000, digest)}
    assert isinstance(tool, ToolStep)
    assert tool.cut.keys() == {"call.arguments", "observation.text", "observation.details"}
    assert isinstance(service, ServiceStep)
    assert service.cut.keys() == {"request", "response"}
    assert isinstance(last, ToolStep)
    assert last.cut == {}
    assert len(encoded(record)) < 10_000
    assert msgspec.json.decode(encoded(record), type=Record) == record


async def test_record_bytes(bird: Bird) -> None:
    """The case that made 128 MB in 20 s, with the limits as they are and smaller texts."""

    async def send(stage: Stage) -> None:
        for _ in range(140):
            await stage.call(execute(f"SELECT length('{'x' * 90_000}')"))

    record = await played(bird, Doing(send), Budgets(record_bytes=MIB))
    assert record.outcome is Outcome.failed
    assert len(record.steps) == 140
    assert len(encoded(record)) < 1.3 * MIB
    record = await played(bird, Doing(send), Budgets(bytes_in=2 * MIB))
    assert record.outcome is Outcome.limit


async def test_a_record_of_what_json_must_escape_is_no_larger(bird: Bird) -> None:
    async def send(stage: Stage) -> None:
        for _ in range(30):
            stage.log(NoteStep("\x01" * 100_000))

    record = await played(bird, Doing(send), Budgets(record_bytes=MIB))
    assert len(encoded(record)) < 2 * MIB


async def test_what_was_handed_in_is_kept_whole(bird: Bird) -> None:
    """It is scored again from the record."""
    sql = f"{GOLD} -- {'x' * 5000}"

    async def hand_in(stage: Stage) -> None:
        await stage.call(submit(sql))

    record = await played(bird, Doing(hand_in), Budgets(kept_text=300))
    assert record.evidence["prediction"] == sql


async def test_a_recording_that_was_cut_is_not_replayed(bird: Bird, tmp_path_factory: pytest.TempPathFactory) -> None:
    from touchstone.models.recorded import RecordedModel

    record = await played(bird, ToolAgent(ScriptedModel([says("x" * 1000), calls(submit(GOLD))]), 5), Budgets(kept_text=300))
    folder = tmp_path_factory.mktemp("run")
    (folder / "runs.jsonl").write_bytes(encoded(record) + b"\n")
    again = await played(bird, ToolAgent(RecordedModel(f"recorded:{folder}"), 5), Budgets())
    assert again.outcome is Outcome.error
    assert "the recording does not hold all of the reply at call 1" in again.reason
