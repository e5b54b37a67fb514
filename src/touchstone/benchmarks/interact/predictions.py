"""What was submitted elsewhere, by task and phase: prediction files, and the result files of the original harnesses.

.jsonl   {"instance_id": …, "phase_1": SQL, "phase_2": SQL} per line; or the batch harness's results.jsonl; or the
         conversational scripts' sql_results.jsonl, with sql_results_debug, _fu and _fu_debug beside it
.json    the service-based harness's results
a run    of ours, as it was played

Which phase a submission of an original was for is what the original said, since it knew the phase: judged by other rules, a
first phase may turn out as not passed, and what was submitted for the follow-up must not count as another try at it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from ...errors import InputError
from ...foreign import Unreadable, read_json
from ...types import ModelStep, Record, ToolCall, ToolStep
from ..task_file import entries, in_words

Phases = tuple[tuple[str, ...], ...]
"""The attempts at each phase, in order."""

_SUBMIT = re.compile(r"\s*submit\((.*)\)", re.DOTALL)
_QUOTES = ('"""', "'''", '"', "'")
_CONVERSATIONAL = re.compile(r"sql_results(_fu)?(_debug)?(_output_with_status)?\.jsonl")
_ATTEMPTS = (("", "_debug"), ("_fu", "_fu_debug"))
"""The files of each phase: the first attempt, and the one to debug it."""


class Submissions(Struct, frozen=True):
    by_task: dict[str, Phases]
    mode: Literal["agentic", "conversational", "single"] = "agentic"
    """How they came about."""
    is_run: bool = False
    """Whoever made them chose the tasks: what is not in it was not asked for."""
    changed: int = 0
    """Of how many tasks the content is not what the run found."""


class _Prediction(Struct):
    instance_id: str
    phase_1: list[str] | str | None
    phase_2: list[str] | str | None = None


class _Turn(Struct):
    interaction_object: str | None = None
    action: str | None = None
    reward: float | None = None


class _Original(Struct):
    instance_id: str


class _BatchRow(Struct):
    original_data: _Original
    interaction_history: list[_Turn]


class _ConversationalRow(Struct):
    instance_id: str
    pred_sqls: list[str] | str


class _Step(Struct):
    tool: str | None = None
    args: dict[str, Any] | None = None
    result: Any = None


class _AdkRow(Struct):
    instance_id: str | None = None
    task_id: str | None = None
    """All that a task has that ended with an error of the harness."""
    budget_used: float | None = None
    tool_trajectory: list[_Step] | None = None


class _AdkFile(Struct):
    mode: str | None = None
    results: list[_AdkRow] | None = None
    samples: list[_AdkRow] | None = None
    """As the published samples name them."""


def load_submissions(path: Path, known: Mapping[str, str]) -> Submissions:
    """All of a file or a run; `known` has the digests of the dataset's tasks. Raises InputError naming the wrong row."""
    if path.is_dir():
        return _from_run(path, known)
    if path.suffix == ".json":
        return _adk(path, known)
    if path.suffix != ".jsonl":
        raise InputError(f"{path}: expected predictions or results as .jsonl, results as .json, or a run directory")
    rows = list(entries(path))
    if not rows:
        raise InputError(f"{path}: there are no predictions in this file")
    if isinstance(rows[0][1], dict) and "pred_sqls" in rows[0][1]:
        return _conversational(path, known)
    batch = isinstance(rows[0][1], dict) and "interaction_history" in rows[0][1]
    read = _batch_row if batch else _prediction
    by_task = _unique(path, ((number, *_converted(path, number, value, read)) for number, value in rows), known)
    return Submissions(by_task, is_run=batch)


def calls(phases: Phases) -> list[list[ToolCall]]:
    """As an agent makes them."""
    return [
        [_call(f"phase-{number}-{attempt}", sql) for attempt, sql in enumerate(attempts, 1)]
        for number, attempts in enumerate(phases, 1)
    ]


