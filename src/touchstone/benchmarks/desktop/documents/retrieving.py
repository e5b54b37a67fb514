"""What an agent is given to read before it starts on a task.

Either the nearest chunks of the applications' indexes, with the task's instruction as the question, or the context file that
was published with the task. A task without any gets none, and the reason is kept for its record.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from ....failures import InputError
from ..tasks import DesktopTask
from .index import chosen, open_all
from .searching import Choice, Hit, Method, method, search

TOP = 4
PUBLISHED = "retrieved_chunk_size_512_chunk_overlap_20_topk_4_embed_bge-large-en-v1.5.txt"
"""Contexts that were retrieved beforehand, in the tasks' folders: blocks that begin with `Documentation Source:`. 136 of the
494 tasks have an empty one, since no documents of their applications were crawled."""
MOST_BYTES = 2**20
"""The published ones have 14,000 at most."""
_BLOCK = re.compile(r"^Documentation Source:", re.MULTILINE)


class Retrieval(Struct, frozen=True):
    """What was found for one task."""

    text: str | None
    """None: nothing."""
    reason: str
    """How many passages of what, or why there are none."""
    sources: tuple[str, ...] = ()


class Retriever(Protocol):
    def retrieve(self, task: DesktopTask) -> Retrieval: ...

    def context(self, task: DesktopTask) -> str | None:
        """The text alone."""
        ...

    def facts(self) -> dict[str, str]:
        """For the record of a run: what it takes to get the same again."""
        ...


class FromIndex:
    """Searches the indexes of a task's applications."""

    def __init__(self, directory: Path, *, top: int = TOP, choice: Choice = "auto") -> None:
        self._directory, self._top = directory, top
        self._indexes = open_all(directory)
        self._method: Method = method(choice, self._indexes.values())

    def retrieve(self, task: DesktopTask) -> Retrieval:
        indexes = chosen(self._indexes, task.form.related_apps)
        if not indexes:
            return Retrieval(None, f"no documents are indexed for {', '.join(task.form.related_apps)}")
        hits = search(task.form.instruction, indexes, self._top, self._method)
        if not hits:
            return Retrieval(None, f"no passage about {', '.join(index.application for index in indexes)} fits the instruction")
        names = ", ".join(dict.fromkeys(hit.application for hit in hits))
        reason = f"{len(hits)} passages about {names} by {self._method}"
        return Retrieval(shown(hits), reason, tuple(hit.path for hit in hits))

    def context(self, task: DesktopTask) -> str | None:
        return self.retrieve(task).text

    def facts(self) -> dict[str, str]:
        digests = ", ".join(f"{name} {index.digest}" for name, index in self._indexes.items())
        return {"from": "index", "top": str(self._top), "method": self._method, "indexes": digests}


class FromContexts:
    """Reads the context file in a task's folder."""

    def __init__(self, name: str = PUBLISHED, *, top: int = TOP) -> None:
        _refuse_path(name)
        self._name, self._top = name, top

    def retrieve(self, task: DesktopTask) -> Retrieval:
        try:
            text, blocks = _read_context(task.folder, self._name, self._top)
        except FileNotFoundError:
            return Retrieval(None, f"the task has no context file {self._name}")
        except OSError as error:
            return Retrieval(None, f"the task's context file {self._name} cannot be read: {error.strerror}")
        if not text:
            return Retrieval(None, f"the task's context file {self._name} is empty")
        return Retrieval(text, f"{blocks} passages from {self._name}", (self._name,))

    def context(self, task: DesktopTask) -> str | None:
        return self.retrieve(task).text

    def facts(self) -> dict[str, str]:
        return {"from": "context", "top": str(self._top), "file": self._name}


def shown(hits: Sequence[Hit]) -> str:
    """Passages as an agent reads them."""
    blocks = [f"Source: {hit.path}\nTitle: {hit.title}\nContent:\n{hit.text}" for hit in hits]
    return "\n\n".join(f"[Passage {number} of {len(hits)}]\n{block}" for number, block in enumerate(blocks, 1))


def _refuse_path(name: str) -> None:
    if not name or Path(name).name != name:
        raise InputError(f"--rag-filename {name}: expected the name of a file in the tasks' folders, without a path")


def _read_context(folder: Path, name: str, top: int) -> tuple[str, int]:
    """The first `top` blocks of a task's context, and how many they are."""
    with (folder / name).open("rb") as file:
        text = file.read(MOST_BYTES).decode("utf-8", "replace").strip()
    starts = [match.start() for match in _BLOCK.finditer(text)]
    cut = text[: starts[top]].rstrip() if len(starts) > top else text
    return cut, min(len(starts), top)
