"""A video of the screen, by ffmpeg: few pictures a second, one core at low priority, playable up to where it was broken off."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock

from . import pointer

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
            with pointer.screen() as display:
                width, height = pointer.size(display)
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
