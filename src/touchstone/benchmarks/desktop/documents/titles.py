"""The titles of pages as a crawl recorded them: `webpage_title.json`, from path to title.

The published warehouse has one beside its sites, with paths such as `airbyte.com/quickstarts.txt`; one inside a site's folder
is read too. A path with another ending means the same page in another format.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

import msgspec

NAME = "webpage_title.json"


class Titles:
    def __init__(self, root: Path) -> None:
        self._root = root
        self._tables: dict[Path, dict[str, str]] = {}
        self._problems: dict[Path, str] = {}

    def of(self, path: Path, folder: Path) -> str:
        """The title of a page in an application's folder, or nothing."""
        for place in (self._root, folder):
            table = self._table(place)
            for base in (self._root, place) if table else ():
                relative = PurePosixPath(path.relative_to(base))
                title = table.get(str(relative)) or table.get(str(relative.with_suffix("")))
                if title:
                    return title
        return ""

    def problems(self, folders: Sequence[Path]) -> list[str]:
        """Tables that cannot be read."""
        places = [self._root, *folders]
        for place in places:
            self._table(place)
        return [self._problems[place] for place in dict.fromkeys(places) if place in self._problems]

    def _table(self, place: Path) -> dict[str, str]:
        if place not in self._tables:
            self._tables[place] = self._read(place)
        return self._tables[place]

    def _read(self, place: Path) -> dict[str, str]:
        path = place / NAME
        try:
            pairs = msgspec.json.decode(path.read_bytes(), type=dict[str, str]) if path.is_file() else {}
        except (OSError, msgspec.MsgspecError, UnicodeError) as error:
            self._problems[place] = f"{path.relative_to(self._root)}: no titles are taken from it: {error}"
            return {}
        table = {name: " ".join(title.split()) for name, title in pairs.items()}
        return {
            str(PurePosixPath(name).with_suffix("")) if PurePosixPath(name).name else name: title
            for name, title in table.items()
        } | table
