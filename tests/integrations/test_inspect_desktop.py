"""Pictures of a screen in Inspect's conversation."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

pytest.importorskip("inspect_ai")

from inspect_ai.model import ChatMessageTool, ContentImage, ContentText

from tests.benchmarks.desktop.playing import World
from tests.benchmarks.desktop.support import ABSTRACT
from tests.integrations.test_inspect import call, play, samples
from touchstone.integrations.inspect.tasks import _task

pytestmark = pytest.mark.long


def test_a_look_is_a_picture_in_the_log(tmp_path: Path) -> None:
    world = World(tmp_path / "world")
    log = play(_task(lambda: world.benchmark, 5), [call("look"), call("done")], tmp_path / "logs", sample_id=ABSTRACT)
    assert log.status == "success", log.error
    first = next(message for message in samples(log)[ABSTRACT].messages if isinstance(message, ChatMessageTool))
    assert isinstance(first.content, list)
    assert [type(each) for each in first.content] == [ContentText, ContentImage]
    assert (world.run / f"episodes/{ABSTRACT}/001.png").is_file()
    asyncio.run(world.benchmark.close())
