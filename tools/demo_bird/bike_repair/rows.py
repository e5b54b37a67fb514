"""Two years of work in eight shops. Each moved on its own day to a new till, which writes dates in another way."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from random import Random

from demo_bird.bike_repair.names import CITIES, FIRST_NAMES, LAST_NAMES, MECHANICS, SHOPS
from demo_bird.bike_repair.till import CLOSING, OPENING, part_line_rows, payment_rows
from demo_bird.dirt import missing, skewed, some_day, sometimes, typed, unpadded
from demo_bird.model import Cell, Row, Rows

PEOPLE, REGISTERED_TWICE, REPAIRS = 190, 32, 520
NEW_TILL = {shop[0]: date(2023, 10, 1) + timedelta(days=45 * place) for place, shop in enumerate(SHOPS)}


def rows(rng: Random) -> Rows:
    repairs = list(repair_rows(rng))
    lines = list(part_line_rows(rng, repairs))
    return {
        "shops": list(SHOPS),
        "mechanics": list(mechanic_rows(rng)),
        "customers": list(customer_rows(rng)),
        "repairs": repairs,
        "part_lines": lines,
        "payments": payment_rows(rng, repairs, lines),
    }


def mechanic_rows(rng: Random) -> Iterator[Row]:
    for number, name in enumerate(MECHANICS):
        rate = missing(rng, 18 + rng.randint(0, 24) * 0.5, 0.1)
        certified = rng.choice(("Y", "Y", "y", "yes", "N", "no", None))
        yield number + 1, name, SHOPS[number % len(SHOPS)][0], rate, certified


def customer_rows(rng: Random) -> Iterator[Row]:
    """The people, and behind them the same people again as another clerk wrote them down."""
    people = distinct_names(rng)
    for number in range(PEOPLE + REGISTERED_TWICE):
        first, last = people[number % PEOPLE]
        again = number >= PEOPLE
        name = rng.choice((f"{first[0]}. {last}", f"{last} {first}")) if again else f"{first} {last}"
        email = f"{first}.{last}@example.{('com', 'org', 'net')[number % PEOPLE % 3]}".lower().replace(" ", "")
        since = missing(rng, some_day(rng, OPENING, CLOSING).isoformat(), 0.08)
        yield number + 1, typed(rng, name), address(rng, email, again), typed(rng, rng.choice(CITIES)), since


def distinct_names(rng: Random) -> list[tuple[str, str]]:
    names: dict[tuple[str, str], None] = {}
    while len(names) < PEOPLE:
        names[rng.choice(FIRST_NAMES), rng.choice(LAST_NAMES)] = None
    return list(names)


def address(rng: Random, email: str, again: bool) -> Cell:
    """Those who are registered twice always left an address: it is the only thing that gives them away."""
    if again:
        return rng.choice((email.upper(), email.title(), email + " ", " " + email, email))
    return missing(rng, missing(rng, typed(rng, email, 0.1), 0.05), 0.03, blank="")


def repair_rows(rng: Random) -> Iterator[Row]:
    days = sorted(some_day(rng, OPENING, CLOSING) for _ in range(REPAIRS))
    for repair_id, received in enumerate(days, 1001):
        shop = rng.choice(SHOPS)[0]
        status = state(rng, received)
        hours = rng.randint(1, 16) * 0.25
        quote = str(int(hours * 48) + rng.randint(0, 140))
        yield (
            repair_id,
            unpadded(rng, shop, 0.06),
            customer(rng),
            missing(rng, mechanic(rng, shop), 0.05),
            typed(rng, rng.choice(("city", "city", "city", "road", "mtb", "e-bike", "e-bike", "cargo", "kids"))),
            received.strftime("%d/%m/%Y") if received >= NEW_TILL[shop] else received.isoformat(),
            typed(rng, status, 0.3),
            missing(rng, missing(rng, quote, 0.05), 0.02, blank=""),
            hours if status == "done" else None,
            f"W{shop}-{repair_id % 1000:04d}",
        )


def state(rng: Random, received: date) -> str:
    if received > CLOSING - timedelta(days=21):
        return rng.choice(("waiting", "in progress", "done"))
    return "cancelled" if sometimes(rng, 0.1) else "done"


def customer(rng: Random) -> int:
    """Mostly regulars, under either of their two numbers; now and then one whose registration was deleted."""
    if sometimes(rng, 0.02):
        return rng.randint(900, 940)
    number = skewed(rng, range(PEOPLE))
    return number + 1 + PEOPLE * (number < REGISTERED_TWICE and sometimes(rng, 0.4))


def mechanic(rng: Random, shop: str) -> int:
    place = [code for code, *_ in SHOPS].index(shop)
    return place + 1 + len(SHOPS) * rng.randint(0, len(MECHANICS) // len(SHOPS) - 1)
