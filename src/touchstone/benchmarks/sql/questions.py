"""Questions of your own: one row each, from CSV, JSON, JSON Lines, YAML, Parquet or a spreadsheet (.xlsx, .ods).

Columns are recognised by their usual names, whatever their case; `--column question=Frage` names one that is called otherwise.

    question    the request in words; the only column that must be there, besides `sql` or `expected`
    sql         the gold query. More that are accepted too: sql_2, sql_3, …, or a list
    expected    the rows that are right: a CSV file beside the questions, or rows as JSON. Instead of gold SQL, or beside it
    id, database, evidence, tags, difficulty
    order       whether rows must come in the gold's order
    tolerance   how far a number may be off: 0.01, or 1%
    columns     which of the gold's columns count: names, or numbers from 1
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec import Struct

from ...distribution import pip_install
from ...errors import InputError, os_errors_as
from ...phrases import plural
from ..task_file import QueryTask

Entry = tuple[int, Mapping[str, Any]]

NAMES: dict[str, tuple[str, ...]] = {
    "id": ("id", "question_id", "task_id", "instance_id", "qid", "key", "name"),
    "question": ("question", "request", "prompt", "utterance", "instruction", "nl", "natural_language", "nl_question", "text"),
    "sql": ("sql", "query", "gold", "gold_sql", "gold_query", "golden_sql", "reference", "reference_sql", "expected_sql"),
    "expected": ("expected", "expected_rows", "expected_result", "result", "results", "rows", "answer"),
    "database": ("database", "db", "db_id", "database_id", "database_name"),
    "evidence": ("evidence", "hint", "hints", "external_knowledge", "knowledge", "context", "note", "notes"),
    "tags": ("tags", "tag", "category", "categories", "labels", "label", "topic"),
    "difficulty": ("difficulty", "hardness", "level"),
    "order": ("order", "ordered", "order_matters", "in_order"),
    "tolerance": ("tolerance", "tol"),
    "columns": ("columns", "compare_columns", "cols", "condition_cols"),
}
"""What each column is usually called."""

_NUMBERED = re.compile(r"(.+?)[_ ]?([2-9]|[1-9]\d)")
_YES, _NO = ("true", "yes", "y", "1", "t"), ("", "false", "no", "n", "0", "f", "none", "null")


class Expected(Struct, frozen=True):
    """Rows that are right. From a CSV file they are all text, and compared as what the prediction has there."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    text: bool


class SqlTask(QueryTask, frozen=True, kw_only=True):
    golds: tuple[str, ...] = ()
    expected: Expected | None = None
    order: bool = False
    tolerance: str = ""
    columns: tuple[str, ...] = ()


def load_questions(path: Path, named: Mapping[str, str], database: str) -> list[SqlTask]:
    """All of a file; `database` is for those that name none. Raises InputError with the row and the column at fault."""
    rows = list(read_rows(path))
    if not rows:
        raise InputError(f"{path}: there are no questions in this file")
    places = _places(path, rows, named)
    tasks = [_task(path, index, number, row, places, database) for index, (number, row) in enumerate(rows)]
    seen: dict[str, int] = {}
    for task, (number, _) in zip(tasks, rows, strict=True):
        if task.key in seen:
            raise InputError(f"{path}: row {number}: the id '{task.key}' is also in row {seen[task.key]}; ids must be unique")
        seen[task.key] = number
    return tasks


def read_rows(path: Path) -> Iterator[Entry]:
    """Row numbers as an editor shows them, and cells by column."""
    readers = {
        ".csv": _csv, ".tsv": _csv, ".json": _json, ".jsonl": _lines, ".ndjson": _lines, ".yaml": _yaml, ".yml": _yaml,
        ".parquet": _parquet, ".xlsx": _spreadsheet, ".ods": _open_document,
    }  # fmt: skip
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise InputError(f"{path}: expected a file of questions that ends in {', '.join(readers)}")
    if not path.is_file():
        raise InputError(f"{path}: there is no such file of questions")
    for number, row in reader(path):
        if not isinstance(row, dict):
            raise InputError(f"{path}: row {number}: expected an object with a question, found {type(row).__name__}")
        yield number, cast("dict[str, Any]", row)


def expected_files(path: Path) -> list[Path]:
    """The files of expected rows that a file of questions names, as far as they lie beside or below it."""
    names = {cell.strip() for _, row in read_rows(path) for cell in row.values() if isinstance(cell, str)}
    files = [path.parent / name for name in sorted(names) if name.lower().endswith((".csv", ".tsv")) and "\n" not in name]
    return [file for file in files if file.is_file() and file.resolve().is_relative_to(path.parent.resolve())]


def _json(path: Path) -> Iterator[tuple[int, Any]]:
    """An array, or an object with one, such as {"questions": […]}."""
    try:
        values: Any = json.loads(_text(path))
    except ValueError as error:
        raise InputError(f"{path}: not valid JSON: {error}") from None
    yield from enumerate(_below_heading(path, values), 1)


