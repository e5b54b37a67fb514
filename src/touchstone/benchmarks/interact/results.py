"""A run of BIRD-Interact in the result formats of the original harnesses, for whoever has tools that read those.

The gold is left out, which the originals write into every result. Phases and rewards are the run's own verdicts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...foreign import Unreadable, read_json
from ...types import ModelStep, Record, ToolCall, ToolStep

_ADK_TOOLS = {"execute": "execute_sql", "ask": "ask_user", "submit": "submit_sql"}
_ADK_MODES = {"agentic": "a-interact", "conversational": "c-interact"}
_TO_USER = ("ask", "submit")
_WORTH = {1: 0.7, 2: 0.3}


def adk_results(records: Sequence[Record], mode: str) -> dict[str, Any]:
    """The service-based harness's one document."""
    results = [_adk_result(record) for record in records]
    total, reward = len(results), round(sum(each["total_reward"] for each in results), 6)
    first, second = (sum(each[name] for each in results) for name in ("phase1_passed", "phase2_passed"))
    metrics = {
        "total_tasks": total,
        "total_reward": reward,
        "average_reward": reward / total,
        "phase1_rate": first / total,
        "phase2_rate": second / total,
        "phase1_count": first,
        "phase2_count": second,
    }
    return {"mode": _ADK_MODES.get(mode, mode), "metrics": metrics, "results": results}


def batch_results(records: Sequence[Record]) -> list[dict[str, Any]]:
    """The batch harness's lines, one for each task."""
    return [_batch_result(position, record) for position, record in enumerate(records)]


def _adk_result(record: Record) -> dict[str, Any]:
    budget = record.evidence.get("budget")
    steps = list(_adk_steps(record, budget))
    spoken = [step for step in record.steps if isinstance(step, ToolStep) and step.call.name == "ask"]
    result = {
        "task_id": record.task,
        "instance_id": record.task,
        "database": record.facets["database"],
        "phase1_passed": _passed(record, 1),
        "phase2_passed": _passed(record, 2),
        "has_follow_up": "phase_2" in record.metrics,
        "total_reward": record.score or 0.0,
        "elapsed_seconds": record.seconds,
        "dialogue_history": [
            message
            for step in spoken
            for message in (
                {"role": "agent", "content": str(_arguments(step.call).get("question", ""))},
                {"role": "user", "content": step.observation.text},
            )
        ],
        "tool_trajectory": steps,
        "adk_events": [],
        "final_response": record.reason,
        "outcome": record.outcome,
    }
    if budget is not None:
        left = _left(record, budget)
        result |= {"budget_used": round(budget - left, 6), "budget_remaining": left}
    return result


def _adk_steps(record: Record, budget: float | None) -> Iterator[dict[str, Any]]:
    left = budget
    for step in record.steps:
        if not isinstance(step, ToolStep):
            continue
        text = step.observation.text
        if finding := step.observation.details.get("finding"):
            verdict = f"Phase {finding['phase']} correct!" if finding["passed"] else f"SQL failed Phase {finding['phase']}."
            text = f"{verdict}\n{text}"
        name = _ADK_TOOLS.get(step.call.name, step.call.name)
        row = {"type": "tool", "tool": name, "args": _arguments(step.call), "result": text}
        if left is not None:
            charge = step.observation.details.get("charge", {"price": 0.0, "after": left})
            row |= {"cost": charge["price"], "budget_before": left, "budget_after": charge["after"]}
            left = charge["after"]
        yield row


def _batch_result(position: int, record: Record) -> dict[str, Any]:
    budget = record.evidence.get("budget", 0.0)
    history = list(_turns(record, budget))
    last = history[-1] if history else {}
    submitted = record.evidence.get("submissions", [])
    return {
        "idx": position,
        "original_data": {
            "instance_id": record.task,
            "selected_database": record.facets["database"],
            "amb_user_query": record.brief.fields.get("question", "") if record.brief else "",
            "category": record.facets["category"],
        },
        "current_prompt": "",
        "interaction_history": history,
        "remaining_budget": _left(record, budget),
        "total_budget": budget,
        "phase1_completed": _passed(record, 1),
        "phase2_completed": _passed(record, 2),
        "task_finished": True,
        "current_turn": len(history),
        "current_phase": 2 if _passed(record, 1) and "phase_2" in record.metrics else 1,
        "last_agent_response": None,
        "parsed_action_object": last.get("interaction_object"),
        "parsed_action": last.get("action"),
        "parsed_thought": last.get("thought"),
        "last_observation": last.get("observation"),
        "last_reward": record.score or 0.0,
        "last_user_response": None,
        "force_submit": bool(last) and last["budget_after_action"]["force_submit"],
        "successful_phase1_sql": next((each["sql"] for each in submitted if each["phase"] == 1 and each["passed"]), None),
        "outcome": record.outcome,
        "reason": record.reason,
    }


def _turns(record: Record, budget: float) -> Iterator[dict[str, Any]]:
    thought, left, turn = "", budget, 0
    alone = "phase_2" not in record.metrics
    phase = 1
    for step in record.steps:
        if isinstance(step, ModelStep):
            thought = step.reply.text
            continue
        if not isinstance(step, ToolStep):
            continue
        turn += 1
        finding = step.observation.details.get("finding", {})
        accepted = finding.get("passed", False)
        left = step.observation.details.get("charge", {}).get("after", left)
        yield {
            "turn": turn,
            "phase": phase,
            "thought": thought,
            "interaction_object": "User" if step.call.name in _TO_USER else "Environment",
            "action": _action(step.call),
            "observation": step.observation.text,
            "reward": (1.0 if alone else _WORTH[phase]) if accepted else 0.0,
            "budget_after_action": {"remaining_budget": left, "total_budget": budget, "force_submit": left <= 0},
        }
        phase, thought = phase + accepted, ""


def _action(call: ToolCall) -> str:
    """As the batch harness reads it: Python's literals between parentheses."""
    values = [repr(value) if isinstance(value, str) else str(value) for value in _arguments(call).values()]
    return f"{call.name}({', '.join(values)})"


def _arguments(call: ToolCall) -> dict[str, Any]:
    try:
        return read_json(call.arguments or "{}", dict[str, Any])
    except Unreadable:
        return {"arguments": call.arguments}


def _passed(record: Record, phase: int) -> bool:
    return record.metrics.get(f"phase_{phase}") == 1


def _left(record: Record, budget: float) -> float:
    charges = record.evidence.get("charges") or [{"after": budget}]
    return charges[-1]["after"]
