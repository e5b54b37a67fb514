"""The text of the terminal in front."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

_DEPTH, _WIDTH = 20, 200


def front_terminal(atspi: Any, programs: Iterable[Any], error: type[Exception]) -> str | None:
    """The focused terminal of the active window, or the only one that is showing in it."""
    found: list[tuple[bool, str]] = []
    for program in programs:
        try:
            for window in _children(program):
                if window.get_state_set().contains(atspi.StateType.ACTIVE):
                    found += list(_terminals(atspi, window, 0))
        except error:
            continue
    focused = [text for has_focus, text in found if has_focus]
    return focused[0] if focused else found[0][1] if len(found) == 1 else None


def _terminals(atspi: Any, accessible: Any, depth: int) -> Iterator[tuple[bool, str]]:
    states = accessible.get_state_set()
    if not states.contains(atspi.StateType.SHOWING):
        return
    if accessible.get_role() == atspi.Role.TERMINAL:
        yield states.contains(atspi.StateType.FOCUSED), atspi.Text.get_text(accessible, 0, -1).rstrip()
    elif depth < _DEPTH:
        for child in _children(accessible):
            yield from _terminals(atspi, child, depth + 1)


def _children(accessible: Any) -> Iterator[Any]:
    for index in range(min(accessible.get_child_count(), _WIDTH)):
        child = accessible.get_child_at_index(index)
        if child is not None:
            yield child
