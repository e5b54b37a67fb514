"""A comparison as a page of text for the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ...phrases import clipped
from ...runs.summary import money, proof_counts, proof_shares
from .results import Comparison, Flip, Measure, Power, RunPair, RunSummary, Side
from .runs import in_words

# How numbers and texts are written on the terminal.


def percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def points(difference: float) -> str:
    return f"{_no_minus_zero(100 * difference, 1):+.1f}"


def signed(difference: float) -> str:
    return f"{_no_minus_zero(difference, 4):+.4f}"


def p_value(p: float | None) -> str:
    if p is None:
        return "–"
    return f"{p:.3f}" if p >= 0.001 else f"{p:.1e}"


def one_line(text: str, longest: int = 200) -> str:
    """Models write what they like, also what would move the cursor: only printable characters pass."""
    plain = "".join(char if char.isprintable() else " " for char in text)
    return clipped(" ".join(plain.split()), longest)


def grid(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> Iterator[str]:
    """Columns as wide as they must be; those in `right` are aligned to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.rjust(width) if position in right else cell.ljust(width)
            for position, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def _no_minus_zero(value: float, digits: int) -> float:
    return round(value, digits) + 0.0


_RULE = "=" * 64
_FEW = 20
_MOST_GROUPS = 12


def as_text(comparison: Comparison, *, all_flips: bool = False) -> str:
    """Of the tasks on which two runs differ the first 20 each way are shown, or all; with several pairs all or none."""
    many = len(comparison.pairs) > 1
    lines = [
        _RULE,
        f"{len(comparison.runs)} runs compared; intervals are 95%",
        _RULE,
        *_runs(comparison),
        *_corrections(comparison),
        *_differences(comparison),
    ]
    if many:
        lines += ["", *_table(comparison)]
    for pair in comparison.pairs:
        lines += ["", *_pair(comparison, pair)]
        if all_flips or not many:
            lines += _flips(comparison, pair, None if all_flips else _FEW)
    if many and not all_flips:
        lines += ["", "The tasks on which two runs differ are shown with --all, and written with --json."]
    return "\n".join([*lines, _RULE]) + "\n"


def _runs(comparison: Comparison) -> Iterator[str]:
    rows = [["", "tasks", "passed", "accuracy", "score", "cost", "run"]]
    rows += [_run(run) for run in comparison.runs]
    yield from grid(rows, right=(1, 2))
    for run in comparison.runs:
        apart = [f"{run.outcomes[name]} {name}" for name in ("limit", "error", "unscorable", "skipped") if run.outcomes[name]]
        yield f"{run.label}: {one_line(run.title)}" + (f" ({', '.join(apart)})" if apart else "")
        if run.proof:
            yield f"   with proof: {proof_shares(run.proof, run.counted)} ({proof_counts(run.proof)})"
        if run.gold_reachable:
            yield f"   gold reachable by the agent: {one_line(run.gold_reachable)}"


def _run(run: RunSummary) -> list[str]:
    attempts = "" if run.attempts == run.tasks else f" x {run.epochs}"
    accuracy = "–" if run.accuracy is None else percent(run.accuracy)
    if run.interval is not None and run.accuracy is not None:
        accuracy += " ({:.1f} to {:.1f})".format(*(100 * edge for edge in run.interval))
    score = "–" if run.score is None else f"{run.score:.4f}"
    cost = money(run.usage.cost) if run.usage.calls else "–"
    return [run.label, f"{run.tasks}{attempts}", f"{run.passed} / {run.counted}", accuracy, score, cost, one_line(run.path)]


def _corrections(comparison: Comparison) -> Iterator[str]:
    """Both scores of each run with an overlay, and the ranks that it changes."""
    scores = {run.label: run.corrected for run in comparison.runs if run.corrected is not None}
    if not scores:
        return
    yield "EX by the corrected golds, and by the published ones:"
    ranks = [
        {label: 1 + sum(other[by] > own[by] for other in scores.values()) for label, own in scores.items()} for by in (0, 1)
    ]
    for label, (ours, published) in scores.items():
        rank = f"rank {ranks[0][label]}" + (f", published {ranks[1][label]}" if ranks[0][label] != ranks[1][label] else "")
        yield f"  {label}  {percent(ours)}  {percent(published)}  {rank if len(scores) > 1 else ''}".rstrip()
    if len(scores) > 1:
        moved = [label for label in scores if ranks[0][label] != ranks[1][label]]
        yield f"  The corrections change the rank of {', '.join(moved)}." if moved else "  The corrections change no rank."


