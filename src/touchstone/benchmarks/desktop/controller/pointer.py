"""The mouse pointer: where it is and what it looks like, asked of the X server.

The request for its picture belongs to the XFixes extension, which older versions of python-xlib do not speak; it is three
fields long, so it is written out here.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Pointer:
    """A picture in BGRA with its corner on the screen; colours are already multiplied by their opacity."""

    left: int
    top: int
    width: int
    height: int
    picture: bytes


@contextmanager
def screen() -> Generator[Any]:
    """A connection to the X server."""
    (Path.home() / ".Xauthority").touch()
    display: Any = import_module("Xlib.display").Display(os.environ["DISPLAY"])
    try:
        yield display
    finally:
        display.close()


def position(display: Any) -> tuple[int, int]:
    found = display.screen().root.query_pointer()
    return found.root_x, found.root_y


def size(display: Any) -> tuple[int, int]:
    """Asked each time: the screen may have been given another size."""
    geometry = display.screen().root.get_geometry()
    return geometry.width, geometry.height


def window_manager(display: Any) -> bool:
    """Whether one is at work."""
    root = display.screen().root
    return root.get_full_property(display.intern_atom("_NET_SUPPORTING_WM_CHECK"), 0) is not None


def picture(display: Any) -> Pointer | None:
    """None if the server cannot tell."""
    extension = display.query_extension("XFIXES")
    if not extension or not extension.present:
        return None
    ask_version, ask_picture = _requests()
    opcode = extension.major_opcode
    ask_version(display=display.display, opcode=opcode, major=4, minor=0)
    seen = ask_picture(display=display.display, opcode=opcode)
    pixels = struct.pack(f"<{seen.width * seen.height}I", *seen.pixels[: seen.width * seen.height])
    return Pointer(seen.x - seen.x_hot, seen.y - seen.y_hot, seen.width, seen.height, pixels)


def _requests() -> tuple[Any, Any]:
    rq: Any = import_module("Xlib.protocol.rq")

    class AskVersion(rq.ReplyRequest):
        """A client must say which version it speaks before it asks for anything."""

        _request = rq.Struct(rq.Card8("opcode"), rq.Opcode(0), rq.RequestLength(), rq.Card32("major"), rq.Card32("minor"))
        _reply = rq.Struct(
            rq.ReplyCode(),
            rq.Pad(1),
            rq.Card16("sequence_number"),
            rq.ReplyLength(),
            rq.Card32("major"),
            rq.Card32("minor"),
            rq.Pad(16),
        )

    class AskPicture(rq.ReplyRequest):
        _request = rq.Struct(rq.Card8("opcode"), rq.Opcode(4), rq.RequestLength())
        _reply = rq.Struct(
            rq.ReplyCode(),
            rq.Pad(1),
            rq.Card16("sequence_number"),
            rq.ReplyLength(),
            rq.Int16("x"),
            rq.Int16("y"),
            rq.Card16("width"),
            rq.Card16("height"),
            rq.Card16("x_hot"),
            rq.Card16("y_hot"),
            rq.Card32("serial"),
            rq.Pad(8),
            rq.List("pixels", rq.Card32Obj),
        )

    return AskVersion, AskPicture
