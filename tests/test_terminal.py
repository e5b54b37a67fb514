"""Nothing that is printed steers the terminal, whoever wrote it."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.command import SCRIPTS, environment, run_directory
from tests.support.sql_service import SqlService, says
from tests.support.worlds import World
from touchstone.terminal import CleanStream, clean, clean_streams, one_line, unfiltered

PAINT = "\x1b[2J\x1b[1;1H\x1b]0;owned\x07\x9b31m\rAccuracy: 100%\n\x08\u202eevil"
ANYTHING = st.text(st.characters())


@given(ANYTHING)
@example(PAINT)
@example("\ud83d")
def test_clean_text_holds_no_control_but_line_ends_and_tabs(text: str) -> None:
    cleaned = clean(text)
    assert {char for char in cleaned if unicodedata.category(char) in ("Cc", "Cs")} <= {"\n", "\t"}
    cleaned.encode()
    assert clean(cleaned) == cleaned


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Cf", "Zl", "Zp"])))
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert clean(text) == text


@given(ANYTHING)
def test_one_line_is_one(text: str) -> None:
    assert len(one_line(text).splitlines()) <= 1


def test_a_stream_cleans_what_is_written_and_is_else_the_one_behind() -> None:
    behind = io.StringIO()
    stream = CleanStream(behind)
    print(PAINT, "é", file=stream)
    stream.writelines(["\x1b", "b"])
    assert "\x1b" not in behind.getvalue()
    assert behind.getvalue().endswith("é\n\\x1bb")
    assert stream.getvalue() == behind.getvalue()


def test_streams_are_put_back(capsys: pytest.CaptureFixture[str]) -> None:
    before = sys.stdout, sys.stderr
    with clean_streams(), clean_streams():
        assert unfiltered(sys.stdout) is before[0]
        print("\x1b[1mx")
        print("\x1b[1my", file=sys.stderr)
    assert (sys.stdout, sys.stderr) == before
    said = capsys.readouterr()
    assert (said.out, said.err) == ("\\x1b[1mx\n", "\\x1b[1my\n")


def on_a_terminal(*arguments: str | Path, cwd: Path) -> bytes:
    """All that a command sends to a terminal."""
    ours, theirs = pty.openpty()
    words = [SCRIPTS / "touchstone", *map(str, arguments)]
    env = {**environment(cwd / "cache"), "TERM": "xterm-256color"}
    process = subprocess.Popen(words, cwd=cwd, env=env, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    sent = b""
    while True:
        try:
            piece = os.read(ours, 1 << 16)
        except OSError:  # the last process that had it open has ended
            break
        if not piece:
            break
        sent += piece
    process.wait(60)
    os.close(ours)
    return sent


OWNED = b"\x1b]0;owned"


def test_a_service_cannot_paint(world: World, tmp_path: Path) -> None:
    """On a terminal, where we paint a progress bar ourselves, and with every outcome told as it comes."""
    with SqlService([says({"error": PAINT, "sql": None})]) as service:
        words = ("bird", *world.arguments, "--agent", "http", "--api-url", service.url, "-o", "out", "-v")
        sent = on_a_terminal(*words, "--max-consecutive-errors", "0", cwd=tmp_path)
    assert b"\\x1b]0;owned" in sent
    assert OWNED not in sent
    assert b"\x9b31m" not in sent
    summary = (run_directory(tmp_path / "out") / "summary.txt").read_text()
    assert clean(summary) == summary
    assert [line for line in summary.splitlines() if line.startswith("Accuracy")] == [
        "Accuracy:         0.0%  (95%: 0.0 to 39.0), n = 6"
    ]


def test_a_program_cannot_paint(world: World, tmp_path: Path) -> None:
    program = tmp_path / "painter.py"
    program.write_text(f"import sys\nprint({PAINT!r}, file=sys.stderr)\nprint({PAINT!r})\nsys.exit(3)\n")
    words = ("bird", *world.arguments, "--agent", "command", "--command-output", "sql", "-o", "out", "-v", "--no-confine")
    sent = on_a_terminal(*words, "--max-consecutive-errors", "0", "--", sys.executable, program, cwd=tmp_path)
    assert OWNED not in sent
    assert b"painter" not in sent or b"\\x1b" in sent
    summary = (run_directory(tmp_path / "out") / "summary.txt").read_text()
    assert clean(summary) == summary


def test_help_is_still_painted(tmp_path: Path) -> None:
    assert b"\x1b[" in on_a_terminal("score", "--help", cwd=tmp_path)
