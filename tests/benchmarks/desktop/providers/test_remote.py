"""Desktops at an address: published machines work, and are never taken for clean when they are not."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from touchstone.benchmarks.desktop.desktop import Desktop
from touchstone.benchmarks.desktop.providers import ProviderSettings, provider
from touchstone.benchmarks.desktop.providers.remote import TOKEN, RemoteDesktop
from touchstone.errors import InputError, Skipped, WorkerFailure

from ..web_pages import Pages
from .old_controller import OldController, old_controller


@pytest.fixture
def old(tmp_path: Path) -> Iterator[OldController]:
    with old_controller(tmp_path) as played:
        yield played


@pytest_asyncio.fixture
async def desktop(old: OldController) -> AsyncIterator[Desktop]:
    made = provider("remote", ProviderSettings(address=old.address))()
    await made.start(["excel"])
    yield made
    await made.stop()
    await made.stop()


async def test_it_is_described_without_secrets(old: OldController) -> None:
    address = old.address.replace("http://", "http://me:secret@")
    made = RemoteDesktop(ProviderSettings(address=address))
    await made.start()
    expected = {"provider": "remote", "address": old.address, "screen": "1920x1080", "resets": False}
    assert made.description() == expected
    assert await made.endpoint(9222) == "http://127.0.0.1:9222"
    await made.stop()


async def test_actions_fall_back_to_commands(desktop: Desktop, old: OldController) -> None:
    code = "for word in ('a;b', 'c'):\n    pyautogui.write(word)\nprint(time.sleep(0))"
    done = await desktop.act(code)
    assert (done.output, done.returncode) == ("typed a;b False\ntyped c False\nNone\n", 0)
    assert (await desktop.act("raise ValueError('no')")).returncode == 1
    assert old.asked.count("/act") == 1


async def test_files_go_into_folders_that_are_not_there(desktop: Desktop, tmp_path: Path) -> None:
    source, copy = tmp_path / "source", tmp_path / "copy"
    source.write_text("text")
    await desktop.put(source, f"{tmp_path}/a/b/c.txt")
    assert await desktop.get(f"{tmp_path}/a/b/c.txt", copy)
    assert copy.read_text() == "text"
    assert not await desktop.get(f"{tmp_path}/a/b/none", tmp_path / "none")


async def test_what_the_machine_cannot_do(desktop: Desktop, tmp_path: Path) -> None:
    assert "no-such-program" in (await desktop.execute(["no-such-program"])).error
    with pytest.raises(Skipped, match="no-such-program"):
        await desktop.launch(["no-such-program"])
    with pytest.raises(WorkerFailure, match="no accessibility tree"):
        await desktop.accessibility()
    assert await desktop.terminal() is None
    assert not await desktop.stop_recording(tmp_path / "video.mp4")


async def test_it_serves_one_task_and_then_is_not_clean(desktop: Desktop) -> None:
    await desktop.reset()
    await desktop.screenshot()
    await desktop.reset()
    await desktop.act("pass")
    with pytest.raises(Skipped, match="--reset-command"):
        await desktop.reset()


async def test_a_command_makes_it_clean(old: OldController, tmp_path: Path) -> None:
    settings = ProviderSettings(address=old.address, reset_command=f"echo reverted >> {tmp_path}/log")
    made = RemoteDesktop(settings)
    await made.start()
    for _ in range(2):
        await made.act("pass")
        await made.reset()
    assert (tmp_path / "log").read_text() == "reverted\n" * 2
    await made.stop()


async def test_a_command_that_fails(old: OldController) -> None:
    made = RemoteDesktop(ProviderSettings(address=old.address, reset_command="echo no such snapshot; exit 4"))
    await made.start()
    with pytest.raises(WorkerFailure, match="ended with 4: no such snapshot"):
        await made.reset()
    await made.stop()


async def test_nobody_answers() -> None:
    made = RemoteDesktop(ProviderSettings(address="http://127.0.0.1:1"), start_seconds=0.2)
    with pytest.raises(WorkerFailure, match="not ready after"):
        await made.start()
    await made.stop()


@pytest.mark.parametrize("address", [None, "", "host:5000", "ftp://host"])
def test_addresses_that_are_none(address: str | None) -> None:
    with pytest.raises(InputError, match="http://host:5000"):
        RemoteDesktop(ProviderSettings(address=address))


async def test_the_token_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN, "correct horse")
    with Pages() as pages:
        pages.json = {"/ready": {"status": "ready"}, "/screen_size": {"width": 800, "height": 600}}
        made = RemoteDesktop(ProviderSettings(address=pages.address))
        await made.start()
        assert made.description()["screen"] == "800x600"
        assert {request.token for request in pages.requests} == {"Bearer correct horse"}
        await made.stop()
