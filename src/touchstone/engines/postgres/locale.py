"""How a private server sorts: as the published one does, whose locale is en_US.utf8.

Where the system does not have that locale, ICU's en-US stands in for it: it orders letters, case and accents alike. A server
that was built without ICU, or is older than 15, is left with the order of code points. The run says which it is.
"""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

from msgspec import Struct

from ...options import OptionError
from .binaries import Binaries

PUBLISHED = "en_US.utf8"
_ICU = "icu:"
_OLDEST_WITH_ICU = 15
_LC_ALL_MASK = 8127  # of glibc: every category
_LACKS_ICU = b"ICU is not supported in this build"


class Locale(Struct, frozen=True):
    """A locale that a cluster can be made with."""

    name: str
    """For people: en_US.utf8, ICU en-US, C.UTF-8."""
    options: list[str]
    """Of initdb."""


def locale_for(wanted: str | None, programs: Binaries) -> Locale:
    """Raises InputError if what was asked for cannot be had; without a wish the best of what there is."""
    if wanted is None:
        return _known(PUBLISHED) or _icu("en-US", programs) or _code_points()
    if wanted in ("", _ICU):
        raise OptionError("locale", wanted, "expected a locale of the system, or one of ICU's such as icu:en-US")
    if wanted.startswith(_ICU):
        known = _icu(wanted.removeprefix(_ICU), programs)
        why = f"PostgreSQL {programs.major} in {programs.directory} cannot do that; version 15 or later, built with ICU, can"
    else:
        known, why = _known(wanted), "the system has no such locale (see `locale -a`); icu:en-US needs none"
    if known is None:
        raise OptionError("locale", wanted, why)
    return known


def _known(name: str) -> Locale | None:
    return Locale(name, [f"--locale={name}"]) if _system_has(name) else None


def _icu(name: str, programs: Binaries) -> Locale | None:
    if programs.major < _OLDEST_WITH_ICU or not _has_icu(programs.directory):
        return None
    return Locale(f"ICU {name}", [*_code_points().options, "--locale-provider=icu", f"--icu-locale={name}"])


def _code_points() -> Locale:
    """And letters beyond ASCII where the system knows them."""
    return _known("C.UTF-8") or Locale("C", ["--locale=C"])


def _system_has(name: str) -> bool:
    """Asked without changing this process's own."""
    libc = ctypes.CDLL(None)
    libc.newlocale.restype = ctypes.c_void_p
    libc.newlocale.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p]
    libc.freelocale.argtypes = [ctypes.c_void_p]
    handle = libc.newlocale(_LC_ALL_MASK, name.encode(), None)
    if handle:
        libc.freelocale(handle)
    return bool(handle)


@cache
def _has_icu(directory: Path) -> bool:
    """A server without it has a message that says so."""
    return _LACKS_ICU not in (directory / "postgres").read_bytes()
