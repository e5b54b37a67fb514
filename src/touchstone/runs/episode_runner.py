"""One attempt at one task, from the brief to the record. No files, no registry: the same everywhere it runs."""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, cast

from msgspec.structs import replace

from ..budgets import BUDGETS, Budgets
from ..errors import RULES, EpisodeFailure, TimeLimit, TouchstoneError, WrongReturn
from ..plugins import expected_of, returned
from ..protocols import Agent, AsksModels, Benchmark, Episode
from ..types import JUDGED, Outcome, PartialScore, Record, Step, Task, Usage, Verdict
from .stage import RecordingStage, shortened

LONGEST_REASON = 10_000


async def play(
    benchmark: Benchmark,
    agent: Agent,
    task: Task,
    epoch: int = 0,
    watch: Callable[[Step], None] | None = None,
    budgets: Budgets = BUDGETS,
) -> tuple[Record, EpisodeFailure | None]:
    """The record, and the failure that ended the episode if one did.

    Any other exception is a defect, of ours or of a plugin: it costs this one episode, and the record says where it came from.
    """
    started = datetime.now(UTC)
    clock = time.perf_counter()
    episode: Episode | None = None
    stage: RecordingStage | None = None
    ended_by: EpisodeFailure | None = None
    try:
        who = f"the benchmark '{benchmark.name}'"
        opening = expected_of(benchmark.open(task), f"{who}: open()", "an async context manager", "__aenter__", "__aexit__")
        async with opening as opened:
            episode = expected_of(opened, f"{who}: open()", "an Episode", "call", "verdict", "partial_score")
            if hasattr(episode, "epoch"):
                cast(AsksModels, episode).epoch = epoch
            stage = RecordingStage(episode, task.key, epoch, watch, budgets)
            await _played(agent, stage, budgets.seconds)
            verdict = returned(await episode.verdict(), Verdict, f"{who}: verdict()", "a Verdict")
    except EpisodeFailure as failure:
        ended_by = failure
        verdict = cut_off(failure, episode)
    except WrongReturn as defect:
        verdict = Verdict(Outcome.error, 0.0, str(defect), {}, {"traceback": traceback.format_exc()})
    except TouchstoneError:
        raise  # not of this episode: a mistake in the input that shows only now
    except Exception as defect:
        reason = f"internal error: {type(defect).__name__}: {defect}"
        verdict = Verdict(Outcome.error, 0.0, reason, {}, {"traceback": traceback.format_exc()})
    seconds = time.perf_counter() - clock
    verdict = replace(verdict, reason=verdict.reason[:LONGEST_REASON], evidence=_bounded(verdict.evidence, budgets))
    return record_of(task, epoch, verdict, started, seconds, stage, episode), ended_by


def record_of(
    task: Task,
    epoch: int,
    verdict: Verdict,
    started: datetime,
    seconds: float = 0.0,
    stage: RecordingStage | None = None,
    episode: Episode | None = None,
) -> Record:
    return Record(
        task=task.key,
        index=task.index,
        epoch=epoch,
        digest=task.digest,
        facets=task.facets,
        outcome=verdict.outcome,
        score=verdict.score if verdict.outcome in JUDGED else None,
        reason=verdict.reason,
        metrics=verdict.metrics,
        evidence=verdict.evidence,
        started=started.isoformat(timespec="milliseconds"),
        seconds=round(seconds, 6),
        brief=stage.brief if stage else None,
        steps=stage.steps if stage else [],
        usage=stage.usage if stage else Usage(),
        usage_by=dict(episode.usage_by) if episode else {},
    )


async def _played(agent: Agent, stage: RecordingStage, seconds: float) -> None:
    """The agent's part. Whatever still runs when the time is up is cancelled."""
    clock = asyncio.timeout(seconds)
    try:
        async with clock:
            await agent.play(stage)
    except TimeoutError:
        if clock.expired():
            raise TimeLimit(f"the episode did not end within {seconds:g} seconds", "time") from None
        raise


def _bounded(evidence: dict[str, Any], budgets: Budgets) -> dict[str, Any]:
    """Long texts of the evidence are cut like those of the conversation, but never what was handed in."""
    longest = max(budgets.kept_text, budgets.call_bytes)
    long = {name: value for name, value in evidence.items() if isinstance(value, str) and len(value) > longest}
    return {**evidence, **{name: shortened(value, longest)[0] for name, value in long.items()}} if long else evidence


def cut_off(failure: EpisodeFailure, episode: Episode | None) -> Verdict:
    """Of an episode that a failure ended. An agent that ran into a limit keeps what it had earned; what was never judged is
    worth nothing."""
    outcome = RULES[type(failure)].outcome
    earned = episode.partial_score() if episode and outcome in (Outcome.limit, Outcome.failed) else PartialScore()
    evidence: dict[str, Any] = {**earned.evidence, **failure.evidence, **({"kind": failure.kind} if failure.kind else {})}
    if notes := getattr(failure, "__notes__", None):
        evidence["traceback"] = "\n".join(notes)
    return Verdict(outcome, earned.score, str(failure), earned.metrics, evidence)
