"""Layers of a few files, made in real chambers with the host's programs: what is kept, made again, and left by failures."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from touchstone.benchmarks.desktop.image.build import BuildFailure, Supplies, build
from touchstone.benchmarks.desktop.image.recipes import Recipe
from touchstone.benchmarks.desktop.image.store import Layer, Store
from touchstone.benchmarks.desktop.providers.namespaces import ContainerPlan, host_ids, host_programs, run
from touchstone.errors import InputError, WorkerFailure


def unavailable() -> str | None:
    try:
        host_ids()
        asyncio.run(run(ContainerPlan(program=["/bin/true"], layers=[], binds=host_programs())))
    except (InputError, WorkerFailure) as error:
        return str(error)
    return None


REASON = unavailable()
pytestmark = pytest.mark.skipif(REASON is not None, reason=f"no chambers here: {REASON}")


class Heard:
    """Listens to a build."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.made: list[str] = []
        self.kept: list[str] = []
        self.waited = 0

    def waiting(self) -> None:
        self.waited += 1

    def begin(self, recipe: Recipe, number: int, total: int) -> None:
        self.lines.append(f"begin {recipe.name} {number}/{total}")

    def line(self, text: str) -> None:
        self.lines.append(text)

    def done(self, layer: Layer, *, made: bool) -> None:
        (self.made if made else self.kept).append(layer.meta.name)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "images")


@pytest.fixture
def heard() -> Heard:
    return Heard()


def one(script: str, **more: object) -> dict[str, Recipe]:
    return {"one": Recipe(name="one", about="", parents=(), script=script, systemless=True, **more)}  # type: ignore[arg-type]


async def test_a_layer_holds_what_its_script_wrote_and_nothing_else(store: Store, heard: Heard) -> None:
    script = "echo hello > /etc/mark; echo fetched > /run/downloads/one; echo said"
    [layer] = await build(store, ["one"], Supplies(), heard, one(script))
    assert (layer.files / "etc/mark").read_text() == "hello\n"
    assert sorted(path.name for path in layer.folder.iterdir()) == ["layer", "meta.json"]
    assert not list((layer.files / "run").iterdir())
    assert (store.root / "downloads/one").read_text() == "fetched\n"
    assert heard.lines == ["begin one 1/1", "said"]
    assert (store.root / "logs" / f"{layer.folder.name}.log").read_text() == "said\n"
    assert (layer.files / "etc/mark").stat().st_uid == layer.meta.ids[0] == host_ids().user
    assert layer.meta.bytes > 0


async def test_a_layer_is_kept_if_its_check_succeeds(store: Store, heard: Heard) -> None:
    """The check sees the finished layer, without a network, and what it writes is forgotten."""
    check = "cat /etc/mark; ls /run/downloads 2> /dev/null && exit 1; echo gone > /etc/more"
    [layer] = await build(store, ["one"], Supplies(), heard, one("echo hello > /etc/mark", check=check))
    assert "hello" in heard.lines
    assert not (layer.files / "etc/more").exists()


async def test_a_layer_whose_check_fails_is_not_kept(store: Store, heard: Heard) -> None:
    with pytest.raises(BuildFailure, match="its check ended with 3") as failed:
        await build(store, ["one"], Supplies(), heard, one("true", check="echo cannot be imported; exit 3"))
    assert "cannot be imported" in failed.value.tail
    assert not store.layers()


async def test_a_layer_is_made_once_and_again_when_its_recipe_changes(store: Store, heard: Heard) -> None:
    await build(store, ["one"], Supplies(), heard, one("true"))
    await build(store, ["one"], Supplies(), heard, one("true"))
    assert (heard.made, heard.kept) == (["one"], ["one"])
    [changed] = await build(store, ["one"], Supplies(), heard, one(": other"))
    assert heard.made == ["one", "one"]
    assert len({layer.folder for layer in store.layers()} | {changed.folder}) == 2


async def test_files_of_a_recipe_are_there_and_others_are_not(store: Store, heard: Heard, tmp_path: Path) -> None:
    wanted, jar = tmp_path / "wanted", tmp_path / "own.jar"
    wanted.write_text("content")
    jar.write_text("jar")
    known = one("ls; cat deep/name; echo; cat own.jar; echo", files={"deep/name": wanted}, supplied={"own.jar": "--jar FILE"})
    [layer] = await build(store, ["one"], Supplies(files={"own.jar": jar}), heard, known)
    assert heard.lines[1:] == ["deep", "own.jar", "script.sh", "content", "jar"]
    assert list(layer.meta.supplied) == ["own.jar"]
    assert not list(layer.folder.glob("recipe"))


