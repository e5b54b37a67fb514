"""One sentence that says what makes the difference on a refuting database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..values import Table
from ..verdicts.explain import explain

if TYPE_CHECKING:
    from .judge import Search


def what_decides(search: Search, gold: list[tuple[Any, ...]], prediction: list[tuple[Any, ...]]) -> str:
    return explain(Table((), gold), Table((), prediction)).sentence
