"""Where layers are kept: a folder each, named by the layer and the digest of its recipe, which has its name only when complete.

<name>-<digest>/            meta.json, and the layer itself in layer/files/
<name>-<digest>.building/   being made, or left by a build that was killed
logs/                       what each build printed
downloads/                  packages, so that the next build need not fetch them
lock                        held by a build and while layers are removed
"""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

import msgspec
from msgspec import Struct

from ....errors import InputError
from ..providers.namespaces import host_ids, remove
from .recipes import ALWAYS, digests, recipes

VARIABLE = "TOUCHSTONE_IMAGES"
BUILDING, UPPER = ".building", "layer"
OTHERS = ("logs", "downloads")


class Meta(Struct, frozen=True):
    """What is known about a layer."""

    name: str
    digest: str
    bytes: int
    made: float
    """When, in seconds since 1970."""
    seconds: float
    """How long it took."""
    versions: dict[str, str]
    """Of its main packages."""
    ids: tuple[int, int]
    """The first user and group id of the host that its files belong to."""
    supplied: dict[str, str] = {}
    """The SHA-256 of the files that the user gave."""


class Layer(Struct, frozen=True):
    meta: Meta
    folder: Path
    current: bool
    """Made by the recipe of today."""

    @property
    def files(self) -> Path:
        return self.folder / UPPER / "files"


class Image(Struct, frozen=True):
    """Layers that together are a root file system."""

    layers: tuple[Layer, ...]
    """The topmost first."""

    @property
    def paths(self) -> list[Path]:
        return [layer.files for layer in self.layers]

    @property
    def names(self) -> list[str]:
        """The lowest first, with digests, for records."""
        return [f"{layer.meta.name}-{layer.meta.digest}" for layer in reversed(self.layers)]


class Store:
    def __init__(self, root: Path | None = None) -> None:
        self.root = root or default_root()

    def layers(self) -> list[Layer]:
        """Those that are complete, in the order of the recipes."""
        today = digests(recipes(), host_ids())
        order = {name: number for number, name in enumerate(today)}
        layers = [_layer(path, today) for path in self.root.glob("*/meta.json")]
        return sorted(layers, key=lambda layer: (order.get(layer.meta.name, len(order)), -layer.meta.made))

    def made(self) -> set[str]:
        """The names of those that are there as today's recipes make them; none where there can be no image at all."""
        try:
            return {layer.meta.name for layer in self.layers() if layer.current}
        except InputError:
            return set()

    def folder(self, name: str, digest: str) -> Path:
        return self.root / f"{name}-{digest}"

    def get(self, name: str, digest: str) -> Layer | None:
        meta = self.folder(name, digest) / "meta.json"
        return _layer(meta, {name: digest}) if meta.is_file() else None

    def find(self, names: Sequence[str]) -> Image:
        """The image with these layers and those that every image has. Raises InputError if one has not been made."""
        today = digests(recipes(), host_ids())
        wanted = [name for name in today if name in {*names, *ALWAYS} and name != "session"]
        layers = {name: self.get(name, today[name]) for name in [*wanted, "session"]}
        if missing := [name for name in [*names, *ALWAYS] if layers.get(name) is None]:
            raise InputError(f"{self.root}: no layer {', '.join(dict.fromkeys(missing))}; {how_to_build(names)}")
        return Image(tuple(layer for layer in reversed(layers.values()) if layer))

    @asynccontextmanager
    async def locked(self, waiting: Callable[[], None] | None = None) -> AsyncGenerator[None]:
        """Nobody else changes the store. With `waiting`, which is told so, waits for those who do; else raises InputError."""
        self.root.mkdir(parents=True, exist_ok=True)
        with (self.root / "lock").open("w") as file:
            if not _try(file):
                if waiting is None:
                    raise InputError(f"{self.root}: a build is running; wait for it")
                waiting()
                while not _try(file):  # noqa: ASYNC110 - another process holds it
                    await asyncio.sleep(0.5)
            yield

    async def tidy(self) -> None:
        """Removes what killed builds have left. Only while it is locked."""
        for path in self.root.glob(f"*{BUILDING}"):
            await remove(path)

    async def remove(self, layer: Layer) -> None:
        """First it loses its name, so that half a layer never counts."""
        doomed = layer.folder.with_name(layer.folder.name + BUILDING)
        layer.folder.rename(doomed)
        await remove(doomed)

    async def remove_others(self) -> None:
        """What builds fetched and printed. Only while it is locked."""
        for name in OTHERS:
            if (self.root / name).is_dir():
                await remove(self.root / name)


def default_root() -> Path:
    if named := os.environ.get(VARIABLE):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "touchstone" / "images"


def find(names: Sequence[str] = ()) -> Image:
    """The image with these layers, from the usual place."""
    return Store().find(names)


def how_to_build(names: Sequence[str]) -> str:
    wanted = " ".join(name for name in names if name not in ALWAYS)
    return f"run touchstone desktop image build {wanted}".rstrip()


def _layer(meta: Path, today: dict[str, str]) -> Layer:
    known = msgspec.json.decode(meta.read_bytes(), type=Meta)
    return Layer(meta=known, folder=meta.parent, current=today.get(known.name) == known.digest)


def _try(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
