"""`touchstone spider2`: Spider2-lite with a service under test, with any agent, and its converted input file."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from cyclopts import App, Group, Parameter

from ..benchmarks.audit import remaining
from ..benchmarks.spider2.benchmark import Spider2
from ..benchmarks.spider2.convert import converted
from ..benchmarks.spider2.episode import Compat, Settings
from ..benchmarks.spider2.golden import Golden
from ..benchmarks.spider2.results import result_entry, statistics, statistics_text
from ..benchmarks.spider2.tasks import Spider2Task, load_tasks
from ..benchmarks.sql_episode import EXPLORING
from ..failures import InputError
from ..protocols import Limits
from ..runs.directory import read_records, replace_file
from ..runs.run import Plan
from ..values import Record, ServiceStep
from .building import (
    Player,
    build_player,
    open_engine,
    read_instructions,
    recorded_calls,
    refuse_odd_numbers,
    service_settings,
    solutions,
)
from .command_options import CommandOptions, command_settings
from .conduct import Conduct, conduct, exit_code, safe_name, say
from .options import JudgeOptions, PlayOptions, RunOptions, ServiceOptions, as_arguments
from .progress import one_line

app = App(name="spider2", help="Spider2-lite: questions on local SQLite databases, judged by golden result files.")

API_URL = "http://localhost:8000/infer"
MINIMAL = {"question": "{question}", "db_id": "{database}"}

_NO_READERS = ("oracle", "replay", "http")
_DATA = Group("Data", sort_key=1)
_REQUEST = Group("What the service is sent", sort_key=6)


@Parameter(name="*", group=_DATA)
@dataclass(frozen=True, kw_only=True)
class DataOptions:
    databases: Annotated[Path, Parameter(name=["--databases", "--database_dir"])] = Path("database")
    """The directory that holds <db>/<db>.sqlite, or <db>.sqlite."""
    gold: Path = Path("../Spider2/spider2-lite/evaluation_suite/gold")
    """The gold folder, with exec_result/ and spider2lite_eval.jsonl."""
    results: Annotated[Path, Parameter(name=["--results", "--result_csv_dir"])] = Path("data/spider2/execution_results")
    """Where the result of each query goes, as <instance_id>.csv."""
    compat: Compat = "strict"
    """The comparison that decides: strict (rows as rows) or official (to the letter). Both are recorded."""
    all: Annotated[bool, Parameter(negative="")] = False
    """Every question that has a golden result, not only those with gold SQL."""
    limit: Annotated[int | None, Parameter(name=["--limit", "-n"])] = None
    """At most this many questions."""
    task: Annotated[tuple[str, ...], Parameter(negative="")] = ()
    """Only the question with this instance_id (repeatable)."""
    exclude_audit: Path | None = None
    """Leave out the tasks that this list of touchstone audit names."""


@Parameter(name="*", group=_REQUEST)
@dataclass(frozen=True, kw_only=True)
class RequestOptions:
    minimal_request: Annotated[bool, Parameter(negative="")] = False
    """Send only question and db_id."""
    target_type: Annotated[Literal["natsql", "sql"], Parameter(name=["--target-type", "--target_type"])] = "natsql"
    """Sent along."""
    tables_path: Annotated[str, Parameter(name=["--tables-path", "--tables_path"])] = (
        "./data/spider2/converted/spider2-lite_tables.json"
    )
    """Sent along as it is: a path on the service's side."""
    num_return_sequences: Annotated[int, Parameter(name=["--num-return-sequences", "--num_return_sequences"])] = 1
    """Sent along."""
    num_beams: Annotated[int, Parameter(name=["--num-beams", "--num_beams"])] = 4
    """Sent along."""

    def template(self) -> dict[str, Any]:
        if self.minimal_request:
            return MINIMAL
        return {
            **MINIMAL,
            "target_type": self.target_type,
            "spider2_mode": True,
            "tables_path": self.tables_path,
            "num_return_sequences": self.num_return_sequences,
            "num_beams": self.num_beams,
        }