def _below_heading(path: Path, values: Any) -> list[Any]:
    if isinstance(values, dict):
        several: list[Any] = [value for value in cast("dict[str, Any]", values).values() if isinstance(value, list)]
        values = several[0] if several else None
    if not isinstance(values, list):
        raise InputError(f"{path}: expected a list of questions")
    return cast("list[Any]", values)


def _lines(path: Path) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(_text(path).split("\n"), 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except ValueError as error:
                raise InputError(f"{path}: row {number}: not valid JSON: {error}") from None


def _csv(path: Path) -> Iterator[tuple[int, Any]]:
    header, rows = read_csv(path)
    if twice := next((name for name in header if header.count(name) > 1), None):
        raise InputError(f"{path}: two columns are named '{twice}'; names must differ")
    for number, row in enumerate(rows, 2):
        yield number, dict(zip(header, row, strict=True))


def read_csv(path: Path) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The header and the rows, as wide as it; empty lines do not count."""
    text = _text(path)
    first = re.sub(r'"[^"]*"', "", text.partition("\n")[0])
    delimiter = "\t" if path.suffix.lower() == ".tsv" else max(",;\t|", key=first.count)  # of several as frequent, the first
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]
    except csv.Error as error:
        raise InputError(f"{path}: not valid CSV: {error}") from None
    if not rows:
        raise InputError(f"{path}: the file is empty; expected a line of column names")
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            cells = plural(len(row), "cell")
            raise InputError(f"{path}: row {number}: {cells}, expected {len(rows[0])} as in the first line")
    return tuple(rows[0]), [tuple(row) for row in rows[1:]]


def _text(path: Path) -> str:
    with os_errors_as(InputError, f"{path}: cannot be read"):
        content = path.read_bytes()
    utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))  # what spreadsheets call Unicode text
    try:
        return content.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}: line {line}: expected text in UTF-8; save the file as UTF-8") from None


def _yaml(path: Path) -> Iterator[tuple[int, Any]]:
    _needs("yaml", path, "questions")
    import yaml

    try:
        values: Any = yaml.safe_load(_text(path))
    except yaml.YAMLError as error:
        raise InputError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from None
    yield from enumerate(_below_heading(path, values), 1)


def _parquet(path: Path) -> Iterator[tuple[int, Any]]:
    _needs("duckdb", path, "duckdb")
    import duckdb

    try:
        with duckdb.connect() as connection:
            result = connection.execute("SELECT * FROM read_parquet(?)", [str(path)])
            names = [column[0] for column in result.description or ()]
            rows = result.fetchall()
    except duckdb.Error as error:
        raise InputError(f"{path}: not valid Parquet: {str(error).splitlines()[0]}") from None
    for number, row in enumerate(rows, 1):
        yield number, dict(zip(names, row, strict=True))


def _spreadsheet(path: Path) -> Iterator[tuple[int, Any]]:
    _needs("openpyxl", path, "questions")
    from zipfile import BadZipFile

    import openpyxl

    try:
        book: Any = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (BadZipFile, OSError, KeyError, ValueError) as error:
        raise InputError(f"{path}: not a spreadsheet: {error}") from None
    yield from _below_header(book.active.iter_rows(values_only=True))


def _open_document(path: Path) -> Iterator[tuple[int, Any]]:
    from .open_document import first_table

    yield from _below_header(iter(first_table(path)))


def _below_header(rows: Iterator[Sequence[Any]]) -> Iterator[tuple[int, Any]]:
    header = [str(cell or "") for cell in next(rows, ())]
    for number, row in enumerate(rows, 2):
        if any(cell is not None for cell in row):
            yield number, {name: cell for name, cell in zip(header, row, strict=False) if name}


def _needs(module: str, path: Path, extra: str) -> None:
    if find_spec(module) is None:
        raise InputError(f"{path}: reading {path.suffix} files needs {module}: {pip_install(extra)}")


def _plain(name: str) -> str:
    return "_".join(name.strip().lower().replace("-", " ").split())


def _places(path: Path, rows: Sequence[Entry], named: Mapping[str, str]) -> dict[str, list[str]]:
    """The file's own names by ours; `sql` may have several."""
    there = list(dict.fromkeys(name for _, row in rows for name in row))
    places: dict[str, list[str]] = {}
    for ours, theirs in named.items():
        if ours not in NAMES:
            raise InputError(f"--column {ours}={theirs}: expected one of {', '.join(NAMES)} before the =")
        if theirs not in there:
            raise InputError(f"--column {ours}={theirs}: {path} has no such column; there are: {', '.join(there)}")
        places[ours] = [theirs]
    taken = {name for names in places.values() for name in names}
    for ours, usual in NAMES.items():
        free = {_plain(name): name for name in there if name not in taken}
        first = next((free[name] for name in usual if name in free), None)
        if ours not in places and first is not None:
            places[ours] = [first]
            taken.add(first)
    for name in there:
        numbered = _NUMBERED.fullmatch(_plain(name))
        if name not in taken and numbered and numbered[1] in NAMES["sql"] and "sql" in places:
            places["sql"].append(name)
    listed = ", ".join(there)
    if "question" not in places:
        raise InputError(f"{path}: no column holds the questions; there are: {listed} (name it: --column question=NAME)")
    if "sql" not in places and "expected" not in places:
        raise InputError(f"{path}: no column holds gold SQL or expected rows; there are: {listed} (name it: --column sql=NAME)")
    return places


def _task(
    path: Path, index: int, number: int, row: Mapping[str, Any], places: Mapping[str, list[str]], database: str
) -> SqlTask:
    where = f"{path}: row {number}"

    def cell(name: str) -> Any:
        return next((row.get(each) for each in places.get(name, ())), None)

    def text(name: str) -> str:
        value = cell(name)
        return "" if value is None else str(value).strip()

    if not text("question"):
        raise InputError(f"{where}: the question ({places['question'][0]}) is empty")
    golds = tuple(sql for column in places.get("sql", ()) for sql in _golds(where, column, row.get(column)))
    expected = _expected(path, where, cell("expected"))
    if not golds and expected is None:
        raise InputError(f"{where}: there is neither gold SQL nor expected rows")
    if not (name := text("database") or database):
        raise InputError(f"{where}: it names no database, and there is more than one: add a column 'database'")
    tags, difficulty = ", ".join(_listed(cell("tags"))), text("difficulty")
    judged = [text("question"), text("evidence"), name, golds, expected, cell("order"), text("tolerance")]
    content = msgspec.json.encode([*judged, *([columns] if (columns := _listed(cell("columns"))) else ())])
    return SqlTask(
        key=text("id") or str(number),
        index=index,
        facets={
            "database": name,
            **({"tags": tags} if tags else {}),
            **({"difficulty": difficulty} if difficulty else {}),
        },
        digest=hashlib.blake2b(content, digest_size=8).hexdigest(),
        database=name,
        question=text("question"),
        evidence=text("evidence"),
        golds=golds,
        expected=expected,
        order=_flag(where, cell("order")),
        tolerance=_tolerance(where, text("tolerance")),
        columns=tuple(_listed(cell("columns"))),
    )


def _golds(where: str, column: str, value: Any) -> list[str]:
    values = cast("list[Any]", value) if isinstance(value, list | tuple) else [value]
    if any(each is not None and not isinstance(each, str) for each in values):
        raise InputError(f"{where}: {column}: expected SQL as text")
    return [each.strip() for each in values if each and each.strip()]


def _expected(path: Path, where: str, value: Any) -> Expected | None:
    if isinstance(value, str) and value.strip().lower().endswith((".csv", ".tsv")):
        try:
            columns, rows = read_csv(path.parent / value.strip())
        except InputError as error:
            raise InputError(f"{where}: the file of expected rows: {error}") from None
        return Expected(columns, list(rows), text=True)
    if isinstance(value, str) and value.strip()[:1] in ("[", "{"):
        try:
            value = json.loads(value)
        except ValueError as error:
            raise InputError(f"{where}: the expected rows are not valid JSON: {error}") from None
    if value is None or value == "":
        return None
    if not isinstance(value, list):
        return Expected(("1",), [(value,)], text=isinstance(value, str))
    values = cast("list[Any]", value)
    keys = _keys(values[0]) if values else None
    if any((keys and set(keys)) != (own and set(own)) for own in map(_keys, values)):
        raise InputError(f"{where}: the expected rows do not all have the same columns")
    rows = [_row(each, keys) for each in values]
    if any(len(row) != len(rows[0]) for row in rows):
        raise InputError(f"{where}: the expected rows are not all of one width")
    width = len(rows[0]) if rows else 0
    names = tuple(keys) if keys is not None else tuple(map(str, range(1, width + 1)))
    return Expected(names, rows, text=True)


def _keys(row: Any) -> list[str] | None:
    """The names of its columns, if it has names."""
    return list(cast("dict[str, Any]", row)) if isinstance(row, dict) else None


def _row(value: Any, keys: Sequence[str] | None) -> tuple[Any, ...]:
    if keys is not None:
        return tuple([value[key] for key in keys])
    return tuple(cast("Iterable[Any]", value)) if isinstance(value, list | tuple) else (value,)


def _listed(value: Any) -> list[str]:
    parts = cast("list[Any]", value) if isinstance(value, list | tuple) else str(value or "").replace(";", ",").split(",")
    return [str(part).strip() for part in parts if str(part).strip()]


def _flag(where: str, value: Any) -> bool:
    word = str(value if value is not None else "").strip().lower()
    if word not in (*_YES, *_NO):
        raise InputError(f"{where}: order: expected true or false, found {value!r}")
    return word in _YES


def is_tolerance(value: str) -> bool:
    """Whether it is a number such as 0.01, or 1%."""
    try:
        return 0 <= float(value.removesuffix("%")) < float("inf")
    except ValueError:
        return False


def _tolerance(where: str, value: str) -> str:
    if value and not is_tolerance(value):
        raise InputError(f"{where}: tolerance: expected a number such as 0.01, or 1%, found {value!r}")
    return value
