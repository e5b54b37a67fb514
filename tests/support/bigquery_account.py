"""What an emulator of BigQuery lacks: rights, and what a query costs.

A server in front of one speaks the service's own protocol and passes all else on. It answers testIamPermissions, tells what a
query would read (dry run) and did read, and ends a job that reads more than maximumBytesBilled as the service does.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import httpx


class BigqueryAccount:
    """`rights` are what these credentials have on tables; `estimate` and `billed` are the bytes of every query."""

    def __init__(self, emulator: str) -> None:
        self.rights: set[str] = {"bigquery.tables.getData", "bigquery.tables.get"}
        self.estimate = self.billed = 1_000
        self.asked_for_rights: list[list[str]] = []
        self.ran: list[str] = []
        """Queries that were not dry runs."""
        self._emulator = httpx.Client(base_url=emulator, timeout=60)
        account = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                status, found = account.answer(self.command, self.path, body)
                content = json.dumps(found).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_DELETE = do_PUT = do_PATCH = answer

            def log_message(self, *_: Any) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._emulator.close()

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, Any]:
        if path.partition("?")[0].endswith(":testIamPermissions"):
            wanted: list[str] = json.loads(body)["permissions"]
            self.asked_for_rights.append(wanted)
            held = [right for right in wanted if right in self.rights]
            return 200, {"permissions": held} if held else {}
        asked = json.loads(body) if body else {}
        query = asked.get("configuration", {}).get("query", {})
        dry = bool(asked.get("configuration", {}).get("dryRun"))
        if method == "POST" and query and not dry:
            self.ran.append(query["query"])
            most = int(query.get("maximumBytesBilled") or 0)
            if most and self.billed > most:
                return 400, _error(f"Query exceeded limit for bytes billed: {most}. {self.billed} or higher required.")
        response = self._emulator.request(method, path, content=body, headers={"Content-Type": "application/json"})
        found = response.json() if response.content else {}
        if "statistics" in found and response.status_code == 200:
            self._count(found["statistics"], dry or bool(found.get("configuration", {}).get("dryRun")))
        return response.status_code, found

    def _count(self, statistics: dict[str, Any], dry: bool) -> None:
        size = str(self.estimate if dry else self.billed)
        statistics["totalBytesProcessed"] = size
        of_query = statistics.setdefault("query", {})
        of_query["totalBytesProcessed"] = size
        if not dry:
            of_query["totalBytesBilled"] = size


def _error(message: str) -> dict[str, Any]:
    reason = {"message": message, "domain": "global", "reason": "bytesBilledLimitExceeded"}
    return {"error": {"code": 400, "message": message, "errors": [reason], "status": "INVALID_ARGUMENT"}}
