"""Records made by hand, for what reads and counts them."""

from __future__ import annotations

from typing import Any

from touchstone.types import Outcome, Record, Usage


def a_record(task: str = "1", outcome: Outcome = Outcome.passed, **more: Any) -> Record:
    plain: dict[str, Any] = {
        "index": 0,
        "epoch": 0,
        "digest": f"digest of {task}",
        "facets": {"difficulty": "simple", "database": "shop"},
        "score": float(outcome is Outcome.passed),
        "reason": f"it {outcome.value}",
        "metrics": {},
        "evidence": {},
        "usage": Usage(),
        "started": "2026-01-01T00:00:00.000+00:00",
        "seconds": 0.5,
    }
    return Record(task=task, outcome=outcome, **{**plain, **more})
