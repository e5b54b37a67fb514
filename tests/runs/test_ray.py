"""Episodes on a real cluster of two nodes on this machine, one of which cannot see the data and is killed in mid-run."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.desktop.support import make_dataset
from tests.benchmarks.interact.datasets import ACTIVE, TOTALS, query_task
from tests.benchmarks.interact.datasets import make_dataset as make_interact
from tests.support.chat_players import Held, knowing
from tests.support.chat_server import Answer, ChatServer, failure, text, tool_call
from tests.support.command import (
    SCRIPTS,
    Done,
    Started,
    finish,
    overall,
    records,
    run_directory,
    start,
    times_recorded,
    until_it_says,
)
from tests.support.records import a_record
from tests.support.worlds import ROWS, World, make_world
from touchstone.errors import EpisodeFailure, InputError, ModelRejected, RunStopped, Unscorable, WorkerFailure
from touchstone.models.recorded import RecordedConfig
from touchstone.runs.executors.cluster import environment
from touchstone.runs.executors.leases import Holder, JobKey, Leases
from touchstone.runs.executors.shipping import ShippedFiles, at, has_same_content, hash_of, is_here, listed, moved_path
from touchstone.runs.scheduler import Job
from touchstone.runs.verification import verify
from touchstone.types import Outcome, Task

pytestmark = pytest.mark.long

EVERY = {(str(row["question_id"]), 0): 1 for row in ROWS}
SECRET = "sk-never-to-be-written-down"
KEY = {"OPENAI_API_KEY": SECRET}
SMALL = 80 * 2**20


@dataclass
class TwoNodes:
    address: str
    hidden: Path
    """A directory that is empty for the second node."""
    second: Started
    cache: Path
    """Of the nodes."""
    session: Path

    def begin(self, *arguments: str | Path, cwd: Path, benchmark: str = "bird") -> Started:
        where = ("--executor", "ray", "--ray-address", self.address)
        return start(benchmark, *arguments, *where, cwd=cwd, env=KEY)

    def kill_second(self) -> None:
        """All at once, as when a machine loses its power."""
        for process in _with_descendants(self.second.pid):
            os.kill(process, signal.SIGKILL)


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoNodes]:
    if find_spec("ray") is None:
        pytest.skip("Ray is not installed")
    from ray.cluster_utils import Cluster

    base = tmp_path_factory.mktemp("ray")
    (base / "hidden").mkdir()
    os.environ["TOUCHSTONE_CACHE"] = str(base / "cache")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["PYTHONPATH"] = str(Path(__file__).parents[2])  # where nodes find the desktops of the tests
    head = {"num_cpus": 1, "object_store_memory": SMALL, "include_dashboard": False}
    cluster: Any = Cluster(initialize_head=True, head_node_args=head)
    second = _start_blind_node(cluster.address, base / "hidden")
    try:
        _wait_for_two(cluster.address)
        session = Path(cluster.head_node.get_session_dir_path())
        yield TwoNodes(cluster.address, base / "hidden", second, base / "cache", session)
    finally:
        second.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            second.wait(10)
        cluster.shutdown()
        del os.environ["PYTHONPATH"]


def _start_blind_node(address: str, hidden: Path) -> Started:
    """In a mount namespace of its own, where a directory is covered by an empty one."""
    if subprocess.run(["unshare", "-rm", "true"], check=False).returncode:
        pytest.skip("this machine gives no mount namespaces, so that a node could not be without the data")
    ray = f"{SCRIPTS / 'ray'} start --address={address} --num-cpus=1 --object-store-memory={SMALL} --block"
    script = f"mount -t tmpfs none {hidden} && exec {ray}"
    return subprocess.Popen(
        ["unshare", "-rm", "sh", "-c", script], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True
    )


def _wait_for_two(address: str) -> None:
    import ray

    ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    until(lambda: sum(node["Alive"] for node in ray.nodes()) == 2, 90)
    ray.shutdown()


def _with_descendants(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.name))
    found = [root]
    for process in found:
        found += children.get(process, [])
    return found


def until(what: Callable[[], bool], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.05)


class Somebody:
    """A holder of leases that plays nothing by itself."""

    def __init__(self, leases: Leases, capacity: int) -> None:
        self.sent: list[list[JobKey]] = []
        self.holder = Holder(capacity, lambda places: self.sent.append(list(places)))
        self._leases = leases
        leases.join(self.holder)

    def answer(self, job: JobKey) -> None:
        self._leases.answer(self.holder, job, (a_record(job[0], epoch=job[1]), None))


def job(key: str) -> Job:
    return Job(Task(key=key, index=0, facets={}, digest=""), 0)


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_a_lease_is_never_larger_than_what_is_played_at_once() -> None:
    leases = Leases()
    first, second = Somebody(leases, 2), Somebody(leases, 1)
    waiting = [asyncio.create_task(leases.play(job(key))) for key in "abcde"]
    await settled()
    assert (first.sent, second.sent) == ([[("a", 0), ("c", 0)]], [[("b", 0)]])
    second.answer(("b", 0))
    await settled()
    assert (len(first.sent), second.sent) == (1, [[("b", 0)], [("d", 0)]])
    for task in waiting:
        task.cancel()


async def test_the_jobs_of_a_lost_node_are_leased_again_before_all_others_and_heard_once() -> None:
    leases = Leases()
    lost, other = Somebody(leases, 2), Somebody(leases, 1)
    waiting = {key: asyncio.create_task(leases.play(job(key))) for key in "abcd"}
    await settled()
    assert (lost.sent, other.sent) == ([[("a", 0), ("c", 0)]], [[("b", 0)]])
    assert leases.lose(lost.holder) == 2
    lost.answer(("a", 0))  # too late: it holds nothing any more
    for key in "bacd":
        await settled()
        assert other.sent[-1] == [(key, 0)]
        other.answer((key, 0))
    answers = await asyncio.gather(*waiting.values())
    assert [record.task for record, _ in answers] == list("abcd")


async def test_a_job_that_is_lost_with_every_node_becomes_an_error() -> None:
    leases = Leases()
    waiting = asyncio.create_task(leases.play(job("a")))
    for _ in range(3):
        somebody = Somebody(leases, 1)
        await settled()
        leases.lose(somebody.holder)
    record, failure = await waiting
    assert (record.outcome, type(failure)) == (Outcome.error, WorkerFailure)


async def test_without_nodes_whoever_waits_or_comes_is_told() -> None:
    leases = Leases()
    waiting = asyncio.create_task(leases.play(job("a")))
    await settled()
    leases.give_up("nobody is left")
    for play in (waiting, leases.play(job("b"))):
        with pytest.raises(RunStopped, match="nobody is left"):
            await play


@pytest.mark.parametrize("failure", [None, ModelRejected("no such model", "model"), Unscorable("no gold")])
def test_what_ended_an_episode_survives_the_way(failure: EpisodeFailure | None) -> None:
    """Ray pickles what a node has played."""
    record = a_record("a", evidence={"kind": "x", "rows": [[1, None, "é"]]})
    same, ended_by = pickle.loads(pickle.dumps((record, failure)))
    assert same == record
    assert (type(ended_by), str(ended_by)) == (type(failure), str(failure))
    assert getattr(ended_by, "kind", None) == getattr(failure, "kind", None)


def test_a_file_that_is_the_same_needs_no_shipping(tmp_path: Path) -> None:
    world = make_world(tmp_path / "world")
    listing = listed(world.databases)
    assert [file.name for file in listing.files] == ["shop/shop.sqlite", "zoo/zoo.sqlite"]
    assert is_here(listing)
    os.utime(world.databases / "zoo" / "zoo.sqlite")
    assert not is_here(listing)
    hashes = {str(at(listing, file)): hash_of(at(listing, file)) for file in listing.files}
    assert has_same_content(listing, hashes)
    (world.databases / "zoo" / "zoo.sqlite").write_bytes(b"other")
    assert not has_same_content(listing, hashes)


def test_shipped_files_are_kept_by_content_and_put_together_again(tmp_path: Path) -> None:
    world = make_world(tmp_path / "world")
    store = ShippedFiles(tmp_path / "store")
    for path in (world.databases, world.tasks):
        listing = listed(path)
        hashes = {str(at(listing, file)): hash_of(at(listing, file)) for file in listing.files}
        for place, name in hashes.items():
            assert store.missing([name]) == [name]
            ship(store, name, Path(place).read_bytes())
            assert store.missing([name]) == []
        made = store.path_of(listing, hashes)
        assert made.name == path.name
        assert store.path_of(listing, hashes) == made
        assert contents(made) == contents(path)


def ship(store: ShippedFiles, name: str, data: bytes) -> None:
    arriving = store.arriving(name)
    for start_at in range(0, len(data), 1000):
        arriving.add(data[start_at : start_at + 1000])
    arriving.keep()


def contents(path: Path) -> dict[str, bytes]:
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return {str(file.relative_to(path)): file.read_bytes() for file in files}


def test_a_file_damaged_on_its_way_is_not_kept(tmp_path: Path) -> None:
    store = ShippedFiles(tmp_path)
    name = blake2b(b"right", digest_size=20).hexdigest()
    with pytest.raises(OSError, match="arrived as"):
        ship(store, name, b"wrong")
    assert store.missing([name]) == [name]


def test_paths_in_arguments_become_those_of_the_node() -> None:
    places = {"/data/dbs": "/cache/dbs", "/runs/1": "/cache/1"}
    given = ["/data/dbs", "/data/dbs/x.json", "/data/dbs2", "/elsewhere"]
    here = ["/cache/dbs", "/cache/dbs/x.json", "/data/dbs2", "/elsewhere"]
    assert [str(moved_path(Path(path), places)) for path in given] == here
    model = RecordedConfig(model="recorded:/runs/1").relocated(lambda path: moved_path(path, places))
    assert model.model == "recorded:/cache/1"


def test_only_keys_and_what_was_named_go_to_the_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "MISTRAL_API_KEY", "NAMED", "SOMETHING_ELSE"):
        monkeypatch.setenv(name, "x")
    given = environment(["NAMED"])
    assert {"OPENAI_API_KEY", "MISTRAL_API_KEY", "NAMED"} <= given.keys()
    assert not {"SOMETHING_ELSE", "PATH", "HOME"} & given.keys()
    with pytest.raises(InputError, match="--ray-env ABSENT: there is no such variable"):
        environment(["ABSENT"])


@pytest.mark.parametrize("address", ["ray://host:10001", "host", "127.0.0.1:9"])
def test_a_wrong_address_is_said_at_once(address: str, world: World, tmp_path: Path) -> None:
    if find_spec("ray") is None:
        pytest.skip("Ray is not installed")
    where = ("--executor", "ray", "--ray-address", address)
    done = finish(start("bird", *world.arguments, "--agent", "oracle", *where, "-o", "out", cwd=tmp_path))
    assert done.code == 2
    assert done.err.startswith(f"touchstone: --ray-address {address}: ")
    assert list((tmp_path / "out").iterdir()) == []


def asked(player: Held, count: int) -> None:
    """Until so many requests have come, also on a busy machine."""
    until(lambda: len(player.asked) >= count)


def ended(process: Started) -> Done:
    done = finish(process, 240)
    assert "Traceback" not in done.err
    return done


def test_two_nodes_play_every_task_once_and_data_is_shipped_to_the_one_without(nodes: TwoNodes, tmp_path: Path) -> None:
    world = make_world(nodes.hidden / "world")
    player = Held()
    with ChatServer(player) as server:
        process = nodes.begin(*world.arguments, "--base-url", server.url, "-o", "out", cwd=tmp_path)
        asked(player, 2)  # with one episode at once on each node: both play
        player.release()
        done = ended(process)
    assert (done.code, done.err.count("left out")) == (0, 0), done.err
    run = run_directory(tmp_path / "out")
    assert times_recorded(run) == EVERY
    assert verify(run).holds
    assert overall(run)["overall"]["passed"] == len(EVERY)
    assert {headers["Authorization"] for headers in server.headers} == {f"Bearer {SECRET}"}
    shipped = (nodes.cache / "shipped" / "trees").rglob("*.sqlite")
    assert sorted(file.name for file in shipped) == ["shop.sqlite", "zoo.sqlite"]
    assert not _anywhere(SECRET, run, nodes.session / "logs")


def _anywhere(text: str, *roots: Path) -> list[Path]:
    files = (file for root in roots for file in root.rglob("*") if file.is_file())
    return [file for file in files if text.encode() in file.read_bytes()]


def test_interact_is_played_on_nodes_and_its_results_go_to_an_address(nodes: TwoNodes, tmp_path: Path) -> None:
    """The dataset is shipped to the node that does not see it; the user's model is reached from both."""
    tasks = [query_task(instance_id=f"shop_{number}") for number in range(4)]
    dataset = make_interact(nodes.hidden / "interact", *tasks)
    (tmp_path / "far").mkdir()
    with ChatServer(_agent_or_user) as server:
        options = ["--model", "agent", "--user-model", "user", "--user-sim", "vanilla", "--base-url", server.url, "-p", "1"]
        address = f"file://{tmp_path / 'far'}"
        done = ended(nodes.begin(dataset, *options, "-o", address, cwd=tmp_path, benchmark="interact"))
    assert (done.code, done.err.count("left out")) == (0, 0), done.err
    run = run_directory(tmp_path / "far")
    played = {record["task"]: (record["score"], record["usage_by"]["user"]["calls"]) for record in records(run)}
    assert played == {f"shop_{number}": (1.0, 1) for number in range(4)}
    assert verify(run).holds
    assert list((nodes.cache / "shipped" / "trees").rglob("shop_template.sqlite"))


