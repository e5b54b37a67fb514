"""NeMo Gym's contract: seed_session, tools as routes, verify, aggregate_metrics, and tasks as rows of a dataset.

A rollout seeds a session with a row, calls tools by their routes with the session's cookie, and has its response verified. A
response is also verified without a session: its last text, or its last submission, is judged in a fresh episode. What a row
says of itself counts for nothing but the task's key: the reference stays here.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from typing import Any, cast

import msgspec

from ..errors import InputError
from ..models.wire import arguments_schema, tool_schema
from ..types import Message, Tool, ToolCall
from .reward import submission_tool
from .sessions import EnvSession, EnvStep, Sessions

RESERVED = ("verify", "seed_session", "close_session", "aggregate_metrics", "mcp")
Json = dict[str, Any]


def task_in(body: Json) -> str:
    """The key of the task that a row is of. Raises InputError."""
    nested = [body.get(name) for name in ("verifier_metadata", "task_data", "extra_info", "metadata")]
    for fields in (body, *(cast(Json, each) for each in nested if isinstance(each, dict))):
        if isinstance(key := fields.get("task", fields.get("task_id")), str | int):
            return str(key)
    raise InputError("the row names no task: expected verifier_metadata.task, as `touchstone env rows` writes it")


async def verify(sessions: Sessions, body: Json, session: EnvSession | None) -> Json:
    """The row with the response, and what it is worth."""
    response = body.get("response")
    if not isinstance(response, dict):
        raise InputError("response: expected a response of the OpenAI Responses API")
    leased = session is None
    session = session or sessions.lease()
    try:
        if leased:
            await session.reset(task_in(body))
        elif session.last is None:
            raise InputError("the session has no episode: seed it with a row first")
        step = await _handed_in(session, cast(Json, response))
    finally:
        await sessions.release(session)
    return {**body, **_verdict(session, step)}


async def _handed_in(session: EnvSession, response: Json) -> EnvStep:
    """Plays what the response hands in by calls, but for those that the session has played already; then, if the episode is not
    over, what its last text answers. The first submission counts, as in every other episode."""
    assert session.last is not None
    output = response.get("output")
    items = (
        [cast(Json, item) for item in cast("list[Any]", output) if isinstance(item, dict)] if isinstance(output, list) else []
    )
    step, tool = session.last, submission_tool(session.tools)
    calls = [item for item in items if item.get("type") == "function_call" and tool and item.get("name") == tool.name]
    played = Counter(_canonical(arguments) for arguments in session.submissions)
    for arguments in (str(call.get("arguments", "")) for call in calls):
        if played[canonical := _canonical(arguments)]:
            played[canonical] -= 1
        elif not step.done and tool:
            step = await session.step(ToolCall("verify", tool.name, arguments))
    if not step.done:
        step = await session.answer(text_of(items))
    return await session.conclude()


def _canonical(arguments: str) -> bytes:
    """The same for the same arguments, however an agent wrote them down on their way."""
    try:
        return msgspec.json.encode(msgspec.json.decode(arguments), order="deterministic")
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return arguments.encode("utf-8", "replace")


def text_of(items: Sequence[Json]) -> str:
    """The last message of a response."""
    for item in reversed(items):
        if item.get("type", "message") == "message" and item.get("role", "assistant") == "assistant":
            content = item.get("content")
            parts = cast("list[Any]", content) if isinstance(content, list) else [{"text": content}]
            texts = [cast(Json, part).get("text") for part in parts if isinstance(part, dict)]
            return "".join(text for text in texts if isinstance(text, str))
    return ""


def _verdict(session: EnvSession, step: EnvStep) -> Json:
    info, usable = step.info, bool(step.info["usable"])
    judged: Json = {"reward": session.total, "mask_sample": not usable, "task": info["task"], "outcome": info["outcome"]}
    judged["failure_kind"] = None if usable else f"touchstone:{info['why']}"
    judged["failure_reason"] = None if usable or step.verdict is None else step.verdict.reason
    return judged


def aggregate(verified: Any) -> Json:
    """Means over tasks and rollouts. Samples that are masked are counted and left out."""
    if not isinstance(verified, list):
        raise InputError("verify_responses: expected a list of what /verify returned")
    groups: dict[str, list[float]] = {}
    masked = 0
    for each in cast("list[Any]", verified):
        if not isinstance(each, dict) or not isinstance(reward := cast(Json, each).get("reward"), int | float):
            raise InputError("verify_responses: expected objects with a reward")
        row = cast(Json, each)
        if row.get("mask_sample"):
            masked += 1
            continue
        groups.setdefault(str(row.get("_ng_task_index", row.get("task", ""))), []).append(float(reward))
    rewards = [reward for group in groups.values() for reward in group]
    overall = {**_statistics(rewards), "tasks": len(groups), "rollouts": len(rewards), "masked": masked}
    if groups:
        overall["pass@any"] = sum(max(group) >= 1 for group in groups.values()) / len(groups)
    levels = [{"_ng_task_index": _index(key), **_statistics(group), "rollouts": len(group)} for key, group in groups.items()]
    headline = {name: value for name, value in overall.items() if name in ("mean/reward", "pass@any")}
    return {"group_level_metrics": levels, "agent_metrics": overall, "key_metrics": headline}


def _index(key: str) -> int | str:
    return int(key) if key.isdecimal() and len(key) < 19 else key


def _statistics(rewards: Sequence[float]) -> Json:
    if not rewards:
        return {}
    mean = math.fsum(rewards) / len(rewards)
    deviation = math.sqrt(math.fsum((reward - mean) ** 2 for reward in rewards) / len(rewards))
    return {"mean/reward": mean, "min/reward": min(rewards), "max/reward": max(rewards), "std/reward": deviation}


# Rows: a task each, in the forms that trainers read. None holds the reference; the key is what a reward is asked for with.


async def rows(sessions: Sessions, form: str) -> AsyncGenerator[Json]:
    for task in sessions.tasks:
        session = sessions.lease()
        try:
            step = await session.reset(task.key)
            if step.done:  # it cannot be played here
                continue
            tools = list(session.tools)
        finally:
            await sessions.release(session)
        named = {"task": task.key, "digest": task.digest, "benchmark": sessions.benchmark.name, **task.facets}
        prompt = [
            Message(role="system", content=step.info["instructions"].strip()),
            Message(role="user", content=step.text),
        ]
        if form == "nemo":
            functions = [_function(tool) for tool in tools]
            asked = {"input": prompt, "tools": functions, "parallel_tool_calls": False}
            yield {"responses_create_params": asked, "verifier_metadata": named}
        elif form == "verl":
            judged = {"style": "rule", "ground_truth": task.key}
            source = f"touchstone/{sessions.benchmark.name}"
            yield {"data_source": source, "prompt": prompt, "ability": "sql", "reward_model": judged, "extra_info": named}
        else:
            yield {"prompt": prompt, "tools": [tool_schema(tool) for tool in tools], **named}


def _function(tool: Tool) -> Json:
    """As the Responses API has it."""
    closed = {**arguments_schema(tool), "additionalProperties": False}
    return {"type": "function", "strict": True, "name": tool.name, "description": tool.description, "parameters": closed}
