"""Benchmarks by their names, and what opens them for Python."""

from __future__ import annotations

import hashlib
import os
from contextlib import AsyncExitStack
from typing import Any

import msgspec

from ..plugins import benchmark_type
from ..protocols import Benchmark, BenchmarkConfig, Opening

__all__ = ["StrPath", "benchmark", "digest", "opened"]

StrPath = str | os.PathLike[str]


def benchmark(name: str, *arguments: Any, **options: Any) -> BenchmarkConfig:
    """One by its name: ours, or one that another package adds through the entry points `touchstone.benchmarks`."""
    return benchmark_type(name)(*arguments, **options)


async def opened(given: BenchmarkConfig | Benchmark, stack: AsyncExitStack) -> Benchmark:
    """What the stack closes again; a benchmark of the caller's own is taken as it is."""
    return await given.open(Opening(stack=stack)) if isinstance(given, BenchmarkConfig) else given


def digest(content: Any) -> str:
    """Identifies a task by its content, for benchmarks of one's own."""
    return hashlib.blake2b(msgspec.json.encode(content, order="deterministic"), digest_size=8).hexdigest()
