"""Eleven days of films. The programme was typed by two people who never agreed on how to write a date."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from random import Random

from demo_bird.dirt import missing, sometimes, typed
from demo_bird.film_festival.names import JURORS, SECTIONS, VENUES
from demo_bird.model import Cell, Row, Rows

OPENING, DAYS = date(2024, 9, 12), 11
TIMES = ("9:30", "10:00", "11:15", "13:30", "16:00", "18:30", "20:45", "23:15")
WITHDRAWN = (71, 72, 73)
PRICES = {"full": 12.5, "concession": 9.5, "free": 0.0}
OPEN_AIR_CROWD = 350


def rows(rng: Random) -> Rows:
    films = list(film_rows(rng))
    screenings = list(screening_rows(rng, [int(film[0] or 0) for film in films]))
    sales = [sale for screening in screenings for sale in sales_of(rng, screening)]
    sales += [(rng.randint(900, 905), *entry(rng, rng.randint(5, 40))) for _ in range(9)]
    return {
        "films": films,
        "venues": list(VENUES),
        "screenings": screenings,
        "sales": [(number, *sale) for number, sale in enumerate(sales, 1)],
        "jury_scores": list(score_rows(rng, films)),
    }


def film_rows(rng: Random) -> Iterator[Row]:
    programme = [(section, film) for section, films in SECTIONS for film in films]
    for number, (section, (title, original, country)) in enumerate(programme, 1):
        minutes = f"{rng.randint(58, 168)}{rng.choice(('', '', ' min', ' min.'))}"
        year = rng.choice(("2024", "2024", "2023", "'23", "'24"))
        yield number, title, original, typed(rng, country, 0.3), year, missing(rng, minutes, 0.04), section


def screening_rows(rng: Random, films: list[int]) -> Iterator[Row]:
    """A few screenings are a surprise, or of a film that was withdrawn after the programme was out."""
    slots = [(OPENING + timedelta(days=day), *slot) for day in range(DAYS) for slot in slots_of_a_day(rng)]
    for screening_id, (day, venue, time) in enumerate(slots, 201):
        film = rng.choice(WITHDRAWN) if sometimes(rng, 0.02) else rng.choice(films)
        when = day.strftime("%d Sep %Y") if sometimes(rng, 0.35) else day.isoformat()
        yield screening_id, missing(rng, film, 0.03), venue, when, missing(rng, time, 0.03)


def slots_of_a_day(rng: Random) -> list[tuple[int, str]]:
    """No hall shows two films at once, and the open air waits for the dark."""
    possible = [(venue, time) for venue, _, seats, _ in VENUES for time in TIMES if seats or time in TIMES[-2:]]
    taken: set[tuple[int, str]] = set()
    wanted = rng.randint(12, 15)
    while len(taken) < wanted:
        taken.add(rng.choice(possible))
    return [slot for slot in possible if slot in taken]


def sales_of(rng: Random, screening: Row) -> Iterator[tuple[Cell, ...]]:
    """Never more than the hall holds; some tickets come back; a screening that fell through sold none."""
    if sometimes(rng, 0.02):
        return
    seats = VENUES[int(screening[2] or 0) - 1][2] or OPEN_AIR_CROWD
    left = seats * rng.randint(35, 97) // 100
    for _ in range(rng.randint(3, 6)):
        bought = rng.randint(left // 4, left // 2)
        left -= bought
        yield screening[0], *entry(rng, bought)
    if sometimes(rng, 0.3):
        yield screening[0], *entry(rng, -rng.randint(1, 6))


def entry(rng: Random, tickets: int) -> tuple[Cell, Cell, Cell, Cell]:
    """Guests of the house are few, whatever the hall holds."""
    channel = missing(rng, typed(rng, rng.choice(("box office", "online", "online", "web")), 0.3), 0.02)
    category = rng.choice(("full", "full", "concession", "concession", "free"))
    tickets = min(tickets, 15) if category == "free" else tickets
    return channel, category, tickets, tickets * PRICES[category]


def score_rows(rng: Random, films: list[Row]) -> Iterator[Row]:
    """Each film has its own level and each juror strays from it; now and then one abstains, in either notation."""
    for film_id, *_, section in films:
        level = rng.randint(4, 8)
        for juror in JURORS if section in ("Competition", "Documentary", "First Features") else ():
            score = level + rng.randint(-2, 2)
            yield film_id, juror, missing(rng, missing(rng, score, 0.04), 0.09, blank=0)
