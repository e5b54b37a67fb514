from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.spider2.worlds import Spider2World, make_spider2


@pytest.fixture
def spider2(tmp_path: Path) -> Spider2World:
    """Six questions, five of them local, with gold results."""
    return make_spider2(tmp_path / "spider2")
