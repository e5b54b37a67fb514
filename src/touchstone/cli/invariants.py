"""`touchstone invariants`: what holds in a database, and so in each small database that a proof makes."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from cyclopts import Parameter

from ..distribution import refuse_without
from ..engines.cache import Cache, default_path
from ..errors import InputError, Unscorable
from ..terminal import one_line

if TYPE_CHECKING:
    from ..proof import Invariant


def invariants(
    database: Path, *, laws: Path | None = None, json: Annotated[bool, Parameter(name="--json", negative="")] = False
) -> int:
    """Print what holds in a SQLite database: declared keys, and what its rows show.

    Parameters
    ----------
    database
        A SQLite file. It is only read.
    laws
        A TOML file that adds and forbids some, see docs/proof.md.
    json
        Print a JSON list instead, each with its kind, its fields and a sentence.
    """
    refuse_without("sqlglot", "touchstone invariants", "proof")
    mined = _found(database, laws)
    from ..proof import kind_of

    if json:
        listed = [{"kind": kind_of(law), **_fields(law), "sentence": str(law)} for law in mined]
        print(msgspec.json.format(msgspec.json.encode(listed), indent=1).decode())
        return 0
    for law in mined:
        print(f"{kind_of(law):<16} {one_line(str(law))}")
    print(f"{len(mined):,} invariants")
    return 0


def _found(database: Path, laws: Path | None) -> Sequence[Invariant]:
    from ..proof import Source, amended, mine

    try:
        with closing(Cache(default_path())) as cache, closing(Source(database)) as source:
            mined = mine(source, cache)
            return mined if laws is None else amended(mined, laws, source)
    except Unscorable as error:
        raise InputError(str(error)) from None
    except sqlite3.Error as error:
        raise InputError(f"{database}: cannot be read: {error}") from None


def _fields(law: Invariant) -> dict[str, Any]:
    return {name: value for name, value in msgspec.structs.asdict(law).items() if value is not None}
