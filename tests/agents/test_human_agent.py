"""A person at the keyboard: what a line means, what is shown, and how it ends, in memory, through a pipe and at a terminal."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from tests.support.command import environment, records, run_directory
from tests.support.playing import observations
from tests.support.worlds import World, make_world
from tests.workers.processes import until as come_true
from touchstone.agents.human import HumanAgent, HumanConfig, listing, read_arguments, read_command
from touchstone.benchmarks.bird.benchmark import Bird
from touchstone.errors import RunStopped
from touchstone.protocols import AgentContext
from touchstone.runs.episode_runner import play
from touchstone.types import Outcome, Record, Tool, ToolStep

GOLD = "SELECT name FROM item WHERE price > 1.0"


class Sql(Struct):
    sql: str


class Question(Struct):
    question: str


class Nothing(Struct):
    pass


class Column(Struct):
    table_name: str
    column_name: str


TOOLS = (
    Tool("execute", "Run SQL.", Sql),
    Tool("get_schema", "See the tables.", Nothing),
    Tool("get_column_meaning", "See what a column means.", Column),
    Tool("ask", "Ask the user.", Question),
    Tool("submit", "Hand in the SQL.", Sql),
)


async def played(bird: Bird, typed: str, task: int = 0) -> tuple[Record, str]:
    """The record of a person who types this, and what is shown."""
    out = StringIO()
    record, _ = await play(bird, HumanAgent(StringIO(typed), out), bird.tasks()[task])
    return record, out.getvalue()


def calls(record: Record) -> list[tuple[str, str]]:
    steps = [step.call for step in record.steps if isinstance(step, ToolStep)]
    return [(call.name, json.loads(call.arguments)["sql"]) for call in steps]


class TestALine:
    @pytest.mark.parametrize(
        ("line", "word", "rest"),
        [
            ("execute SELECT 1", "execute", "SELECT 1"),
            ("  Ex  SELECT (1);  ", "execute", "SELECT (1);"),
            ("sub SELECT 1", "submit", "SELECT 1"),
            ("ask what do you mean by 'active'?", "ask", "what do you mean by 'active'?"),
            ("get_schema", "get_schema", ""),
            ("get_s;", "get_schema", ""),
            ("get_schema()", "get_schema", ""),
            ("h", "help", ""),
            ("ag", "again", ""),
            ("QUIT", "quit", ""),
        ],
    )
    def test_names_a_tool_or_a_command(self, line: str, word: str, rest: str) -> None:
        command = read_command(line, TOOLS)
        assert not isinstance(command, str)
        assert (command.word, command.rest) == (word, rest)
        assert (command.tool is None) == (word in ("help", "again", "quit"))

    @pytest.mark.parametrize(
        ("line", "words"),
        [
            ("get x", "'get' could be get_schema or get_column_meaning. Write more of it."),
            ("SELECT 1", "There is no 'SELECT'. Try help."),
            ("subtask x", "There is no 'subtask'. Try help."),
            ("(SELECT 1)", "Write the name of a tool and its arguments, or help."),
        ],
    )
    def test_that_means_nothing_is_told_so(self, line: str, words: str) -> None:
        assert read_command(line, TOOLS) == words

    def test_a_whole_name_is_not_a_part_of_a_longer_one(self) -> None:
        command = read_command("execute 1", (*TOOLS, Tool("execute_all", "", Sql)))
        assert not isinstance(command, str)
        assert command.word == "execute"

    @pytest.mark.parametrize("rest", ["person age", "person, age", "'person' \"age\"", " person   age "])
    def test_several_arguments_are_words(self, rest: str) -> None:
        assert read_arguments(rest, TOOLS[2]) == {"table_name": "person", "column_name": "age"}

    def test_quotes_hold_words_together(self) -> None:
        assert read_arguments("'my table' age", TOOLS[2]) == {"table_name": "my table", "column_name": "age"}

    @pytest.mark.parametrize(("rest", "tool"), [("person", 2), ("a b c", 2), ("it's", 2), ("", 0), (" ", 3), ("all", 1)])
    def test_the_wrong_number_of_arguments_is_none(self, rest: str, tool: int) -> None:
        assert read_arguments(rest, TOOLS[tool]) is None

    @given(st.text())
    def test_nothing_that_is_typed_breaks_it(self, text: str) -> None:
        read_command(text, TOOLS)
        for tool in TOOLS:
            read_arguments(text, tool)
        if text.strip():
            assert read_arguments(text, TOOLS[0]) == {"sql": text}

    def test_the_listing_shows_everything(self) -> None:
        shown = listing(TOOLS)
        for words in (
            "execute SQL ",
            "Hand in the SQL.",
            "get_column_meaning TABLE_NAME COLUMN_NAME  See",
            "get_schema ",
            "quit ",
        ):
            assert words in shown


@pytest.mark.asyncio(loop_scope="module")
class TestPlay:
    async def test_a_whole_task(self, bird: Bird) -> None:
        record, shown = await played(bird, f"exec SELECT count(*) AS n FROM item;\nsubmit {GOLD};\n")
        assert record.outcome is Outcome.passed
        assert calls(record) == [("execute_sql", "SELECT count(*) AS n FROM item;"), ("submit_sql", f"{GOLD};")]
        assert [step.call.id for step in record.steps if isinstance(step, ToolStep)] == ["human-1", "human-2"]
        task = bird.tasks()[0]
        assert shown.startswith(
            f"=== Task {task.key} ===\n\n{record.brief.request if record.brief else ''}\n\n  execute_sql SQL  "
        )
        assert "\n> n\n-\n4\n(1 row)\n\n> " in shown

    async def test_the_instructions_are_long_and_shown_on_request(self, bird: Bird) -> None:
        record, shown = await played(bird, "quit\n")
        assert record.brief is not None
        assert record.brief.instructions not in shown
        assert shown.count(record.brief.request) == 1
        _, shown = await played(bird, "help\nagain\nquit\n")
        assert record.brief.instructions in shown
        assert shown.count(record.brief.request) == 2

    @pytest.mark.parametrize("typed", ["quit\n", "", "\n\n", "exec SELECT 1;\nquit\nsubmit SELECT 1;\n"])
    async def test_quit_and_the_end_of_the_input_leave_it_as_it_stands(self, bird: Bird, typed: str) -> None:
        record, _ = await played(bird, typed)
        assert (record.outcome, record.score) == (Outcome.failed, 0.0)
        assert all(name == "execute_sql" for name, _ in calls(record))

    @pytest.mark.parametrize(
        ("typed", "sql"),
        [
            ("SELECT 1;\n", "SELECT 1;"),
            ("SELECT 1\n\n", "SELECT 1"),
            ("SELECT 1", "SELECT 1"),
            ("SELECT 1,\n  2\nFROM item ; \nsubmit x", "SELECT 1,\n  2\nFROM item ;"),
            ("\nSELECT 1\n  \n", "SELECT 1"),
            ("SELECT 1\r\n\r\n", "SELECT 1"),
            ("SELECT $$a;\nb;\n$$;\n", "SELECT $$a;\nb;\n$$;"),
            ("SELECT 'ä€😀';\n", "SELECT 'ä€😀';"),
        ],
    )
    async def test_sql_over_several_lines(self, bird: Bird, typed: str, sql: str) -> None:
        record, _ = await played(bird, f"execute_sql {typed}")
        assert calls(record)[0] == ("execute_sql", sql)

    async def test_what_cannot_be_read_costs_nothing(self, bird: Bird) -> None:
        record, shown = await played(bird, f"SELECT 1;\nsubmit\n\nsubmit {GOLD};\n")
        assert record.outcome is Outcome.passed
        assert len(observations(record)) == 1
        assert "There is no 'SELECT'. Try help.\n" in shown
        assert "Nothing was done. Expected: submit_sql SQL\n" in shown

    async def test_what_a_terminal_would_obey_is_shown_instead(self, bird: Bird) -> None:
        _, shown = await played(bird, "exec SELECT char(27) || '[2J', char(13);\n")
        assert "\\x1b[2J" in shown
        assert not re.search(r"[\x00-\x08\x0b-\x1f]", shown)

    async def test_what_the_screen_cannot_show_does_no_harm(self, bird: Bird, tmp_path: Path) -> None:
        with (tmp_path / "out.txt").open("w", encoding="ascii") as out:
            record, _ = await play(bird, HumanAgent(StringIO(f"exec SELECT 'ä';\nsubmit {GOLD};"), out), bird.tasks()[0])
        assert record.outcome is Outcome.passed
        assert "?" in (tmp_path / "out.txt").read_text()

    async def test_two_episodes_do_not_mix(self, bird: Bird) -> None:
        read, write = os.pipe()
        out = StringIO()
        with os.fdopen(read) as source:
            agent = HumanAgent(source, out)
            both = [asyncio.create_task(play(bird, agent, task)) for task in bird.tasks()[:2]]
            assert await come_true(lambda: "=== Task" in out.getvalue())
            await asyncio.sleep(0.1)
            assert out.getvalue().count("=== Task") == 1
            os.write(write, f"exec SELECT 1;\nsubmit {GOLD};\nsubmit SELECT COUNT(*) ".encode())
            await asyncio.wait(both, timeout=60, return_when=asyncio.FIRST_COMPLETED)
            assert await come_true(lambda: out.getvalue().count("=== Task") == 2)
            os.write(write, b"FROM item;\n")
            results = await asyncio.wait_for(asyncio.gather(*both), 60)
            os.close(write)
        assert [record.outcome for record, _ in results] == [Outcome.passed] * 2

    async def test_the_loop_lives_while_a_person_thinks_and_an_abandoned_episode_ends(self, bird: Bird) -> None:
        read, write = os.pipe()
        with os.fdopen(read) as source, os.fdopen(write, "wb"):
            playing = asyncio.create_task(play(bird, HumanAgent(source, StringIO()), bird.tasks()[0]))
            await asyncio.sleep(0.1)
            assert not playing.done()
            playing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asyncio.wait_for(playing, 60)

    async def test_nobody_plays_after_the_end_of_the_input(self, bird: Bird, tmp_path: Path) -> None:
        (tmp_path / "typed.txt").write_text(f"submit {GOLD};\n")
        with (tmp_path / "typed.txt").open() as source:
            agent = HumanAgent(source, StringIO())
            record, _ = await play(bird, agent, bird.tasks()[0])
            assert record.outcome is Outcome.passed
            with pytest.raises(RunStopped, match="the input has ended, so the remaining tasks are not played"):
                await play(bird, agent, bird.tasks()[1])


def test_the_plugin_needs_no_model() -> None:
    assert not HumanConfig.needs_model
    assert isinstance(HumanConfig().build(AgentContext()), HumanAgent)


COMMAND = """
import sys
from importlib.metadata import EntryPoint
from touchstone.cli import main
from touchstone.plugins import available
available("agents").setdefault("human", EntryPoint("human", "touchstone.agents.human:HumanConfig", "touchstone.agents"))
sys.exit(main())
"""


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


@contextmanager
def started(world: World, stdin: Any, stdout: Any, tasks: int) -> Iterator[subprocess.Popen[bytes]]:
    directory = world.tasks.parent
    command = [sys.executable, "-c", COMMAND, "bird", *world.arguments, "--agent", "human", "-n", str(tasks), "-o", "results"]
    process = subprocess.Popen(
        command, cwd=directory, env=environment(directory / "cache"), stdin=stdin, stdout=stdout, stderr=subprocess.PIPE
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


class TestTheCommand:
    def test_through_a_pipe(self, world: World) -> None:
        with started(world, subprocess.PIPE, subprocess.PIPE, 3) as process:
            out, err = process.communicate(f"submit {GOLD};\nquit\n".encode(), timeout=120)
        assert process.returncode == 1
        assert b"=== Task 11 ===" in out
        assert b"=== Task 12 ===" not in out
        assert b"the run was stopped: the input has ended, so the remaining tasks are not played; continue with --resume" in err
        played = records(run_directory(world.tasks.parent / "results"))
        assert [(record["task"], record["outcome"]) for record in played] == [("10", "passed"), ("11", "failed")]

    def test_at_a_terminal(self, world: World) -> None:
        ours, theirs = pty.openpty()
        with started(world, theirs, theirs, 1) as process:
            os.close(theirs)
            shown = until(ours, b"\r\n> ")
            assert b"Which items are dear?" in shown
            os.write(ours, b"execute SELECT count(*)\n")
            until(ours, b"... ")
            os.write(ours, b"  FROM item\n\n")
            assert b"(1 row)" in until(ours, b"(1 row)\r\n\r\n> ")
            os.write(ours, b"\x04")
            until(ours, b"not submitted")
            process.wait(timeout=60)
        os.close(ours)
        assert process.returncode == 0
        (record,) = records(run_directory(world.tasks.parent / "results"))
        assert record["outcome"] == "failed"

    def test_a_second_interrupt_ends_it_at_once(self, world: World) -> None:
        ours, theirs = pty.openpty()
        with started(world, theirs, theirs, 1) as process:
            os.close(theirs)
            until(ours, b"\r\n> ")
            assert process.stderr is not None
            process.send_signal(signal.SIGINT)
            assert b"Ctrl-C again abandons" in process.stderr.readline()
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 130
        os.close(ours)


def until(terminal: int, words: bytes) -> bytes:
    """What the terminal shows, up to these words."""
    shown = b""
    while words not in shown:
        assert select.select([terminal], [], [], 60)[0], f"nothing more after {shown!r}"
        shown += os.read(terminal, 4096)
    return shown
