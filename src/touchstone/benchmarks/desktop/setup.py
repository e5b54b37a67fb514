"""A set-up that is known to be right: what each step did, and probes that what it should have made is there.

Published scripts send what they print to nowhere, so a line that fails is seen by nobody. They are run as they are, with the
shell's own trace on a descriptor that they do not know of: every command with its arguments filled in, its exit code and its
time. From these commands, and from the steps, follows what must be there before an agent is let in: a server that answers, a
window, a database. A probe waits; if what it waits for does not come, the set-up has failed, and that is our error.
"""

from __future__ import annotations

import asyncio
import re
import shlex
import time
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from msgspec import Struct, structs, to_builtins

from ...errors import WorkerFailure
from .desktop import Execution, Guest

KIND = "set-up"
LATE = 124
"""The return code of what was stopped at its time limit."""
PATIENCE = 90.0
"""Seconds that a probe waits."""
MOST_COMMANDS, LONGEST_COMMAND, LONGEST_OUTPUT = 150, 300, 2_000
_PROMPT = "+\t$?\t$EPOCHREALTIME\t$LINENO\t"
_TRACED = re.compile(r"\++\t(\d+)\t([\d.,]+)\t(\d+)\t(.*)", re.DOTALL)
_TRACER = (
    'BASH_ENV=/dev/fd/8 exec /bin/bash "$1" 9> "$2" '
    """8< <(printf "%s\\n" "unset BASH_ENV" "PS4='$3'" "BASH_XTRACEFD=9" "set -x")"""
)
"""All in a file that the shell reads first, nothing in the environment: whatever the script starts would inherit it, and a
terminal of the agent's would begin with a complaint about a descriptor that is not there."""
_QUESTION = re.compile(r"\[|(test|grep|expr|for|while|until|if|case|sleep)\b")
_DISPLAYED = "wmctrl -l {} | grep -qiF -- {}"


class SetupCommand(Struct, frozen=True):
    command: str
    returncode: int | None = None
    """None: nobody knows, it was the last of a script."""
    seconds: float = 0.0
    line: int = 0
    times: int = 1
    """So often in a row, as in a loop that waits."""
    output: str = ""


class StepRecord(Struct, frozen=True):
    step: str
    seconds: float
    commands: list[SetupCommand] = []
    problem: str = ""


class Probe(Struct, frozen=True):
    """What must be there, in words, and a shell command that succeeds once it is."""

    what: str
    command: str


class ProbeRecord(Struct, frozen=True):
    what: str
    passed: bool
    seconds: float


class SetupLog:
    """Of one episode."""

    def __init__(self) -> None:
        self.steps: list[StepRecord] = []
        self.probes: list[ProbeRecord] = []
        self.rest = 0.0
        """Seconds until the screen had come to rest."""
        self._open: list[SetupCommand] = []
        self._expected: list[Probe] = []
        self._called: list[str] = []
        """Whole commands, for probes."""

    def expect(self, probe: Probe) -> None:
        """What a step says itself that it leaves behind."""
        self._expected.append(probe)

    def note(self, command: Sequence[str] | str, done: Execution | None = None, seconds: float = 0.0) -> None:
        """A command of the step that is under way."""
        words = command if isinstance(command, str) else shlex.join(command)
        self._called.append(command if isinstance(command, str) else " ".join(command))
        printed = _short(f"{done.output}{done.error}".strip(), LONGEST_OUTPUT) if done else ""
        self._open.append(SetupCommand(_short(words), done.returncode if done else None, round(seconds, 2), output=printed))

    def note_trace(self, trace: str) -> None:
        """What a script ran."""
        commands = list(traced(trace))
        self._called += [command.command for command in commands]
        self._open += [structs.replace(command, command=_short(command.command)) for command in commands[:MOST_COMMANDS]]

    def end_step(self, step: str, seconds: float, problem: str = "") -> None:
        self.steps.append(StepRecord(step, round(seconds, 2), self._open, problem))
        self._open = []

    def facts(self) -> dict[str, Any]:
        """For the record."""
        return {"steps": to_builtins(self.steps), "probes": to_builtins(self.probes), "rest": self.rest}

    async def probe(self, guest: Guest) -> None:
        """One after the other. Raises WorkerFailure with what is not there."""
        for each in [*self._expected, *probes(self._called)]:
            started = time.monotonic()
            tries = (
                f"for _ in $(seq {int(PATIENCE * 2)}); do ({each.command}) > /dev/null 2>&1 && exit 0; sleep 0.5; done; exit 1"
            )
            done = await guest.execute(["/bin/bash", "-c", tries], seconds=2 * PATIENCE)
            self.probes.append(ProbeRecord(each.what, done.returncode == 0, round(time.monotonic() - started, 2)))
            if done.returncode:
                raise WorkerFailure(f"the set-up did not make what the task needs: {each.what}{self.hint()}", kind=KIND)

    def hint(self) -> str:
        """The last commands that failed, of those that are no questions."""
        failed = [
            f"{command.command} (exit {command.returncode})"
            for step in self.steps
            for command in step.commands
            if command.returncode and not _QUESTION.match(command.command)
        ]
        return f"; failed in it: {'; '.join(list(dict.fromkeys(failed))[-3:])}" if failed else ""