def _agent_or_user(request: Mapping[str, Any]) -> Answer:
    """The agent asks once, then submits what is right for each phase."""
    if request["model"] == "user":
        return text("<s>two purchases or more</s>")
    seen = [message["content"] for message in request["messages"] if message["role"] == "tool"]
    if not seen:
        return tool_call("ask", {"question": "What is an active customer?"})
    return tool_call("submit", {"sql": TOTALS if "follow-up" in seen[-1] else ACTIVE})


def test_one_ctrl_c_waits_for_what_is_in_flight_and_a_resume_plays_the_rest(
    nodes: TwoNodes, world: World, tmp_path: Path
) -> None:
    player = Held(quick=1)
    with ChatServer(player) as server:
        process = nodes.begin(*world.arguments, "--base-url", server.url, "-o", "out", cwd=tmp_path)
        asked(player, 3)
        process.send_signal(signal.SIGINT)
        until_it_says(process, "waiting for 2 episodes to end")
        assert process.poll() is None
        player.release()
        done = ended(process)
    run = run_directory(tmp_path / "out")
    assert (done.code, len(records(run))) == (130, 3), done.err
    with ChatServer(knowing()) as server:
        again = ended(nodes.begin("-r", run, "--base-url", server.url, cwd=tmp_path))
    assert again.code == 0, again.err
    assert times_recorded(run) == EVERY
    assert len(server.requests) == 2 * 3


