"""Runs a submission and the test functions that come with a dataset, in one session of a private database.

All of it happens in one child process, confined as `sandboxed_call` says: the connection is made before the child gives up the
right to make one, and what runs on it (the submission, then one test after the other) sees what came before: temporary
tables, settings, work that is not committed. That is how the originals do it; `evaluators` says how each of them runs SQL.

A test passes only if its function returns: that a child ends, says something or nothing, or exits with 0 proves nothing. What
cannot be excluded is a test that is written to pass: it runs in the process that reports, and could find there what makes a
report genuine. Tests come from the dataset, though; it is the submission that is not to be trusted, and it is only SQL.
"""

from __future__ import annotations

import contextlib
import inspect
import mmap
import os
import signal
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import CodeType
from typing import Any, ClassVar, Literal

import msgspec
from msgspec import Struct

from ...engines.judging_connection import JudgingConnection
from ...engines.today import day, set_python_clock
from ...errors import SqlError, Unscorable
from ...sandbox.later import later
from ...sandbox.sandboxed_call import Died, Overdue, confined
from ...types import Row
from .evaluators import Evaluator, EvaluatorName
from .judge import Preparation

Kind = Literal["passed", "sql", "dataset", "own", "assertion", "error", "time", "crash", "no_test"]

_LONGEST = 2000  # characters of a detail
_LATE = "The query was stopped at its time limit."
_PARAMETERS = 4  # that every test takes: predicted, gold, database, connection
_GRACE = 1.0  # seconds that a submission has beyond the limit of its statements
_THEIR_MODULES = frozenset("dateutil numpy pandas pytz requests scipy sklearn sqlglot sqlparse tqdm".split())
"""That the published environments have: that one is missing here is no agent's fault."""
_SUBMITTING = 255
"""What the child is at: the number of a test, or this."""


class TestRequest(Struct, frozen=True):
    __test__: ClassVar[bool] = False  # not a test of pytest's

    tests: list[str]
    predicted: list[str]
    gold: list[str]
    seconds: float = 60.0
    """For each test."""
    sql_seconds: float = 30.0
    """For each statement."""
    memory: int = 2**29
    evaluator: EvaluatorName = "strict"
    preparation: Preparation = Preparation()
    conditions: dict[str, Any] | None = None
    """Of the default comparison, where a text without a test falls back to it."""


class TestReport(Struct, frozen=True):
    __test__: ClassVar[bool] = False

    passed: bool
    kind: Kind
    """sql: the submission cannot be run; dataset, own: what prepares it cannot; no_test: there is no usable test."""
    test: int | None
    """Which one failed, from 0."""
    detail: str
    """For the record, and not for an agent, unless the kind is sql."""
    late: bool = False
    """Something came to its time limit."""


def run_tests(bench: JudgingConnection, request: TestRequest) -> TestReport:
    session = bench.session()
    at = mmap.mmap(-1, 1)  # shared with the child
    at[0] = _SUBMITTING
    try:
        report = _confined(bench, request, session, at)
    finally:
        if hasattr(session, "fileno"):
            later(session.close)  # the server takes its time to end a session
        else:
            with contextlib.suppress(Exception):
                session.close()
    bench.timed_out |= report.late
    return msgspec.structs.replace(report, detail=bench.shown(report.detail))


def _confined(bench: JudgingConnection, request: TestRequest, session: Any, at: mmap.mmap) -> TestReport:
    try:
        keep, largest_file = _prepared(session)
    except Exception as error:  # a driver's, whichever it is
        return TestReport(False, "crash", None, f"The database cannot be used any more: {error}")
    before = request.preparation
    texts = len(before.dataset) + len(before.own) + len(before.tidying) + len(request.predicted)
    seconds = request.sql_seconds * texts + request.seconds * len(request.tests) + 2 * _GRACE
    work = partial(_judge, request, bench.dialect, session, at)
    try:
        answer = confined(work, seconds=seconds, memory=request.memory, keep=keep, largest_file=largest_file)
        return msgspec.msgpack.decode(answer, type=TestReport)
    except Unscorable as reason:  # nothing confines here, so nothing is run
        return TestReport(False, "no_test", None, str(reason))
    except Overdue:
        _cancel(session)
        return _unreported(at, "time", f"did not end within {seconds:g} seconds")
    except Died as death:
        if "SIGALRM" in str(death):
            _cancel(session)
            late = request.sql_seconds if at[0] == _SUBMITTING else request.seconds
            return _unreported(at, "time", f"did not end within {late:g} seconds")
        return _unreported(at, "crash", f"gave no report: {death}")
    except msgspec.MsgspecError:
        return _unreported(at, "crash", "gave a report that cannot be read")


