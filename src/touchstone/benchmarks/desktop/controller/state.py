"""What the endpoints share."""

from __future__ import annotations

from dataclasses import dataclass, field

from .pointer import Recorder
from .workers import Worker


@dataclass(frozen=True)
class State:
    input_worker: Worker = field(default_factory=lambda: Worker("input_worker"))
    tree: Worker = field(default_factory=lambda: Worker("tree"))
    recorder: Recorder = field(default_factory=Recorder)