def test_a_sigterm_abandons_what_is_in_flight(nodes: TwoNodes, world: World, tmp_path: Path) -> None:
    player = Held(quick=1)
    with ChatServer(player) as server:
        process = nodes.begin(*world.arguments, "--base-url", server.url, "-o", "out", cwd=tmp_path)
        asked(player, 3)
        until(lambda: len(records(run_directory(tmp_path / "out"))) == 1)
        process.send_signal(signal.SIGTERM)
        done = ended(process)
        player.release()
    run = run_directory(tmp_path / "out")
    assert (done.code, len(records(run)), overall(run)["total"]) == (130, 1, 1), done.err


def test_errors_in_a_row_stop_the_run(nodes: TwoNodes, world: World, tmp_path: Path) -> None:
    with ChatServer([failure(400, "this never works")]) as server:
        done = ended(nodes.begin(*world.arguments, "--base-url", server.url, "-o", "out", cwd=tmp_path))
    assert done.code == 1
    assert "errors in a row" in done.complaint or "this never works" in done.complaint, done.err


def test_desktops_on_nodes_send_their_pictures_home(nodes: TwoNodes, tmp_path: Path) -> None:
    """Two nodes play each task twice. Attempts at one task have folders of their own, wherever they were played."""
    make_dataset(tmp_path)
    where = ("--executor", "ray", "--ray-address", nodes.address)
    drawn = ("--provider", "tests.benchmarks.desktop.drawn:provider", "--sleep-after-action", "0", "--settle", "0")
    more = ("--agent", "oracle", "--epochs", "2", "-o", "out")
    done = ended(start("desktop", "run", tmp_path, *drawn, *where, *more, cwd=tmp_path))
    assert (done.code, done.err.count("left out")) == (0, 0), done.err
    run = run_directory(tmp_path / "out")
    played = records(run)
    assert [record["outcome"] for record in played] == ["passed"] * 4
    assert len({record["evidence"]["episode"] for record in played}) == 4
    for record in played:
        folder = record["evidence"]["episode"]
        pictures = [step["observation"]["details"]["screenshot"] for step in record["steps"] if step["type"] == "tool"]
        for name in (*pictures, record["evidence"]["video"], f"{folder}/setup.json"):
            assert name.startswith(f"{folder}/")
            assert (run / name).stat().st_size > 0, name
    assert verify(run).holds


def test_a_node_killed_in_mid_run_costs_nothing(nodes: TwoNodes, world: World, tmp_path: Path) -> None:
    """The last test of this cluster: it has one node afterwards."""
    player = Held(quick=2)
    with ChatServer(player) as server:
        process = nodes.begin(*world.arguments, "--base-url", server.url, "-o", "out", cwd=tmp_path)
        asked(player, 4)
        nodes.kill_second()
        player.release()
        done = ended(process)
    run = run_directory(tmp_path / "out")
    assert done.code == 0, done.err
    assert "is lost" in done.err
    assert "raylet" not in done.out
    assert "1 episode is played again elsewhere" in done.err
    assert times_recorded(run) == EVERY
    assert overall(run)["overall"]["passed"] == len(EVERY)
    assert len(player.asked) == len(EVERY) + 1