def by_phase(submitted: Sequence[tuple[str, bool]]) -> Phases:
    """From what was submitted one after the other, and whether it was accepted then."""
    phases: list[list[str]] = [[]]
    for sql, accepted in submitted:
        phases[-1].append(sql)
        if accepted:
            phases.append([])
    return tuple(map(tuple, phases))


def _from_run(path: Path, known: Mapping[str, str]) -> Submissions:
    """Every task's first attempt in a run of ours."""
    by_task: dict[str, Phases] = {}
    changed: set[str] = set()
    for number, line in enumerate(_read(path / "runs.jsonl").splitlines(keepends=True), 1):
        if not line.endswith(b"\n"):
            continue
        try:
            record = read_json(line, Record)
        except Unreadable as error:
            raise InputError(f"{path / 'runs.jsonl'}: row {number}: not a record of Touchstone: {error}") from None
        if record.task not in known:
            raise InputError(f"{path}: task '{record.task}' is not in the dataset")
        if record.epoch == 0:
            by_task[record.task] = by_phase(_of_record(path, record))
            changed |= {record.task} if record.digest != known[record.task] else set()
    try:
        mode = read_json(_read(path / "config.json"), dict[str, Any]).get("identity", {}).get("mode", "agentic")
    except Unreadable as error:
        raise InputError(f"{path / 'config.json'}: {error}") from None
    return Submissions(by_task, mode, is_run=True, changed=len(changed))


def _of_record(path: Path, record: Record) -> list[tuple[str, bool]]:
    """All submissions of an episode, and whether they were accepted. One that could not be judged, because the gold was
    withheld, is a call that the model made and nobody answered."""
    submitted: list[tuple[str, bool]] = []
    unanswered: list[ToolCall] = []
    for step in record.steps:
        if isinstance(step, ModelStep):
            unanswered = list(step.reply.calls)
        if isinstance(step, ToolStep):
            unanswered = [call for call in unanswered if call.id != step.call.id]
            if step.call.name == "submit" and "call.arguments" in step.cut:
                raise InputError(f"{path}: task '{record.task}': its SQL was too long to be recorded as a whole")
            submitted += [(sql, not step.observation.error) for sql in _sql(step.call)]
    return submitted + [(sql, False) for call in unanswered for sql in _sql(call)][:1]


def _sql(call: ToolCall) -> list[str]:
    try:
        sql = read_json(call.arguments, dict[str, Any]).get("sql") if call.name == "submit" else None
    except Unreadable:
        return []
    return [sql] if isinstance(sql, str) else []


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def _prediction(value: Any) -> tuple[str, Phases]:
    row = msgspec.convert(value, _Prediction)
    return row.instance_id, tuple(map(_attempt, (row.phase_1, row.phase_2)))


def _attempt(statements: list[str] | str | None) -> tuple[str, ...]:
    sql = "\n;\n".join(statements) if isinstance(statements, list) else statements or ""
    return (sql,) if sql.strip() else ()


def _batch_row(value: Any) -> tuple[str, Phases]:
    row = msgspec.convert(value, _BatchRow)
    submitted = [
        (sql, bool(turn.reward))
        for turn in row.interaction_history
        if turn.interaction_object == "User" and (sql := _submitted(turn.action or "")) is not None
    ]
    return row.original_data.instance_id, by_phase(submitted)


def _conversational(path: Path, known: Mapping[str, str]) -> Submissions:
    """Four files, of which only the first need be there. A file of debugging repeats the SQL of whoever had no need of it."""
    if not _CONVERSATIONAL.fullmatch(path.name):
        raise InputError(f"{path}: results of the conversational scripts are known by their names: expected sql_results.jsonl")
    phases = [[_predicted(path, kind, known) for kind in kinds] for kinds in _ATTEMPTS]
    by_task: dict[str, Phases] = {
        key: tuple(_different(attempt[key] for attempt in attempts if key in attempt) for attempts in phases)
        for key in phases[0][0]
    }
    if not by_task:
        raise InputError(
            f"{path}: the results of phase 1 are missing: expected sql_results.jsonl beside it, with a line a task"
        )
    return Submissions(by_task, "conversational", is_run=True)


