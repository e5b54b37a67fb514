"""From an address to a page. The app and the export both ask here, so they show the same.

index.html                               all runs
history.html                             scores over time
runs/<run>/index.html                    a run
runs/<run>/t-<task>~<epoch>.html         an episode
runs/<run>/files/<path>                  a picture or a video inside the run directory, or a tree with .txt behind its name
compare/<run>/<run>/index.html           two runs
compare/<run>/<run>/t-….html             the same task in both
compare/<run>/<run>/<run>/…/index.html   three runs or more (in a folder: compare/all-<benchmark>/index.html)
suspects/<list>.html                     golds that systems agree against
static/<file>                            the style and the script
live.json, runs/<run>/live.json          what has changed since (the app only)
runs/<run>/rows.json                     more rows of a long list (the app only)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec

from .episodes import RecordGone, ShownEpisode, read
from .film import shown_as
from .group_page import group_page
from .history_page import history_page
from .layout import Html, View, h, page
from .library import Library, Run
from .pair_page import pair_page
from .run_page import ROWS_AT_ONCE, breakdown, rows, run_page, summary
from .runs_page import MOST_COMPARED, runs_page, runs_stamp, runs_table
from .suspects_page import suspects_page
from .task_page import pair_task_page, task_page

STATIC = Path(__file__).parent / "static"
_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
_FILES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
    ".gif": "image/gif",
    ".mp4": "video/mp4",
    ".xml": "text/plain; charset=utf-8",
}


@dataclass(frozen=True)
class Response:
    body: bytes
    type: str = "text/html; charset=utf-8"
    status: int = 200


class Site:
    """All pages over a library."""

    def __init__(self, library: Library, view: View) -> None:
        self.library = library
        self.view = view
        self._lock = Lock()

    def answer(self, path: str, query: Mapping[str, str]) -> Response:
        """`path` is decoded and has no slash in front. One at a time: indexes grow while they are read."""
        with self._lock:
            return self._answer(path, query)

    def _answer(self, path: str, query: Mapping[str, str]) -> Response:
        match path.split("/"):
            case [""] | ["index.html"]:
                return _html(runs_page(self.library, self.view))
            case ["history.html"]:
                return _html(history_page(self.library, self.view))
            case ["suspects", file] if suspects := self.library.suspects.get(file.removesuffix(".html")):
                return _html(suspects_page(suspects, self.view))
            case ["live.json"]:
                return self._live(query)
            case ["static", name]:
                return self._static(name)
            case ["runs", name, *rest] if (run := self.library.run(name)) and rest:
                return self._of_run(run, rest, query)
            case ["compare", one, other, file]:
                first, second = self.library.run(one), self.library.run(other)
                return self._of_pair(first, second, file) if first and second else self.missing()
            case ["compare", *names, "" | "index.html"] if names:
                return self._of_group(names)
            case _:
                return self.missing()

    def missing(self, words: str = "There is no such page, or not any more.") -> Response:
        shown = page("Not found", [("Runs", "/")], h("h1", "Not found"), h("p", words), depth=0, view=self.view)
        return Response(_absolute(shown), status=404)

    def episode(self, run: Run, name: str) -> ShownEpisode | None:
        """Read now; once more if the file was rewritten in between."""
        for _ in range(2):
            entry = run.index.by_name.get(name)
            if entry is None:
                return None
            try:
                return read(run, entry, hide_gold=self.view.hide_gold)
            except RecordGone:
                run.refresh()
        return None

    def file(self, run: Run, name: str) -> Path | None:
        """A file that pages name, inside the run directory, wherever links in it may point."""
        path = name.removesuffix(".txt") if name.endswith(".xml.txt") else name
        kind = Path(path).suffix.lower()
        if kind not in _FILES or shown_as(path) != name or "\0" in path:
            return None
        self.library.fetch(run, path)
        try:
            real = (run.path / path).resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            return None
        return real if real.is_relative_to(run.path) and real.is_file() and real.suffix.lower() == kind else None

    def _of_run(self, run: Run, rest: list[str], query: Mapping[str, str]) -> Response:
        match rest:
            case ["" | "index.html"]:
                return _html(run_page(run, self.library.runs(), self.view))
            case ["live.json"]:
                return self._live_run(run, query)
            case ["rows.json"]:
                return self._rows(run, query)
            case ["files", *parts]:
                kept = self.file(run, "/".join(parts))
                return Response(kept.read_bytes(), _FILES[kept.suffix.lower()]) if kept else self.missing()
            case [file] if file.endswith(".html"):
                name = file.removesuffix(".html")
                episode = self.episode(run, name)
                entry = run.index.by_name.get(name)
                return _html(task_page(run, entry, episode, self.view)) if episode and entry else self.missing()
            case _:
                return self.missing()

    def _of_pair(self, first: Run, second: Run, file: str) -> Response:
        if file in ("", "index.html"):
            return _html(pair_page(first, second, self.view))
        name = file.removesuffix(".html")
        episodes = [self.episode(run, name) for run in (first, second)]
        return _html(pair_task_page((first, second), episodes, self.view)) if any(episodes) else self.missing()

    def _of_group(self, names: list[str]) -> Response:
        """A folder has few groups, each with a short address of its own: a path through many names is too long for some."""
        depth = len(names) + 1
        known = {where: runs for runs, where in (self.view.compared or {}).items()}
        names = list(known.get("/".join(["compare", *names]), names))
        runs = [run for name in dict.fromkeys(names) if (run := self.library.run(name))]
        if not 2 < len(runs) == len(names) <= MOST_COMPARED:
            return self.missing()
        return _html(group_page(runs, self.view, depth))

    def _live(self, query: Mapping[str, str]) -> Response:
        runs = self.library.runs()
        stamp = runs_stamp(runs)
        if query.get("stamp") == stamp:
            return Response(b"", status=204)
        return _json({"stamp": stamp, "html": str(runs_table(runs, self.library.where))})

    def _live_run(self, run: Run, query: Mapping[str, str]) -> Response:
        """The new rows; a run that was rewritten must be loaded anew."""
        generation, _, end = query.get("stamp", "").partition(".")
        if generation != str(run.index.generation):
            return _json({"reload": True})
        entries = list(run.index.entries)
        live = run.live
        if live and run.index.stamp == f"{generation}.{end}":
            return Response(b"", status=204)
        html, more = str(summary(run, self.view)), str(breakdown(run, self.view))
        state = {"stamp": run.index.stamp, "live": live, "html": html, "breakdown": more}
        return _json(state | {"rows": rows(entries[_known(query) :], self.view)})

    def _rows(self, run: Run, query: Mapping[str, str]) -> Response:
        """The next rows of a long list, as of now or after."""
        if query.get("generation") != str(run.index.generation):
            return _json({"reload": True})
        known = _known(query)
        return _json({"rows": rows(run.index.entries[known : known + ROWS_AT_ONCE], self.view)})

    def _static(self, name: str) -> Response:
        file = STATIC / name
        kind = _TYPES.get(file.suffix)
        if kind is None or name != file.name or not file.is_file():
            return self.missing()
        return Response(file.read_bytes(), kind)


def _known(query: Mapping[str, str]) -> int:
    return int(query["from"]) if query.get("from", "").isdecimal() else 0


def _html(content: Html) -> Response:
    return Response(content.encode("utf-8", "replace"))


def _absolute(content: Html) -> bytes:
    """A page that may be shown at any address."""
    return (
        content.replace('href="static/', 'href="/static/').replace('src="static/', 'src="/static/').encode("utf-8", "replace")
    )


def _json(value: Any) -> Response:
    return Response(msgspec.json.encode(value), "application/json")
