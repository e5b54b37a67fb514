"""How a long command says what it is doing: one line that changes on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time

from ...terminal import one_line, unfiltered


class StatusLine:
    def __init__(self, pause: float) -> None:
        """`pause` are the seconds between two lines where they stay."""
        self.live = sys.stderr.isatty()
        self._pause = 0.2 if self.live else pause
        self._last = time.monotonic()

    def say(self, text: str) -> None:
        """A line that stays."""
        self._print(text, "\n")

    def show(self, text: str) -> None:
        """What is being done now, unless something was shown a moment ago."""
        if time.monotonic() - self._last >= self._pause:
            self._last = time.monotonic()
            self._print(text, "" if self.live else "\n")

    def _print(self, text: str, end: str) -> None:
        line = f"\r\x1b[K{one_line(text)}" if self.live else text
        print(line, end=end, file=unfiltered(sys.stderr) if self.live else sys.stderr, flush=True)
