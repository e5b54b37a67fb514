"""overall.json as a page of text: what the terminal shows at the end and summary.txt keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..phrases import clipped
from ..terminal import clean, one_line
from ..types import Usage

_RULE = "=" * 64
_ORDER = {name: position for position, name in enumerate(("simple", "moderate", "challenging"))}
_MEANING = {
    "limit": "counted as failed: turns, context or time ran out",
    "error": "counted: the model or our machinery failed; a resume tries again",
    "unscorable": "not counted: the reference is missing or broken",
    "skipped": "not counted: cannot be run here",
}


def summary_text(title: str, overall: Mapping[str, Any], versions: Mapping[str, str]) -> str:
    lines = [_RULE, one_line(title), _RULE, *_totals(overall), *_corrections(overall), *_proof(overall), *_apart(overall)]
    for name, shares in overall.items():
        if name.startswith("by_") and len(shares) > 1:
            lines += ["", f"By {name.removeprefix('by_')}:", *_shares(shares)]
    lines += [*_failures(overall), *_metrics(overall), "", *_effort(overall)]
    if reach := overall.get("gold_reachable"):
        lines += [f"Gold reachable by the agent: {reach}"]
    lines += ["Made with:        " + ", ".join(f"{name} {version}" for name, version in versions.items()), _RULE]
    return clean("\n".join(lines)) + "\n"


REFUTED = "refuted: the queries differ on a small database; it does not say which is wrong"


def proof_shares(counts: Mapping[str, int], n: int) -> str:
    """EX as a share of all, and what becomes of it as shares of those that are right by EX."""
    right = counts["ex_passed"]
    refuted, undecided = (f"{100 * counts[word] / right:.1f}" for word in ("refuted", "open"))
    return f"EX {100 * right / n:.1f}, of these refuted {refuted}, open {undecided}"


def proof_counts(counts: Mapping[str, int]) -> str:
    words = ", ".join(f"{counts[word]} {word}" for word in ("same", "upheld", "refuted", "open"))
    return f"of the {counts['ex_passed']} right by EX: {words}"


def percent(share: Mapping[str, Any]) -> str:
    """Accuracy with its interval, or a dash where nothing was counted."""
    if share["accuracy"] is None:
        return "     –"
    low, high = share["interval"]
    return f"{100 * share['accuracy']:5.1f}%  (95%: {100 * low:.1f} to {100 * high:.1f})"


def money(cost: float | None) -> str:
    return "unknown" if cost is None else f"${cost:,.4f}" if cost < 1 else f"${cost:,.2f}"


def _totals(overall: Mapping[str, Any]) -> Iterator[str]:
    share = overall["overall"]
    episodes = "" if overall["tasks"] == overall["total"] else f" ({overall['total']} attempts)"
    yield f"Total tasks:      {overall['tasks']}{episodes}"
    yield f"Passed:           {share['passed']}"
    yield f"Failed:           {share['not_passed']}"
    yield f"Accuracy:         {percent(share).strip()}, n = {share['total']}"
    score = overall["score"]
    graded = "phase_1" in overall["metrics"]  # then what a task is worth is of interest even where all is won, or nothing
    if score is not None and share["accuracy"] is not None and (graded or abs(score - share["accuracy"]) > 1e-12):
        yield f"Mean score:       {score:.4f}  (normalised: {100 * score:.2f})"


def _corrections(overall: Mapping[str, Any]) -> Iterator[str]:
    metrics = overall["metrics"]
    if "ex_published" in metrics and "ex" in metrics:
        both = f"EX {100 * metrics['ex']:.1f}, by the published golds {100 * metrics['ex_published']:.1f}"
        yield f"With corrections: {both}  (in percent, n = {overall['overall']['total']})"


def _proof(overall: Mapping[str, Any]) -> Iterator[str]:
    """Beside EX, never instead of it."""
    if counts := overall.get("proof"):
        n = overall["overall"]["total"]
        yield f"With proof:       {proof_shares(counts, n)}  (in percent, n = {n})"
        yield f"                  {proof_counts(counts)}"
        yield f"                  {REFUTED}"


def _apart(overall: Mapping[str, Any]) -> Iterator[str]:
    for outcome, meaning in _MEANING.items():
        count = overall["outcomes"][outcome]
        if count:
            yield f"{outcome.capitalize() + ':':<18}{count}  ({meaning})"
            reasons = overall["reasons"][outcome]
            for reason, number in list(reasons.items())[:3]:
                yield f"  {number:>4} × {_short(reason)}"
            if len(reasons) > 3:
                yield f"         and {len(reasons) - 3} more reasons"


def _shares(shares: Mapping[str, Any]) -> Iterator[str]:
    width = max(map(len, shares))
    for name, share in sorted(shares.items(), key=lambda item: (_ORDER.get(item[0], 9), item[0])):
        left_out = f"  + {share['left_out']} not counted" if share["left_out"] else ""
        yield f"  {one_line(name):<{width}}  {share['passed']:>4} / {share['total']:<4} {percent(share)}{left_out}"


def _failures(overall: Mapping[str, Any]) -> Iterator[str]:
    kinds = overall["failed_because"]
    if kinds:
        yield ""
        yield "Failed because:"
        for kind, count in kinds.items():
            points = f"{100 * count / overall['overall']['total']:.1f}"
            yield f"  {count:>4} × {one_line(kind.replace('_', ' '))}  ({points} points)"


def _metrics(overall: Mapping[str, Any]) -> Iterator[str]:
    if overall["metrics"]:
        yield ""
        yield "Mean of each metric over the counted tasks:"
        width = max(10, *map(len, overall["metrics"]))
        for name, value in overall["metrics"].items():
            n = overall.get("metrics_n", {}).get(name)
            yield f"  {name:<{width}} {value:.4f}" + ("" if n is None else f"  n = {n}")


def _effort(overall: Mapping[str, Any]) -> Iterator[str]:
    if latency := overall.get("service_seconds"):
        shown = ", ".join(f"{name} {latency[name]:.2f}" for name in ("p50", "p90", "p99", "max"))
        yield f"Service, seconds: {shown}  (n = {latency['n']})"
    usage = overall["usage"]
    if usage.calls:
        yield f"Model calls:      {_calls(usage)}"
        yield f"Cost:             {money(usage.cost)}"
    for who, consumed in overall.get("usage_by", {}).items():
        if consumed.calls:
            yield f"{f'The {who}:':<18}{_calls(consumed)}, cost {money(consumed.cost)}"


def _calls(usage: Usage) -> str:
    uncounted = f" ({usage.uncounted:,} calls without a count)" if usage.uncounted else ""
    reused = f" ({usage.reused:,} from the reply cache, free)" if usage.reused else ""
    return f"{usage.calls:,}{reused}, {usage.input_tokens:,} tokens in, {usage.output_tokens:,} out{uncounted}"


def _short(reason: str) -> str:
    return clipped(one_line(reason), 100)
