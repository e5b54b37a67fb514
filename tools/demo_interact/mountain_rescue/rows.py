"""Two years of mountain rescue, up to the last day of the season 2024/25."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from random import Random
from typing import Any

from demo_interact.chance import decimal, maybe, some, some_day, some_time, sometimes, weighted
from demo_interact.model import Row, Rows
from demo_interact.mountain_rescue.names import (
    BASES,
    EQUIPMENT,
    FIRST_NAMES,
    LANGUAGES,
    LAST_NAMES,
    SKILLS,
    VALLEYS,
    ZONES,
)

OPENING, CLOSING = date(2023, 5, 1), date(2025, 4, 30)
VOLUNTEERS, CALM, ROUGH, ITEMS, SNOW_DAYS = 160, 122, 76, 110, 33
"""Calm and rough: missions on any day, and missions in deep snow."""
KINDS = {"fall": 7, "medical": 5, "lost": 4, "false alarm": 4, "avalanche": 3, "crevasse": 1}


def rows(rng: Random) -> Rows:
    volunteers = list(volunteer_rows(rng))
    snow = list(snow_rows(rng))
    missions = list(mission_rows(rng, snow))
    return {
        "bases": list(base_rows(rng)),
        "volunteers": volunteers,
        "missions": missions,
        "deployments": list(deployment_rows(rng, missions, volunteers)),
        "equipment": list(equipment_rows(rng)),
        "snow_reports": snow,
    }


def base_rows(rng: Random) -> Iterator[Row]:
    for number, name in enumerate(BASES, 1):
        opened = maybe(rng, some_day(rng, date(1952, 1, 1), date(2019, 12, 31)), 0.1)
        yield number, name, VALLEYS[number % 7], rng.randint(82, 264) * 10, opened, sometimes(rng, 0.35), contact(rng, number)


def contact(rng: Random, number: int) -> dict[str, Any]:
    radio = {"channel": f"K-{rng.randint(1, 40):02d}", "callsign": f"{rng.choice(('EAGLE', 'IBEX', 'ÜTLI'))} {number}"}
    found: dict[str, Any] = {"radio": radio, "languages": some(rng, LANGUAGES, 3) or ["de"]}
    if not sometimes(rng, 0.15):
        found["phone"] = f"+41 81 555 {rng.randint(0, 99):02d} {number:02d}"
    return found


def volunteer_rows(rng: Random) -> Iterator[Row]:
    """The number says the name, so that no two are alike; the bases at the front have more people."""
    for number in range(1, VOLUNTEERS + 1):
        first, last = FIRST_NAMES[number * 7 % len(FIRST_NAMES)], LAST_NAMES[number * 3 % len(LAST_NAMES) - number // 60]
        joined = some_day(rng, date(2004, 1, 1), date(2025, 1, 31))
        left = some_day(rng, joined + timedelta(90), CLOSING + timedelta(90)) if sometimes(rng, 0.18) else None
        grade = weighted(rng, {"trainee": 7, "rescuer": 9, "leader": 3})
        base = min(rng.randint(1, len(BASES)), rng.randint(2, len(BASES)))
        skills, fitness = maybe(rng, some(rng, SKILLS, 6), 0.07), maybe(rng, decimal(rng, 40, 100, 1), 0.1)
        yield number, base, f"{first} {last}", grade, joined, left, skills, fitness


def mission_rows(rng: Random, snow: list[Row]) -> Iterator[Row]:
    for number, (alerted, base) in enumerate(sorted([*calm(rng), *rough(rng, snow)]), 1):
        kind = weighted(rng, KINDS)
        departed = maybe(rng, alerted + timedelta(minutes=rng.randint(3, 28)), 0.06)
        reached = departed and maybe(rng, departed + drive(rng), 0.3 if kind == "false alarm" else 0.05)
        severity = maybe(rng, weighted(rng, {0: 2, 1: 3, 2: 5, 3: 5, 4: 3, 5: 2, 7: 1}), 0.1)
        report = outcome(rng, kind, reached)
        yield number, base, alerted, departed, reached, kind, severity, maybe(rng, rng.choice(ZONES), 0.12), report


def calm(rng: Random) -> Iterator[tuple[datetime, int]]:
    for _ in range(CALM):
        yield some_time(rng, OPENING, CLOSING), min(rng.randint(1, 38), rng.randint(1, 38))


def rough(rng: Random, snow: list[Row]) -> Iterator[tuple[datetime, int]]:
    """When the snow is deep, the bases of the valley are called out."""
    days = [report for report in snow if report[3] >= 3]
    for _ in range(ROUGH):
        _, valley, day, *_ = rng.choice(days)
        bases = [number for number in range(1, len(BASES) + 1) if VALLEYS[number % 7] == valley]
        yield some_time(rng, day, day), rng.choice(bases)


def drive(rng: Random) -> timedelta:
    return timedelta(minutes=rng.randint(6, 35) + (rng.randint(20, 140) if sometimes(rng, 0.3) else 0))


def outcome(rng: Random, kind: str, reached: datetime | None) -> dict[str, Any]:
    if kind == "false alarm":
        casualties, end = 0, "none"
    else:
        casualties, end = rng.choice((1, 1, 1, 2, 3)), weighted(rng, {"rescued": 7, "self-rescued": 2, "dead": 1})
    flown = reached is not None and sometimes(rng, 0.45)
    found: dict[str, Any] = {"casualties": casualties, "outcome": end, "helicopter": flown}
    if flown:
        minutes = rng.randint(9, 95)
        found["cost"] = {"flight_min": minutes, "fuel_l": maybe(rng, minutes * 3 + rng.randint(0, 90) / 10, 0.2)}
    return found


def deployment_rows(rng: Random, missions: list[Row], volunteers: list[Row]) -> Iterator[Row]:
    """A few people go most often; nobody goes before joining or after leaving."""
    for mission in missions:
        day = mission[2].date()
        there = [person for person in volunteers if person[4] <= day and (person[5] is None or day <= person[5])]
        team = {min(rng.randint(0, len(there) - 1), rng.randint(0, len(there) - 1)) for _ in range(rng.randint(1, 3))}
        for place, index in enumerate(sorted(team)):
            role = "lead" if place == 0 else rng.choice(("medic", "rope", "search", "driver"))
            yield mission[0], there[index][0], role, maybe(rng, decimal(rng, 1, 16, 2), 0.08)


def equipment_rows(rng: Random) -> Iterator[Row]:
    for number in range(1, ITEMS + 1):
        category = rng.choice(tuple(EQUIPMENT))
        bought = some_day(rng, date(2014, 1, 1), date(2024, 6, 30))
        price = decimal(rng, 4000, 38000, 2) if category == "vehicle" else decimal(rng, 60, 2400, 2)
        retired = some_day(rng, date(2024, 7, 1), date(2025, 3, 31)) if sometimes(rng, 0.14) else None
        base = rng.randint(1, len(BASES) - 4)
        yield number, base, category, rng.choice(EQUIPMENT[category]), bought, price, retired, checks(rng, bought)


def checks(rng: Random, bought: date) -> list[dict[str, Any]]:
    days = [some_day(rng, max(bought, date(2023, 4, 1)), date(2025, 4, 20)) for _ in range(rng.randint(0, 4))]
    people = [f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}" for _ in days]
    return [
        {"on": day.isoformat(), "passed": not sometimes(rng, 0.25), "by": who} for day, who in zip(days, people, strict=True)
    ]


def snow_rows(rng: Random) -> Iterator[Row]:
    """Every fifth day or so of the last winter, in every valley."""
    day = date(2024, 11, 2)
    for place in range(SNOW_DAYS):
        for offset, valley in enumerate(VALLEYS, 1):
            level = weighted(rng, {1: 3, 2: 6, 3: 6, 4: 3, 5: 1})
            snow = maybe(rng, decimal(rng, 0, 95, 1), 0.1)
            noon = rng.randint(-14, 6)
            temperatures = [noon - rng.randint(1, 9), noon, maybe(rng, noon - rng.randint(0, 5), 0.2)]
            yield place * 7 + offset, valley, day, level, snow, maybe(rng, decimal(rng, 0, 110, 1), 0.05), temperatures
        day += timedelta(days=rng.randint(3, 7))
