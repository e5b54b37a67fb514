"""The mouse pointer: where it is and what it looks like, asked of the X server.

Its picture belongs to the XFixes extension, which the system's python-xlib speaks. pyautogui brings an old fork of that library
(python3-Xlib 0.15), which does not; it would be found first, so the system's is asked for by its place.
"""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock
from typing import Any

_SYSTEM = "/usr/lib/python3/dist-packages"


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
    display: Any = _library().Display(os.environ["DISPLAY"])
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
    """None if the server or the library cannot tell."""
    if not (hasattr(display, "xfixes_get_cursor_image") and display.has_extension("XFIXES")):
        return None
    display.xfixes_query_version()  # a client must say which version it speaks before it asks for anything
    seen = display.xfixes_get_cursor_image(display.screen().root)
    pixels = struct.pack(f"<{seen.width * seen.height}I", *seen.cursor_image[: seen.width * seen.height])
    return Pointer(seen.x - seen.xhot, seen.y - seen.yhot, seen.width, seen.height, pixels)


@cache
def _library() -> Any:
    sys.path.insert(0, _SYSTEM)
    try:
        return import_module("Xlib.display")
    finally:
        sys.path.remove(_SYSTEM)


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
