"""PostgreSQL's errors, as an agent is told them: the message, what goes with it, and where in the text it is."""

from __future__ import annotations

from psycopg.pq import DiagnosticField as Field
from psycopg.pq.abc import PGresult

from ...failures import SqlError, SqlFault
from ...protocols import Limits
from .messages import Seat

_READ_ONLY = b"25006"
_INSIDE_A_TRANSACTION = b"25001"
_NO_PRIVILEGE = b"42501"
_SYNTAX = b"42601"
_PARAMETERS = b"08P01"
_CANCELED = b"57014"
_ENDED = (b"57P01", b"57P02", b"57P03", b"57P04", b"57P05")
_RESOURCES = b"53"
_PARSER = b"exec_parse_message"
"""The server's function that refuses several statements at once; its message may be in any language."""


def is_connection_end(result: PGresult) -> bool:
    """An error without a code is one of the client's own: the server is gone."""
    return _state(result) in (*_ENDED, b"")


def is_out_of_memory(result: PGresult) -> bool:
    """Here, in the client, while it reads."""
    return not _state(result) and b"memory" in (result.error_message or b"")


def is_more_than_reading(result: PGresult) -> bool:
    """Refused by a read-only transaction, for a right that one has in a private copy, or by the protocol for one statement."""
    if _state(result) in (_READ_ONLY, _NO_PRIVILEGE, _INSIDE_A_TRANSACTION, _PARAMETERS):
        return True
    return _state(result) == _SYNTAX and result.error_field(Field.SOURCE_FUNCTION) == _PARSER


def explain(result: PGresult, sql: str, seat: Seat, limits: Limits) -> SqlError:
    code = _state(result)
    if code == _CANCELED:
        return late(limits)
    lines = [_text(result, Field.MESSAGE_PRIMARY) + _place(result, sql)]
    for title, field in (("Detail", Field.MESSAGE_DETAIL), ("Hint", Field.MESSAGE_HINT)):
        if text := _text(result, field):
            lines.append(f"{title}: {text}")
    return SqlError(_kind(code), in_their_words("\n".join(lines), seat))


def late(limits: Limits) -> SqlError:
    return SqlError("time", f"The query was stopped after {limits.seconds:g} seconds, its time limit.")


def too_large() -> SqlError:
    return SqlError("memory", "The result needs too much memory.")


def _state(result: PGresult) -> bytes:
    return result.error_field(Field.SQLSTATE) or b""


def _kind(code: bytes) -> SqlFault:
    if code == _NO_PRIVILEGE:
        return "refused"
    return "memory" if code.startswith(_RESOURCES) else "sql"


def _place(result: PGresult, sql: str) -> str:
    position = _text(result, Field.STATEMENT_POSITION)
    if not position:
        return ""
    before = sql[: int(position) - 1]
    return f" (line {before.count(chr(10)) + 1}, column {len(before) - before.rfind(chr(10))})"


def _text(result: PGresult, field: Field) -> str:
    return (result.error_field(field) or b"").decode(errors="backslashreplace")


def in_their_words(text: str, seat: Seat) -> str:
    """Without the names that are ours."""
    return text.replace(seat.database, seat.shown_as).replace(seat.role, "agent").replace(seat.owner, "agent")
