"""The day that SQL is told it is: `--today`.

Golds that ask for the date were written on some day, and mean something else on another. SQLite's clock is set inside the
worker that runs it (`sqlite/clone.py`) and stands at noon of that day, UTC. PostgreSQL's is libfaketime's around the private
server, and goes on from noon. Hidden tests written in Python get the same day from `set_python_clock`.
"""

from __future__ import annotations

import datetime
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_NOON = datetime.time(12, tzinfo=datetime.UTC)
_PLACES = ("/usr/lib/*/faketime", "/usr/lib/faketime", "/usr/lib64/faketime", "/usr/local/lib/faketime")
_VARIABLE = "TOUCHSTONE_TODAY"
"""Set by a pool for its workers, never read from the user's environment."""
_kept: set[str] = set()
INSTALL = "`apt install libfaketime`, or name the library with TOUCHSTONE_FAKETIME"


def checked_day(text: str | None) -> str | None:
    """The value of an option. Raises OptionError."""
    if text is None:
        return None
    try:
        if len(text) == len("2025-02-19"):
            return datetime.date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    from ..options import OptionError  # here, since workers do not read options, and would start later

    raise OptionError("today", text, "expected a date such as 2025-02-19")


def noon(day: str) -> datetime.datetime:
    return datetime.datetime.combine(datetime.date.fromisoformat(day), _NOON)


def faketime() -> Path | None:
    """libfaketime, if it is installed."""
    own = os.environ.get("TOUCHSTONE_FAKETIME")
    if own:
        return Path(own) if Path(own).is_file() else None
    libraries = [file for folder in _PLACES for file in sorted(Path("/").glob(f"{folder[1:]}/libfaketime.so.1"))]
    return libraries[0] if libraries else None


def server_environment(day: str, library: Path) -> Mapping[str, str]:
    """For a program that is to live on that day from its noon on. Waiting is measured by the real clock."""
    began = f"@{noon(day):%Y-%m-%d %H:%M:%S}"
    return {"LD_PRELOAD": str(library), "FAKETIME": began, "DONT_FAKE_MONOTONIC": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}


def worker_environment(day: str | None) -> Mapping[str, str]:
    """For the workers of a pool."""
    return {} if day is None else {_VARIABLE: day}


def day() -> str | None:
    """In a worker: the day that it lives on, if that is not today's."""
    return os.environ.get(_VARIABLE)


def keep_day() -> None:
    """In a worker: sets SQLite's clock, once, if the pool has a day."""
    from .sqlite.clone import set_clock

    if (today := day()) and today not in _kept:
        _kept.add(today)
        set_clock(noon(today))


def set_python_clock(day: str) -> None:
    """In this process, `datetime` and `time` live on that day. Only for a process that ends with the foreign code in it.

    The classes are those of `datetime` with other clocks; what others make with the original ones is an instance of them too.
    """
    shift = noon(day).timestamp() - time.time()
    real_time = time.time

    class Alike(type):
        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, cls.__mro__[1])

        def __subclasscheck__(cls, other: type) -> bool:
            return issubclass(other, cls.__mro__[1])

    class date(datetime.date, metaclass=Alike):
        @classmethod
        def today(cls) -> Any:
            return cls.fromtimestamp(real_time() + shift)

    real_datetime = datetime.datetime

    class datetime_(datetime.datetime, metaclass=Alike):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Any:
            return real_datetime.fromtimestamp(real_time() + shift, tz)

        @classmethod
        def today(cls) -> Any:
            return real_datetime.fromtimestamp(real_time() + shift)

        @classmethod
        def utcnow(cls) -> Any:
            return real_datetime.fromtimestamp(real_time() + shift, datetime.UTC).replace(tzinfo=None)

    datetime_.__name__ = datetime_.__qualname__ = "datetime"
    time.time = lambda: real_time() + shift
    time.time_ns = lambda: int(time.time() * 1e9)
    local, utc, words, formatted = time.localtime, time.gmtime, time.asctime, time.strftime

    def localtime(seconds: Any = None, /) -> time.struct_time:
        return local(time.time() if seconds is None else seconds)

    def strftime(format: str, moment: Any = None, /) -> str:
        return formatted(format, moment or localtime())

    time.localtime, time.strftime = localtime, strftime
    time.gmtime = lambda seconds=None, /: utc(time.time() if seconds is None else seconds)  # pyright: ignore[reportUnnecessaryComparison]
    time.asctime = lambda moment=None, /: words(moment or localtime())
    time.ctime = lambda seconds=None, /: words(localtime(seconds))
    for name, kind in (("date", date), ("datetime", datetime_)):
        setattr(datetime, name, kind)
