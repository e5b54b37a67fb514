"""Contexts that were retrieved beforehand, as files in the tasks' folders.

The published ones come as text, Markdown and simplified HTML. Each is a row of blocks that begin with a line
`Documentation Source:`. 136 of the 494 tasks have an empty one, since no documents of their applications were crawled.
"""

from __future__ import annotations

import re
from pathlib import Path

from ....failures import InputError

PUBLISHED = "retrieved_chunk_size_512_chunk_overlap_20_topk_4_embed_bge-large-en-v1.5.txt"
MOST_BYTES = 2**20
"""The published ones have 14,000 at most."""
_BLOCK = re.compile(r"^Documentation Source:", re.MULTILINE)


def refuse_path(name: str) -> None:
    if not name or Path(name).name != name:
        raise InputError(f"--rag-filename {name}: expected the name of a file in the tasks' folders, without a path")


def read_context(folder: Path, name: str, top: int) -> tuple[str, int]:
    """The first `top` blocks of a task's context, and how many they are."""
    with (folder / name).open("rb") as file:
        text = file.read(MOST_BYTES).decode("utf-8", "replace").strip()
    starts = [match.start() for match in _BLOCK.finditer(text)]
    cut = text[: starts[top]].rstrip() if len(starts) > top else text
    return cut, min(len(starts), top)
