from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command import Done
from touchstone.cli import main

Cli = Callable[..., Done]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Cli:
    """The command line inside this process, in the test's own directory: quick, since everything is imported already.

    What escapes as an exception would be a traceback for a user, and fails the test.
    """
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str | Path) -> Done:
        capfd.readouterr()
        code = main([str(argument) for argument in arguments])
        said = capfd.readouterr()
        return Done(code, said.out, said.err)

    return run
