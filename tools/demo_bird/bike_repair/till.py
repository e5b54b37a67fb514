"""What went through the till of the repair shops: parts, payments in instalments, refunds, sales over the counter."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from random import Random

from demo_bird.bike_repair.names import PARTS
from demo_bird.dirt import missing, some_day, sometimes, typed
from demo_bird.model import Cell, Row

OPENING, CLOSING = date(2022, 9, 1), date(2024, 8, 31)


def part_line_rows(rng: Random, repairs: list[Row]) -> Iterator[Row]:
    used = [repair[0] for repair in repairs if repair[8] is not None for _ in range(rng.randint(0, 4))]
    for line_id, repair_id in enumerate(used, 1):
        code, name, cents = rng.choice(PARTS)
        quantity = -1 if sometimes(rng, 0.02) else rng.choice((1, 1, 1, 2))
        yield line_id, repair_id, code, typed(rng, name), quantity, cents + 5 * rng.randint(-9, 9)


def payment_rows(rng: Random, repairs: list[Row], lines: list[Row]) -> list[Row]:
    """What was paid for the finished repairs, in the order of the till, with other sales in between."""
    paid: list[tuple[date, Cell, int]] = []
    for repair_id, *_, received, _status, _quote, hours, _order in repairs:
        if isinstance(hours, float) and not sometimes(rng, 0.06):
            parts = sum(int(line[4] or 0) * int(line[5] or 0) for line in lines if line[1] == repair_id)
            paid += instalments(rng, parse(str(received)), repair_id, max(parts, 0) + int(hours * 4800))
    paid += [(some_day(rng, OPENING, CLOSING), None, rng.randint(80, 900) * 5) for _ in range(24)]
    paid += [(some_day(rng, OPENING, CLOSING), rng.randint(850, 999), rng.randint(400, 5000) * 5) for _ in range(17)]
    ordered = enumerate(sorted(paid, key=lambda payment: payment[0]), 5001)
    return [(number, repair_id, day.isoformat(), cents, method(rng)) for number, (day, repair_id, cents) in ordered]


def parse(received: str) -> date:
    if "/" not in received:
        return date.fromisoformat(received)
    day, month, year = received.split("/")
    return date(int(year), int(month), int(day))


def instalments(rng: Random, received: date, repair_id: Cell, cents: int) -> Iterator[tuple[date, Cell, int]]:
    """A repair is paid at once or with a deposit first; some customers come back for part of their money."""
    collected = received + timedelta(days=rng.randint(1, 12))
    deposit = 2000 if cents > 6000 and sometimes(rng, 0.25) else 0
    if deposit:
        yield received, repair_id, deposit
    yield collected, repair_id, cents - deposit
    if sometimes(rng, 0.06):
        yield collected + timedelta(days=rng.randint(2, 20)), repair_id, -5 * rng.randint(100, cents // 5)


def method(rng: Random) -> Cell:
    return missing(rng, typed(rng, rng.choice(("card", "card", "card", "cash", "transfer"))), 0.03)
