"""The command agent.

For each task the program starts in an empty folder, with little of our environment, and plays through MCP at the address that
it is given; or, simpler, prints one SQL query, which is handed in. It has its time; when the task is finished or the time is
up, all that it started is killed. What it printed is kept with the record, as a note.

A program that fails before it has handed anything in has failed the task: that is the agent's own doing, not an error of ours.
"""

from __future__ import annotations

import asyncio
import shlex
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from secrets import token_bytes
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import msgspec

from ..errors import InputError, ProgramCrash, ProgramFailure, ProgramUnstartable, TimeLimit
from ..foreign import remove_tree
from ..options import Opt, OptionError, Positive
from ..protocols import Agent, AgentConfig, AgentContext, Gold, GoldReach, Stage
from ..sandbox.folders import claim
from ..sandbox.process import Running, Tail
from ..sandbox.sandboxed_program import Confinement, best_level, launch, make_private, refuse_impossible
from ..types import NoteStep, ToolCall
from .call_syntax import unfenced
from .command_environment import (
    environment,
    folders,
    not_of_the_system,
    own_data,
    passed_on,
    refuse_hidden,
    remembered_searches,
    resolved,
    whole_folders,
    write_brief,
)
from .gold_search import search
from .secrets import Mask
from .served import Served, account_unknown, refuse_without_mcp

if TYPE_CHECKING:
    from .mcp_server import McpGateway

KEPT = 64 * 1024
"""Bytes of each of the two streams that are kept with the record."""
LARGEST_SQL = 2**20
_NOT_STARTED = (126, 127)
"""What shells and the like end with when there is no program, or it may not be run."""
SECONDS_AFTER_THE_END = 5.0
"""A program whose task is finished may tidy up for this long."""
_PROGRAM = "A program as the agent"


@dataclass(frozen=True)
class Ended:
    """How the program ended. Without a status it was we who ended it."""

    status: int | None
    seconds: float
    out: Tail
    err: Tail


