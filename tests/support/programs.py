"""Small programs that play, as somebody might write them; each is a script of its own."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from touchstone.agents.command import CommandAgent, CommandConfig

_OPTIONS = {"output", "timeout", "network"}
"""Whose names begin with `command_`."""


def command_agent(*words: str, hidden: Sequence[Path] = (), **options: Any) -> CommandAgent:
    """The agent that starts this program."""
    named = {f"command_{name}" if name in _OPTIONS else name: value for name, value in options.items()}
    return CommandAgent(CommandConfig(command=shlex.join(words), **named), hidden)


PLAYS = """
import asyncio, json, os, sys
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

ANSWERS = json.loads(sys.argv[1])

async def main():
    request = open(os.environ["TOUCHSTONE_REQUEST"]).read()
    async with streamable_http_client(os.environ["TOUCHSTONE_MCP_URL"]) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            await session.list_tools()
            await session.call_tool("execute_sql", {"sql": "SELECT name FROM sqlite_master"})
            sql = next(sql for question, sql in ANSWERS.items() if question in request)
            await session.call_tool("submit_sql", {"sql": sql})

asyncio.run(main())
"""
"""Plays through the official client."""

CURLS = """
import json, os, sys, urllib.request

def call(name, arguments):
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    request = urllib.request.Request(os.environ["TOUCHSTONE_MCP_URL"], json.dumps(body).encode(), headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    answer = json.load(opener.open(request))
    return answer["result"]["content"][0]["text"]

"""
"""The beginning of one that needs no client: a plain request for each call."""


def python_program(directory: Path, source: str, name: str = "agent.py") -> Path:
    """An executable script for the Python that runs the tests."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / name
    path.write_text(f"#!{sys.executable}\n{source}")
    path.chmod(0o755)
    return path


def shell_program(directory: Path, source: str, name: str = "agent.sh") -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / name
    path.write_text(f"#!/bin/sh\n{source}\n")
    path.chmod(0o755)
    return path
