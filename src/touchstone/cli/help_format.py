"""How help is shown: the text under a field may go over several lines of code, and is one text on the screen."""

from __future__ import annotations

from typing import Any, cast

from cyclopts.help import DefaultFormatter


class Formatter(DefaultFormatter):
    def __call__(self, console: Any, options: Any, panel: Any) -> None:
        from rich.text import Text

        for entry in panel.entries:
            text = getattr(entry.description, "primary_renderable", None)
            if isinstance(text, Text):
                entry.description.primary_renderable = Text(" ".join(text.plain.split()))
        super().__call__(console, options, panel)


def default_in_words(value: Any) -> str | None:
    """What is off, or empty, says so by itself."""
    if isinstance(value, tuple):
        return ", ".join(map(str, cast("tuple[Any, ...]", value))) or None
    return None if value is False or value is None else str(value)
