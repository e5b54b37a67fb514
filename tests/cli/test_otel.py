"""`--otel`: what a real OTLP receiver gets of a run, and what a run does without one."""

from __future__ import annotations

import json
import socket
from collections import Counter
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.support.chat_players import knowing
from tests.support.chat_server import JSON, Answer, ChatServer, Script, tool_call
from tests.support.collector import Collector, attributes
from tests.support.command import Done, records, run_directory
from tests.support.worlds import ROWS, World

pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
KEY = "sk-very-secret"
SELECT_DEAR = "SELECT name FROM item WHERE price > 1.0"


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_SERVICE_NAME"):
        monkeypatch.delenv(name, raising=False)


def play(cli: Cli, world: World, script: Script, *options: str | Path) -> Done:
    with ChatServer(script) as server:
        return cli("bird", *world.arguments, "-m", "some/model", "--base-url", server.url, "-o", "out", *options)


def wrong(_: JSON) -> Answer:
    """Asks for what is not there, then hands in what is not asked."""
    if any(message["role"] == "tool" for message in _["messages"]):
        return tool_call("submit_sql", {"sql": "SELECT 'x'"})
    return tool_call("execute_sql", {"sql": "-- look\n(SELECT nothing FROM nowhere)"})


def test_a_collector_gets_a_trace_for_each_episode(cli: Cli, world: World) -> None:
    with Collector() as collector:
        done = play(cli, world, knowing(), "--otel", collector.url, "-p", "3")
    assert (done.code, done.err.count("otel")) == (0, 0)
    assert set(collector.paths) == {"/v1/traces"}
    assert collector.resource["service.name"] == "touchstone"
    kinds = Counter(span.name.split()[0] for span in collector.spans)
    assert kinds == {"run": 1, "episode": 6, "invoke_agent": 6, "chat": 12, "execute_tool": 12, "verdict": 6}
    (run,) = collector.named("run")
    assert attributes(run)["touchstone.accuracy"] == 1.0
    assert attributes(run)["touchstone.run"] == run_directory(Path("out")).name
    for episode in collector.named("episode"):
        assert [link.trace_id for link in episode.links] == [run.trace_id]
        trace = [span for span in collector.spans if span.trace_id == episode.trace_id]
        by_id = {span.span_id: span for span in trace}
        parents = Counter(
            (span.name.split()[0], by_id[span.parent_span_id].name.split()[0]) for span in trace if span.parent_span_id
        )
        assert parents == {
            ("invoke_agent", "episode"): 1,
            ("verdict", "episode"): 1,
            ("chat", "invoke_agent"): 2,
            ("execute_tool", "invoke_agent"): 2,
        }
        for span in trace:
            assert episode.start_time_unix_nano <= span.start_time_unix_nano <= span.end_time_unix_nano
            assert span.end_time_unix_nano <= episode.end_time_unix_nano + 2_000_000  # records count whole milliseconds


def test_spans_keep_to_the_conventions(cli: Cli, world: World) -> None:
    with Collector() as collector:
        play(cli, world, knowing(), "--otel", collector.url, "--task", "10")
    chat, _ = (attributes(span) for span in collector.named("chat some/model"))
    assert chat["gen_ai.operation.name"] == "chat"
    assert (chat["gen_ai.provider.name"], chat["gen_ai.request.model"]) == ("openai", "some/model")
    usage = [chat[f"gen_ai.usage.{name}"] for name in ("input_tokens", "output_tokens", "cache_read.input_tokens")]
    assert (usage, chat["gen_ai.response.finish_reasons"]) == ([100, 10, 40], ["tool_calls"])
    explored, submitted = (attributes(span) for span in collector.named("execute_tool"))
    assert explored["gen_ai.tool.name"] == "execute_sql"
    named = {name: value for name, value in explored.items() if name.startswith("db.")}
    assert named == {
        "db.system.name": "sqlite",
        "db.namespace": "shop",
        "db.operation.name": "SELECT",
        "db.query.text": SELECT_DEAR,
        "db.response.returned_rows": 3,
    }
    assert submitted["gen_ai.tool.name"] == "submit_sql"
    (verdict,) = collector.named("verdict")
    assert attributes(verdict)["touchstone.outcome"] == "passed"
    (event,) = verdict.events
    assert (event.name, attributes(event)["gen_ai.evaluation.score.value"]) == ("gen_ai.evaluation.result", 1.0)
    episode = attributes(collector.named("episode 10")[0])
    assert (episode["touchstone.task"], episode["touchstone.input_tokens"]) == ("10", 200)
    assert episode["touchstone.facet.difficulty"] == "simple"
    assert not any(name.startswith("gen_ai.usage") for name in episode)


