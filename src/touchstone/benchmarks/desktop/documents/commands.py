"""`touchstone desktop documents`: makes, searches and lists the indexes that an agent gets passages from."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from ....errors import InputError
from ....options import Count, Opt, OptionError, Options
from ....terminal import clock
from ..config import DOCUMENTS
from ..status_line import StatusLine
from . import embedding
from .index import chosen, open_all
from .index_builder import Indexed, Indexer
from .search import method, shown
from .search import search as found_by
from .warehouse import SITES, shelves

_SECONDS_BETWEEN_LINES = 5.0
_SHOWN = 20
"""Problems that are told one by one for an application."""


class IndexOptions(Options, frozen=True):
    directory: Annotated[Path, Opt(positional=True)]
    """The folder with a folder for each application or site."""
    out: Annotated[Path, Opt(target=True)] = DOCUMENTS
    """Where the indexes are, one file per application."""
    embeddings: Literal["auto", "minilm", "none"] = "auto"
    """Vectors by a small local model, so that passages are found by meaning too; auto: if it is installed."""
    app: tuple[str, ...] = ()
    """NAME=FOLDER: the folder belongs to this application too (repeatable)."""


class SearchOptions(Options, frozen=True):
    question: Annotated[str, Opt(positional=True)]
    """Such as the instruction of a task."""
    app: tuple[str, ...] = ()
    """Search the documents of this application (repeatable); by default of all."""
    index: Path = DOCUMENTS
    """The folder of indexes."""
    retriever: Literal["auto", "minilm", "bm25"] = "auto"
    """By embeddings or by words; auto is by embeddings if they are there."""
    top: Count = 4
    """The number of passages."""


class ListOptions(Options, frozen=True):
    index: Annotated[Path, Opt(positional=True)] = DOCUMENTS
    """The folder of indexes."""


def index(options: IndexOptions) -> int:
    """Index folders of HTML, Markdown and text, one per application or site; only what changed is read again."""
    if options.embeddings == "minilm" and embedding.folder() is None:
        raise InputError(f"the embedding model is not installed: {embedding.INSTALL}")
    known, strange = shelves(options.directory, options.app)
    for name in strange:
        print(f"touchstone: warning: {name}: no application is known for this folder; give --app NAME={name}", file=sys.stderr)
    if not known:
        raise InputError(f"{options.directory}: no folder of an application here, such as dbt or {next(iter(SITES))}")
    model = "" if options.embeddings == "none" or embedding.folder() is None else embedding.NAME
    done = asyncio.run(Indexer(options.directory, options.out, model=model, progress=_Progress()).run(known))
    for entry in done:
        _tell(entry)
    print(f"{options.out}: {'with embeddings by ' + model if model else 'without embeddings: searched by words (BM25)'}")
    return 0 if any(entry.documents for entry in done) else 2


def search(options: SearchOptions) -> int:
    """Print the passages that an agent would be given for a question."""
    indexes = open_all(options.index)
    for name in options.app:
        if name not in indexes:
            there = ", ".join(indexes)
            raise OptionError("app", name, f"no documents are indexed for it in {options.index}; there are {there}")
    wanted = chosen(indexes, options.app or tuple(indexes))
    how = method(options.retriever, wanted)
    hits = found_by(options.question, wanted, options.top, how)
    print(shown(hits) if hits else "no passage fits this question")
    scores = ", ".join(f"{hit.application} {hit.score:.3f}" for hit in hits)
    print(f"touchstone: {len(hits)} passages by {how}{': ' + scores if hits else ''}", file=sys.stderr)
    return 0


def list_indexes(options: ListOptions) -> int:
    """Print what is indexed."""
    print(f"{'application':<14}{'documents':>10}{'chunks':>9}{'MB':>8}  embeddings")
    for name, entry in open_all(options.index).items():
        count, chunks = entry.size
        print(f"{name:<14}{count:>10}{chunks:>9}{entry.path.stat().st_size / 1e6:>8.1f}  {entry.model or 'none'}")
    return 0


class _Progress(StatusLine):
    """How many are done, and how long the others will take."""

    def __init__(self) -> None:
        super().__init__(_SECONDS_BETWEEN_LINES)
        self._what, self._started = "", 0.0

    def __call__(self, what: str, done: int, total: int) -> None:
        if what != self._what:
            self._what, self._started = what, time.monotonic()
        left = clock((time.monotonic() - self._started) / done * (total - done))
        if self.live and done == total:
            self.say(f"{what} {done}/{total}")
        else:
            self.show(f"{what} {done}/{total}, {left} left")


def _tell(entry: Indexed) -> None:
    for problem in _first(entry.problems):
        print(f"touchstone: left out: {problem}", file=sys.stderr)
    if not entry.documents:
        print(f"{entry.application:<14}no documents; an older index is left as it was")
        return
    change = f"{entry.read} read, {entry.gone} gone" if entry.read or entry.gone else "nothing changed"
    print(f"{entry.application:<14}{entry.documents} documents, {entry.chunks} chunks: {change}", end="")
    print(f", {len(entry.problems)} left out" if entry.problems else "")


def _first(problems: list[str]) -> Iterable[str]:
    yield from problems[:_SHOWN]
    if len(problems) > _SHOWN:
        yield f"… and {len(problems) - _SHOWN} more files"
