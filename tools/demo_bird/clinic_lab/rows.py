"""Half a year of a laboratory. One of its three analysers writes dates and decimals in the German way."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from random import Random

from demo_bird.clinic_lab.names import DEPARTMENTS, POSTCODES, TESTS
from demo_bird.dirt import missing, skewed, some_day, sometimes, typed, unpadded
from demo_bird.model import Cell, Row, Rows

FIRST, LAST = date(2023, 12, 1), date(2024, 5, 31)
PATIENTS, SAMPLES = 210, 400
GROUPS = tuple(dict.fromkeys(test[2] for test in TESTS))
GERMAN = "B7"


def rows(rng: Random) -> Rows:
    patients = list(patient_rows(rng))
    samples = list(sample_rows(rng, [str(patient[0]) for patient in patients]))
    results = (result for sample in samples for result in results_of(rng, sample))
    return {
        "departments": list(DEPARTMENTS),
        "patients": patients,
        "tests": list(TESTS),
        "samples": samples,
        "results": [(number, *result) for number, result in enumerate(results, 70001)],
    }


def patient_rows(rng: Random) -> Iterator[Row]:
    number = 1200
    for _ in range(PATIENTS):
        number += rng.randint(1, 40)
        born = some_day(rng, date(1928, 1, 1), date(2022, 12, 31))
        yield (
            f"{number:06d}",
            rng.choice(("F", "F", "F", "f", "female", "M", "M", "M", "m", "male", "X", None)),
            missing(rng, born.strftime("%d.%m.%Y") if sometimes(rng, 0.3) else born.isoformat(), 0.03),
            missing(rng, unpadded(rng, rng.choice(POSTCODES), 0.15), 0.03),
            typed(rng, rng.choice(("statutory", "statutory", "statutory", "private"))),
        )


def sample_rows(rng: Random, patients: list[str]) -> Iterator[Row]:
    moments = sorted(some_moment(rng) for _ in range(SAMPLES))
    for sample_id, taken in enumerate(moments, 4001):
        yield (
            sample_id,
            "999999" if sometimes(rng, 0.01) else skewed(rng, patients),
            missing(rng, missing(rng, skewed(rng, DEPARTMENTS)[0], 0.03), 0.02, blank=""),
            taken.strftime("%Y-%m-%d %H:%M"),
            missing(rng, typed(rng, rng.choice(("routine", "routine", "urgent")), 0.35), 0.04),
            missing(rng, int(sometimes(rng, 0.07)), 0.12),
        )


def some_moment(rng: Random) -> datetime:
    day = some_day(rng, FIRST, LAST)
    return datetime(day.year, day.month, day.day, rng.randint(0, 23), rng.randint(0, 59))


def results_of(rng: Random, sample: Row) -> Iterator[Row]:
    """A rejected sample is never measured; of the others one or two groups of tests are."""
    if sample[5] == 1:
        return
    groups = {rng.choice(GROUPS), rng.choice(GROUPS)}
    for code, _name, group, _unit, low, high in TESTS:
        if group in groups:
            yield from runs_of(rng, sample, code, limits(low, high))


def limits(low: float | None, high: float | None) -> tuple[float, float]:
    """Both ends of a range of which one may be open, so that results fall on either side of the end that exists."""
    top = high if high is not None else (low or 0.0) * 2
    return (low if low is not None else top / 3), top


def runs_of(rng: Random, sample: Row, code: str, span: tuple[float, float]) -> Iterator[Row]:
    """Mostly one run; a suspicious one is repeated on another machine, and the repetition is what counts."""
    taken = datetime.strptime(str(sample[3]), "%Y-%m-%d %H:%M")
    urgent = str(sample[4]).strip().lower() == "urgent"
    reported = taken + timedelta(minutes=rng.randint(25, 170 if urgent else 1500))
    runs = 2 if sometimes(rng, 0.08) else 1
    for run in range(1, runs + 1):
        analyser = rng.choice(("A1", "A2", GERMAN))
        yield sample[0], code, run, measured(rng, analyser, span), analyser, written(analyser, reported)
        reported += timedelta(minutes=rng.randint(30, 600))


def measured(rng: Random, analyser: str, span: tuple[float, float]) -> Cell:
    if sometimes(rng, 0.05):
        return rng.choice(("pending", "haemolysed", None))
    digits = 0 if span[1] >= 100 else 1 if span[1] >= 5 else 2
    scale = 10**digits
    ticks = rng.randint(int(span[0] * scale * 0.85), int(span[1] * scale * 1.15))
    number = f"{ticks / scale:.{digits}f}"
    return number.replace(".", ",") if analyser == GERMAN else number


def written(analyser: str, moment: datetime) -> str:
    return moment.strftime("%d.%m.%Y %H:%M" if analyser == GERMAN else "%Y-%m-%d %H:%M")
