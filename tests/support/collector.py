"""A real OTLP receiver on this machine: takes what exporters post to /v1/traces, and misbehaves on request."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest, ExportTraceServiceResponse
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span


class Collector:
    """`status` is what it answers; `answers` lets a test hold every answer back, `refused` wait for the first refusal."""

    def __init__(self, status: int = 200, port: int = 0) -> None:
        self.requests: list[ExportTraceServiceRequest] = []
        self.headers: list[Mapping[str, str]] = []
        self.paths: list[str] = []
        self.status = status
        self.answers = threading.Event()
        self.answers.set()
        self.refused = threading.Event()
        self.raw = b""
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.answers.wait(60)
                if receiver.status == 200:
                    receiver.take(self.path, dict(self.headers), body)
                else:
                    receiver.refused.set()
                self.send_response(receiver.status)
                self.send_header("Content-Type", "application/x-protobuf")
                self.end_headers()
                self.wfile.write(ExportTraceServiceResponse().SerializeToString())

            def log_message(self, *_: Any) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def take(self, path: str, headers: Mapping[str, str], body: bytes) -> None:
        body = gzip.decompress(body) if headers.get("Content-Encoding") == "gzip" else body
        self.raw += body
        self.paths.append(path)
        self.headers.append(headers)
        self.requests.append(ExportTraceServiceRequest.FromString(body))

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.answers.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def spans(self) -> list[Span]:
        return list(self._spans())

    def _spans(self) -> Iterator[Span]:
        for request in self.requests:
            for resource in request.resource_spans:
                for scope in resource.scope_spans:
                    yield from scope.spans

    @property
    def resource(self) -> dict[str, Any]:
        return attributes(self.requests[0].resource_spans[0].resource)

    def named(self, name: str) -> list[Span]:
        """Spans whose name begins so."""
        return [span for span in self.spans if span.name.startswith(name)]


def attributes(holder: Any) -> dict[str, Any]:
    """Of a span, an event or a resource."""
    return {pair.key: _value(pair.value) for pair in holder.attributes}


def _value(value: AnyValue) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(each) for each in value.array_value.values]
    return getattr(value, str(kind))