def _unreported(at: mmap.mmap, kind: Kind, how: str) -> TestReport:
    if at[0] == _SUBMITTING:
        return TestReport(False, "sql", None, f"The SQL was stopped: its process {how}.", kind == "time")
    return TestReport(False, kind, at[0], f"The test's process {how}.", kind == "time")


def _prepared(session: Any) -> tuple[list[int], int]:
    """The descriptors that the session needs, and how large a file it may write."""
    if hasattr(session, "fileno"):
        return [session.fileno()], 0
    # SQLite: all that it will open must be open before, and a journal would be a new file.
    for pragma in ("journal_mode = MEMORY", "temp_store = MEMORY"):
        with contextlib.suppress(Exception):
            session.execute(f"PRAGMA {pragma}").fetchall()
    session.execute("SELECT count(*) FROM sqlite_master").fetchall()
    files = [file for _, _, file in session.execute("PRAGMA database_list") if file]
    return _descriptors(files), 2**40 if files else 0


def _descriptors(files: list[str]) -> list[int]:
    """Those of a file and of what lies beside it: its journal, log and index."""
    names = tuple(os.path.realpath(file) for file in files)
    descriptors: list[int] = []
    for entry in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            if names and str(entry.readlink()).startswith(names):
                descriptors.append(int(entry.name))
    return descriptors


def _cancel(session: Any) -> None:
    """Ends what the server still does for a child that is gone."""
    if hasattr(session, "cancel"):
        with contextlib.suppress(Exception):
            session.cancel()


# In the child.


class _NoTest(Exception):
    """The text cannot be used as a test."""


def _judge(request: TestRequest, dialect: str, session: Any, at: mmap.mmap) -> bytes:
    encode = msgspec.msgpack.encode  # tests may do what they like to modules
    if today := day():
        set_python_clock(today)
    report = _report(request, dialect, session, at)
    return encode(report)


def _report(request: TestRequest, dialect: str, session: Any, at: mmap.mmap) -> TestReport:
    evaluator = Evaluator(request.evaluator, dialect, session, request.sql_seconds)
    database = session.info.dbname if hasattr(session, "info") else "main"
    if failed := request.preparation.run(partial(_prepare, evaluator, session, database)):
        return TestReport(False, failed[0], None, failed[1].message)
    _die_after(request.sql_seconds * len(request.predicted) + _GRACE)
    fault, rows = _submit(evaluator, session, database, request)
    if fault:
        return TestReport(False, "sql", None, fault, fault == _LATE)
    arguments: list[Any] = [list(request.predicted), list(request.gold), database, session, request.conditions]
    for number, test in enumerate(_tests(request, evaluator, rows)):
        at[0] = min(number, _SUBMITTING - 1)
        _die_after(request.seconds)
        kind, detail = _outcome(test, arguments, strict=request.evaluator == "strict")
        if kind != "passed":
            return TestReport(False, kind, number, detail)
    return TestReport(True, "passed", None, "")


