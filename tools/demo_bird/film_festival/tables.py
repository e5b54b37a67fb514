"""The tables of film_festival, and what their columns mean."""

from demo_bird.model import Column, Table

FILMS = Table(
    "films",
    (
        Column("film_id", "INTEGER", "number of the film", "", "PRIMARY KEY"),
        Column("title", "TEXT", "English title"),
        Column("original title", "TEXT", "title in the language of the film", "empty: same as title"),
        Column("country", "TEXT", "countries of production", "separated by ' / '; typed by hand"),
        Column("year", "TEXT", "year of production", "2023 or '23"),
        Column("runtime", "TEXT", "length in minutes", "a number as text, sometimes followed by 'min'; empty: unknown"),
        Column("section", "TEXT", "section of the programme", "empty: special event"),
    ),
)

VENUES = Table(
    "venues",
    (
        Column("venue_id", "INTEGER", "number of the venue", "", "PRIMARY KEY"),
        Column("name", "TEXT", "name of the venue"),
        Column("seats", "INTEGER", "number of seats", "empty: open air, no fixed seats"),
        Column("wheelchair access", "TEXT", "whether it can be reached in a wheelchair", "yes, Y / no; empty: unknown"),
    ),
)

SCREENINGS = Table(
    "screenings",
    (
        Column("screening_id", "INTEGER", "number of the screening", "", "PRIMARY KEY"),
        Column(
            "film_id",
            "INTEGER",
            "film that was shown",
            "empty: surprise screening; withdrawn films keep their number here",
            "REFERENCES films (film_id)",
        ),
        Column("venue_id", "INTEGER", "where it was shown", "", "REFERENCES venues (venue_id)"),
        Column("date", "TEXT", "day of the screening", "YYYY-MM-DD or like 14 Sep 2024"),
        Column("time", "TEXT", "when it started", "H:MM or HH:MM, 24 hours; empty: not fixed"),
    ),
)

SALES = Table(
    "sales",
    (
        Column("sale_id", "INTEGER", "number of the entry", "", "PRIMARY KEY"),
        Column(
            "screening_id",
            "INTEGER",
            "screening the tickets are for",
            "some screenings were struck from the programme",
            "REFERENCES screenings (screening_id)",
        ),
        Column("channel", "TEXT", "where they were sold", "box office, online (formerly web); typed by hand"),
        Column("category", "TEXT", "kind of ticket", "full, concession, free"),
        Column("tickets", "INTEGER", "number of tickets", "negative: returned"),
        Column("amount", "REAL", "money taken, in euros", "negative: paid back"),
    ),
)

JURY_SCORES = Table(
    "jury_scores",
    (
        Column("film_id", "INTEGER", "film that was judged", "", "REFERENCES films (film_id)"),
        Column("juror", "TEXT", "name of the juror"),
        Column("score", "INTEGER", "points from 1 to 10", "0 or empty: the juror abstained"),
    ),
    "PRIMARY KEY (film_id, juror)",
)

TABLES = (FILMS, VENUES, SCREENINGS, SALES, JURY_SCORES)
