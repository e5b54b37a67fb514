"""Golds that several systems agree against, ranked, for a person to read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import indent

from msgspec import Struct

from ...proof import Suspect, ranked
from ...proof.finding import Counterexample, counterexample_of
from .tasks import BirdTask

_RULE = "=" * 64
_SHOWN_ROWS = 5


class SuspectGold(Struct, frozen=True, kw_only=True):
    """One of the list, the most suspect first."""

    place: int
    task: str
    database: str
    question: str
    evidence: str
    gold: str
    majority: str
    """The query of the first system against the gold."""
    against: tuple[str, ...]
    """Systems that agree with each other, and not with the gold, on the small database."""
    beside: tuple[str, ...]
    """Systems with the gold's result there."""
    elsewhere: tuple[str, ...]
    """Systems with yet another result there."""
    refuted: tuple[str, ...]
    """Systems that EX calls right and whose prediction differs from the gold on some small database."""
    decides: str
    """A sentence, where the majority's query is the one that the search was made for."""
    difference: Counterexample
    """The small database, and what the gold and the majority's query give there."""


class SuspectList(Struct, frozen=True, kw_only=True):
    """The content of the JSON file."""

    benchmark: str
    systems: dict[str, str]
    """Where the predictions of each come from."""
    tasks: int
    """Those that were chosen."""
    not_tried: dict[str, str]
    """Why, by task."""
    suspects: list[SuspectGold]


def suspect_golds(tasks: Sequence[BirdTask], cases: Iterable[Suspect | None]) -> list[SuspectGold]:
    """In their order."""
    by_key = {task.key: task for task in tasks}
    suspects = ranked([case for case in cases if case is not None])
    return [_listed(rank, by_key[case.task], case) for rank, case in enumerate(suspects, 1)]


def _listed(rank: int, task: BirdTask, case: Suspect) -> SuspectGold:
    return SuspectGold(
        place=rank,
        task=task.key,
        database=task.database,
        question=task.question,
        evidence=task.evidence,
        gold=case.gold,
        majority=case.majority,
        against=case.against,
        beside=case.beside,
        elsewhere=case.elsewhere,
        refuted=case.refuted,
        decides=case.refutation.decides,
        difference=counterexample_of(case.refutation),
    )


def suspects_text(listed: SuspectList, top: int) -> str:
    """The first `top` of them in full."""
    suspects, tried = listed.suspects, listed.tasks - len(listed.not_tried)
    lines = [_RULE, f"Suspect golds: {len(suspects)} of {tried} tasks tried, {len(listed.systems)} systems", _RULE]
    lines += ["Systems agree with each other and not with the gold on a small database. It does not say which is wrong."]
    for each_one in suspects[:top]:
        lines += ["", *_case(each_one)]
    if len(suspects) > top:
        lines += ["", f"and {len(suspects) - top} more"]
    if listed.not_tried:
        task, reason = next(iter(listed.not_tried.items()))
        lines += ["", f"Not tried: {len(listed.not_tried)} tasks, the first is {task}: {reason}"]
    return "\n".join([*lines, _RULE]) + "\n"


def _case(case: SuspectGold) -> Iterator[str]:
    yield f"{case.place}. task {case.task} ({case.database}): {case.question}"
    if case.evidence:
        yield f"   evidence:  {case.evidence}"
    yield f"   against:   {_names(case.against)}"
    yield f"   with gold: {_names(case.beside)}"
    if case.elsewhere:
        yield f"   neither:   {_names(case.elsewhere)}"
    if case.decides:
        yield f"   decides:   {case.decides}"
    difference = case.difference
    for name, sql in (("gold", case.gold), ("majority", case.majority)):
        yield f"   {name}:"
        yield indent(sql.strip(), " " * 6)
    yield f"   on this database of {difference.rows} rows:"
    yield indent(difference.script, " " * 6)
    yield f"   the gold gives:     {_rows(difference.gold, difference.gold_count)}"
    yield f"   the majority gives: {_rows(difference.prediction, difference.prediction_count)}"


def _names(systems: Sequence[str]) -> str:
    return f"{len(systems)} ({', '.join(systems)})" if systems else "0"


def _rows(rows: Sequence[Sequence[object]], count: int) -> str:
    shown = ", ".join(f"({', '.join('NULL' if cell is None else repr(cell) for cell in row)})" for row in rows[:_SHOWN_ROWS])
    return (shown or "no rows") + (f" and {count - _SHOWN_ROWS} more" if count > _SHOWN_ROWS else "")