async def run_traced(guest: Guest, script: str, log: SetupLog, copy: Path, seconds: float) -> Execution:
    """A script that is in the guest, run by its shell with a trace. `copy` is where the trace is fetched to."""
    trace = f"{script}.trace"
    started = time.monotonic()
    done = await guest.execute(["/bin/bash", "-c", _TRACER, KIND, script, trace, _PROMPT], seconds=seconds)
    log.note(["/bin/bash", script], done, time.monotonic() - started)
    if await guest.get(trace, copy):
        log.note_trace(await asyncio.to_thread(copy.read_text, errors="replace"))
    await guest.execute(["rm", "-f", trace])
    if done.returncode == LATE:
        raise WorkerFailure(f"the set-up script {script} was stopped after {seconds:g} s{log.hint()}", kind=KIND)
    return done


def traced(trace: str) -> Iterator[SetupCommand]:
    """The commands of a trace. Each line tells the exit code of the command before it, and a command may have several lines."""
    parts = re.split(r"\n(?=\++\t\d+\t)", trace.strip("\n"))
    entries = [entry for part in parts if (entry := _TRACED.match(part))]
    last: SetupCommand | None = None
    for entry, following in zip_longest(entries, entries[1:]):
        begun = float(entry[2].replace(",", "."))
        seconds = float(following[2].replace(",", ".")) - begun if following else 0.0
        code = int(following[1]) if following else None
        if last and (last.command, last.line) == (entry[4], int(entry[3])):
            last = structs.replace(last, times=last.times + 1, returncode=code, seconds=round(last.seconds + seconds, 2))
            continue
        if last:
            yield last
        last = SetupCommand(entry[4], code, round(seconds, 2), int(entry[3]))
    if last:
        yield last


def probes(commands: Sequence[str]) -> list[Probe]:
    """What commands like these leave behind, each once."""
    named: dict[str, Probe] = {}
    for command in commands:
        for pattern, what, test in _PROBES:
            if match := re.search(pattern, command):
                parts = [part or "" for part in match.groups()]
                probe = Probe(what.format(*parts), test.format(*map(shlex.quote, parts)))
                named.setdefault(probe.what, probe)
    return list(named.values())


def window(title: str) -> Probe:
    return Probe(f"a window '{title}'", _DISPLAYED.format("", shlex.quote(title)))


def address(port: int, path: str = "") -> Probe:
    return Probe(f"an answer at port {port}", f"curl -sf -o /dev/null --max-time 5 http://localhost:{port}/{path}")


_PORT = "curl -sfL -o /dev/null --max-time 10 http://localhost:{}"
_AIRFLOW = (
    r"port=$(docker ps | sed -nE 's/.*:([0-9]+)->8080.*/\1/p' | head -n 1); base=http://localhost:${{port:-8080}}; "
    """curl -sf --max-time 10 $base/health | jq -e '.scheduler.status == "healthy"'"""
)
_DAGS = (
    "count() {{ curl -sf -u admin:admin --max-time 10 http://localhost:8080/api/v1/$1 | jq -e '.total_entries > 0'; }}; "
    "! ls /usr/local/airflow/dags/*.py || count dags || count importErrors"
)
_DATABASE = "echo password | sudo -S -u postgres psql -Atc 'select datname from pg_database' | grep -qxF -- {}"
_EDITOR = _DISPLAYED.format("", "'Visual Studio Code'") + " && ! pgrep -f '^/bin/bash /usr/local/bin/code( |$)'"
"""The stand-in for the editor returns before everything is open."""
_PROBES: tuple[tuple[str, str, str], ...] = (
    (r"^docker(?:-| )compose\b.*\bup\b", "Superset at port 8088", _PORT.format("8088/health")),
    (r"^astro dev start\b", "Airflow with a healthy scheduler", _AIRFLOW),
    (r"^astro dev start\b", "a DAG that Airflow lists", _DAGS),
    (r"^dagster dev\b(?:.*?\s-p\s+(\d+))", "Dagster at port {}", _PORT.format("{}/server_info")),
    (r"\bjupyter[ -](?:lab|notebook)\b(?!.*--port)", "JupyterLab at port 8888", _PORT.format("8888/api")),
    (r"^code\s+\S", "a window of Visual Studio Code", _EDITOR),
    (r"^gnome-terminal\b", "a terminal", _DISPLAYED.format("-x", "gnome-terminal")),
    (r"\bmysql$|^mysql\b", "MySQL's server", "pgrep -x 'mysqld|mariadbd'"),
    (r"\bcreatedb (\w+)", "a PostgreSQL database '{}'", _DATABASE),
    (r"^cd (/home/user/\S+)", "a folder {}", "test -d {}"),
)
"""A command, what it leaves behind, and how that is seen."""


def _short(text: str, most: int = LONGEST_COMMAND) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