class CommandAgent:
    """Runs a program for each task."""

    def __init__(self, config: CommandConfig, hidden: Sequence[Path] = ()) -> None:
        """`hidden` is what it must not see, wherever it is: the dataset, its databases, the run directory. Of a file the whole
        folder."""
        self._config = config
        self._words = resolved(_words(config.command or ""))
        self._secrets = passed_on(config.pass_env)
        self._mask = Mask(self._secrets.values())
        folders_hidden = whole_folders(hidden)
        refuse_hidden(self._words, folders_hidden)
        self._how = Confinement(
            level=best_level() if config.confine else "none",
            visible=(*folders(self._words), *(path.absolute() for path in config.command_read)),
            hidden=(*folders_hidden, *own_data()),
            network=config.command_network,
        )
        self._claim = claim()
        self._base = self._claim.folder
        self._base.chmod(0o711)
        self._salt = token_bytes(16)
        self._door: McpGateway | None = None
        self._count = 0
        try:
            refuse_impossible(self._how, self._base / "trial")
        except InputError:
            self._claim.close()
            raise

    @property
    def identity(self) -> dict[str, Any]:
        """What makes records comparable."""
        return {
            "words": self._words,
            "output": self._config.command_output,
            "timeout": self._config.command_timeout,
            "confined": self._how.level,
            "network": self._config.command_network,
            "environment": sorted(self._secrets),
        }

    async def gold_reach(self, gold: Gold | None) -> GoldReach:
        """Looks for the gold in what the program can read. Raises InputError if it is there, unless that is allowed."""
        if self._how.level == "none":
            return GoldReach("not confined")
        if gold is None:
            return GoldReach("unknown")
        visible, hidden = not_of_the_system(self._how.visible), self._how.hidden
        searched = await asyncio.to_thread(search, gold, self._words, visible, hidden, remembered_searches())
        if searched.hit is None:
            where = f"none of the {searched.files:,} files that the program can read holds the gold"
            return GoldReach("no (checked)", where + ("; it has the network" if self._how.network else ""))
        if self._config.allow_visible_gold:
            return GoldReach("yes", f"the program can read the gold in {searched.hit}")
        raise InputError(
            f"{searched.hit}: this holds gold of the chosen tasks, and the program could read it; "
            "keep them apart, or give --allow-visible-gold"
        )

    async def play(self, stage: Stage) -> None:
        account_unknown(stage)
        if self._config.command_output == "sql":
            await self._print(stage)
        else:
            await self._serve(stage)

    async def _print(self, stage: Stage) -> None:
        """The program answers as a whole."""
        async with self._running(stage, None, LARGEST_SQL) as (running, started):
            ended = await self._ended(running, started, asyncio.Event())
            self._note(stage, ended)
        self._judge_end(stage, ended)
        if ended.out.cut:
            raise ProgramFailure(f"the program printed more than {LARGEST_SQL // 2**20} MB", "too_much_output")
        if sql := unfenced(self._mask.text(ended.out.text)):
            await stage.call(ToolCall("command", _submit_tool(stage), msgspec.json.encode({"sql": sql}).decode()))

    async def _serve(self, stage: Stage) -> None:
        """The program plays through MCP."""
        served = Served(stage)
        door = self._opened()
        try:
            async with door.open(served) as address, self._running(stage, address, KEPT) as (running, started):
                ended = await self._ended(running, started, served.over)
                await served.settle(SECONDS_AFTER_THE_END)
                self._note(stage, ended)
        finally:
            await served.close()
        served.raise_failure()
        self._judge_end(stage, ended)

    async def _ended(self, running: Running, started: float, over: asyncio.Event) -> Ended:
        """Waits for the program, for as long as it may take."""
        program = asyncio.create_task(running.wait())
        finished = asyncio.create_task(over.wait())
        try:
            await asyncio.wait([program, finished], timeout=self._config.command_timeout, return_when=asyncio.FIRST_COMPLETED)
            if finished.done() and not program.done():
                await asyncio.wait([program], timeout=SECONDS_AFTER_THE_END)
            seconds = time.perf_counter() - started
            return Ended(program.result() if program.done() else None, seconds, running.out, running.err)
        finally:
            finished.cancel()
            program.cancel()

    def _judge_end(self, stage: Stage, ended: Ended) -> None:
        if stage.finished or ended.status == 0:
            return
        if ended.status is None:
            raise TimeLimit(f"the program did not finish within {self._config.command_timeout:g} seconds", "time")
        last = self._mask.text(_last_line(ended))
        failure = ProgramUnstartable if ended.status in _NOT_STARTED else ProgramCrash
        raise failure(f"the program ended with status {ended.status}: {last}", "program_failed")

    @asynccontextmanager
    async def _running(self, stage: Stage, address: str | None, kept: int) -> AsyncGenerator[tuple[Running, float]]:
        """The program, from its start in a folder of its own to the end of all it started."""
        self._count += 1
        folder = self._base / str(self._count)
        make_private(folder, self._how.level)
        variables = write_brief(folder / "brief", stage.brief, stage.tools, address)
        variables |= {"TOUCHSTONE_TASK": self._opaque(stage.task), "TOUCHSTONE_TIMEOUT": f"{self._config.command_timeout:g}"}
        tmp = Path("/tmp") if self._how.level == "bubblewrap" else folder / "tmp"
        variables = {**environment(folder / "home", tmp), **self._secrets, **variables}
        relay = (self._door.port, self._socket) if self._door else None
        try:
            started = time.perf_counter()
            start = launch(self._how, folder, self._words, relay)
            running = await Running.start(start, variables, Tail(kept), Tail(KEPT))
            try:
                yield running, started
            finally:
                await running.end()
        finally:
            await asyncio.to_thread(remove_tree, folder)

    @property
    def _socket(self) -> Path:
        return self._base / "mcp.sock"

    def _opened(self) -> McpGateway:
        """One for the whole run."""
        if self._door is None:
            from .mcp_server import McpGateway

            self._door = McpGateway(path=None if self._how.network else self._socket)
        return self._door

    def _opaque(self, task: str) -> str:
        """The same for the same task of this run; it says nothing about which task of the dataset it is."""
        return blake2b(task.encode(), digest_size=8, key=self._salt).hexdigest()

    def _note(self, stage: Stage, ended: Ended) -> None:
        how = "was ended" if ended.status is None else f"ended with status {ended.status}"
        lines = [f"The program {how} after {ended.seconds:.1f} s; task id {self._opaque(stage.task)}."]
        for name, tail in (("stdout", ended.out), ("stderr", ended.err)):
            if tail.total:
                text = tail.text[-KEPT:]
                cut = f", the last {KEPT // 1024} kB of {tail.total:,} bytes" if tail.total > KEPT else ""
                lines.append(f"--- {name}{cut} ---\n{text}")
        stage.log(NoteStep(self._mask.text("\n".join(lines))))

    async def close(self) -> None:
        if self._door is not None:
            await self._door.close()
        await asyncio.to_thread(self._claim.close)


