"""OpenTelemetry spans of a run (`--otel`), sent over OTLP while it goes on.

One trace per episode, since no backend draws a trace of ten thousand tasks, and one of the run, which all of them link to:

    run
    episode <task>
      invoke_agent <agent>
        chat <model>              GenAI conventions: model, tokens, finish reason
        execute_tool <tool>       GenAI conventions; with SQL also the db.* ones
      verdict

Spans are made from the record when the episode is kept: each step says how long it took, and `watch` when it ended. Records of
another machine have no such times, so their steps follow one another. Spans hold what an agent did and what came of it; not the
reference, not the reason that would give it away, not the oracle's SQL, and no key, since a record has none.

A collector must never cost a run anything: a thread sends, what it cannot send it keeps up to a bound and tries again, and the
end of the run waits a few seconds for it, no more.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanLimits, TracerProvider
from opentelemetry.trace import Link, Span, SpanKind, StatusCode, set_span_in_context

from .. import __version__
from ..addresses import without_secrets
from ..types import ModelStep, NoteStep, Outcome, Record, ServiceStep, Step, ToolStep
from .config import OTEL_BY_VARIABLES, RunConfig
from .custody import public_reason
from .span_sender import SpanSender

_LONGEST_TEXT = 10_000
_SYSTEMS = {"postgres": "postgresql", "bigquery": "gcp.bigquery"}
"""Engines whose names differ from those of the conventions."""
_ROWS = re.compile(r"\((?:the first [\d,]+ of )?([\d,]+) rows?\b")
_OPERATION = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/|\()*([a-zA-Z]+)", re.DOTALL)


class RunTrace:
    """The spans of one run."""

    def __init__(self, config: RunConfig, identity: Mapping[str, Any], say: Callable[[str], None]) -> None:
        self._agent, self._model = config.agent.name, str(identity.get("model") or "")
        self._provider_name = config.model.provider if config.model else ""
        self._secret_moves = self._agent == "oracle"
        self._content = os.environ.get("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "").lower() == "true"
        self._engine = str(identity.get("engine") or "sqlite")
        self._same: dict[str, Any] = {"touchstone.benchmark": config.benchmark.name}
        self._address = without_secrets(config.run.otel or "")
        self._say = say
        longest = int(os.environ.get("OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT") or _LONGEST_TEXT)
        named = "OTEL_SERVICE_NAME" in os.environ or "service.name=" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
        service = {"service.version": __version__, **({} if named else {"service.name": "touchstone"})}
        self._sender = SpanSender(config.run.otel or OTEL_BY_VARIABLES, self._first_failure)
        provider = TracerProvider(
            resource=Resource.create(service), span_limits=SpanLimits(max_attribute_length=longest), shutdown_on_exit=False
        )
        provider.add_span_processor(self._sender)
        self._tracer = provider.get_tracer("touchstone", __version__)
        self._ends: dict[tuple[str, int], list[int]] = {}
        self._loop = asyncio.get_running_loop()
        self._run = self._tracer.start_span("run")

    def begin(self, run: str) -> None:
        """The name of the run's directory."""
        self._same["touchstone.run"] = run

    def watch(self, task: str, epoch: int) -> Callable[[Step], None]:
        """Told of each step of an episode as it ends."""
        ends = self._ends[task, epoch] = list[int]()
        return lambda _: ends.append(time.time_ns())

    def add(self, record: Record) -> None:
        """The trace of an episode whose record was kept."""
        start = round(datetime.fromisoformat(record.started).timestamp() * 1e9)
        end = start + round(record.seconds * 1e9)
        steps = list(_timed(record.steps, self._ends.pop((record.task, record.epoch), ()), start, end))
        kind = str(record.evidence.get("kind") or "")
        verdict = {
            "touchstone.outcome": record.outcome.value,
            "touchstone.score": record.score,
            "touchstone.kind": kind or None,
        }
        facets = {f"touchstone.facet.{name}": value for name, value in record.facets.items()}
        task = {"touchstone.task": record.task, "touchstone.epoch": record.epoch}
        reason = public_reason(record.outcome, record.reason, kind)
        root = self._tracer.start_span(
            f"episode {record.task}",
            Context(),
            attributes=_known({**self._same, **task, **facets, **verdict, **self._usage_sum(record)}),
            links=[Link(self._run.get_span_context())],
            start_time=start,
        )
        within = set_span_in_context(root)
        if self._content and record.brief:
            root.set_attribute("touchstone.request", record.brief.request)
        if record.outcome is Outcome.error:
            _fail(root, "error", reason)
        if steps:
            self._add_agent(within, record, steps)
        judged_from = steps[-1][2] if steps else start
        span = self._span("verdict", within, judged_from, {**verdict, **self._metrics(record)})
        evaluation = {
            "gen_ai.evaluation.name": self._same["touchstone.benchmark"],
            "gen_ai.evaluation.score.label": record.outcome.value,
            "gen_ai.evaluation.score.value": record.score,
            "gen_ai.evaluation.explanation": reason,
        }
        span.add_event("gen_ai.evaluation.result", _known(evaluation), timestamp=end)
        span.end(max(end, judged_from))
        root.end(max(end, judged_from))

    def result(self, overall: Mapping[str, Any]) -> None:
        """What came of the run."""
        figures = {
            "total": overall["total"],
            "passed": overall["outcomes"]["passed"],
            "accuracy": overall["overall"]["accuracy"],
        }
        self._run.set_attributes(_known({f"touchstone.{name}": each for name, each in figures.items()}))

    async def close(self) -> None:
        """Ends the run's span, sends what is left as far as that works within seconds, and says what could not be sent."""
        self._run.set_attributes({**self._same, "touchstone.agent": self._agent, **self._of_model()})
        self._run.end()
        if lost := await asyncio.to_thread(self._sender.close):
            self._say(
                f"--otel {self._address}: {lost:,} of {self._sender.made:,} spans could not be delivered"
                f" ({self._sender.complaint or 'no time was left'}); the run itself lacks nothing"
            )

    def _first_failure(self) -> None:
        text = f"--otel {self._address}: the collector does not take spans ({self._sender.complaint}); the run goes on"
        self._loop.call_soon_threadsafe(self._say, text)

    def _add_agent(self, within: Context, record: Record, steps: Sequence[tuple[Step, int, int]]) -> None:
        conversation = {"gen_ai.conversation.id": f"{record.task}/{record.epoch}"}
        named = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": self._agent, **conversation}
        agent = self._span(f"invoke_agent {self._agent}", within, steps[0][1], {**named, **self._of_model()})
        inner = set_span_in_context(agent)
        for step, begun, ended in steps:
            match step:
                case ModelStep():
                    self._add_chat(inner, step, begun, {**conversation, **self._of_model()}).end(ended)
                case ToolStep():
                    self._add_tool(inner, step, begun, record).end(ended)
                case ServiceStep():
                    answered = {"http.response.status_code": step.status}
                    self._span("service", inner, begun, answered, client=True).end(ended)
                case NoteStep():
                    agent.add_event("touchstone.note", {"text": step.text} if self._content else {}, timestamp=ended)
        agent.end(steps[-1][2])

    def _add_chat(self, within: Context, step: ModelStep, begun: int, named: Mapping[str, Any]) -> Span:
        usage, reply = step.reply.usage, step.reply
        counted = {
            "gen_ai.usage.input_tokens": usage.input_tokens,
            "gen_ai.usage.output_tokens": usage.output_tokens,
            "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens or None,
            "touchstone.cost_usd": usage.cost,
        }
        attributes: dict[str, Any] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.response.finish_reasons": [reply.finish],
            "touchstone.request_digest": step.request,
            **named,
            **({} if usage.uncounted else counted),
            "touchstone.reply_cache": True if usage.reused else None,
        }
        if self._content:
            attributes["gen_ai.output.messages"] = msgspec.json.encode([_message(step)]).decode()
        return self._span(f"chat {self._model}", within, begun, attributes, client=True)

    def _add_tool(self, within: Context, step: ToolStep, begun: int, record: Record) -> Span:
        call, seen = step.call, step.observation
        named = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": call.name, "gen_ai.tool.type": "function"}
        sql = _sql(call.arguments)
        attributes: dict[str, Any] = {**named, "gen_ai.tool.call.id": call.id or None}
        if sql is not None:
            attributes |= self._of_statement(sql, record, seen.details)
        if self._content and not self._secret_moves:
            attributes |= {"gen_ai.tool.call.arguments": call.arguments, "gen_ai.tool.call.result": seen.text}
        span = self._span(f"execute_tool {call.name}", within, begun, attributes, client=sql is not None)
        if seen.error:
            _fail(span, "tool", seen.text.partition("\n")[0][:300])
        return span

    def _of_statement(self, sql: str, record: Record, details: Mapping[str, Any]) -> dict[str, Any]:
        database = record.facets.get("database")
        table: Mapping[str, Any] = details.get("table") or {}
        rows = _ROWS.match(str(table.get("count", "")))
        operation = _OPERATION.match(sql)
        return {
            "db.system.name": _SYSTEMS.get(self._engine, self._engine),
            "db.namespace": database or None,
            "db.operation.name": operation[1].upper() if operation else None,
            "db.query.text": None if self._secret_moves else sql,
            "db.response.returned_rows": int(rows[1].replace(",", "")) if rows else None,
        }

    def _of_model(self) -> dict[str, Any]:
        return {"gen_ai.provider.name": self._provider_name, "gen_ai.request.model": self._model} if self._model else {}

    def _metrics(self, record: Record) -> dict[str, float]:
        return {f"touchstone.metric.{name}": value for name, value in record.metrics.items()}

    def _usage_sum(self, record: Record) -> dict[str, Any]:
        """Under names of our own: a backend that adds up all gen_ai.usage.* would count the calls' tokens twice."""
        usage = sum(record.usage_by.values(), record.usage)
        return {
            "touchstone.model_calls": usage.calls,
            "touchstone.input_tokens": usage.input_tokens,
            "touchstone.output_tokens": usage.output_tokens,
            "touchstone.cost_usd": usage.cost,
        }

    def _span(self, name: str, within: Context, begun: int, attributes: Mapping[str, Any], *, client: bool = False) -> Span:
        kind = SpanKind.CLIENT if client else SpanKind.INTERNAL
        return self._tracer.start_span(name, within, kind, _known(attributes), start_time=begun)


