"""A person plays, at the terminal or through a pipe.

A line is the name of a tool, or as much of it as is clear, and its arguments: `execute SELECT 1;`, `ask what is active?`,
`get_column_meaning person age`. SQL may go on over several lines: it ends with a line that ends in `;` (of a body between `$$`,
the one after it), with a blank line, or with the input. What cannot be read is said at once and costs nothing: only calls that
are complete reach the episode.

Two episodes never mix: the second waits until the first has ended. An episode that begins after the input has ended stops the
run, since nobody is there to play it; what was played is kept.
"""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TextIO

from ..errors import RunStopped
from ..protocols import Agent, AgentConfig, AgentContext, Stage
from ..terminal import clean
from ..types import Tool, ToolCall
from .stdin_lines import Lines

COMMANDS = {
    "help": "the instructions and the commands",
    "again": "the request once more",
    "quit": "end this task; it is judged as it stands",
}
_WORD = re.compile(r"\s*(?P<word>[\w-]+)(?:\(\s*\))?;?\s*(?P<rest>.*)", re.DOTALL)
_BODY = re.compile(r"\$\w*\$")


@dataclass(frozen=True)
class HumanCommand:
    """What a person wants: one of COMMANDS, or a tool with what stands behind its name."""

    word: str
    tool: Tool | None = None
    rest: str = ""


class HumanAgent:
    """Shows an episode to a person and plays what the person writes."""

    def __init__(self, source: TextIO | None = None, out: TextIO | None = None) -> None:
        self._lines = Lines(source or sys.stdin)
        self._out = out or sys.stdout
        self._alone = asyncio.Lock()
        self._played = False
        self._calls = 0

    async def play(self, stage: Stage) -> None:
        async with self._alone:
            if self._played and await self._lines.over():
                raise RunStopped("the input has ended, so the remaining tasks are not played")
            self._played = True
            self._say(f"=== Task {stage.task} ===\n\n{stage.brief.request}\n\n{listing(stage.tools)}\n")
            while not stage.finished and (line := await self._read("> ")) is not None:
                command = read_command(line, stage.tools) if line.strip() else ""
                if isinstance(command, str):
                    self._say(command)
                elif command.word == "quit":
                    return
                else:
                    await self._obey(command, stage)

    async def _obey(self, command: HumanCommand, stage: Stage) -> None:
        if command.tool is not None:
            await self._call(command.tool, command.rest, stage)
        elif command.word == "help":
            self._say(f"{stage.brief.instructions}\n\n{listing(stage.tools)}\n")
        else:
            self._say(f"{stage.brief.request}\n")

    async def _call(self, tool: Tool, rest: str, stage: Stage) -> None:
        sql = tool.arguments.__struct_fields__ == ("sql",)
        arguments = read_arguments(await self._whole_sql(rest) if sql else rest, tool)
        if arguments is None:
            self._say(f"Nothing was done. Expected: {usage(tool)}")
            return
        self._calls += 1
        call = ToolCall(f"human-{self._calls}", tool.name, json.dumps(arguments, ensure_ascii=False))
        self._say((await stage.call(call)).text + "\n")

    async def _whole_sql(self, first: str) -> str:
        sql = first
        while not _is_whole(sql):
            line = await self._read("... ")
            if line is None or not line.strip():
                break
            sql += f"\n{line}"
        return sql.strip()

    async def _read(self, prompt: str) -> str | None:
        print(prompt, end="", file=self._out, flush=True)
        line = await self._lines.next()
        if line is None:
            self._say("")
        return line

    def _say(self, text: str) -> None:
        """Data may hold what a terminal would obey."""
        shown = clean(text)
        encoding = getattr(self._out, "encoding", None) or "utf-8"
        print(shown.encode(encoding, "replace").decode(encoding), file=self._out, flush=True)


def read_command(line: str, tools: Sequence[Tool]) -> HumanCommand | str:
    """What a line asks for, or what is wrong with it."""
    match = _WORD.fullmatch(line)
    if match is None:
        return "Write the name of a tool and its arguments, or help."
    names = {**dict.fromkeys(COMMANDS), **{tool.name: tool for tool in tools}}
    word = match["word"].lower()
    meant = [name for name in names if name.lower() == word] or [name for name in names if name.lower().startswith(word)]
    if len(meant) != 1:
        which = f"'{match['word']}' could be {' or '.join(meant)}" if meant else f"There is no '{match['word']}'"
        return f"{which}. {'Write more of it.' if meant else 'Try help.'}"
    return HumanCommand(meant[0], names[meant[0]], match["rest"].strip())


def read_arguments(rest: str, tool: Tool) -> dict[str, str] | None:
    """One argument is all there is; several are words, in quotes if they hold blanks. None if the number is wrong."""
    fields = tool.arguments.__struct_fields__
    words = [rest] if len(fields) == 1 and rest.strip() else _words(rest)
    return dict(zip(fields, words, strict=True)) if len(words) == len(fields) else None


def _words(text: str) -> list[str]:
    splitter = shlex.shlex(text, posix=True, punctuation_chars=False)
    splitter.whitespace += ","
    splitter.whitespace_split, splitter.commenters, splitter.escape = True, "", ""
    try:
        return list(splitter)
    except ValueError:  # a quote without its end
        return text.replace(",", " ").split()


def _is_whole(sql: str) -> bool:
    return sql.rstrip().endswith(";") and len(_BODY.findall(sql)) % 2 == 0


def usage(tool: Tool) -> str:
    return " ".join((tool.name, *(field.upper() for field in tool.arguments.__struct_fields__)))


def listing(tools: Sequence[Tool]) -> str:
    """What can be written, with a line for each."""
    entries = {**{usage(tool): tool.description for tool in tools}, **COMMANDS}
    width = max(map(len, entries))
    return "\n".join(f"  {name:<{width}}  {what}" for name, what in entries.items())


class HumanConfig(AgentConfig, frozen=True, kw_only=True):
    """A person at the terminal; in the browser, if the tasks are played on a screen."""

    name: ClassVar[str] = "human"
    at_terminal: ClassVar[bool] = True

    def build(self, context: AgentContext) -> Agent:
        if context.hints.screen:
            from .live import LiveAgent

            return LiveAgent()
        return HumanAgent()