def _differences(comparison: Comparison) -> Iterator[str]:
    if comparison.forced:
        yield "CAUTION: these runs measure different things, and are compared because --force was given:"
        yield from (f"  {in_words(each)}" for each in comparison.differences if each.decisive)
    listed = [in_words(each) for each in comparison.differences if not each.decisive]
    if listed:
        yield "They differ in:"
        yield from (f"  {each}" for each in listed)


def _table(comparison: Comparison) -> Iterator[str]:
    rows = [["pair", "tasks", "wins", "losses", "ties", "difference in accuracy", "p", "p (Holm)"]]
    for pair in comparison.pairs:
        a, b = _names(comparison, pair)
        counts = [str(count) for count in (pair.tasks, pair.second_wins, pair.first_wins, pair.ties)]
        measure = pair.accuracy
        rows.append([f"{b} - {a}", *counts, _difference(measure), p_value(measure.p), p_value(measure.adjusted)])
    yield from grid(rows, right=(1, 2, 3, 4))
    yield f"Wins and losses are those of the run named first. Holm's correction is over the {len(comparison.pairs)} pairs."


def _pair(comparison: Comparison, pair: RunPair) -> Iterator[str]:
    a, b = _names(comparison, pair)
    attempts = "" if pair.attempts == pair.tasks else f", {pair.attempts} pairs of attempts"
    clusters = "" if pair.clusters is None else f", {pair.clusters} databases"
    yield f"{b} against {a}: {pair.tasks} tasks{attempts}{clusters}"
    yield f"  {b} wins {pair.second_wins}, {a} wins {pair.first_wins}, ties {pair.ties} ({pair.both_passed} passed by both)"
    accuracy = pair.accuracy
    yield f"  Accuracy:  {percent(accuracy.first)} and {percent(accuracy.second)}, {_in_full(accuracy, share=True)}"
    yield f"             {_test(accuracy)}"
    if _scores_say_more(pair):
        yield f"  Score:     {pair.score.first:.4f} and {pair.score.second:.4f}, {_in_full(pair.score, share=False)}"
        yield f"             {_test(pair.score)}"
    yield f"  {_conclusion(pair, a, b)}"
    yield from _power(pair.power, pair.tasks)
    yield from _passes(pair, a, b)
    yield from _metrics(pair, a, b)
    yield from _groups(pair, a, b)
    yield from _not_compared(pair)
    yield from (f"  Note: {each}" for each in pair.warnings)


def _names(comparison: Comparison, pair: RunPair) -> tuple[str, str]:
    return comparison.runs[pair.first].label, comparison.runs[pair.second].label


def _difference(measure: Measure) -> str:
    low, high = measure.interval
    return f"{points(measure.difference)} ({points(low)} to {points(high)})"


def _in_full(measure: Measure, *, share: bool) -> str:
    written = points if share else signed
    unit = " points" if share else ""
    low, high = map(written, measure.interval)
    clustered = ""
    if measure.clustered is not None:
        clustered = "; clustered by database: {} to {}".format(*map(written, measure.clustered))
    return f"difference {written(measure.difference)}{unit} ({measure.method}: {low} to {high}{clustered})"


def _test(measure: Measure) -> str:
    mid = "" if measure.mid_p is None else f", mid-p = {p_value(measure.mid_p)}"
    holm = "" if measure.adjusted is None else f"; after Holm's correction p = {p_value(measure.adjusted)}"
    return f"{measure.test}: p = {p_value(measure.p)}{mid}{holm}"


def _scores_say_more(pair: RunPair) -> bool:
    return (pair.score.first, pair.score.second) != (pair.accuracy.first, pair.accuracy.second)


def _conclusion(pair: RunPair, a: str, b: str) -> str:
    p = pair.accuracy.p if pair.accuracy.adjusted is None else pair.accuracy.adjusted
    if p is None or p > 0.05:
        return f"These tasks do not show that {a} and {b} differ in accuracy; that is not to say that they are equal."
    better, worse = (b, a) if pair.accuracy.difference > 0 else (a, b)
    conclusion = f"{better} is more accurate than {worse} by more than chance explains (at 5%)"
    clustered = pair.accuracy.clustered
    if clustered is not None and clustered[0] <= 0 <= clustered[1]:
        return f"{conclusion}, on these databases; drawn by database the interval holds 0, so on others it may not be."
    return f"{conclusion}."


