"""What a program finds around it: variables, and files with the brief."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from ...failures import InputError
from ...models.schemas import arguments_schema
from ...values import Brief, Tool
from ..mcp.episode import brief_text

_KEPT = ("PATH", "LANG", "LC_ALL", "TERM", "TZ")


def own_data() -> tuple[Path, ...]:
    """Where Touchstone itself has references: the datasets that ship with it, and what it remembers of results."""
    return Path(__file__).resolve().parents[2] / "datasets", _cache()


def remembered_searches() -> Path:
    """Where it is remembered which files did not hold the gold. The program sees nothing of it."""
    return _cache() / "gold-searches"


def _cache() -> Path:
    own = os.environ.get("TOUCHSTONE_CACHE")
    return Path(own) if own else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "touchstone")


def passed_on(names: Sequence[str]) -> dict[str, str]:
    """The variables that the user wants the program to have. Raises InputError for one that is not set."""
    for name in names:
        if name not in os.environ:
            raise InputError(f"--pass-env {name}: this variable is not set")
    return {name: os.environ[name] for name in names}


def environment(home: Path, tmp: Path) -> dict[str, str]:
    """Nothing of ours that could tell anything."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {"PATH": os.defpath, **kept, "HOME": str(home), "TMPDIR": str(tmp)}


def write_brief(folder: Path, brief: Brief, tools: Sequence[Tool], address: str | None) -> dict[str, str]:
    """Files, and the variables that name them."""
    content: dict[str, bytes] = {
        "brief.txt": brief_text(brief).encode(),
        "instructions.txt": brief.instructions.encode(),
        "request.txt": brief.request.encode(),
        "fields.json": msgspec.json.encode(brief.fields),
    }
    variables = {"BRIEF": "brief.txt", "INSTRUCTIONS": "instructions.txt", "REQUEST": "request.txt", "FIELDS": "fields.json"}
    if address is not None:
        content["mcp.json"] = msgspec.json.encode({"mcpServers": {"touchstone": {"type": "http", "url": address}}})
        content["tools.json"] = msgspec.json.encode([_described(tool) for tool in tools])
        variables |= {"MCP_CONFIG": "mcp.json", "TOOLS": "tools.json"}
    for name, data in content.items():
        (folder / name).write_bytes(data)
    named = {f"TOUCHSTONE_{name}": str(folder / file) for name, file in variables.items()}
    return named | ({"TOUCHSTONE_MCP_URL": address} if address is not None else {})


def _described(tool: Tool) -> dict[str, object]:
    return {"name": tool.name, "description": tool.description, "arguments": arguments_schema(tool)}
