"""What a worker does after it has answered, when nobody waits for it any more: ends connections, buries children.

Outside of a worker, and where a worker's answer is not the last word, it is done at once.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

_left: list[Callable[[], object]] = []
_answers = False


def this_process_answers() -> None:
    """From now on what is left for later is done by `do_what_is_left`."""
    global _answers
    _answers = True


def later(work: Callable[[], object]) -> None:
    _left.append(work)
    if not _answers:
        do_what_is_left()


def do_what_is_left() -> None:
    while _left:
        with contextlib.suppress(Exception):
            _left.pop(0)()