def _power(power: Power, tasks: int) -> Iterator[str]:
    if power.needed is None:
        yield "  How many tasks a difference needs cannot be said: there is no task on which the runs differ."
        return
    yield (
        f"  To see a difference of {100 * power.detect:g} points (power 80%, at 5%) about {power.needed:,} tasks are needed, "
        f"if {percent(power.discordance)} of the tasks differ as they do here;"
    )
    smallest = "no difference at all" if power.smallest is None else f"differences from about {100 * power.smallest:.1f} points"
    yield f"  {tasks} tasks show {smallest}."


def _passes(pair: RunPair, a: str, b: str) -> Iterator[str]:
    if not pair.passes:
        return
    yield "  Several epochs: a task counts with the share of its attempts that passed, and tasks are resampled whole."
    yield "  McNemar's test needs one attempt at each task, and is not made."
    rows = [["  k", "tasks", f"pass@k {a}", b, "difference", f"pass^k {a}", b, "difference"]]
    for each in pair.passes:
        at, hat = each.at, each.hat
        cells = [f"{percent(m.first)}|{percent(m.second)}|{_difference(m)}".split("|") for m in (at, hat)]
        rows.append([f"  {each.k}", str(at.tasks), *cells[0], *cells[1]])
    yield from grid(rows, right=(1, 2, 3, 5, 6))


def _metrics(pair: RunPair, a: str, b: str) -> Iterator[str]:
    if len(pair.metrics) < 2:
        return
    rows = [["  metric", "tasks", a, b, "difference"]]
    for name, measure in pair.metrics.items():
        low, high = measure.interval
        difference = f"{signed(measure.difference)} ({signed(low)} to {signed(high)})"
        rows.append([f"  {one_line(name)}", str(measure.tasks), f"{measure.first:.4f}", f"{measure.second:.4f}", difference])
    yield from grid(rows, right=(1, 2, 3))


def _groups(pair: RunPair, a: str, b: str) -> Iterator[str]:
    for facet, groups in pair.by.items():
        if 1 < len(groups) <= _MOST_GROUPS:
            rows = [[f"  {one_line(facet)}", "tasks", a, b, f"{b} wins", f"{a} wins"]]
            rows += [
                [
                    f"  {one_line(group.value)}",
                    str(group.tasks),
                    percent(group.first),
                    percent(group.second),
                    str(group.second_wins),
                    str(group.first_wins),
                ]
                for group in groups
            ]
            yield from grid(rows, right=(1, 2, 3, 4, 5))


def _not_compared(pair: RunPair) -> Iterator[str]:
    if pair.left_out:
        kinds = Counter(each.kind for each in pair.left_out)
        yield f"  Left out: {', '.join(f'{count} {kind}' for kind, count in kinds.most_common())}"
        for each in pair.left_out[:3]:
            yield f"    task {one_line(each.task)}: {one_line(each.why)}"
        if len(pair.left_out) > 3:
            yield f"    and {len(pair.left_out) - 3} more, in the file that --json writes"


def _flips(comparison: Comparison, pair: RunPair, most: int | None) -> Iterator[str]:
    a, b = _names(comparison, pair)
    several = pair.epochs > 1
    for better, worse, flips in ((b, a, pair.only_second_right), (a, b, pair.only_first_right)):
        yield ""
        what = f"{better} passes more often than {worse}" if several else f"{better} passed, {worse} did not"
        yield f"{what}: {len(flips)} tasks"
        yield from _listed(flips[:most], a, b, several)
        if most is not None and len(flips) > most:
            yield f"  and {len(flips) - most} more: --all shows them"


def _listed(flips: Sequence[Flip], a: str, b: str, several: bool) -> Iterator[str]:
    for flip in flips:
        where = flip.facets.get("database", "")
        yield f"  {one_line(flip.task)}" + (f"  {one_line(where)}" if where else "")
        yield f"    {a} {_side(flip.first, several)}"
        yield f"    {b} {_side(flip.second, several)}"


def _side(side: Side, several: bool) -> str:
    how_often = f"{side.passed} of {side.attempts}, " if several else ""
    return f"{how_often}{side.outcome.value}: {one_line(side.reason, 160)}"
