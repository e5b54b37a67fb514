"""Judging a task: what the getters find, against what is expected, by the metrics of its evaluator.

    "and" (the default)   the first 0 ends it with 0; else the mean
    "or"                  the first 1 ends it with 1; else the largest

Beside it stands the partial score of a task with several checks: the mean of all, also of those that no longer count.

A result that is missing or broken is a 0. A reference that is missing or broken is unscorable, and what needs a guest or an
account that is not there is skipped: never a silent 0.
"""

from __future__ import annotations

import inspect
from asyncio import to_thread
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...errors import EpisodeFailure, InputError, Skipped, TouchstoneError, Unscorable, WorkerFailure
from ...types import Outcome, Verdict
from .evaluation_context import ABSENT, EvaluationContext, LeftFiles
from .getters import EXPECTED, RESULTS
from .metrics import METRICS
from .steps import run_steps
from .tasks import INFEASIBLE, DesktopTask, MetricCheck, checks
from .untrusted import MetricResult, Unreadable

FILE_GETTERS = ("vm_file", "dbt_profiles")
"""Those that look into given files themselves."""
TEXT_GETTERS = ("workarena_task_result",)
"""Those that fetch a file and return words."""


async def evaluate(task: DesktopTask, evaluation: EvaluationContext, *, gave_up: bool = False) -> Verdict:
    """The verdict on what is in the evaluation now. `gave_up`: the agent's last action said that the task cannot be done."""
    evaluator = task.form.evaluator
    if evaluator.func == INFEASIBLE:
        return _verdict(
            [MetricResult(float(gave_up), "the task cannot be done, and the agent said so" if gave_up else "not said")]
        )
    if gave_up:
        return _verdict([MetricResult(0.0, "the agent gave up")])
    if evaluation.desktop is not None:
        await run_steps(evaluator.postconfig, evaluation)
    judgements: list[MetricResult] = []
    parts = checks(evaluator)
    names = [check.metric for check in parts]
    for position, check in enumerate(parts):
        judgements.append(await _judge(check, position, len(parts), evaluation))
        if judgements[-1].score == (0.0 if evaluator.conj == "and" else 1.0):
            rest = [] if evaluator.conj == "or" else await _rest(parts, position + 1, evaluation)
            return _verdict(judgements, names, judgements[-1].score, rest)
    scores = [judgement.score for judgement in judgements]
    score = sum(scores) / len(scores) if evaluator.conj == "and" else max(scores)
    return _verdict(judgements, names, score)


async def _rest(parts: list[MetricCheck], start: int, evaluation: EvaluationContext) -> list[MetricResult]:
    """The checks that no longer count, for the partial score; one that cannot be made counts as not met."""
    results: list[MetricResult] = []
    for position, check in enumerate(parts[start:], start):
        try:
            results.append(await _judge(check, position, len(parts), evaluation))
        except TouchstoneError as error:
            results.append(MetricResult(0.0, str(error)))
    return results


async def _judge(check: MetricCheck, position: int, count: int, evaluation: EvaluationContext) -> MetricResult:
    try:
        state = await _result(check, position, count, evaluation)
    except Unreadable as error:
        return MetricResult(0.0, f"the result cannot be read: {error}")
    metric = METRICS.find(check.metric)
    METRICS.refuse(check.metric, check.options)
    arguments: list[Any] = [state]
    reference: Any = None
    if check.expected:
        reference = await _reference(check, evaluation)
        arguments.append(reference)
    needs_scene = {"evaluation": evaluation} if "evaluation" in inspect.signature(metric).parameters else {}
    try:
        return await to_thread(metric, *arguments, **check.options, **needs_scene)
    except Unreadable as error:
        if isinstance(reference, Path) and error.path == reference and reference != state:
            raise Unscorable(f"the reference cannot be read: {error}", kind="gold_unreadable") from None
        return MetricResult(0.0, f"the result cannot be read: {error}")
    except (InputError, EpisodeFailure):
        raise
    except (TypeError, KeyError, AttributeError, ValueError, IndexError, RecursionError) as error:
        return MetricResult(0.0, f"the result is of another kind than {check.metric} takes: {type(error).__name__}: {error}")


async def _result(check: MetricCheck, position: int, count: int, evaluation: EvaluationContext) -> Any:
    kind, parameters = _split(check.result)
    RESULTS.refuse(kind, parameters)
    if evaluation.left is not None and kind not in FILE_GETTERS:
        recorded = _recorded(kind, parameters, position, count, evaluation.left)
        if recorded is not ABSENT:
            return recorded
    try:
        return await RESULTS.find(kind)(evaluation, **parameters)
    except Skipped as error:
        raise Skipped(f"{kind} {error}{_hint(kind, parameters, position, evaluation)}", kind=error.kind) from None
    except (TouchstoneError, Unreadable):
        raise
    except Exception as error:  # browsers, cloud clients and the network have no common root
        raise WorkerFailure(f"result getter {kind} failed: {type(error).__name__}: {error}") from error


def _recorded(kind: str, parameters: dict[str, Any], position: int, count: int, files: LeftFiles) -> Any:
    """A file where the getter would make one, else what was recorded; ABSENT if there is neither."""
    made = _file_made(kind, parameters)
    return files.file(made) or ABSENT if made else files.recorded(position, count)


def _file_made(kind: str, parameters: dict[str, Any]) -> str:
    """The name of the file that a getter makes, if it makes one."""
    dest = str(parameters.get("dest", ""))
    return "" if dest.startswith("/") or kind in TEXT_GETTERS else dest


async def _reference(check: MetricCheck, evaluation: EvaluationContext) -> Any:
    kind, parameters = _split(check.expected)
    EXPECTED.refuse(kind, parameters)
    return await EXPECTED.find(kind)(evaluation, **parameters)


def _hint(kind: str, parameters: dict[str, Any], position: int, evaluation: EvaluationContext) -> str:
    """How the result could be given instead."""
    if evaluation.left is None:
        return ""
    names = _file_made(kind, parameters) or f"result_{position}.txt or result_{position}.json"
    return f"; give what it would return as {names}"


def _split(specification: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    parameters = {key: value for key, value in specification.items() if key != "type"}
    return str(specification.get("type", "")), parameters


def _verdict(
    judgements: list[MetricResult],
    metrics: list[str] | None = None,
    score: float | None = None,
    rest: Sequence[MetricResult] = (),
) -> Verdict:
    """`rest` were judged although the score was known: they are told, and count for the partial score alone."""
    last = judgements[-1]
    score = last.score if score is None else score
    names = metrics or [INFEASIBLE]
    parts = [
        {"metric": name, "score": judgement.score, "reason": judgement.reason}
        for name, judgement in zip(names, [*judgements, *rest], strict=False)
    ]
    short = next((position for position, judgement in enumerate(judgements) if judgement.score < 1.0), -1)
    decisive = -1 if score == 1.0 else short
    reason = f"{parts[decisive]['metric']}: {parts[decisive]['reason']}"
    measured = {"score": score}
    if len(names) > 1:
        measured["partial"] = max(score, sum(judgement.score for judgement in (*judgements, *rest)) / len(names))
    return Verdict(Outcome.passed if score == 1.0 else Outcome.failed, score, reason, measured, {"checks": parts})
