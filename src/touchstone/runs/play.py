"""One attempt at one task, from the brief to the record. No files, no registry: the same everywhere it runs."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from ..failures import RULES, EpisodeFailure, TouchstoneError
from ..protocols import Agent, Benchmark, Episode
from ..values import Outcome, Record, Standing, Step, Task, Usage, Verdict
from .stage import RecordingStage


async def play(
    benchmark: Benchmark, agent: Agent, task: Task, epoch: int = 0, watch: Callable[[Step], None] | None = None
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
        async with benchmark.open(task) as episode:
            stage = RecordingStage(episode, task.key, epoch, watch)
            await agent.play(stage)
            verdict = await episode.verdict()
    except EpisodeFailure as failure:
        ended_by = failure
        verdict = _ended(failure, episode)
    except TouchstoneError:
        raise  # not of this episode: a mistake in the input that shows only now
    except Exception as defect:
        reason = f"internal error: {type(defect).__name__}: {defect}"
        verdict = Verdict(Outcome.error, 0.0, reason, {}, {"traceback": traceback.format_exc()})
    record = Record(
        task=task.key,
        index=task.index,
        epoch=epoch,
        digest=task.digest,
        facets=task.facets,
        outcome=verdict.outcome,
        score=verdict.score,
        reason=verdict.reason,
        metrics=verdict.metrics,
        evidence=verdict.evidence,
        started=started.isoformat(timespec="milliseconds"),
        seconds=round(time.perf_counter() - clock, 6),
        brief=stage.brief if stage else None,
        steps=stage.steps if stage else [],
        usage=stage.usage if stage else Usage(),
        usage_by=dict(episode.usage_by) if episode else {},
    )
    return record, ended_by


def _ended(failure: EpisodeFailure, episode: Episode | None) -> Verdict:
    """An agent that ran into a limit keeps what it had earned; what was never judged is worth nothing."""
    outcome = RULES[type(failure)].outcome
    earned = episode.standing() if episode and outcome in (Outcome.limit, Outcome.failed) else Standing()
    evidence: dict[str, Any] = {**earned.evidence, **({"kind": failure.kind} if failure.kind else {})}
    if notes := getattr(failure, "__notes__", None):
        evidence["traceback"] = "\n".join(notes)
    return Verdict(outcome, earned.score, str(failure), earned.metrics, evidence)
