"""`touchstone view`: runs in the browser, or as a folder of pages."""

from __future__ import annotations

import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ..phrases import plural

if TYPE_CHECKING:
    from ..reports.web.layout import View
    from ..reports.web.library import Library


def view(
    *runs: Path,
    export: Path | None = None,
    hide_gold: Annotated[bool, Parameter(negative="")] = False,
    host: str = "127.0.0.1",
    port: int = 8080,
    open: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Look at runs in the browser, or write the pages to a folder.

    Parameters
    ----------
    runs
        Run directories, or directories that hold some up to four levels below, here or at an address such as
        s3://bucket/results; by default results. Also lists of suspect golds, as touchstone audit suspects --json writes them.
    export
        Write the pages to this folder instead; they open from disk.
    hide_gold
        Leave out references: gold SQL, expected rows, hidden tests, and what the oracle did.
    host
        The address to listen on. Anyone who can reach it can read the runs.
    port
        The port; 0 takes a free one.
    open
        Open the browser.
    """
    from ..reports.web.layout import View
    from ..reports.web.library import Library

    library = Library(runs or (Path("results"),), absent=not runs)
    if export is not None:
        return _export(library, export, hide_gold)
    return _serve(library, View(hide_gold=hide_gold), host, port, open)


def _export(library: Library, target: Path, hide_gold: bool) -> int:
    from ..reports.web.export import MOST_PAIRS, export

    done = export(library, target, hide_gold=hide_gold)
    print(f"{done.pages:,} pages, {done.bytes / 2**20:,.1f} MB: open {target / 'index.html'}")
    if done.left_out:
        print(f"touchstone: {done.left_out} pairs of runs are not compared in the export, only {MOST_PAIRS}", file=sys.stderr)
    return 0


def _serve(library: Library, view: View, host: str, port: int, browse: bool) -> int:
    from ..reports.web.server import ViewerServer
    from ..reports.web.site import Site

    site = Site(library, view)
    server = ViewerServer(site, host, port)
    if host not in ("127.0.0.1", "::1", "localhost"):
        print(f"touchstone: anyone who can reach {host} can read these runs", file=sys.stderr)
    there = plural(len(library), "run")
    if not len(library) and not library.suspects:
        there = f"no run in {library.where} yet, waiting for one"

    def stop(*_: object) -> None:
        """Not by an exception, which is lost where a finalizer happens to run. The server must not wait for its own end."""
        threading.Thread(target=server.shutdown, daemon=True).start()

    for signal_number in (signal.SIGINT, signal.SIGTERM):  # from the moment it says so, Ctrl-C is a way to end it
        signal.signal(signal_number, stop)
    try:
        print(f"{there} at {server.url} (Ctrl-C ends)", flush=True)
        threading.Thread(target=site.answer, args=("index.html", {}), daemon=True).start()  # reads while the reader comes
        library.follow_addresses()
        if browse:
            import webbrowser

            webbrowser.open(server.url)
        server.serve_forever()
    finally:
        server.server_close()
    return 0