@app.command
def api(
    *,
    input: Path = Path("data/spider2/converted/spider2-lite_new_format.json"),
    output: Path = Path("data/spider2/converted/spider2-lite_api_evaluated.json"),
    data: DataOptions = DataOptions(),
    service: ServiceOptions = ServiceOptions(),
    sent: RequestOptions = RequestOptions(),
    judged: JudgeOptions = JudgeOptions(),
    parallel: Annotated[int, Parameter(name=["--parallel", "-p"])] = 1,
    runs: Path = Path("results", "api-spider2"),
    resume: Annotated[Path | None, Parameter(name=["--resume", "-r"])] = None,
    config: Path | None = None,
    max_consecutive_errors: int = 5,
    verbose: Annotated[int, Parameter(name=["--verbose", "-v"], count=True)] = 0,
) -> int:
    """Send the questions to an HTTP service, run the SQL that comes back, and compare with the golden results.

    Parameters
    ----------
    input
        The questions: the converted format, a flat one, or the official spider2-lite.jsonl.
    output
        The results; the statistics go beside it as <output>_statistics.json.
    parallel
        How many questions at once.
    runs
        Where the run directory is made.
    resume
        Go on with this run directory, with the options it had.
    config
        A TOML file of options, such as the config.toml of a run; what is given on the command line counts more.
    max_consecutive_errors
        Stop the run after this many failures of the service in a row; 0 never stops.
    verbose
        Print durations, SQL, shape, columns and the first row of each question; twice: tracebacks of internal errors too.
    """
    if output.is_dir():
        raise InputError(f"--output {output}: this is a directory; expected the name of a file")
    _refuse_unwritable("--output", output, output.parent)
    service = replace(service, api_url=service.api_url or API_URL)
    play = PlayOptions(agent="http")
    run = RunOptions(parallel=parallel, output=runs, resume=resume, max_consecutive_errors=max_consecutive_errors)
    arguments = as_arguments(data, service, sent, judged, input=input, output=output, parallel=parallel, runs=runs)

    def build(benchmark: Spider2, stack: AsyncExitStack) -> Player:
        return build_player(play, service_settings(service, sent.template()), parallel, stack, {})

    def conclude(chosen: Sequence[Spider2Task], path: Path) -> None:
        _write_results(output, chosen, path)

    how = Conduct(
        command="spider2 api", arguments=arguments, identity={}, base=runs, resume=resume, describe=_describer(verbose)
    )
    return _play(input, data, judged, play, run, how, build, conclude=conclude)


