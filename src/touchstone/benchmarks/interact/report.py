"""What a paper says of a run of BIRD-Interact: success by category, cost, actions, the simulated user, and curves.

Everything is computed from the records of a run directory. Every figure carries its n and a 95% interval (see
`reports.estimates`). A counted episode that came to no judgement (an error of a service) counts as nothing passed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

from msgspec import Struct

from ...errors import InputError
from ...reports.estimates import Estimate, estimate
from ...runs.aggregate import COUNTED
from ...runs.records import SLIM, read, read_config
from ...types import Outcome, Record

_EVERYTHING = "All"


class CategoryRow(Struct, frozen=True):
    category: str
    tasks: int
    phase_1: Estimate
    phase_2: Estimate
    """Over the tasks that have a follow-up."""
    reward: Estimate
    """Normalised: 0 to 1."""
    first_submission: Estimate
    """Phase 1 passed by the first submission."""

    @property
    def means(self) -> tuple[Estimate, ...]:
        """In the order in which all tables have them."""
        return self.phase_1, self.phase_2, self.reward, self.first_submission


class ActionRow(Struct, frozen=True):
    """What an episode spends on one kind of action, on average."""

    action: str
    calls: Estimate
    coins: Estimate
    """Without a value in conversations."""


class CurvePoint(Struct, frozen=True):
    """Shares of the episodes that had come so far when they had spent so much."""

    at: float
    phase_1: float
    passed: float
    reward: float


class Curve(Struct, frozen=True):
    unit: str
    """coins or turns"""
    n: int
    points: list[CurvePoint]


class InteractReport(Struct, frozen=True):
    path: str
    title: str
    tasks: int
    episodes: int
    left_out: int
    """Unscorable and skipped ones, which are in no figure."""
    passed: Estimate
    """All phases."""
    categories: list[CategoryRow]
    cost_agent: Estimate
    """Dollars for each episode, over those whose price is known."""
    cost_user: Estimate
    actions: list[ActionRow]
    resolved: Estimate
    """The share of the labelled ambiguities that the user was asked about and answered."""
    user: dict[str, Estimate]
    """Of the simulator, for each episode; failed_by_user is a share of the failed ones."""
    curves: list[Curve]


_USER = (
    *("questions", "user_labeled", "user_unlabeled", "user_unanswerable", "user_leaks", "user_withheld", "user_faults"),
    "failed_by_user",
)


def interact_report(path: Path) -> InteractReport:
    """Raises InputError if this is no run of BIRD-Interact."""
    if not is_of_interact(path):
        raise InputError(f"{path}: not a run of BIRD-Interact")
    return report_of(read(path, SLIM), path=str(path), title=str(read_config(path).get("title") or path))


def is_of_interact(path: Path) -> bool:
    """Whether a run directory is one of BIRD-Interact. Raises InputError if it is none at all."""
    return cast("dict[str, Any]", read_config(path).get("identity") or {}).get("benchmark", "interact") == "interact"


def report_of(records: Iterable[Record], *, path: str = "", title: str = "") -> InteractReport:
    every = list(records)
    counted = [record for record in every if record.outcome in COUNTED]
    return InteractReport(
        path=path,
        title=title,
        tasks=len({record.task for record in counted}),
        episodes=len(counted),
        left_out=len(every) - len(counted),
        passed=estimate(counted, lambda record: float(record.outcome is Outcome.passed)),
        categories=_categories(counted),
        cost_agent=estimate(counted, lambda record: record.usage.cost if record.usage.calls else None, share=False),
        cost_user=estimate(counted, _users_cost, share=False),
        actions=_actions(counted),
        resolved=_mean(counted, "ambiguities_resolved"),
        user={name: _mean(counted, name) for name in _USER},
        curves=[curve for unit in ("coins", "actions") if (curve := _curve(counted, unit))],
    )


def _categories(counted: Sequence[Record]) -> list[CategoryRow]:
    """All of them first, then each category if there are several."""
    names = sorted({record.facets.get("category", "") for record in counted} - {""})
    groups = {_EVERYTHING: counted} | {
        name: [record for record in counted if record.facets.get("category") == name] for name in names if len(names) > 1
    }
    return [_category(name, members) for name, members in groups.items()]


def _users_cost(record: Record) -> float | None:
    user = record.usage_by.get("user")
    return user.cost if user and user.calls else None


def _mean(records: Sequence[Record], name: str) -> Estimate:
    share = name in ("ambiguities_resolved", "failed_by_user")
    return estimate(records, lambda record: record.metrics.get(name), share=share)


def _category(name: str, records: Sequence[Record]) -> CategoryRow:
    follow_ups = {record.task for record in records if "phase_2" in record.metrics}
    return CategoryRow(
        category=name,
        tasks=len({record.task for record in records}),
        phase_1=estimate(records, lambda record: record.metrics.get("phase_1", 0.0)),
        phase_2=estimate(
            [record for record in records if record.task in follow_ups], lambda record: record.metrics.get("phase_2", 0.0)
        ),
        reward=estimate(records, lambda record: record.score or 0.0),
        first_submission=estimate(records, lambda record: record.metrics.get("first_submission", _first(record))),
    )


def _first(record: Record) -> float:
    """From the submissions themselves, in a record that does not count them."""
    submissions = _objects(record.evidence.get("submissions"))
    return float(bool(submissions) and submissions[0].get("passed") is True)


def _actions(records: Sequence[Record]) -> list[ActionRow]:
    """The dearest first."""
    prefix = "calls_"
    names = dict.fromkeys(name.removeprefix(prefix) for each in records for name in each.metrics if name.startswith(prefix))
    rows = [ActionRow(name, _spent(records, f"calls_{name}"), _spent(records, f"coins_{name}")) for name in names]
    return sorted(rows, key=lambda row: (-(row.coins.value or 0.0), -(row.calls.value or 0.0), row.action))


def _spent(records: Sequence[Record], name: str) -> Estimate:
    """Nothing by an episode that does not say, if any does."""
    counted = records if any(name in record.metrics for record in records) else ()
    return estimate(counted, lambda record: record.metrics.get(name, 0.0), share=False)


def _curve(records: Sequence[Record], unit: str) -> Curve | None:
    """Nothing if the records do not say when a phase was passed, as those of earlier versions."""
    known = [(record, _reached(record, unit)) for record in records]
    places = sorted({0.0, *(at for _, times in known for at, _ in times)})
    if len(places) == 1 or any(record.outcome is Outcome.passed and not times for record, times in known):
        return None
    points = [CurvePoint(at, *_at(known, at)) for at in places]
    return Curve("turns" if unit == "actions" else unit, len(records), points)


def _at(known: Sequence[tuple[Record, list[tuple[float, float]]]], at: float) -> tuple[float, float, float]:
    """Shares of phase 1 and of all phases, and the mean reward, as they stood then."""
    first = passed = reward = 0.0
    for record, times in known:
        rewards = [worth for when, worth in times if when <= at]
        first += bool(rewards)
        passed += record.outcome is Outcome.passed and len(rewards) == len(times)
        reward += rewards[-1] if rewards else 0.0
    return first / len(known), passed / len(known), reward / len(known)


def _reached(record: Record, unit: str) -> list[tuple[float, float]]:
    """When each phase was passed, and the reward from then on."""
    times = _objects(record.evidence.get("reached"))
    return [(float(each[unit]), float(each["reward"])) for each in times if each.get(unit) is not None]


def _objects(value: Any) -> list[dict[str, Any]]:
    return [cast("dict[str, Any]", each) for each in cast("list[Any]", value) if isinstance(each, dict)] if value else []
