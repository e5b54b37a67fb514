"""What a trainer pays for an episode, and how an answer that is plain text becomes a submission.

    reward    what an episode pays
    pass      1 if the verdict is passed, else 0
    score     the benchmark's score; benchmarks of several phases pay as each is passed
    soft-f1   the share of cells that agree (BIRD's Soft-F1); pass or fail where a benchmark has no such metric
    proof     as pass, but an answer that a small database tells from the gold pays `refuted_reward`

Nobody is paid where nothing can be learnt: a gold that fails, that returns no row or nothing but NULL, and failures of ours or
of a service pay 0 and are marked as not usable, so that a trainer can leave the sample out. Everything else that an agent sends
is its own affair: text without SQL, endless or over-long answers pay 0, and are usable.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Struct

from ..errors import InputError
from ..foreign import whole
from ..options import NotNegative, Opt, OptionError, Options
from ..protocols import Benchmark
from ..types import Outcome, PartialScore, Tool, ToolCall, Verdict

REWARDS = "Rewards"
LONGEST_ANSWER = 2**20
"""Bytes of an answer in text; a longer one is not looked at."""

# Each of these takes time in proportion to the text: an answer is an adversary's, and is read where everybody is served.
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL | re.IGNORECASE)
_THINKING = re.compile(r"<(/?)think>", re.IGNORECASE)
_TAG = re.compile(r"<(/?)(\w{1,100})>")
_FENCED = re.compile(r"```[ \t]*(?:sql\w*[ \t]*)?\n(.*?)```", re.DOTALL | re.IGNORECASE)
_BARE = re.compile(r"\s*(?:--[^\n]*\n\s*)*(?:SELECT|WITH)\b", re.IGNORECASE)


class RewardOptions(Options, frozen=True, kw_only=True):
    """What is paid."""

    reward: Annotated[Literal["pass", "score", "soft-f1", "proof"], Opt(group=REWARDS)] = "pass"
    """What an episode pays: pass or fail, the benchmark's score, Soft-F1, or pass with proof (needs --suite or --proof)."""
    refuted_reward: Annotated[NotNegative, Opt(group=REWARDS)] = 0.1
    """With --reward proof: what an answer pays that is right by EX and that a small database refutes."""
    format_penalty: Annotated[NotNegative, Opt(group=REWARDS)] = 0.0
    """Taken off the reward for each call or answer that cannot be read. Off by default, since it is shaping."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.refuted_reward > 1:
            raise OptionError("refuted_reward", self.refuted_reward, "expected at most 1, which a proven answer pays")

    async def refuse_misfit(self, benchmark: Benchmark) -> None:
        """Proof must be part of the verdicts, else every pass would pay in full."""
        if self.reward == "proof" and "proof" not in await benchmark.identity():
            raise InputError("--reward proof pays by small databases: give --suite (fast) or --proof (a search) with it")


class Payment(Struct, frozen=True):
    """What a verdict is worth."""

    reward: float
    usable: bool = True
    """Whether the reward says something about the agent."""
    why: str = ""
    """Why it is not usable: unscorable, empty_gold, error, skipped."""


def payment(judged: Verdict | PartialScore, options: RewardOptions, unreadable: int = 0) -> Payment:
    """What an episode pays in all, at its end or so far; `unreadable` is how many of its calls could not be read."""
    if isinstance(judged, Verdict) and judged.outcome in (Outcome.unscorable, Outcome.error, Outcome.skipped):
        return Payment(0.0, False, judged.outcome.value)
    if judged.evidence.get("gold_rows") == 0 or judged.evidence.get("gold_is_null"):
        return Payment(0.0, False, "empty_gold")
    return Payment(_worth(judged, options) - options.format_penalty * unreadable)


def _worth(judged: Verdict | PartialScore, options: RewardOptions) -> float:
    metrics = judged.metrics
    if options.reward == "score":
        return judged.score
    if isinstance(judged, PartialScore):
        return 0.0
    if options.reward == "soft-f1" and "soft_f1" in metrics:
        return metrics["soft_f1"]
    if options.reward == "proof" and "proven" in metrics and metrics.get("ex") == 1:
        proof: dict[str, Any] = judged.evidence.get("proof", {})
        return options.refuted_reward if proof.get("verdict") == "refuted" else 1.0
    return float(judged.outcome is Outcome.passed)


def answer_in(text: str) -> str | None:
    """The SQL in an answer that is text: what <solution> or <answer> holds, else the last block marked as code, else all of it
    if it begins as a query does. Thoughts do not count, and whoever never stops thinking has not answered."""
    if len(text) > LONGEST_ANSWER:
        return None
    spoken = whole(text)
    marks = _THINKING.findall(spoken)
    if marks and marks[-1] == "":
        return None
    spoken = _THOUGHT.sub("", spoken)
    if marked := within_tags(spoken, ("solution", "answer")):
        spoken = marked[1]
    if blocks := [block.strip() for block in _FENCED.findall(spoken) if block.strip()]:
        return blocks[-1]
    return spoken.strip() if (marked and spoken.strip()) or _BARE.match(spoken) else None


def within_tags(text: str, names: Collection[str]) -> tuple[str, str] | None:
    """The last pair of tags with one of these names: its name, and what stands between them."""
    opened: dict[str, int] = {}
    last: tuple[str, str] | None = None
    for tag in _TAG.finditer(text):
        closing, name = tag[1], tag[2].lower()
        if name not in names:
            continue
        if not closing:
            opened[name] = tag.end()
        elif name in opened:
            last = name, text[opened.pop(name) : tag.start()]
    return last


def is_submission(name: str) -> bool:
    """Whether a tool of this name hands in an answer."""
    return name.startswith("submit")


def submission_tool(tools: Sequence[Tool]) -> Tool | None:
    """The tool that hands in an answer, if it takes one text."""
    taking = [tool for tool in tools if is_submission(tool.name) and len(tool.arguments.__struct_fields__) == 1]
    return taking[-1] if taking else None


def submission_of(text: str, tools: Sequence[Tool]) -> ToolCall | None:
    """The call that hands in what a text answers; None if it answers nothing, or nothing can be handed in so."""
    tool, answer = submission_tool(tools), answer_in(text)
    if tool is None or answer is None:
        return None
    field = tool.arguments.__struct_fields__[0]
    return ToolCall("answer", tool.name, msgspec.json.encode({field: answer}).decode())