def _last_line(ended: Ended) -> str:
    output = ended.err.text.strip() or ended.out.text.strip()
    return output.rpartition("\n")[2].strip()[:200] or "it said nothing"


def _submit_tool(stage: Stage) -> str:
    """The tool by which SQL is handed in."""
    names = [
        tool.name for tool in stage.tools if tool.name.startswith("submit") and tool.arguments.__struct_fields__ == ("sql",)
    ]
    if len(names) != 1:
        raise InputError("--command-output sql: this benchmark has no single tool that takes SQL in")
    return names[0]


class CommandConfig(AgentConfig, frozen=True, kw_only=True):
    """A program of yours, started for each task: it plays through MCP, or prints SQL."""

    name: ClassVar[str] = "command"

    command: Annotated[str | None, Opt(verbatim=True, group=_PROGRAM)] = None
    """The program that plays, with its arguments, split like a shell does; or at the end of the line: -- PROGRAM ARGUMENT …"""
    command_output: Annotated[Literal["none", "sql"], Opt(group=_PROGRAM)] = "none"
    """sql submits what the program prints; none lets it play through MCP, and its output is only recorded."""
    command_timeout: Annotated[Positive, Opt(group=_PROGRAM)] = 600.0
    """Seconds for each task."""
    command_network: Annotated[bool, Opt(group=_PROGRAM)] = True
    """Let the program use the network, which its model may need; without it, it reaches only its task."""
    command_read: Annotated[tuple[Path, ...], Opt(group=_PROGRAM)] = ()
    """A file or folder that the program may read, besides the system and the folders of the files that its command line names
    (repeatable)."""
    pass_env: Annotated[tuple[str, ...], Opt(group=_PROGRAM)] = ()
    """A variable that the program may see, such as its API key (repeatable)."""
    allow_visible_gold: Annotated[bool, Opt(group=_PROGRAM)] = False
    """Run the program even if it can read a file that holds the gold; the run reports it."""
    confine: Annotated[bool, Opt(group=_PROGRAM)] = True
    """Keep the program from other processes, and from all files that it may not read."""

    def build(self, context: AgentContext) -> Agent:
        for path in self.command_read:
            if not path.exists() or path.resolve() == Path("/"):
                raise OptionError("command_read", path, "expected one file or folder, not the whole file system")
        if self.command_output != "sql":
            refuse_without_mcp()
        return CommandAgent(self, context.hidden)

    def identity(self, agent: Agent, context: AgentContext) -> dict[str, Any]:
        assert isinstance(agent, CommandAgent)
        return {"command": agent.identity}


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise OptionError("command", text, str(error).lower()) from None
