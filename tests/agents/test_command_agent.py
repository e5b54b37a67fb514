from __future__ import annotations

import asyncio
import json
import os
import re
import stat
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.playing import notes, observations
from tests.support.programs import CURLS, PLAYS, command_agent, python_program, shell_program
from tests.support.worlds import World, make_world
from touchstone.agents import command as agent
from touchstone.agents.command import CommandConfig
from touchstone.benchmarks.bird.benchmark import Bird
from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.errors import InputError
from touchstone.protocols import AgentContext
from touchstone.runs.episode_runner import play
from touchstone.sandbox import bubblewrap
from touchstone.types import Outcome, Record

pytestmark = [pytest.mark.long, pytest.mark.asyncio(loop_scope="module")]

GOLD = "SELECT name FROM item WHERE price > 1.0"
LEVELS = ["landlock", "bubblewrap"] if bubblewrap.works() else ["landlock"]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return make_world(tmp_path_factory.mktemp("project") / "data")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shop(world: World) -> AsyncIterator[Bird]:
    engine = SqliteEngine(workers=1)
    yield Bird(world.load(), world.databases, engine)
    await engine.close()


@pytest.fixture(params=LEVELS)
def level(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """What confines the program."""
    monkeypatch.setattr(bubblewrap, "works", lambda: request.param == "bubblewrap")
    return request.param


async def played(bird: Bird, *words: str | Path, task: int = 0, **settings: Any) -> Record:
    runner = command_agent(*map(str, words), **settings)
    try:
        return (await play(bird, runner, bird.tasks()[task]))[0]
    finally:
        await runner.close()


async def printed(bird: Bird, program: Path, **settings: Any) -> str:
    """What a program that plays nothing has printed."""
    record = await played(bird, program, **settings)
    return "\n".join(notes(record))


async def test_the_official_client_plays_three_tasks(shop: Bird, tmp_path: Path, level: str) -> None:
    program = python_program(tmp_path, PLAYS)
    answers = {
        "Which items are dear?": GOLD,
        "How many items are there?": "SELECT count(*) FROM item",
        "Which animals have four legs?": "SELECT 1",
    }
    runner = command_agent(str(program), json.dumps(answers), timeout=120)
    records = await asyncio.gather(*(play(shop, runner, task) for task in shop.tasks()[:3]))
    await runner.close()
    assert [record.outcome for record, _ in records] == [Outcome.passed, Outcome.passed, Outcome.failed]
    for record, _ in records:
        assert [step.text for step in observations(record)][-1] == "Submitted."
        assert len(observations(record)) == 2
    assert runner.identity["confined"] == level


async def test_what_a_program_prints_can_be_its_answer(shop: Bird, tmp_path: Path, level: str) -> None:
    program = shell_program(tmp_path, f"echo thinking >&2\necho '```sql'\necho '{GOLD}'\necho '```'")
    record = await played(shop, program, output="sql")
    assert record.outcome is Outcome.passed
    assert "thinking" in notes(record)[0]


@pytest.mark.parametrize("confine", [True, False])
async def test_without_a_network_only_the_task_can_be_reached(shop: Bird, tmp_path: Path, level: str, confine: bool) -> None:
    source = f"""{CURLS}
import socket
for target in (("127.0.0.1", int(sys.argv[1])), ("192.0.2.1", 80)):
    try:
        socket.create_connection(target, 2)
        print("reached", target)
    except OSError as error:
        print("refused", target, error)
print(call("submit_sql", {{"sql": "{GOLD}"}}))
"""
    program = python_program(tmp_path, source)
    async with await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        record = await played(shop, program, str(port), network=False, confine=confine, timeout=90)
    said = "\n".join(notes(record))
    assert record.outcome is Outcome.passed
    assert "reached" not in said
    assert said.count("refused (") == 2


async def test_a_program_knows_its_task_and_little_else(
    shop: Bird, tmp_path: Path, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_SECRET", "sesame-open")
    monkeypatch.setenv("MODEL_KEY", "key-12345678")
    source = (
        'env | sort; ls -A | wc -l; echo home $(ls -A "$HOME" | wc -l); cat "$TOUCHSTONE_BRIEF"; cat "$TOUCHSTONE_FIELDS";'
        'echo x > y && echo x > "$HOME/y" && echo x > "$TMPDIR/y" && echo wrote; read line || echo no input'
    )
    said = await printed(shop, shell_program(tmp_path, source), pass_env=["MODEL_KEY"])
    assert "SOME_SECRET" not in said
    assert "MODEL_KEY=***" in said
    assert "key-12345678" not in said
    assert "TOUCHSTONE_MCP_URL=http://127.0.0.1:" in said
    assert "\n0\nhome 0\n" in said
    assert "Which items are dear?" in said
    assert '"database":"shop"' in said
    assert "wrote\nno input" in said
    task = next(line for line in said.splitlines() if line.startswith("TOUCHSTONE_TASK="))
    assert re.fullmatch(r"TOUCHSTONE_TASK=[0-9a-f]{16}", task)  # and nothing of the dataset's own key


async def test_the_reference_cannot_be_read(shop: Bird, world: World, tmp_path: Path, level: str) -> None:
    """Where it lies is visible as a folder, but for the data in it; and there are links."""
    folder = world.tasks.parent.parent
    link = tmp_path / "link.json"
    link.symlink_to(world.tasks)
    database = world.databases / "shop" / "shop.sqlite"
    source = f"""
        cat {folder}/note.txt
        for file in {world.tasks} {link} {database} /proc/{os.getpid()}/root{world.tasks} /proc/{os.getpid()}/environ
        do cat $file > copy 2>/dev/null && test -s copy && echo "READ $file"; done
        ls {world.databases}/shop 2>/dev/null | grep sqlite && echo LISTED
        ln {world.tasks} hard 2>/dev/null && cat hard && echo LINKED
        mv {world.tasks} moved 2>/dev/null && echo MOVED
        chmod 777 {world.tasks} 2>/dev/null && echo CHANGED
        echo x > {folder}/new 2>/dev/null && echo WROTE
        kill -9 {os.getpid()} 2>/dev/null && echo KILLED
        cat /etc/shadow >/dev/null 2>&1 && echo SHADOW
        exit 0
    """
    (folder / "note.txt").write_text("beside the data\n")
    mode = stat.S_IMODE(world.tasks.stat().st_mode)
    program = shell_program(folder, source, "hostile.sh")
    said = await printed(shop, program, hidden=[world.tasks, world.databases])
    body = said.partition("--- stdout")[2]
    assert "beside the data" in body
    # Landlock does not cover the modes of one's own files; from root the program becomes nobody, who has none.
    own = level == "landlock" and os.geteuid() != 0
    assert [line for line in body.splitlines() if line.split(" ")[0].isupper()] == (["CHANGED"] if own else [])
    world.tasks.chmod(mode)
    assert not (folder / "new").exists()


async def test_services_of_this_machine_cannot_be_reached(shop: Bird, tmp_path: Path, level: str) -> None:
    """A database server with a socket in some folder trusts everybody who finds it."""
    folder = tmp_path / "run"
    folder.mkdir()
    source = f"""
import socket
try:
    socket.socket(socket.AF_UNIX).connect("{folder}/s")
    print("CONNECTED")
except OSError as error:
    print("refused", error)
"""
    async with await asyncio.start_unix_server(lambda _, writer: writer.close(), folder / "s"):
        (folder / "s").chmod(0o777)
        said = await printed(shop, python_program(tmp_path / "program", source))
    assert "refused" in said
    assert "CONNECTED" not in said


@pytest.mark.parametrize("confine", [True, False])
async def test_nothing_outlives_the_program(shop: Bird, tmp_path: Path, level: str, confine: bool) -> None:
    mark = f"sleep 97{os.getpid()}"
    source = f"setsid sh -c 'trap \"\" TERM; {mark} & {mark} & wait' >/dev/null 2>&1 &\nsleep 0.2; (setsid {mark} &) ; exit 0"
    await played(shop, shell_program(tmp_path, source), confine=confine)
    assert processes_with(mark) == []


async def test_time_is_limited(shop: Bird, tmp_path: Path, level: str) -> None:
    mark = f"sleep 98{os.getpid()}"
    started = time.monotonic()
    record = await played(shop, shell_program(tmp_path, f"echo begun; setsid {mark} & {mark}"), timeout=3)
    assert time.monotonic() - started < 60
    assert record.outcome is Outcome.limit
    assert "within 3 seconds" in record.reason
    assert "begun" in notes(record)[0]
    assert processes_with(mark) == []


async def test_a_crash_is_the_agents_own(shop: Bird, tmp_path: Path, level: str) -> None:
    record = await played(shop, shell_program(tmp_path, "echo one >&2; echo 'out of ideas' >&2; exit 3"))
    assert record.outcome is Outcome.failed
    assert record.reason == "the program ended with status 3: out of ideas"
    assert record.evidence["kind"] == "program_failed"
    killed = await played(shop, shell_program(tmp_path, "kill -9 $$"))
    assert "status 137" in killed.reason


async def test_a_crash_after_the_submission_changes_nothing(shop: Bird, tmp_path: Path, level: str) -> None:
    source = f'{CURLS}\nprint(call("submit_sql", {{"sql": "{GOLD}"}}), call("execute_sql", {{"sql": "SELECT 1"}}))\nsys.exit(9)'
    record = await played(shop, python_program(tmp_path, source))
    assert record.outcome is Outcome.passed
    assert len(observations(record)) == 1
    assert "The task is over" in notes(record)[0]


async def test_a_program_that_hands_in_nothing_has_failed(shop: Bird, tmp_path: Path, level: str) -> None:
    for output in ("none", "sql"):
        record = await played(shop, shell_program(tmp_path, "exit 0"), output=output)
        assert (record.outcome, record.reason) == (Outcome.failed, "nothing was submitted")


async def test_floods_are_drained(shop: Bird, tmp_path: Path, level: str) -> None:
    program = shell_program(tmp_path, "head -c 30000000 /dev/zero | tr '\\0' x; echo; echo the end")
    record = await played(shop, program)
    (note,) = notes(record)
    assert "the end" in note
    assert "the last 64 kB of 30,000,009 bytes" in note
    assert len(note) < 70_000
    too_much = await played(shop, program, output="sql")
    assert too_much.outcome is Outcome.failed
    assert "more than 1 MB" in too_much.reason


async def test_a_program_that_lingers_after_its_submission_is_ended(
    shop: Bird, tmp_path: Path, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent, "SECONDS_AFTER_THE_END", 0.5)
    source = f'{CURLS}\ncall("submit_sql", {{"sql": "{GOLD}"}})\nimport time\ntime.sleep(600)'
    started = time.monotonic()
    record = await played(shop, python_program(tmp_path, source))
    assert record.outcome is Outcome.passed
    assert time.monotonic() - started < 120


async def test_words_that_name_files_are_found_from_elsewhere(
    shop: Bird, tmp_path: Path, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell_program(tmp_path / "here", f'cat "$(dirname "$0")/{{}}"; echo "{GOLD}"'.format("helper.txt"), "agent.sh")
    (tmp_path / "here" / "helper.txt").write_text("-- with a helper\n")
    monkeypatch.chdir(tmp_path / "here")
    record = await played(shop, "sh", "agent.sh", output="sql")
    assert record.outcome is Outcome.passed
    assert record.evidence["prediction"].startswith("-- with a helper")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "needs a program"),
        (["./nowhere"], "there is no such program"),
        (["./plain.txt"], "is not executable"),
        (["./text"], "neither a program nor a script"),
        (["./odd"], "names an interpreter that does not exist"),
        (["./data/agent.sh"], "must not see"),
    ],
)
async def test_what_cannot_be_started_is_said_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], complaint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain.txt").write_text("hello")
    for name, text in (("text", "hello"), ("odd", "#!/no/such/thing\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    shell_program(tmp_path / "data", "exit 0")
    with pytest.raises(InputError, match=complaint):
        command_agent(*words, hidden=[tmp_path / "data"])


async def test_settings_without_sense_are_refused() -> None:
    with pytest.raises(InputError, match="--command"):
        CommandConfig().build(AgentContext())
    with pytest.raises(InputError, match="command_timeout=0: expected a positive number"):
        CommandConfig(command="true", command_timeout=0)
    with pytest.raises(InputError, match="NO_SUCH_VARIABLE"):
        CommandConfig(command="true", pass_env=("NO_SUCH_VARIABLE",)).build(AgentContext())


def processes_with(mark: str) -> list[str]:
    found: list[str] = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = process.read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        except OSError:
            continue
        if words == mark:
            found.append(words)
    return found
