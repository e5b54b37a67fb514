"""Putting the ground truth into the public task file, by `instance_id`.

Both files are JSON Lines. Everything is read and checked before anything is written; the result takes its place in one step, so
OUT may be one of the inputs. Values that are not replaced stay byte for byte as they were.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import msgspec

from ...errors import InputError

Fields = dict[str, msgspec.Raw]

_SECRET = ("sol_sql", "external_knowledge", "test_cases")
_NOTHING = msgspec.Raw(b"[]")
_NULL = b"null"
_SHOWN = 20
_encode = msgspec.json.Encoder().encode
_fields = msgspec.json.Decoder(Fields).decode


@dataclass(frozen=True)
class Combined:
    """What was written. Missing: public tasks without ground truth; unknown: ground truth without a public task."""

    written: int
    matched: int
    missing: list[str]
    unknown: list[str]


@dataclass(frozen=True)
class _Row:
    where: str
    line: bytes
    fields: Fields


def combine(public: Path, gt: Path, out: Path, *, allow_missing: bool) -> Combined:
    """Writes the public rows with their ground truth to OUT. Raises InputError, and has then written nothing."""
    tasks, truths = _read(public), _read(gt)
    missing = [key for key in tasks if key not in truths]
    unknown = [key for key in truths if key not in tasks]
    if (missing or unknown) and not allow_missing:
        complaints = [_listed(missing, f"of {public} not in {gt}"), _listed(unknown, f"of {gt} not in {public}")]
        raise InputError("; ".join(filter(None, complaints)))
    lines = [_merged(row, truths[key]) if key in truths else row.line for key, row in tasks.items()]
    _write(out, lines)
    return Combined(len(lines), len(lines) - len(missing), missing, unknown)


def _read(path: Path) -> dict[str, _Row]:
    rows: dict[str, _Row] = {}
    for row in _rows(path):
        key = _id(row)
        if key in rows:
            raise InputError(f"{row.where}: the instance_id '{key}' is that of {rows[key].where.rpartition(': ')[2]} too")
        rows[key] = row
    return rows


def _rows(path: Path) -> Iterator[_Row]:
    try:
        content = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    for number, line in enumerate(content.splitlines(), 1):
        if line.strip():
            where = f"{path}: row {number}"
            yield _Row(where, line.strip(), _object(where, line))


def _object(where: str, text: bytes) -> Fields:
    try:
        text.decode()  # raw values are not looked into for this
        return _fields(text)
    except msgspec.ValidationError:
        raise InputError(f"{where}: expected a JSON object") from None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise InputError(f"{where}: not valid JSON: {error}") from None


def _id(row: _Row) -> str:
    if "instance_id" not in row.fields:
        raise InputError(f"{row.where}: there is no instance_id")
    key = msgspec.json.decode(row.fields["instance_id"])
    if not isinstance(key, str) or not key.strip():
        raise InputError(f"{row.where}: the instance_id must be a string")
    return key


def _merged(task: _Row, truth: _Row) -> bytes:
    fields = {**task.fields, **_secrets(truth.fields)}
    then = truth.fields.get("follow_up", msgspec.Raw(_NULL))
    if bytes(then).startswith(b"{"):
        before = task.fields.get("follow_up", msgspec.Raw(_NULL))
        shown = {} if bytes(before) == _NULL else _object(f"{task.where}: follow_up", bytes(before))
        fields["follow_up"] = msgspec.Raw(_encode({**shown, **_secrets(_fields(then))}))
    return _encode(fields)


def _secrets(truth: Fields) -> Fields:
    secrets = {name: truth.get(name, _NOTHING) for name in _SECRET}
    return {name: _NOTHING if bytes(value) == _NULL else value for name, value in secrets.items()}


def _listed(ids: list[str], which: str) -> str:
    if not ids:
        return ""
    more = f", … ({len(ids)} in all)" if len(ids) > _SHOWN else ""
    return f"instance_ids {which}: {', '.join(ids[:_SHOWN])}{more}"


def _write(out: Path, lines: Iterable[bytes]) -> None:
    """Into a file beside it, which then takes its place; a link stays a link, and the file's mode stays."""
    target = Path(os.path.realpath(out))
    temporary = target.with_name(f".{target.name[:100]}.{uuid4().hex[:8]}.new")
    try:
        mode = _mode(target)
        with temporary.open("xb") as file:
            file.writelines(line + b"\n" for line in lines)
            file.flush()
            os.fsync(file.fileno())
            if mode is not None:
                os.fchmod(file.fileno(), mode)
        temporary.replace(target)
    except OSError as error:
        raise InputError(f"{out}: cannot be written: {error.strerror}") from None
    finally:
        with suppress(OSError):
            temporary.unlink()


def _mode(target: Path) -> int | None:
    """Of the file that is there, if there is one."""
    try:
        status = target.stat()
    except FileNotFoundError:
        if not target.parent.is_dir():
            raise InputError(f"{target.parent}: there is no such directory") from None
        return None
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{target}: not an ordinary file")
    return stat.S_IMODE(status.st_mode)