def _timed(steps: Sequence[Step], ends: Sequence[int], start: int, end: int) -> Iterator[tuple[Step, int, int]]:
    """Each step with its beginning and its end; one after another where nobody saw when they ended."""
    seen = len(ends) == len(steps)
    last = start
    for number, step in enumerate(steps):
        took = 0 if isinstance(step, NoteStep) else round(step.seconds * 1e9)
        last = ends[number] if seen else last + took
        yield step, max(last - took, start), last


def _known(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Without those of which nothing is known."""
    return {name: value for name, value in attributes.items() if value is not None}


def _sql(arguments: str) -> str | None:
    """The statement in a call's arguments, if they have one that can be read."""
    try:
        sql = msgspec.json.decode(arguments)["sql"]
    except (msgspec.DecodeError, UnicodeError, TypeError, KeyError, ValueError):
        return None
    return sql if isinstance(sql, str) else None


def _message(step: ModelStep) -> dict[str, Any]:
    """A reply as the conventions write messages."""
    calls = [{"type": "tool_call", "id": call.id, "name": call.name, "arguments": call.arguments} for call in step.reply.calls]
    texts = [{"type": "text", "content": step.reply.text}] if step.reply.text else []
    return {"role": "assistant", "parts": [*texts, *calls], "finish_reason": step.reply.finish}


def _fail(span: Span, kind: str, why: str) -> None:
    span.set_attribute("error.type", kind)
    span.set_status(StatusCode.ERROR, why)
