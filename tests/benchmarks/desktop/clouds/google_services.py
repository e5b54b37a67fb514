"""Google's token service and Drive's interface (version 2), as far as the steps and getters use them, on this machine."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from .internet import Internet

FOLDER = "application/vnd.google-apps.folder"
SHEET = "application/vnd.google-apps.spreadsheet"
REFRESH = "consent-of-owner"
PAGE = 2
"""So few at a time, that lists have pages."""
NOT_A_FILE = {"error": {"code": 403, "errors": [{"reason": "fileNotDownloadable"}]}}
"""Drive's own kinds have no content but what they are exported to."""
TERM = re.compile(r"'((?:[^'\\]|\\.)*)' in parents|(title|mimeType) = '((?:[^'\\]|\\.)*)'|(trashed) = false")


@dataclass
class DriveFile:
    id: str
    title: str
    mimeType: str
    parent: str
    content: bytes = b""
    exports: dict[str, bytes] = field(default_factory=dict[str, bytes])
    trashed: bool = False


class Google(ThreadingHTTPServer):
    """Both services of one owner."""

    daemon_threads = True

    def __init__(self, internet: Internet) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.socket = internet.secured().wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        names = ("www.googleapis.com", "oauth2.googleapis.com", "iamcredentials.googleapis.com")
        internet.places |= dict.fromkeys(names, self.server_port)
        self.files: list[DriveFile] = []
        self.grants: list[dict[str, str]] = []
        """What was shown to get a token."""

    def add(self, title: str, kind: str = "text/plain", parent: str = "root", **more: Any) -> DriveFile:
        file = DriveFile(f"id-{len(self.files)}", title, kind, parent, **more)
        self.files.append(file)
        return file

    def tree(self, parent: str = "root") -> dict[str, Any]:
        """Names and contents, as a person sees them."""
        mine = [file for file in self.files if file.parent == parent and not file.trashed]
        return {file.title: self.tree(file.id) if file.mimeType == FOLDER else file.content for file in mine}

    def found(self, query: str) -> list[DriveFile]:
        """All terms of a query hold; terms that are not understood are an error, as they are there."""
        files = list(self.files)
        for term in query.split(" and ") if query else []:
            match = TERM.fullmatch(term)
            if match is None:
                raise ValueError(term)
            parent, key, value, _ = match.groups()
            if parent is not None:
                files = [file for file in files if file.parent == parent]
            elif key is not None:
                files = [file for file in files if getattr(file, key) == re.sub(r"\\(.)", r"\1", value)]
            else:
                files = [file for file in files if not file.trashed]
        return files


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Google  # pyright: ignore

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(address.query).items()}
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if address.path == "/token":
            self._token({name: values[0] for name, values in parse_qs(body.decode()).items()})
        elif address.path.endswith("/allowedLocations"):
            self._answer({"locations": [], "encodedLocations": "0x0"})
        elif self.headers.get("Authorization") != f"Bearer token-for-{REFRESH}":
            self._answer({"error": {"code": 401}}, 401)
        else:
            self._drive(address.path.removeprefix("/upload").removeprefix("/drive/v2/files").strip("/"), query, body)

    do_POST = do_PUT = do_DELETE = do_GET

    def _token(self, grant: dict[str, str]) -> None:
        self.server.grants.append(grant)
        self._answer({"access_token": f"token-for-{grant.get('refresh_token')}", "expires_in": 3600, "token_type": "Bearer"})

    def _drive(self, rest: str, query: dict[str, str], body: bytes) -> None:
        id, _, verb = rest.partition("/")
        if not id:
            return self._list(query) if self.command == "GET" else self._create(json.loads(body), query)
        file = next((file for file in self.server.files if file.id == id), None)
        if file is None:
            return self._answer({"error": {"code": 404, "message": f"File not found: {id}"}}, 404)
        if self.command == "DELETE":
            self.server.files.remove(file)
            return self._answer(None, 204)
        if self.command == "PUT":
            file.content = body
        elif verb == "trash":
            file.trashed = True
        elif verb == "export":
            return self._answer(file.exports[query["mimeType"]])
        elif query.get("alt") == "media":
            return self._answer(NOT_A_FILE, 403) if file.exports else self._answer(file.content)
        return self._answer(self._shown(file))

    def _list(self, query: dict[str, str]) -> None:
        files, start = self.server.found(query.get("q", "")), int(query.get("pageToken", 0))
        more = {"nextPageToken": str(start + PAGE)} if len(files) > start + PAGE else {}
        self._answer({"items": [self._shown(file) for file in files[start : start + PAGE]], **more})

    def _create(self, form: dict[str, Any], query: dict[str, str]) -> None:
        parents = form.get("parents") or [{"id": "root"}]
        file = self.server.add(form["title"], form.get("mimeType", "application/octet-stream"), parents[0]["id"])
        resumable = {"Location": f"https://www.googleapis.com/upload/drive/v2/files/{file.id}"}
        self._answer(self._shown(file), headers=resumable if query.get("uploadType") == "resumable" else {})

    def _shown(self, file: DriveFile) -> dict[str, Any]:
        shown = {"id": file.id, "title": file.title, "mimeType": file.mimeType, "parents": [{"id": file.parent}]}
        return {**shown, "labels": {"trashed": file.trashed}}

    def _answer(self, answer: Any, status: int = 200, headers: dict[str, str] | None = None) -> None:
        content = answer if isinstance(answer, bytes) else b"" if answer is None else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        pass
