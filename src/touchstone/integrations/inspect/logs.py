"""A run directory as an Inspect log: the same conversations, tool calls, verdicts and usage, for Inspect's viewer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, cast

import msgspec
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalError,
    EvalLog,
    EvalSample,
    EvalSampleLimit,
    EvalSpec,
    EvalStats,
    recompute_metrics,
    write_eval_log,
)
from inspect_ai.log import EvalPlan as Plan
from inspect_ai.log import EvalPlanStep as PlanStep
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ModelOutput,
    ModelUsage,
    StopReason,
)
from inspect_ai.tool import ToolCall as InspectCall
from inspect_ai.tool import ToolCallError

from ...errors import InputError, os_errors_as
from ...runs.directory import read_config, read_records
from ...types import ModelStep, NoteStep, Outcome, Record, Reply, ServiceStep, ToolCall, ToolStep, Usage, Verdict
from .solver import score_of

# A record's transcript as Inspect's chat messages.


_STOPS: dict[str, StopReason] = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "length": "max_tokens",
    "refusal": "content_filter",
}


def conversation(record: Record, model: str) -> list[ChatMessage]:
    """From the brief to the last step. A call that no model made, a script's or a person's, gets a message of its own."""
    messages: list[ChatMessage] = []
    if record.brief is not None:
        messages += [ChatMessageSystem(content=record.brief.instructions), ChatMessageUser(content=record.brief.request)]
    announced: set[str] = set()
    for step in record.steps:
        match step:
            case ModelStep():
                messages.append(_assistant(step.reply, model))
                announced = {call.id for call in step.reply.calls}
            case ToolStep():
                if step.call.id not in announced:
                    messages.append(ChatMessageAssistant(content="", tool_calls=[call_of(step.call)], source="generate"))
                announced.discard(step.call.id)
                messages.append(_observed(step))
            case NoteStep():
                messages.append(ChatMessageUser(content=step.text))
            case ServiceStep():
                messages.append(ChatMessageUser(content=_json(step.request)))
                messages.append(ChatMessageAssistant(content=_json(step.response), source="generate"))
    return messages


def output_of(record: Record, model: str) -> ModelOutput | None:
    """The last reply."""
    replies = [step.reply for step in record.steps if isinstance(step, ModelStep)]
    if not replies:
        return None
    last = replies[-1]
    choice = ChatCompletionChoice(message=_assistant(last, model), stop_reason=_STOPS.get(last.finish, "unknown"))
    return ModelOutput(model=model, choices=[choice], usage=usage_of(last.usage))


def usage_of(usage: Usage) -> ModelUsage:
    """Inspect counts cached tokens apart from the input."""
    return ModelUsage(
        input_tokens=max(usage.input_tokens - usage.cached_tokens, 0),
        input_tokens_cache_read=usage.cached_tokens,
        output_tokens=usage.output_tokens,
        total_tokens=usage.input_tokens + usage.output_tokens,
        total_cost=usage.cost,
    )


def call_of(call: ToolCall) -> InspectCall:
    """Arguments that are no JSON object stay readable in the error."""
    try:
        arguments = msgspec.json.decode(call.arguments or "{}")
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        arguments = None
    if isinstance(arguments, dict):
        return InspectCall(call.id, call.name, cast("dict[str, Any]", arguments))
    return InspectCall(call.id, call.name, {}, parse_error=f"not a JSON object: {call.arguments}")


def _assistant(reply: Reply, model: str) -> ChatMessageAssistant:
    calls = [call_of(call) for call in reply.calls]
    return ChatMessageAssistant(content=reply.text, tool_calls=calls or None, model=model, source="generate")


def _observed(step: ToolStep) -> ChatMessageTool:
    kind: Literal["unknown"] = "unknown"
    seen = step.observation
    return ChatMessageTool(
        content=seen.text,
        tool_call_id=step.call.id,
        function=step.call.name,
        error=ToolCallError(kind, seen.text) if seen.error else None,
    )


def _json(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


_SCORERS: dict[str, Any] = {
    "scorers": [
        {"name": "passed", "metrics": [{"name": "inspect_ai/accuracy"}, {"name": "inspect_ai/stderr"}]},
        {"name": "score", "metrics": [{"name": "inspect_ai/mean"}, {"name": "inspect_ai/stderr"}]},
    ]
}
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")


def write(run: Path, target: Path) -> Path:
    """The file written. Raises InputError if this is no run, or the target cannot be written."""
    log = log_of(run)
    if target.is_dir():
        target = target / f"{_file_name(log)}.eval"
    if target.suffix not in (".eval", ".json"):
        raise InputError(f"{target}: expected a directory, or a file named .eval or .json")
    with os_errors_as(InputError, f"{target}: cannot be written"):
        target.parent.mkdir(parents=True, exist_ok=True)
        write_eval_log(log, str(target.absolute()))
    return target


def log_of(run: Path) -> EvalLog:
    config = read_config(run)
    records = sorted(read_records(run), key=lambda record: (record.index, record.task, record.epoch))
    if not records:
        raise InputError(f"{run}: there are no records in this run")
    identity: dict[str, Any] = config.get("identity", {})
    model = str(identity.get("model") or identity.get("agent") or "unknown")
    log = EvalLog(
        status="success" if (run / "overall.json").is_file() else "cancelled",
        eval=_spec(run, config, identity, model, records),
        plan=Plan(steps=[PlanStep(solver=f"touchstone/{identity.get('agent', 'agent')}")]),
        stats=_stats(records, model),
        samples=[_sample(record, model) for record in records],
    )
    recompute_metrics(log)
    return log


def _spec(run: Path, config: dict[str, Any], identity: dict[str, Any], model: str, records: Sequence[Record]) -> EvalSpec:
    name = str(identity.get("benchmark") or config.get("command") or "run")
    keys = list(dict.fromkeys(record.task for record in records))
    known = blake2b(f"{run.absolute()}{records[0].started}".encode(), digest_size=11).hexdigest()
    return EvalSpec(
        eval_id=known,
        run_id=known,
        task_id=known,
        created=min(record.started for record in records),
        task=f"touchstone/{name}",
        task_registry_name=f"touchstone/{name}",
        task_args=config.get("arguments", {}),
        solver=f"touchstone/{identity.get('agent', 'agent')}",
        dataset=EvalDataset(name=name, samples=len(keys), sample_ids=keys),
        model=model,
        config=EvalConfig(epochs=1 + max(record.epoch for record in records)),
        packages={"touchstone": str(config.get("versions", {}).get("touchstone", ""))},
        metadata={"title": config.get("title"), "identity": identity, "versions": config.get("versions", {})},
        **_SCORERS,
    )


def _stats(records: Sequence[Record], model: str) -> EvalStats:
    used = sum((record.usage for record in records), Usage())
    return EvalStats(
        started_at=min(record.started for record in records),
        completed_at=max(_ended(record) for record in records),
        model_usage={model: usage_of(used)} if used.calls else {},
        role_usage=_roles(records),
    )


def _sample(record: Record, model: str) -> EvalSample:
    verdict = Verdict(record.outcome, record.score or 0.0, record.reason, record.metrics, record.evidence)
    stopped = record.outcome is Outcome.limit
    failed = record.outcome is Outcome.error
    return EvalSample(
        id=record.task,
        epoch=record.epoch + 1,
        input=record.brief.request if record.brief else record.task,
        target=str(record.evidence.get("gold", "")),
        messages=conversation(record, model),
        output=output_of(record, model) or ModelOutput(model=model),
        scores={
            "passed": score_of(verdict, float(record.outcome is Outcome.passed)),
            "score": score_of(verdict, verdict.score),
        },
        metadata={**record.facets, "digest": record.digest},
        model_usage={model: usage_of(record.usage)} if record.usage.calls else {},
        role_usage=_roles([record]),
        started_at=record.started,
        completed_at=_ended(record),
        total_time=record.seconds,
        working_time=record.seconds,
        limit=EvalSampleLimit(type="custom", limit=0, reason=record.reason) if stopped else None,
        error=_error(record) if failed else None,
        uuid=f"{record.digest}-{record.task}-{record.epoch}",
    )


def _roles(records: Iterable[Record]) -> dict[str, ModelUsage]:
    total: dict[str, Usage] = {}
    for record in records:
        for who, usage in record.usage_by.items():
            total[who] = total.get(who, Usage()) + usage
    return {who: usage_of(usage) for who, usage in total.items()}


def _error(record: Record) -> EvalError:
    trace = str(record.evidence.get("traceback", record.reason))
    return EvalError(message=record.reason, traceback=trace, traceback_ansi=trace)


def _ended(record: Record) -> str:
    return (datetime.fromisoformat(record.started) + timedelta(seconds=record.seconds)).isoformat()


def _file_name(log: EvalLog) -> str:
    """As Inspect names its own, so that its viewer lists it."""
    parts = (log.eval.created[:19], log.eval.task.rpartition("/")[2], log.eval.eval_id)
    return "_".join(_NOT_IN_NAMES.sub("-", part) for part in parts)
