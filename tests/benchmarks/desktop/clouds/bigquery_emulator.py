"""Starts bqemulator, in an environment of its own: it wants an older DuckDB than ours. It is told its port.

DuckDB's extensions, which it would fetch from the internet, come from packages.
"""

from __future__ import annotations

import sys
from typing import Any

from bqemulator.cli import main
from bqemulator.jobs import executor
from duckdb_extensions import import_extension


def load(path: str, job: Any, context: Any) -> None:
    """Its own way takes the first line of CSV for a header, whatever the job says; BigQuery does as the job says."""
    skipped = int(job.raw_config.get("skipLeadingRows") or 0)
    context.engine.execute(f"COPY {job.target_ref} FROM ? (FORMAT CSV, HEADER false, SKIP {skipped})", [path])


for name in ("spatial", "icu"):
    import_extension(name)
executor._load_path_into_target = load
main(["start", "--rest-port", sys.argv[1], "--grpc-port", "0", "--log-level", "error"])
