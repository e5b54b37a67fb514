"""What one episode and one exchange with a service may use: every limit on what others send, in one struct.

A budget is spent by the bytes of an agent, a model or a service, so running out of one ends as `limit` (or as `failed`, where
the answer is unusable), never as `error`, and never depends on how busy the machine is; only `seconds` is a clock, set so high
that nothing but a hang reaches it. docs/limits.md is made from the docstrings here. SQL statements: `protocols.Limits`.
"""

from __future__ import annotations

from msgspec import Struct

KIB = 2**10
MIB = 2**20


class Budgets(Struct, frozen=True, kw_only=True):
    """The limits, with what happens at each."""

    calls: int = 1000
    """Tool calls of one episode. One more ends it as `limit`."""
    call_bytes: int = MIB
    """Arguments of one tool call. A longer call is answered with an error instead of being carried out."""
    bytes_in: int = 16 * MIB
    """All that an agent sends in one episode: replies of its model and tool calls. One more byte ends it as `limit`."""
    bytes_out: int = 64 * MIB
    """All text that an agent is shown in one episode by its tools. One more byte ends it as `limit`."""
    seconds: float = 86_400.0
    """Wall time of one episode, against what hangs. Then it ends as `limit`."""
    kept_text: int = 256 * KIB
    """Characters of one text in a record. A longer one is cut, and its full length and digest are kept."""
    record_bytes: int = 8 * MIB
    """The conversation in one record. Beyond it, texts are cut to 200 characters, with their full lengths and digests."""
    answer_wire_bytes: int = 16 * MIB
    """One answer of a service as it is sent. A longer one is not read to its end: `limit` for a model, `failed` for a service
    under test."""
    answer_bytes: int = 16 * MIB
    """The same after decompression, which stops there."""


BUDGETS = Budgets()


def in_words(size: int) -> str:
    return f"{size // MIB} MB" if size >= MIB and size % MIB == 0 else f"{size:,} bytes"
