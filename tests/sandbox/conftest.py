"""Pools for the tests of this folder."""

from __future__ import annotations

from ..workers.conftest import make_pool, pool

__all__ = ["make_pool", "pool"]
