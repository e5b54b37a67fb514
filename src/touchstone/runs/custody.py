"""Whether the agent of a run could have read the gold: asked before anything is played, and said wherever results are shown.

Both sides are asked, and both may be somebody else's: the benchmark what its gold looks like (`gold()`), the agent whether it
can read that (`gold_reach(gold)`). An agent that does not say runs wherever it likes: it is not confined.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..plugins import returned
from ..protocols import Agent, Benchmark, Gold, GoldReach
from ..types import Outcome

NAME = "gold_reachable"
"""In a run's identity, so that all its records were made in the same way; and in overall.json."""


async def gold_reach(benchmark: Benchmark, agent: Agent) -> GoldReach:
    """Raises InputError if the agent must not run like this."""
    ask = getattr(agent, "gold_reach", None)
    if ask is None:
        return GoldReach("not confined")
    describe = getattr(benchmark, "gold", None)
    gold = describe() if describe is not None else None
    if gold is not None:
        returned(gold, Gold, f"the benchmark '{benchmark.name}': gold()", "Gold")
    return returned(await ask(gold), GoldReach, f"the agent {type(agent).__qualname__}: gold_reach()", "a GoldReach")


def answer_in(config: Mapping[str, Any]) -> dict[str, str]:
    """The answer in a run's configuration, by its name; nothing for a run of before this was asked."""
    identity: Mapping[str, Any] = config.get("identity") or {}
    return {NAME: str(identity[NAME])} if NAME in identity else {}


def comparable(identity: Mapping[str, Any], config: Mapping[str, Any]) -> dict[str, Any]:
    """A run of before nobody asked can be gone on with; it does not say so afterwards either."""
    return {name: value for name, value in identity.items() if name != NAME or NAME in config.get("identity", {})}


def public_reason(outcome: Outcome, reason: str, kind: str) -> str:
    """Why a prediction is wrong says what would be right, so only the kind is told; what became of the agent may be."""
    if outcome is Outcome.failed and kind and kind != "error":
        return f"Not the expected result ({kind.replace('_', ' ')})."
    if outcome is Outcome.passed and kind not in ("", "identical", "same"):
        return f"Passed ({kind.replace('_', ' ')})."
    if outcome is Outcome.unscorable:
        return f"The reference is missing or broken{f' ({kind})' if kind else ''}."
    return reason
