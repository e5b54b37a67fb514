"""From an option to a user."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.scripted_model import ScriptedModel
from touchstone.benchmarks.interact.user.building import build_user
from touchstone.benchmarks.interact.user.prompts import load_prompts
from touchstone.failures import InputError


def test_users(tmp_path: Path) -> None:
    model = ScriptedModel([])
    assert build_user("scripted").name == "scripted"
    assert build_user(model).name == "scripted (v2)"
    identity = build_user(model, "v1", 5).identity()
    digest = load_prompts("v1").digest
    guarded = {"mode": "guarded", "on_leak": "retry"}
    assert identity == {"model": "scripted", "prompts": "v1", "digest": digest, "retries": 5, **guarded}
    faithful = build_user(model, mode="faithful").identity()
    assert (faithful["mode"], faithful["prompts"], faithful["on_leak"]) == ("faithful", "faithful v2", "flag")
    for stage in ("choose", "answer"):
        template = getattr(load_prompts("v1"), stage)
        (tmp_path / f"{stage}.md").write_text(template.text + "Be brief.")
    own = build_user(model, str(tmp_path)).identity()
    assert own["prompts"] == tmp_path.name
    assert own["digest"] != identity["digest"]


def test_mistakes(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no user 'nobody'"):
        build_user("nobody")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match=r"choose\.md cannot be read"):
        build_user(ScriptedModel([]), tmp_path)