async def test_a_supply_that_is_missing_is_said_before_anything_is_made(store: Store, heard: Heard, tmp_path: Path) -> None:
    known = one("true", supplied={"own.jar": "--jar FILE"})
    with pytest.raises(InputError, match="one: needs --jar FILE"):
        await build(store, ["one"], Supplies(), heard, known)
    with pytest.raises(InputError, match=r"nothing.jar: no such file"):
        await build(store, ["one"], Supplies(files={"own.jar": tmp_path / "nothing.jar"}), heard, known)
    assert not store.root.exists()


async def test_a_failed_script_leaves_a_log_and_no_layer(store: Store, heard: Heard) -> None:
    script = "echo before; cat /nothing/here; echo after"
    with pytest.raises(BuildFailure, match="the layer one could not be made: its script ended with 1") as caught:
        await build(store, ["one"], Supplies(), heard, one(script))
    assert "before" in caught.value.tail
    assert "/nothing/here" in caught.value.tail
    assert "after" not in caught.value.tail
    [log] = (store.root / "logs").iterdir()
    assert str(log) in str(caught.value)
    assert store.layers() == []
    assert not list(store.root.glob("one-*"))


async def test_layers_below_stay_when_one_above_fails(store: Store, heard: Heard) -> None:
    known = {
        "root": Recipe(name="root", about="", parents=(), script="echo one > /etc/mark", systemless=True),
        "top": Recipe(name="top", about="", parents=("root",), script="exit 3", systemless=True),
    }
    with pytest.raises(BuildFailure, match="the layer top"):
        await build(store, ["top"], Supplies(), heard, known)
    known["top"] = replace(known["top"], script="cat /etc/mark; echo two > /etc/mark")
    below, above = await build(store, ["top"], Supplies(), heard, known)
    assert heard.made == ["root", "top"]
    assert heard.kept == ["root"]
    assert (below.files / "etc/mark").read_text() == "one\n"
    assert (above.files / "etc/mark").read_text() == "two\n"
    assert "one" in heard.lines


async def test_a_killed_build_leaves_nothing_that_counts_and_the_next_one_tidies(store: Store, heard: Heard) -> None:
    program = f"""
import asyncio
from pathlib import Path
from tests.benchmarks.desktop.image.test_building import Heard, one
from touchstone.benchmarks.desktop.image.build import Supplies, build
from touchstone.benchmarks.desktop.image.store import Store


class Loud(Heard):
    def line(self, text):
        print(text, flush=True)


asyncio.run(build(Store(Path({str(store.root)!r})), ["one"], Supplies(), Loud(), one("echo begun; sleep 600")))
"""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[4]
    )
    assert process.stdout
    assert await process.stdout.readline() == b"begun\n"
    process.kill()
    await process.wait()
    assert store.layers() == []
    assert list(store.root.glob("*.building"))
    await build(store, ["one"], Supplies(), heard, one("true"))
    assert not list(store.root.glob("*.building"))
    assert heard.waited == 0


async def test_a_second_build_waits_for_the_first(store: Store) -> None:
    first, second = Heard(), Heard()
    known = one("echo begun; sleep 1")
    await asyncio.gather(build(store, ["one"], Supplies(), first, known), build(store, ["one"], Supplies(), second, known))
    assert sorted([first.made, second.made]) == [[], ["one"]]
    assert first.waited + second.waited == 1


async def test_nothing_is_removed_while_a_build_is_going_on(store: Store) -> None:
    async with store.locked():
        with pytest.raises(InputError, match="a build is running"):
            async with store.locked():
                pass


async def test_a_removed_layer_is_gone(store: Store, heard: Heard) -> None:
    [layer] = await build(store, ["one"], Supplies(), heard, one("echo > /etc/mark"))
    await store.remove(layer)
    assert store.layers() == []
    assert not list(store.root.glob("one-*"))


def test_an_image_that_is_not_there_says_how_to_make_it(store: Store) -> None:
    with pytest.raises(InputError, match="run touchstone desktop image build jupyter dbt"):
        store.find(["jupyter", "dbt"])
    with pytest.raises(InputError, match=r"no layer system, desktop, session; run touchstone desktop image build$"):
        store.find([])
