"""What an audit takes and gives: `async audit(opening, options) -> Audited` of a benchmark's struct."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from ...options import Count, Opt, Options
from ...protocols import Benchmark
from ...types import Task
from .findings import AuditFinding, Severity
from .report import MutationStrength

AUDIT = "The audit"


class AuditOptions(Options, frozen=True, kw_only=True):
    """What `touchstone audit` takes for every benchmark; a benchmark may have a subclass with more (`audit_options`)."""

    json: Annotated[Path | None, Opt(target=True, group=AUDIT)] = None
    """Write all findings to this file."""
    exclude: Annotated[Path | None, Opt(target=True, group=AUDIT)] = None
    """Write a list of tasks to leave out, for --exclude-audit."""
    exclude_severity: Annotated[Severity, Opt(group=AUDIT)] = "error"
    """Which findings go on that list: errors; errors and warnings; or all."""
    parallel: Annotated[Count, Opt(names=("-p",), group=AUDIT)] = min(os.cpu_count() or 1, 8)
    """How many tasks at once; by default the number of processors."""
    verbose: Annotated[bool, Opt(names=("-v",), group=AUDIT)] = False
    """Print every finding, not only examples."""


@dataclass(frozen=True, kw_only=True)
class Audited:
    """What was found, before the oracle plays."""

    title: str
    benchmark: Benchmark
    """With the tasks that the oracle can play."""
    findings: Sequence[AuditFinding]
    tasks: Sequence[Task] | None = None
    """All that were looked at, if these are more than the benchmark's."""
    left_out: Mapping[str, int] = field(default_factory=lambda: {})
    """How many tasks were not looked at, by the reason."""
    metrics: str = ""
    """What the names of metrics that tell about the gold begin with."""
    strength: MutationStrength | None = None
