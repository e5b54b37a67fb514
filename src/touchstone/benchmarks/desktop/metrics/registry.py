"""Where the metrics are listed."""

from __future__ import annotations

from collections.abc import Callable

from ..judgement import Judgement
from ..registry import Registry

METRICS: Registry[Callable[..., Judgement]] = Registry("metric")
