"""The solver that plays as our function-calling agent does, and the scorers that read the verdict."""

from __future__ import annotations

from typing import Any

from inspect_ai.model import ChatMessageTool, ChatMessageUser, execute_tools, get_model
from inspect_ai.scorer import Score, Scorer, Target, accuracy, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from ...errors import ModelRefusal, TurnLimit
from ...types import Outcome, Verdict
from .episodes import Sample, sample_of, verdict_of

APART = (Outcome.unscorable, Outcome.skipped)


@solver
def play(max_turns: int = 20) -> Solver:
    """Calls tools until the episode is finished or its turns are used up. A reply without a call costs a turn."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        sample = sample_of(state)
        if sample is None:
            return state
        for _ in range(max_turns):
            state.output = await get_model().generate(state.messages, state.tools)
            state.messages.append(state.output.message)
            if state.output.stop_reason == "content_filter":
                sample.failure = ModelRefusal(f"the model refused: {state.output.completion[:200] or 'no reason given'}")
                return state
            await _answer(state, sample)
            if sample.over:
                return state
        sample.failure = TurnLimit(f"not finished within {max_turns} turns")
        return state

    return solve


async def _answer(state: TaskState, sample: Sample) -> None:
    if not state.output.message.tool_calls:
        names = ", ".join(tool.name for tool in sample.stage.tools)
        complaint = f"Your reply did not call a tool, so nothing happened. Call one of the tools: {names}."
        state.messages.append(ChatMessageUser(content=sample.stage.remind(complaint)))
        return
    result = await execute_tools(state.messages, state.tools)
    state.messages.extend(result.messages)
    for message in result.messages:
        if isinstance(message, ChatMessageTool) and message.error and message.error.type == "parsing":
            sample.stage.remind(message.error.message)  # Inspect answered it; a benchmark may charge for it nonetheless


@scorer(metrics=[accuracy(), stderr()])
def passed() -> Scorer:
    """Passed or not. What could not be judged is left out of the accuracy, as it is in our own summaries."""

    async def score(state: TaskState, target: Target) -> Score:
        verdict, used = await verdict_of(state)
        return score_of(verdict, float(verdict.outcome is Outcome.passed), {"usage_by": used} if used else {})

    return score


@scorer(metrics=[mean(), stderr()])
def score() -> Scorer:
    """The deciding metric, which need not be 0 or 1."""

    async def score(state: TaskState, target: Target) -> Score:
        verdict, _ = await verdict_of(state)
        return score_of(verdict, verdict.score)

    return score


def score_of(verdict: Verdict, value: float, more: dict[str, Any] | None = None) -> Score:
    about = {"outcome": verdict.outcome.value, "metrics": verdict.metrics, "evidence": verdict.evidence, **(more or {})}
    answer = verdict.evidence.get("prediction")
    text = None if answer is None else str(answer)
    if verdict.outcome in APART:
        return Score.unscored(reason=verdict.outcome.value, answer=text, explanation=verdict.reason, metadata=about)
    return Score(value=value, answer=text, explanation=verdict.reason, metadata=about)
