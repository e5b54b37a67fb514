"""`touchstone desktop documents`: a warehouse of documents, and the options that give its passages to an agent."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Group, Parameter

from ..failures import InputError
from ..terminal import unfiltered

if TYPE_CHECKING:
    from ..benchmarks.desktop.documents.indexing import Indexed
    from ..benchmarks.desktop.documents.retrieving import Retriever

documents = App(name="documents", help="Documents that an agent may be given passages of.")

INDEX = Path("documents-index")
_RAG = Group("Documents for the agent", sort_key=4)
_SECONDS_BETWEEN_LINES = 5.0
_SHOWN = 20
"""Problems that are told one by one for an application."""


@Parameter(name="*", group=_RAG)
@dataclass(frozen=True, kw_only=True)
class DocumentOptions:
    rag: Literal["off", "index", "context"] = "off"
    """Passages for the agent: from an index of documents, or from the context files published with the tasks."""
    rag_index: Path = INDEX
    """The folder that 'touchstone desktop documents index' made."""
    rag_retriever: Literal["auto", "minilm", "bm25"] = "auto"
    """How an index is searched; auto is by embeddings if they are there, else by words."""
    rag_topk: int = 4
    """The number of passages."""
    rag_filename: str | None = None
    """The name of the context files; by default the published one."""


NO_DOCUMENTS = DocumentOptions()


def retriever(options: DocumentOptions) -> Retriever | None:
    """What the options ask for; None when they are off."""
    from ..benchmarks.desktop.documents.retrieving import PUBLISHED, FromContexts, FromIndex

    _refuse_none("--rag-topk", options.rag_topk)
    if options.rag == "index":
        return FromIndex(options.rag_index, top=options.rag_topk, choice=options.rag_retriever)
    if options.rag == "context":
        return FromContexts(options.rag_filename or PUBLISHED, top=options.rag_topk)
    return None


@documents.command
def index(
    directory: Path,
    *,
    out: Path = INDEX,
    embeddings: Literal["auto", "minilm", "none"] = "auto",
    app: Annotated[tuple[str, ...], Parameter(negative="")] = (),
) -> int:
    """Index folders of HTML, Markdown and text, one per application or site; only what changed is read again.

    Parameters
    ----------
    directory
        The folder with a folder for each application or site.
    out
        Where the indexes are, one file per application.
    embeddings
        Vectors by a small local model, so that passages are found by meaning too; auto: if it is installed.
    app
        NAME=FOLDER: the folder belongs to this application too (repeatable).
    """
    from ..benchmarks.desktop.documents import minilm
    from ..benchmarks.desktop.documents.indexing import Indexer
    from ..benchmarks.desktop.documents.warehouse import SITES, shelves

    if embeddings == "minilm" and minilm.folder() is None:
        raise InputError(f"the embedding model is not installed: {minilm.INSTALL}")
    known, strange = shelves(directory, app)
    for name in strange:
        print(f"touchstone: warning: {name}: no application is known for this folder; give --app NAME={name}", file=sys.stderr)
    if not known:
        raise InputError(f"{directory}: no folder of an application here, such as dbt or {next(iter(SITES))}")
    model = "" if embeddings == "none" or minilm.folder() is None else minilm.NAME
    done = asyncio.run(Indexer(directory, out, model=model, progress=_Progress()).run(known))
    for entry in done:
        _tell(entry)
    print(f"{out}: {'with embeddings by ' + model if model else 'without embeddings: searched by words (BM25)'}")
    return 0 if any(entry.documents for entry in done) else 2


@documents.command
def search(
    question: str,
    *,
    app: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    index: Path = INDEX,
    retriever: Literal["auto", "minilm", "bm25"] = "auto",
    top: int = 4,
) -> int:
    """Print the passages that an agent would be given for a question.

    Parameters
    ----------
    question
        Such as the instruction of a task.
    app
        Search the documents of this application (repeatable); by default of all.
    index
        The folder of indexes.
    retriever
        By embeddings or by words; auto is by embeddings if they are there.
    top
        The number of passages.
    """
    from ..benchmarks.desktop.documents.index import chosen, open_all
    from ..benchmarks.desktop.documents.retrieving import shown
    from ..benchmarks.desktop.documents.searching import method
    from ..benchmarks.desktop.documents.searching import search as found_by

    _refuse_none("--top", top)
    indexes = open_all(index)
    for name in app:
        if name not in indexes:
            raise InputError(f"--app {name}: no documents are indexed for it in {index}; there are {', '.join(indexes)}")
    wanted = chosen(indexes, app or tuple(indexes))
    how = method(retriever, wanted)
    hits = found_by(question, wanted, top, how)
    print(shown(hits) if hits else "no passage fits this question")
    scores = ", ".join(f"{hit.application} {hit.score:.3f}" for hit in hits)
    print(f"touchstone: {len(hits)} passages by {how}{': ' + scores if hits else ''}", file=sys.stderr)
    return 0


@documents.command(name="list")
def list_indexes(index: Path = INDEX) -> int:
    """Print what is indexed.

    Parameters
    ----------
    index
        The folder of indexes.
    """
    from ..benchmarks.desktop.documents.index import open_all

    print(f"{'application':<14}{'documents':>10}{'chunks':>9}{'MB':>8}  embeddings")
    for name, entry in open_all(index).items():
        count, chunks = entry.size
        print(f"{name:<14}{count:>10}{chunks:>9}{entry.path.stat().st_size / 1e6:>8.1f}  {entry.model or 'none'}")
    return 0


class _Progress:
    """One line that changes on a terminal, a line now and then elsewhere."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._what = ""
        self._started = self._said = 0.0

    def __call__(self, what: str, done: int, total: int) -> None:
        from .progress import clock

        now = time.monotonic()
        if what != self._what:
            self._what, self._started, self._said = what, now, now
        last = done == total
        if now - self._said < (0.2 if self._live else _SECONDS_BETWEEN_LINES) and not (last and self._live):
            return
        self._said = now
        left = clock((now - self._started) / done * (total - done))
        line = f"{what} {done}/{total}" + ("" if last else f", {left} left")
        ending = ("\n" if last else "") if self._live else "\n"
        print(f"\r\x1b[K{line}" if self._live else line, end=ending, file=unfiltered(sys.stderr), flush=True)


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


def _refuse_none(option: str, number: int) -> None:
    if number < 1:
        raise InputError(f"{option} {number}: expected at least 1")
