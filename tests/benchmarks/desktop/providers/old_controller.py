"""The controller of a published machine, as far as it matters here: no token, no /act, no /ready, folders are not made."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs

from touchstone.benchmarks.desktop.controller.routes import boundary_of, read_form
from touchstone.benchmarks.desktop.controller.screen_endpoints import png

PYAUTOGUI = "FAILSAFE = True\ndef write(text):\n    print('typed', text, FAILSAFE)\n"


class OldController:
    """What it was asked is in `asked`."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.asked: list[str] = []
        self.address = ""
        (home / "pyautogui.py").write_text(PYAUTOGUI)

    def answer(self, handler: BaseHTTPRequestHandler) -> tuple[int, bytes]:
        self.asked.append(handler.path)
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        match handler.path:
            case "/screenshot":
                return 200, png(2, 1, bytes(6))
            case "/screen_size":
                return 200, b'{"width": 1920, "height": 1080}'
            case "/execute" | "/setup/launch":
                return self._run(json.loads(body))
            case "/file":
                return self._file(Path(parse_qs(body.decode())["file_path"][0]))
            case "/setup/upload":
                return self._upload(body, handler.headers["Content-Type"])
            case _:
                return 404, b"<h1>Not Found</h1>"

    def _run(self, asked: dict[str, Any]) -> tuple[int, bytes]:
        try:
            done = subprocess.run(asked["command"], cwd=self.home, capture_output=True, text=True, timeout=60)
        except OSError as error:
            return 500, json.dumps({"status": "error", "message": str(error)}).encode()
        result = {"output": done.stdout, "error": done.stderr, "returncode": done.returncode}
        return 200, json.dumps({"status": "success", **result}).encode()

    def _file(self, path: Path) -> tuple[int, bytes]:
        return (200, path.read_bytes()) if path.is_file() else (404, b"File not found")

    def _upload(self, body: bytes, kind: str) -> tuple[int, bytes]:
        boundary = boundary_of(kind)
        assert boundary
        form = read_form(body, boundary)
        try:
            Path(form.fields["file_path"]).write_bytes(form.files["file_data"])
        except OSError:
            return 500, b"<h1>Internal Server Error</h1>"
        return 200, b"File Uploaded"


@contextmanager
def old_controller(home: Path) -> Iterator[OldController]:
    played = OldController(home)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = played.answer(self)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    played.address = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield played
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
