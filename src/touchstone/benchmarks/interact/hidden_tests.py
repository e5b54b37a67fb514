"""Runs the test functions that come with a dataset, beside the database that a submission has changed.

The submission is run once. Then each test gets a child process of its own, confined as `sandboxed_call` says, and a fresh
connection, made before the child gives up the right to make one; the first failure ends it. A test's text has a single
namespace, in which its own imports and helpers and everything the original evaluators offer are visible.

A test passes only if its function returns: that a child ends, says something or nothing, or exits with 0 proves nothing. What
cannot be excluded is a test that is written to pass: it runs in the process that reports, and could find there what makes a
report genuine. Tests come from the dataset, though; it is the submission that is not to be trusted, and it is only SQL.
"""

from __future__ import annotations

import contextlib
import inspect
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import CodeType
from typing import Any, ClassVar, Literal

import msgspec
from msgspec import Struct

from ...engines.bench import Bench, Result
from ...failures import SqlError, Unscorable
from ...sandbox.sandboxed_call import Died, Overdue, confined
from ...values import Row
from ._test_names import Helpers

Kind = Literal["passed", "sql", "assertion", "error", "time", "crash", "no_test"]

_LONGEST = 2000  # characters of a detail
_PARAMETERS = 4  # that every test takes: predicted, gold, database, connection


class TestRequest(Struct, frozen=True):
    __test__: ClassVar[bool] = False  # not a test of pytest's

    tests: list[str]
    predicted: list[str]
    gold: list[str]
    database: str
    seconds: float = 60.0
    """For each test."""
    memory: int = 2**29
    continue_after_error: bool = False
    """Of several texts, run the others too; only an error of the last one counts."""


class TestReport(Struct, frozen=True):
    __test__: ClassVar[bool] = False

    passed: bool
    kind: Kind
    """sql: the submission cannot be run; no_test: the dataset is at fault."""
    test: int | None
    """Which one failed, from 0."""
    detail: str
    """For the record, and not for an agent, unless the kind is sql."""


class _NoTest(Exception):
    """The text cannot be used as a test."""


def run_tests(bench: Bench, request: TestRequest) -> TestReport:
    try:
        result = _predicted(bench, request)
    except SqlError as error:
        return TestReport(False, "sql", None, error.message)
    rows = result.rows if result is not None and result.columns else None
    for number, text in enumerate(request.tests):
        kind, detail = _run(bench, request, text, rows)
        if kind != "passed":
            return TestReport(False, kind, number, detail)
    return TestReport(True, "passed", None, "")


def _predicted(bench: Bench, request: TestRequest) -> Result | None:
    """The last result."""
    result, failure = None, None
    for text in request.predicted:
        try:
            result, failure = bench.run(text), None
        except SqlError as error:
            if not request.continue_after_error:
                raise
            failure = error
    if failure is not None:
        raise failure
    return result


def _run(bench: Bench, request: TestRequest, text: str, rows: list[Row] | None) -> tuple[Kind, str]:
    connection = bench.connect()
    try:
        try:
            keep, largest_file = _prepared(connection)
        except Exception as error:  # a driver's, whichever it is
            return "crash", f"The database cannot be used any more: {error}"
        work = partial(_test, text, request, bench.dialect, rows, connection)
        answer = confined(work, seconds=request.seconds, memory=request.memory, keep=keep, largest_file=largest_file)
        return msgspec.msgpack.decode(answer, type=tuple[Kind, str])
    except Unscorable as reason:  # nothing confines here, so nothing is run
        return "no_test", str(reason)
    except Overdue:
        _cancel(connection)
        return "time", f"The test did not end within {request.seconds:g} seconds."
    except Died as death:
        return "crash", f"The test's process gave no report: {death}."
    except msgspec.MsgspecError:
        return "crash", "The test's process gave a report that cannot be read."
    finally:
        with contextlib.suppress(Exception):
            connection.close()


def _prepared(connection: Any) -> tuple[list[int], int]:
    """The descriptors that the connection needs, and how large a file it may write."""
    if hasattr(connection, "fileno"):
        return [connection.fileno()], 0
    # SQLite: all that it will open must be open before, and a journal would be a new file.
    for pragma in ("journal_mode = MEMORY", "temp_store = MEMORY"):
        with contextlib.suppress(Exception):
            connection.execute(f"PRAGMA {pragma}").fetchall()
    connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
    files = [file for _, _, file in connection.execute("PRAGMA database_list") if file]
    return _descriptors(files), 2**40 if files else 0


def _descriptors(files: list[str]) -> list[int]:
    """Those of a file and of what lies beside it: its journal, log and index."""
    names = tuple(os.path.realpath(file) for file in files)
    found: list[int] = []
    for entry in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            if names and str(entry.readlink()).startswith(names):
                found.append(int(entry.name))
    return found


def _cancel(connection: Any) -> None:
    """Ends what the server still does for a child that is gone."""
    if hasattr(connection, "cancel"):
        with contextlib.suppress(Exception):
            connection.cancel()


# In the child.


def _test(text: str, request: TestRequest, dialect: str, rows: list[Row] | None, connection: Any) -> bytes:
    encode = msgspec.msgpack.encode
    try:
        _run_text(text, request, dialect, rows, connection)
    except _NoTest as error:
        return encode(("no_test", str(error)[:_LONGEST]))
    except ModuleNotFoundError as error:
        return encode(("no_test", f"it needs a module that is not here: {error.name}"[:_LONGEST]))
    except AssertionError as error:
        return encode(("assertion", _said(error)))
    except MemoryError:
        raise
    except BaseException as error:
        return encode(("error", f"{type(error).__name__}: {_said(error)}"[:_LONGEST]))
    return encode(("passed", ""))


def _said(error: BaseException) -> str:
    return str(error)[:_LONGEST].encode(errors="backslashreplace").decode()


def _run_text(text: str, request: TestRequest, dialect: str, rows: list[Row] | None, connection: Any) -> None:
    code = _compiled(text)
    names = Helpers(dialect, continue_after_error=request.continue_after_error).names()
    names |= {"pred_query_result": rows, "__name__": "test", "__builtins__": __builtins__}
    before = dict(names)
    exec(code, names)
    values: list[Any] = [list(request.predicted), list(request.gold), request.database, connection, {}]
    for test in _tests(names, before):
        _call(test, values)


def _compiled(text: str) -> CodeType:
    try:
        return compile(text, "<test>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise _NoTest(f"it is not Python: {error}") from None


def _tests(names: dict[str, Any], before: dict[str, Any]) -> list[Callable[..., Any]]:
    """`test_case`, or else all that the text defines and that is called test something."""
    if callable(names.get("test_case")):
        return [names["test_case"]]
    own = [value for name, value in names.items() if name.startswith("test") and before.get(name) is not value]
    if not (found := [value for value in own if callable(value)]):
        raise _NoTest("it defines no function test_case")
    return found


def _call(test: Callable[..., Any], values: list[Any]) -> None:
    """With as many arguments as it takes: four, and conditions where it insists on them."""
    try:
        parameters = inspect.signature(test).parameters.values()
    except (TypeError, ValueError):
        parameters = ()
    places = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    count = max(
        (number for number, one in enumerate(places, 1) if number <= _PARAMETERS or one.default is one.empty), default=0
    )
    if any(one.kind is one.VAR_POSITIONAL for one in parameters):
        count = max(count, _PARAMETERS)
    named: dict[str, Any] = {one.name: {} for one in parameters if one.kind is one.KEYWORD_ONLY and one.default is one.empty}
    test(*values[:count], **named)