def _die_after(seconds: float) -> None:
    """Unless told otherwise before. A test can lift it; the parent's own limit for all of it then remains."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _prepare(evaluator: Evaluator, session: Any, database: str, text: str) -> None:
    if fault := _run(evaluator, session, database, [text])[0]:
        raise SqlError("sql", fault)


def _submit(evaluator: Evaluator, session: Any, database: str, request: TestRequest) -> tuple[str, list[Row] | None]:
    """Ours runs it outside of a transaction, so that VACUUM and the like are possible; the originals do not."""
    outside = request.evaluator == "strict" and hasattr(session, "autocommit") and hasattr(session, "info")
    if outside:
        session.autocommit = True
    try:
        return _run(evaluator, session, database, request.predicted)
    finally:
        if outside and not session.closed:
            with contextlib.suppress(Exception):
                session.rollback()
            session.autocommit = False


def _run(evaluator: Evaluator, session: Any, database: str, texts: list[str]) -> tuple[str, list[Row] | None]:
    """What went wrong, if anything, and the last result."""
    rows, error, late = evaluator.run(texts, database, session)
    if late:
        return _LATE, None
    return (_cut(str(error)), None) if error else ("", rows)


Test = Callable[[list[Any]], None]


def _tests(request: TestRequest, evaluator: Evaluator, rows: list[Row] | None) -> Iterator[Test]:
    """Each is called with all arguments that a test may want. What a text has defined is seen by the next, where it was so."""
    names = evaluator.names(rows)
    if request.evaluator == "strict":
        yield from (partial(_strict_test, text, names) for text in request.tests)
    elif request.evaluator == "conv":
        yield from _conv_tests(request, evaluator, names)
    else:
        known: dict[str, Any] = {}
        for text in request.tests:
            known = known if request.evaluator == "batch" else {}
            yield partial(_original_test, text, names, known, must_exist=request.evaluator == "batch")


def _original_test(text: str, names: dict[str, Any], known: dict[str, Any], arguments: list[Any], *, must_exist: bool) -> None:
    exec(compile(text, "<test>", "exec", dont_inherit=True), names, known)
    test = known.get("test_case")
    if callable(test):
        test(*arguments[:_PARAMETERS])
    elif must_exist:
        raise RuntimeError("there is no function test_case")


def _conv_tests(request: TestRequest, evaluator: Evaluator, names: dict[str, Any]) -> list[Test]:
    """Everything callable that the texts define. A text that cannot be run does not count; without any, the default test."""
    tests: list[Callable[..., Any]] = []
    for text in request.tests:
        own: dict[str, Any] = {}
        try:
            exec(compile(text, "<test>", "exec", dont_inherit=True), names, own)
        except Exception as error:
            if _lacks_their_module(error):
                return [partial(_raise, error)]
            continue
        tests += [value for value in own.values() if callable(value)]
    if not tests:
        return [lambda arguments: _done(evaluator.test_case_default(*arguments))]
    return [lambda arguments, test=test: _done(test(*arguments[:_PARAMETERS])) for test in tests]


def _raise(error: Exception, _: list[Any]) -> None:
    raise error


def _lacks_their_module(error: Exception) -> bool:
    return isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] in _THEIR_MODULES


def _done(_: Any) -> None:
    """What a test returns does not count."""


def _strict_test(text: str, names: dict[str, Any], arguments: list[Any]) -> None:
    code = _compiled(text)
    known = {**names, "__name__": "test"}
    before = dict(known)
    exec(code, known)
    for test in _functions(known, before):
        _call(test, arguments)


def _compiled(text: str) -> CodeType:
    try:
        return compile(text, "<test>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise _NoTest(f"it is not Python: {error}") from None


def _functions(names: dict[str, Any], before: dict[str, Any]) -> list[Callable[..., Any]]:
    """`test_case`, or else all that the text defines and that is called test something."""
    if callable(names.get("test_case")):
        return [names["test_case"]]
    own = [value for name, value in names.items() if name.startswith("test") and before.get(name) is not value]
    if not (functions := [value for value in own if callable(value)]):
        raise _NoTest("it defines no function test_case")
    return functions


def _call(test: Callable[..., Any], arguments: list[Any]) -> None:
    """With as many arguments as it takes: four, and conditions where it insists on them."""
    values: list[Any] = [*arguments[:_PARAMETERS], {}]
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


def _outcome(test: Test, arguments: list[Any], *, strict: bool) -> tuple[Kind, str]:
    try:
        test(arguments)
    except _NoTest as error:
        return "no_test", _cut(str(error))
    except ModuleNotFoundError as error:
        kind: Kind = "no_test" if strict or _lacks_their_module(error) else "error"
        return kind, _cut(f"it needs a module that is not here: {error.name}")
    except AssertionError as error:
        return "assertion", _cut(str(error))
    except MemoryError:
        raise
    except BaseException as error:
        return "error", _cut(f"{type(error).__name__}: {error}")
    return "passed", ""


def _cut(text: str) -> str:
    return text[:_LONGEST].encode(errors="backslashreplace").decode()