@app.command
def run(
    input: Path | None = None,
    *,
    data: DataOptions = DataOptions(),
    play: PlayOptions = PlayOptions(),
    service: ServiceOptions = ServiceOptions(),
    command: CommandOptions = CommandOptions(),
    judged: JudgeOptions = JudgeOptions(),
    run: RunOptions = RunOptions(),
    documents: Path | None = None,
    schema: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Play the local Spider2-lite questions with any agent.

    Parameters
    ----------
    input
        The questions, such as the official spider2-lite.jsonl.
    documents
        The folder of external-knowledge documents (resource/documents).
    schema
        Tell the agent the tables and columns together with the question.
    """
    if input is None:
        raise InputError("spider2 run needs INPUT, or --resume RUN_DIR")
    if documents is not None and not documents.is_dir():
        raise InputError(f"--documents {documents}: there is no such folder")
    own = {"input": input, "documents": documents, "schema": schema}
    arguments = as_arguments(data, play, service, command, judged, run, **own)

    def build(benchmark: Spider2, stack: AsyncExitStack) -> Player:
        if documents is None and play.agent not in _NO_READERS:
            _warn_of_unread(benchmark)
        scripts = {"solution": lambda: solutions(benchmark), "predictions": lambda: recorded_calls(play.predictions)}
        hidden = (input, data.databases, data.gold, data.results, documents, run.output or Path("results"), run.resume)
        settings = command_settings(command, hidden)
        return build_player(play, service_settings(service, MINIMAL), run.parallel, stack, scripts, command=settings)

    how = Conduct(
        command="spider2 run",
        arguments=arguments,
        identity={},
        base=run.output or Path(),
        resume=run.resume,
        describe=one_line if run.verbose else None,
    )
    return _play(input, data, judged, play, run, how, build, documents=documents, schema=schema)


@app.command
def convert(input: Path, output: Path, *, gold: Path) -> int:
    """Make the converted input file from the official spider2-lite.jsonl and the gold folder.

    Parameters
    ----------
    input
        The official spider2-lite.jsonl.
    output
        The converted file: the local questions, with gold_sql where the gold folder has it.
    gold
        The gold folder, with sql/.
    """
    entries = converted(load_tasks(input, Golden(gold).sql))
    _write(output, entries)
    available = sum(entry["metadata"]["gold_sql_available"] for entry in entries)
    print(f"{output}: {len(entries)} local questions, {available} of them with gold SQL")
    return 0


def _play(
    input: Path,
    data: DataOptions,
    judged: JudgeOptions,
    play: PlayOptions,
    run: RunOptions,
    how: Conduct,
    build: Callable[[Spider2, AsyncExitStack], Player],
    *,
    conclude: Callable[[Sequence[Spider2Task], Path], None] | None = None,
    documents: Path | None = None,
    schema: bool = False,
) -> int:
    golden = Golden(data.gold)
    chosen = _choose(input, load_tasks(input, golden.sql), golden, data, only_gold_sql=conclude is not None)
    limits = Limits(seconds=judged.sql_timeout)
    exploring = msgspec.structs.replace(EXPLORING, seconds=judged.sql_timeout)
    settings = Settings(compat=data.compat, exploring=exploring, judging=limits, results=str(data.results))
    instructions = read_instructions(play.system_prompt)

    async def main() -> int:
        async with AsyncExitStack() as stack:
            engine = open_engine(judged, stack)
            benchmark = Spider2(
                chosen,
                data.databases,
                golden,
                engine,
                settings=settings,
                documents=documents,
                schema=schema,
                instructions=instructions,
            )
            _warn_of_missing(benchmark, data.databases)
            player = build(benchmark, stack)
            plan = Plan(
                title=f"Spider2-lite: {player.title}, {data.compat} comparison",
                benchmark=benchmark,
                agent=player.agent,
                epochs=play.epochs,
                parallel=run.parallel,
                max_consecutive_errors=run.max_consecutive_errors,
            )
            identity = {**await benchmark.identity(), **player.identity}
            base = run.output or Path("results", f"{safe_name(player.name)}-spider2")
            finished, path = await conduct(plan, replace(how, identity=identity, base=base))
            if conclude is not None and path.exists():
                conclude(chosen, path)
            return exit_code(finished, path)

    refuse_odd_numbers(play, judged, run)
    _refuse_unwritable("--results", data.results, data.results)
    return asyncio.run(main())


def _choose(
    input: Path, tasks: Sequence[Spider2Task], golden: Golden, data: DataOptions, *, only_gold_sql: bool
) -> list[Spider2Task]:
    """Says how many questions are left out, and why."""
    tasks = remaining(tasks, data.exclude_audit, benchmark="spider2", say=say)
    unknown = [name for name in data.task if name not in {task.key for task in tasks}]
    if unknown:
        raise InputError(f"--task {unknown[0]}: not in {input}")
    wanted = [task for task in tasks if not data.task or task.key in data.task]
    if data.all or not only_gold_sql:
        chosen = [task for task in wanted if golden.has(task.key)]
        why = "have no golden result"
    else:
        chosen = [task for task in wanted if task.gold_sql_available]
        why = "have no gold SQL (--all takes every question that has a golden result)"
    if len(chosen) < len(wanted):
        print(f"touchstone: {len(wanted) - len(chosen)} of {len(wanted)} questions are left out: they {why}", file=sys.stderr)
    if not chosen or (data.limit is not None and data.limit < 1):
        raise InputError(f"{input}: no question is left of {len(tasks)}")
    return chosen[: data.limit]


def _warn_of_missing(benchmark: Spider2, databases: Path) -> None:
    if benchmark.missing:
        names = ", ".join(benchmark.missing)
        count = len(benchmark.missing)
        print(f"touchstone: {count} databases are not in {databases}: {names}; their tasks are unscorable", file=sys.stderr)


def _warn_of_unread(benchmark: Spider2) -> None:
    if count := sum(task.knowledge is not None for task in benchmark.tasks()):
        say(f"{count} of {len(benchmark.tasks())} questions have a document, which nobody can read without --documents")


def _refuse_unwritable(option: str, path: Path, folder: Path) -> None:
    """Where results cannot go is said before anything runs."""
    existing = next(place for place in (folder.absolute(), *folder.absolute().parents) if place.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        raise InputError(f"{option} {path}: {existing} is not a directory that can be written to")


def _describer(verbose: int) -> Callable[[Record], str] | None:
    return (lambda record: _described(record, tracebacks=verbose > 1)) if verbose else None


def _described(record: Record, *, tracebacks: bool) -> str:
    evidence: Mapping[str, Any] = record.evidence
    lines = [one_line(record)]
    if exchange := next((step for step in record.steps if isinstance(step, ServiceStep)), None):
        lines.append(f"  answered with {exchange.status} after {exchange.seconds:.2f} s; {record.seconds:.2f} s in all")
    if "prediction" in evidence:
        lines.append(f"  SQL: {' '.join(str(evidence['prediction']).split())}")
    if evidence.get("executed"):
        columns = evidence.get("predicted_columns", [])
        lines.append(f"  {evidence.get('predicted_rows')} rows, {len(columns)} columns: {', '.join(columns)}")
        lines += [f"  first row: {row}" for row in evidence.get("rows", [])[:1]]
    if tracebacks and "traceback" in evidence:
        lines.append(str(evidence["traceback"]))
    return "\n".join(lines)


def _write_results(output: Path, tasks: Sequence[Spider2Task], run: Path) -> None:
    records = {record.task: record for record in read_records(run)}
    played = [(task, records[task.key]) for task in tasks if task.key in records]
    numbers = statistics(record for _, record in played)
    beside = output.with_name(f"{output.stem}_statistics.json")
    _write(output, [result_entry(task, record) for task, record in played])
    _write(beside, numbers)
    print(statistics_text(numbers))
    print(f"Results: {output}\nStatistics: {beside}")


def _write(path: Path, value: Any) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
