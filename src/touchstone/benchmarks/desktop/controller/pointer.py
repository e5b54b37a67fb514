"""The mouse pointer: where it is and what it looks like, asked of the X server.

The request for its picture belongs to the XFixes extension, which older versions of python-xlib do not speak; it is three
fields long, so it is written out here.
"""

from __future__ import annotations

import os
import signal
import struct
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock
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
    pointer = display.screen().root.query_pointer()
    return pointer.root_x, pointer.root_y


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


# A video of the screen, by ffmpeg: few pictures a second, one core at low priority, playable up to where it was broken off.


RATE = 5
LONGEST, LARGEST = 4 * 3600, 1 << 30
_END = 15.0


class Recorder:
    """One video at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._file = Path(mkdtemp(prefix="recording-")) / "recording.mp4"

    def start(self) -> bool:
        """False if one is running."""
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                return False
            with screen() as display:
                width, height = size(display)
            self._file.unlink(missing_ok=True)
            words = ["nice", "-n", "10", *_command(width, height, self._file)]
            self._process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
            )
            return True

    def stop(self) -> Path | None:
        """The video, if there is one."""
        with self._lock:
            if self._process is not None:
                self._process.send_signal(signal.SIGINT)
                try:
                    self._process.wait(_END)
                except subprocess.TimeoutExpired:
                    self._process.kill()
                    self._process.wait()
                self._process = None
        return self._file if self._file.is_file() and self._file.stat().st_size else None


def _command(width: int, height: int, file: Path) -> list[str]:
    """Both sides are even, as the format wants them."""
    source = f"-f x11grab -draw_mouse 1 -framerate {RATE} -video_size {width & ~1}x{height & ~1} -i {os.environ['DISPLAY']}"
    form = f"-c:v libx264 -preset ultrafast -crf 28 -threads 1 -g {5 * RATE} -pix_fmt yuv420p"
    limits = f"-t {LONGEST} -fs {LARGEST} -movflags +frag_keyframe+empty_moov+default_base_moof -y"
    return ["ffmpeg", "-loglevel", "error", *source.split(), *form.split(), *limits.split(), str(file)]
