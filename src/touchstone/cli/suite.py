"""`touchstone suite`: the small databases of each task, frozen in one file, by the benchmarks that can do so."""

from __future__ import annotations

from .run import shared_command as command

__all__ = ["command"]
