"""What is printed is text: nothing that an agent, a service, a model or a dataset says can steer the terminal.

Control characters and those that turn the direction of writing are shown as escapes (`\\x1b`) instead of being sent. The
command line puts both standard streams behind `clean_streams`, so no print can be forgotten; what Touchstone itself paints (a
progress bar) goes to `unfiltered`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, TextIO, cast

_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def clean(text: str) -> str:
    """The text with line ends and tabs as the only control characters, and without halves of characters."""
    if not _STEERING.search(text):
        return text
    return _STEERING.sub(_escaped, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """So that a text cannot look like further lines of a report."""
    return clean(" ".join(text.split()))


def clock(seconds: float) -> str:
    """A time as 1:02:03, or 2:03."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


class CleanStream:
    """A text stream that writes only clean text, and is in all else the stream behind it."""

    def __init__(self, behind: TextIO) -> None:
        self.behind = behind

    def write(self, text: str) -> int:
        self.behind.write(clean(text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.behind, name)


def unfiltered(stream: TextIO) -> TextIO:
    """For what Touchstone paints itself. Texts of others must go through `clean` first."""
    return stream.behind if isinstance(stream, CleanStream) else stream


@contextmanager
def clean_streams() -> Generator[None]:
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast("TextIO", CleanStream(unfiltered(stream))) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
