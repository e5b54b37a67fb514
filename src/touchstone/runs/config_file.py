"""Options as a TOML file, which every run directory has: `--config` takes it to do the same again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from ..foreign import whole

COMMAND = "touchstone"


def as_toml(arguments: Mapping[str, Any], command: str = "") -> str:
    """A file with these options. None is left out: TOML has no word for it, and an option left out is the same."""
    import tomli_w

    first = {COMMAND: command} if command else {}
    return tomli_w.dumps(_writable({**first, **arguments}))


def _writable(value: Any) -> Any:
    """Without None, and without halves of characters, which no file can hold."""
    match value:
        case str():
            return whole(value)
        case Mapping():
            items = cast("Mapping[str, Any]", value).items()
            return {whole(name): _writable(each) for name, each in items if each is not None}
        case list() | tuple():
            return [_writable(each) for each in cast("Sequence[Any]", value)]
        case _:
            return value