def _predicted(path: Path, kind: str, known: Mapping[str, str]) -> dict[str, str]:
    """What one of the files has, with or without the evaluator's verdicts in it."""
    for suffix in ("", "_output_with_status"):
        file = path.with_name(f"sql_results{kind}{suffix}.jsonl")
        if file.is_file():
            rows = ((number, *_converted(file, number, value, _conversational_row)) for number, value in entries(file))
            return {key: attempts[0][0] for key, attempts in _unique(file, rows, known).items()}
    return {}


def _conversational_row(value: Any) -> tuple[str, Phases]:
    row = msgspec.convert(value, _ConversationalRow)
    return row.instance_id, ((row.pred_sqls if isinstance(row.pred_sqls, str) else "\n;\n".join(row.pred_sqls),),)


def _different(attempts: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(attempts))


def _submitted(action: str) -> str | None:
    """The SQL as the batch harness read it: a Python literal, else what is between one pair of quotes, or all of it."""
    match = _SUBMIT.match(action)
    if match is None:
        return None
    text = match[1].strip()
    try:
        value = ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        value = None
    if isinstance(value, str):
        return value
    quote = next((each for each in _QUOTES if len(text) >= 2 * len(each) and text.startswith(each) and text.endswith(each)), "")
    return text[len(quote) : len(text) - len(quote)]


def _adk(path: Path, known: Mapping[str, str]) -> Submissions:
    try:
        file = read_json(path.read_bytes(), _AdkFile)
    except OSError as error:
        raise InputError(f"{path}: cannot read the results: {error.strerror}") from None
    except Unreadable as error:
        raise InputError(f"{path}: not the results of the service-based harness: {in_words(str(error))}") from None
    rows = file.results if file.results is not None else file.samples
    if not rows:
        raise InputError(f"{path}: expected the tasks that were played in 'results'")
    if all(row.tool_trajectory is None for row in rows):
        raise InputError(f"{path}: these results hold no SQL: no task has a 'tool_trajectory' (those of mode oracle have none)")
    by_task = _unique(path, ((number, *_adk_row(path, number, row)) for number, row in enumerate(rows, 1)), known)
    # Its script for conversations alone writes no mode; only agents pay for what they do.
    mode = file.mode or ("a-interact" if any(row.budget_used is not None for row in rows) else "c-interact")
    return Submissions(by_task, "conversational" if mode == "c-interact" else "agentic", is_run=True)


def _adk_row(path: Path, number: int, row: _AdkRow) -> tuple[str, Phases]:
    if not (key := row.instance_id or row.task_id):
        raise InputError(f"{path}: row {number}: missing field 'instance_id'")
    return key, _adk_phases(row)


def _adk_phases(row: _AdkRow) -> Phases:
    submitted = [
        (str(step.args.get("sql") or ""), re.match(r"Phase \d correct", str(step.result)) is not None)
        for step in row.tool_trajectory or []
        if step.tool == "submit_sql" and step.args is not None
    ]
    return by_phase(submitted)


def _converted(path: Path, number: int, value: Any, read: Any) -> tuple[str, Phases]:
    try:
        return read(value)
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: row {number}: {in_words(str(error))}") from None


def _unique(path: Path, rows: Iterator[tuple[int, str, Phases]], known: Mapping[str, str]) -> dict[str, Phases]:
    by_task: dict[str, Phases] = {}
    for number, key, phases in rows:
        if key not in known:
            raise InputError(f"{path}: row {number}: instance_id '{key}' is not in the dataset")
        if key in by_task:
            raise InputError(f"{path}: row {number}: instance_id '{key}' occurs twice")
        by_task[key] = phases
    return by_task


def _call(name: str, sql: str) -> ToolCall:
    return ToolCall(name, "submit", msgspec.json.encode({"sql": sql}).decode())
