"""What all tests share: no test reads or writes the user's own cache, settings or keys; images only those marked desktop."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.worlds import World, make_world

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # its import would ask the network

# A busy machine is no failure, and the same code has the same result. To search anew: --hypothesis-profile=anew
settings.register_profile("anew", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=2_000)
settings.register_profile("here", settings.get_profile("anew"), max_examples=100, derandomize=True)
settings.load_profile("here")


@pytest.fixture(autouse=True)
def _own_surroundings(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("OPENAI_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path / "cache"))
    if request.node.get_closest_marker("desktop") is None:
        monkeypatch.setenv("TOUCHSTONE_IMAGES", str(tmp_path / "images"))


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A dataset of six tasks on two databases."""
    return make_world(tmp_path / "world")
