"""Making layers: one after the other, in a container on the complete ones below it, and kept if script and check succeed."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import msgspec

from ....errors import InputError, TouchstoneError
from ..providers.namespaces import Bind, ContainerPlan, host_ids, host_programs, make_upper, remove, run
from . import debian
from .recipes import Recipe, digests, recipes, with_parents
from .registries import registries
from .store import BUILDING, UPPER, Layer, Meta, Store

VERSIONS = "usr/share/touchstone/layers"
"""Where a script writes the versions of its main packages: a line each, name and version."""
_UNPACK = ["tar", "-xf", "/run/base.tar", "-C", "/run/layer", "--exclude=./dev/*", "--numeric-owner"]


class BuildFailure(TouchstoneError):
    """A layer could not be made: which, and where it is written why."""

    def __init__(self, name: str, why: str, log: Path, tail: str) -> None:
        super().__init__(f"the layer {name} could not be made: {why}; all that was printed: {log}")
        self.tail = tail
        """The last lines of the log."""


class Listener(Protocol):
    """Is told how a build goes on."""

    def waiting(self) -> None: ...

    def begin(self, recipe: Recipe, number: int, total: int) -> None: ...

    def line(self, text: str) -> None: ...

    def done(self, layer: Layer, *, made: bool) -> None: ...


@dataclass(frozen=True, kw_only=True)
class Supplies:
    """What only the user can say."""

    mirror: str | None = None
    files: Mapping[str, Path] = field(default_factory=lambda: {})
    """By the names in `Recipe.supplied`."""


async def build(
    store: Store, names: Sequence[str], supplies: Supplies, listener: Listener, known: Mapping[str, Recipe] | None = None
) -> list[Layer]:
    """Makes these layers and those below them, unless they are there. Raises BuildFailure; what is complete stays."""
    known = known or recipes()
    wanted = with_parents(names, known)
    today = digests(known, host_ids())
    for recipe in wanted:
        if store.get(recipe.name, today[recipe.name]) is None and (why := obstacle(recipe, supplies)):
            raise InputError(why)
    async with store.locked(listener.waiting):
        await store.tidy()
        made: dict[str, Layer] = {}
        for number, recipe in enumerate(wanted, 1):
            ready = store.get(recipe.name, today[recipe.name])
            if ready is None:
                listener.begin(recipe, number, len(wanted))
                below = [made[parent] for parent in recipe.parents]
                await _Build(store, recipe, today[recipe.name], below, supplies, listener).make()
            layer = ready or store.get(recipe.name, today[recipe.name])
            assert layer
            made[recipe.name] = layer
            listener.done(layer, made=ready is None)
    return list(made.values())


def obstacle(recipe: Recipe, supplies: Supplies) -> str | None:
    """Why it cannot be made, in words."""
    if recipe.impossible:
        return f"{recipe.name}: {recipe.impossible}"
    for name, what in recipe.supplied.items():
        path = supplies.files.get(name)
        if path is None:
            return f"{recipe.name}: needs {what}"
        if not path.is_file():
            return f"{path}: no such file"
    return None


class _Build:
    """One layer that is being made."""

    def __init__(
        self, store: Store, recipe: Recipe, digest: str, below: Sequence[Layer], supplies: Supplies, listener: Listener
    ) -> None:
        self.recipe, self.digest, self.below = recipe, digest, below
        self.supplies, self.listener = supplies, listener
        self.final = store.folder(recipe.name, digest)
        self.work = self.final.with_name(self.final.name + BUILDING)
        self.upper = self.work / UPPER  # it will belong to the root inside; the folder around it stays ours
        self.log = store.root / "logs" / f"{self.final.name}.log"
        self.downloads = store.root / "downloads"
        self._lines: list[str] = []

    async def make(self) -> None:
        started = time.monotonic()
        for folder in (self.log.parent, self.downloads):
            folder.mkdir(exist_ok=True)
        self.log.write_text("")
        self.work.mkdir()
        make_upper(self.upper)
        try:
            await self._fill()
            await self._check()
        except InputError:
            raise
        except TouchstoneError as error:
            await remove(self.work)
            raise BuildFailure(self.recipe.name, str(error), self.log, "\n".join(self._lines)) from None
        await self._finish(time.monotonic() - started)

    async def _fill(self) -> None:
        if self.recipe.debian:
            await self._unpack_debian()
        files = self._stage()
        source = registries()
        programs = host_programs() if self.recipe.systemless else []
        plan = ContainerPlan(
            program=["/bin/bash", "/run/recipe/script.sh"],
            layers=[layer.files for layer in reversed(self.below)],
            upper=self.upper,
            binds=[*programs, Bind(files, "/run/recipe"), Bind(self.downloads, "/run/downloads", True), *source.binds],
            network=True,
            variables={"HOME": "/tmp", "UV_CACHE_DIR": "/run/downloads/uv", **source.variables},
        )
        await self._run(plan)

    async def _check(self) -> None:
        """On the finished layer, without a network, as in a desktop."""
        if not self.recipe.check:
            return
        script = self.work / "recipe" / "check.sh"
        script.write_text("set -euo pipefail\n" + self.recipe.check)
        self._heard("checking that what was installed can be imported and started")
        plan = ContainerPlan(
            program=["/bin/bash", "/run/check.sh"],
            layers=[self.upper / "files", *(layer.files for layer in reversed(self.below))],
            binds=[*(host_programs() if self.recipe.systemless else []), Bind(script, "/run/check.sh")],
        )
        await self._run(plan, "its check")

    async def _unpack_debian(self) -> None:
        archive = self.work / "base.tar"
        await debian.make_archive(archive, self.supplies.mirror, self._heard)
        binds = [*host_programs(), Bind(archive, "/run/base.tar"), Bind(self.upper / "files", "/run/layer", True)]
        await self._run(ContainerPlan(program=_UNPACK, layers=[], binds=binds))
        archive.unlink()
        await remove(archive.with_suffix(".tmp"))

    async def _run(self, plan: ContainerPlan, what: str = "its script") -> None:
        status, _ = await run(plan, self._heard)
        if status:
            raise TouchstoneError(f"{what} ended with {status}")

    def _stage(self) -> Path:
        """Only what belongs to the recipe is visible to its script."""
        folder = self.work / "recipe"
        supplied = {name: self.supplies.files[name] for name in self.recipe.supplied}
        for name, path in {**self.recipe.files, **supplied}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, folder / name)
            (folder / name).chmod(0o755)
        folder.mkdir(exist_ok=True)
        (folder / "script.sh").write_text("set -euo pipefail\ncd /run/recipe\n" + self.recipe.script)
        for path in (self.work, folder, *folder.rglob("*")):
            path.chmod(0o755)
        return folder

    async def _finish(self, seconds: float) -> None:
        ids = host_ids()
        meta = Meta(
            name=self.recipe.name,
            digest=self.digest,
            bytes=await asyncio.to_thread(_size, self.upper / "files"),
            made=time.time(),
            seconds=round(seconds, 1),
            versions=_versions(self.upper / "files" / VERSIONS / self.recipe.name),
            ids=(ids.user, ids.group),
            supplied={name: _sum(self.supplies.files[name]) for name in self.recipe.supplied},
        )
        for path in (self.upper / "work", self.work / "recipe"):
            await remove(path)
        (self.work / "meta.json").write_bytes(msgspec.json.format(msgspec.json.encode(meta), indent=2))
        self.work.rename(self.final)

    def _heard(self, line: str) -> None:
        self._lines = [*self._lines[-19:], line]
        with self.log.open("a") as file:
            file.write(line + "\n")
        self.listener.line(line)


def _versions(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    return {name: version for name, version in (line.split(None, 1) for line in path.read_text().splitlines() if " " in line)}


def _sum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _size(folder: Path) -> int:
    """On disk. What this user may not read is not counted."""
    return sum(
        os.lstat(os.path.join(parent, name)).st_blocks * 512  # noqa: PTH118 - a hundred thousand files
        for parent, folders, files in os.walk(folder)
        for name in [*folders, *files]
    )
