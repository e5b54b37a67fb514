"""One attempt at one task, from the brief to the record. No files, no registry: the same everywhere it runs."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from ..failures import RULES, EpisodeFailure
from ..protocols import Agent, Benchmark
from ..values import Record, Task, Usage, Verdict
from .stage import RecordingStage


async def play(benchmark: Benchmark, agent: Agent, task: Task, epoch: int = 0) -> tuple[Record, EpisodeFailure | None]:
    """The record, and the failure that ended the episode if one did. Any other exception is a defect of ours."""
    started = datetime.now(UTC)
    clock = time.perf_counter()
    stage: RecordingStage | None = None
    ended_by: EpisodeFailure | None = None
    try:
        async with benchmark.open(task) as episode:
            stage = RecordingStage(episode, task.key, epoch)
            await agent.play(stage)
            verdict = await episode.verdict()
    except EpisodeFailure as failure:
        ended_by = failure
        verdict = Verdict(RULES[type(failure)].outcome, 0.0, str(failure))
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
    )
    return record, ended_by
