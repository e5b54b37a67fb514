"""Sends the spans of a run to an OTLP collector, and costs the run nothing if there is none.

A thread sends. What it cannot send it keeps, up to a bound, and tries again later; the end of the run waits for it a few
seconds, no more.
"""

from __future__ import annotations

import logging
import re
import time
from collections import deque
from collections.abc import Callable, Sequence
from threading import Condition, Thread

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.sdk.trace.export import SpanExportResult

from .config import OTEL_BY_VARIABLES

_PATH = "/v1/traces"
_KEPT_SPANS, _BATCH = 50_000, 500
_LAST_SECONDS, _LONGEST_PAUSE = 5.0, 30.0
_ANSWER = re.compile(r"code: (\d+), reason: ([^\n]{0,100})")


class SpanSender(SpanProcessor):
    """Sends spans from a thread of its own. (OpenTelemetry's processor starts one in every process that is forked, too, which
    a worker under a filter of system calls would not survive.)"""

    def __init__(self, address: str, failed: Callable[[], None]) -> None:
        self.made = self._sent = 0
        self.complaint = ""
        """Why the last batch was not taken."""
        self._exporter = OTLPSpanExporter(endpoint=_endpoint(address))
        self._log = _LastWords()
        logging.getLogger("opentelemetry").addHandler(self._log)
        self._failed = failed
        self._waiting: deque[ReadableSpan] = deque(maxlen=_KEPT_SPANS)
        self._changed = Condition()
        self._closing = self._told = False
        self._thread = Thread(target=self._work, name="otel", daemon=True)
        self._thread.start()

    def on_end(self, span: ReadableSpan) -> None:
        with self._changed:
            self.made += 1
            self._waiting.append(span)  # past the bound the oldest is let go
            self._changed.notify()

    def close(self) -> int:
        """How many spans were not delivered."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        until = time.monotonic() + _LAST_SECONDS
        while self._thread.is_alive() and time.monotonic() < until:
            self._thread.join(0.1)
            if self._log.complained:  # it is not merely slow
                until = min(until, self._log.complained + 1.0)
        self._exporter.shutdown()  # which also ends its own waiting for a collector
        self._thread.join(1.0)
        logging.getLogger("opentelemetry").removeHandler(self._log)
        return self.made - self._sent

    def _work(self) -> None:
        pause = 1.0
        while batch := self._next_batch():
            last = self._closing
            if self._taken(batch):
                self._sent += len(batch)
                self._log.complained, pause = 0.0, 1.0
                continue
            if last:
                return
            if not self._told and not self._closing:
                self._told = True
                self._failed()
            with self._changed:
                self._waiting.extendleft(reversed(batch[: _KEPT_SPANS - len(self._waiting)]))
                self._changed.wait_for(lambda: self._closing, pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _next_batch(self) -> list[ReadableSpan]:
        """Up to so many; none once it is closed and all are sent."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closing)
            return [self._waiting.popleft() for _ in range(min(_BATCH, len(self._waiting)))]

    def _taken(self, batch: Sequence[ReadableSpan]) -> bool:
        taken = self._exporter.export(batch) is SpanExportResult.SUCCESS
        self.complaint = "" if taken else self._log.why
        return taken


class _LastWords(logging.Handler):
    """Keeps the exporter's complaints from the terminal, and says the last one in our words."""

    why = "nothing answers"
    complained = 0.0
    """When, on the clock that never goes back."""

    def emit(self, record: logging.LogRecord) -> None:
        self.complained = time.monotonic()
        if answer := _ANSWER.search(record.getMessage()):
            self.why = f"it answers {answer[1]} {answer[2]}" if answer[1] != "None" else "nothing answers"


def _endpoint(address: str) -> str | None:
    """Where traces go; None leaves it to the variables. An address without the path of traces is that of the collector."""
    if address == OTEL_BY_VARIABLES:
        return None
    return address if address.endswith(_PATH) else address.rstrip("/") + _PATH
