"""The actor: one for each node of a Ray cluster, for as long as the run lasts. It knows nothing of Ray.

`absent`, `missing`, `receive` and `places` bring the data; `begin` builds the command; then `lease` and `collect` play. Ray
calls them in several threads, so that a lease is taken while a collection waits.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from ...code_digest import code_digest
from ..run import versions
from .seat import Build, Seat
from .shipping import Arriving, Hashes, Listed, Store, at, default_root, has_same_content, is_here
from .wire import Place


class Begun(Struct, frozen=True):
    """What a node will play with, or why it cannot."""

    identity: bytes
    versions: Mapping[str, str]
    code: str
    error: str | None


class Node:
    def __init__(self) -> None:
        self._store = Store(default_root())
        self._seat = Seat()
        self._kept: set[str] = set()
        self._arriving: dict[str, Arriving] = {}

    def absent(self, listings: Sequence[Listed]) -> list[int]:
        """Which of the driver's paths this node does not see as they are."""
        return [number for number, listing in enumerate(listings) if not is_here(listing)]

    def missing(self, listings: Sequence[Listed], hashes: Hashes) -> list[str]:
        """The contents that it has neither at the same path nor in its cache."""
        self._kept = {listing.path for listing in listings if has_same_content(listing, hashes)}
        wanted = [listing for listing in listings if listing.path not in self._kept]
        return self._store.missing(hashes[str(at(listing, file))] for listing in wanted for file in listing.files)

    def receive(self, name: str, piece: bytes | None) -> None:
        """A file by its hash, piece by piece, then None."""
        if name not in self._arriving:
            self._arriving[name] = self._store.arriving(name)
        if piece is None:
            self._arriving.pop(name).keep()
        else:
            self._arriving[name].add(piece)

    def places(self, listings: Sequence[Listed], hashes: Hashes) -> dict[str, str]:
        """Where the driver's paths are on this node."""
        return {
            listing.path: listing.path if listing.path in self._kept else str(self._store.path_of(listing, hashes))
            for listing in listings
        }

    def begin(self, build: Build, payload: Any, environment: Mapping[str, str]) -> Begun:
        """The environment comes as an argument of a call because that, unlike Ray's own way, reaches no log."""
        os.environ.update(environment)
        self._seat.fill(build, payload)
        return Begun(msgspec.json.encode(self._seat.identity), versions(), code_digest(), self._seat.error)

    def lease(self, places: Sequence[Place]) -> None:
        self._seat.lease(places)

    def collect(self, seconds: float) -> list[bytes]:
        """What was played; waits so long for the first. Raises if the command is gone."""
        found = self._seat.collect(seconds)
        if not found and self._seat.error:
            raise RuntimeError(self._seat.error)
        return found

    def end(self) -> None:
        """Closes what the command has opened."""
        self._seat.clear()
