"""Benchmarks by name: their options are checked at once, their files and databases are opened when they are played.

Called without files, each is the small dataset that ships with the package.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import AsyncExitStack
from typing import Any

import msgspec

from ..plugins import benchmark_type
from ..protocols import Benchmark, BenchmarkConfig, Opening
from ..runs.runner import opened_benchmark

StrPath = str | os.PathLike[str]


async def opened(source: BenchmarkConfig | Benchmark, stack: AsyncExitStack) -> Benchmark:
    """What the stack closes again; a benchmark of the caller's own is taken as it is."""
    return await opened_benchmark(source, Opening(stack=stack)) if isinstance(source, BenchmarkConfig) else source


def benchmark(name: str, *arguments: Any, **options: Any) -> BenchmarkConfig:
    """One by its name: ours, or one that another package adds through the entry points `touchstone.benchmarks`."""
    return benchmark_type(name)(*arguments, **options)


def digest(content: Any) -> str:
    """Identifies a task by its content, for benchmarks of one's own."""
    return hashlib.blake2b(msgspec.json.encode(content, order="deterministic"), digest_size=8).hexdigest()