def test_no_span_holds_the_gold_or_a_key(cli: Cli, world: World) -> None:
    with Collector() as collector:
        play(cli, world, wrong, "--otel", collector.url)
    assert {record["evidence"]["gold"] for record in records(run_directory(Path("out")))} == {row["SQL"] for row in ROWS}
    assert b"SELECT 'x'" in collector.raw
    for secret in (KEY, "quince", "heron", *(row["SQL"] for row in ROWS)):
        assert secret.encode() not in collector.raw, secret
    failed = attributes(collector.named("execute_tool execute_sql")[0])
    assert (failed["error.type"], failed["db.operation.name"]) == ("tool", "SELECT")
    event = attributes(collector.named("verdict")[0].events[0])
    assert event["gen_ai.evaluation.explanation"].startswith("Not the expected result")


def test_the_oracle_shows_nothing_of_what_it_plays(cli: Cli, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")
    with Collector() as collector:
        cli("bird", *world.arguments, "--agent", "oracle", "-o", "out", "--otel", collector.url)
    assert len(collector.named("execute_tool submit_sql")) == 6
    for row in ROWS:
        assert row["SQL"].encode() not in collector.raw


def test_what_is_said_is_sent_only_if_the_variable_asks_for_it(cli: Cli, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with Collector() as collector:
        play(cli, world, knowing(), "--otel", collector.url, "--task", "10")
        assert b"Which items are dear?" not in collector.raw
        assert not any("gen_ai.output.messages" in attributes(span) for span in collector.spans)
        monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")
        play(cli, world, knowing(), "--otel", collector.url, "--task", "10")
    said = [attributes(span)["gen_ai.output.messages"] for span in collector.named("chat")[2:]]
    assert json.loads(said[0])[0]["parts"][0]["name"] == "execute_sql"
    assert attributes(collector.named("episode")[1])["touchstone.request"].startswith("Which items are dear?")


def test_the_standard_variables_say_where_and_with_which_headers(
    cli: Cli, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Collector() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"{collector.url}/base/")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer hush")
        monkeypatch.setenv("OTEL_SERVICE_NAME", "nightly")
        done = play(cli, world, knowing(), "--otel", "env", "--task", "10")
    assert (done.code, set(collector.paths)) == (0, {"/base/v1/traces"})
    assert collector.headers[0]["authorization"] == "Bearer hush"
    assert collector.resource["service.name"] == "nightly"
    assert "hush" not in (run_directory(Path("out")) / "config.json").read_text()


def test_without_a_collector_a_run_is_the_same_and_one_line_says_so(cli: Cli, world: World) -> None:
    with socket.socket() as taken:  # bound, so that nobody else gets it, and never listened at
        taken.bind(("127.0.0.1", 0))
        done = play(cli, world, knowing(), "--otel", f"http://user:hush@127.0.0.1:{taken.getsockname()[1]}")
    assert done.code == 0
    (line,) = [line for line in done.err.splitlines() if "otel" in line or "Traceback" in line or "rror" in line]
    assert "43 of 43 spans could not be delivered (nothing answers); the run itself lacks nothing" in line
    assert "hush" not in done.err + (run_directory(Path("out")) / "config.json").read_text()
    assert len(records(run_directory(Path("out")))) == 6


def test_a_collector_that_refuses_is_named_with_its_answer(cli: Cli, world: World) -> None:
    with Collector(status=401) as collector:
        done = play(cli, world, knowing(), "--otel", collector.url, "--task", "10")
    assert (done.code, "(it answers 401 Unauthorized)" in done.complaint) == (0, True)


def test_spans_wait_for_a_collector_that_is_slow(cli: Cli, world: World) -> None:
    """What is made while a batch is under way is in the next one."""
    with Collector() as collector:
        collector.answers.clear()

        def answering(request: JSON) -> Answer:
            collector.answers.set()
            return knowing()(request)

        done = play(cli, world, answering, "--otel", collector.url)
    assert (done.code, len(collector.spans)) == (0, 43)


def test_spans_are_kept_for_a_collector_that_comes_back(cli: Cli, world: World) -> None:
    with Collector(status=400) as collector:

        def answering(request: JSON) -> Answer:
            if len(asked) > 4:  # the first episodes are over, and so spans were offered and refused
                assert collector.refused.wait(60)
                collector.status = 200
            asked.append(request)
            return knowing()(request)

        asked: list[JSON] = []
        done = play(cli, world, answering, "--otel", collector.url)
    assert (done.code, len(collector.spans)) == (0, 43)
    (line,) = [line for line in done.err.splitlines() if "otel" in line]
    assert "the collector does not take spans (it answers 400 Bad Request); the run goes on" in line


@pytest.mark.parametrize("address", ["localhost:4318", "grpc://localhost:4317", "http://", ""])
def test_what_is_no_address_is_refused_at_once(cli: Cli, world: World, address: str) -> None:
    done = cli("bird", *world.arguments, "--agent", "oracle", f"--otel={address}")
    assert (done.code, "expected an address such as http://localhost:4318, or env" in done.complaint) == (2, True)
    assert not Path("results").exists()


def test_grpc_is_refused_by_name(cli: Cli, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    done = cli("bird", *world.arguments, "--agent", "oracle", "--otel", "env")
    expected = "touchstone: --otel sends http/protobuf, but OTEL_EXPORTER_OTLP_PROTOCOL is grpc"
    assert (done.code, done.complaint) == (2, expected)
