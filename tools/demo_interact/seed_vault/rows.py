"""A seed bank as it stood at the end of March 2025."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from random import Random
from typing import Any

from demo_interact.chance import decimal, maybe, some, some_day, some_time, sometimes, weighted
from demo_interact.model import Row, Rows
from demo_interact.seed_vault.names import (
    COLLECTORS,
    COMMON,
    COUNTRIES,
    CURATORS,
    EPITHETS,
    GENERA,
    HABITATS,
    INSTITUTES,
)

TODAY = date(2025, 3, 31)
SPECIES, VAULTS, ACCESSIONS, TESTS, SHIPMENTS = 54, 40, 230, 340, 140
RED_LIST = {"LC": 8, "NT": 3, "VU": 3, "EN": 2, "CR": 1, "DD": 1}
STATUS = {"active": 14, "quarantine": 2, "duplicate": 2, "withdrawn": 2}


def rows(rng: Random) -> Rows:
    vaults = list(vault_rows(rng))
    accessions = list(accession_rows(rng, [vault[0] for vault in vaults]))
    shipments = list(shipment_rows(rng))
    return {
        "species": list(species_rows(rng)),
        "curators": list(curator_rows(rng)),
        "vaults": vaults,
        "accessions": accessions,
        "germination_tests": list(test_rows(rng, accessions)),
        "shipments": shipments,
        "shipment_items": list(item_rows(rng, accessions)),
    }


def species_rows(rng: Random) -> Iterator[Row]:
    genera = [(family, genus) for family, members in GENERA.items() for genus in members]
    for number in range(1, SPECIES + 1):
        family, genus = genera[number * 5 % len(genera)]
        name = f"{genus} {EPITHETS[(number * 3 + number // 20) % len(EPITHETS)]}"
        yield number, name, family, some(rng, COMMON, 3), maybe(rng, weighted(rng, RED_LIST), 0.08), traits(rng)


def traits(rng: Random) -> dict[str, Any]:
    kind = rng.choice(("none", "none", "physical", "physiological"))
    dormancy: dict[str, Any] = {"kind": kind} | ({} if kind == "none" else {"weeks_cold": rng.randint(1, 16)})
    storage = weighted(rng, {"orthodox": 6, "intermediate": 2, "recalcitrant": 1})
    return {"lifeform": rng.choice(("annual", "perennial", "shrub")), "storage": storage, "dormancy": dormancy}


def curator_rows(rng: Random) -> Iterator[Row]:
    for number, name in enumerate(CURATORS, 1):
        hired = some_day(rng, date(1998, 1, 1), date(2024, 6, 30))
        left = some_day(rng, hired + timedelta(120), TODAY) if sometimes(rng, 0.25) else None
        yield number, name, hired, left, maybe(rng, some(rng, tuple(GENERA), 3), 0.1)


def vault_rows(rng: Random) -> Iterator[Row]:
    for number in range(VAULTS):
        code = f"{'ABCD'[number // 10]}-{number % 10 + 1:02d}"
        temperature = decimal(rng, -22, -16, 1) if number < 20 else decimal(rng, 2, 8, 1)
        sealed = maybe(rng, some_day(rng, date(2015, 1, 1), TODAY), 0.8)
        yield code, temperature, maybe(rng, decimal(rng, 12, 30, 1), 0.1), rng.randint(5, 14), sealed


def accession_rows(rng: Random, vaults: list[str]) -> Iterator[Row]:
    for number, received in enumerate(sorted(some_time(rng, date(2009, 1, 1), TODAY) for _ in range(ACCESSIONS)), 1):
        species = min(rng.randint(1, SPECIES), rng.randint(1, SPECIES))
        collected = maybe(rng, received.date() - timedelta(days=rng.randint(20, 900)), 0.1)
        seeds = maybe(rng, min(rng.randint(40, 9000), rng.randint(40, 9000)), 0.08)
        weight = decimal(rng, 0.05, 42, 3)
        keeper = maybe(rng, min(rng.randint(1, len(CURATORS)), rng.randint(1, len(CURATORS))), 0.06)
        place, status, country = maybe(rng, rng.choice(vaults), 0.12), weighted(rng, STATUS), rng.choice(COUNTRIES)
        who = (f"SV-{number:04d}", species, place, keeper, status, country)
        yield *who, collected, received, seeds, weight, passport(rng)


def passport(rng: Random) -> dict[str, Any]:
    found: dict[str, Any] = {"permits": [f"P-{rng.randint(1000, 9999)}" for _ in range(rng.choice((0, 0, 1, 1, 2)))]}
    if not sometimes(rng, 0.2):
        place = {"lat": rng.randint(3600, 7000) / 100, "lon": rng.randint(-900, 3900) / 100}
        found["site"] = place | {"elevation_m": maybe(rng, rng.randint(0, 260) * 10, 0.3)}
    if not sometimes(rng, 0.15):
        found["collector"] = rng.choice(COLLECTORS)
    if not sometimes(rng, 0.3):
        found["habitat"] = rng.choice(HABITATS)
    return found


def test_rows(rng: Random, accessions: list[Row]) -> Iterator[Row]:
    """Seed gets weaker with the years; one test in forty has a wrong count, a few dishes were lost."""
    drawn = [rng.choice(accessions) for _ in range(TESTS)]
    for number, accession in enumerate(drawn, 1):
        received = accession[7].date()
        started = some_day(rng, received, TODAY + timedelta(60))
        ended = maybe(rng, started + timedelta(days=rng.randint(14, 90)), 0.12)
        sown = weighted(rng, {0: 1, 10: 3, 25: 8, 50: 14, 100: 10})
        share = rng.randint(55, 100) - min(40, (started - received).days // 150)
        germinated = sown + rng.randint(1, 30) if sometimes(rng, 0.025) else sown * share // 100
        substrate = rng.choice(("agar", "agar", "paper", "sand", "peat"))
        yield number, accession[0], started, ended, sown, germinated, substrate, maybe(rng, decimal(rng, 5, 30, 1), 0.1)


def shipment_rows(rng: Random) -> Iterator[Row]:
    for number, asked in enumerate(sorted(some_day(rng, date(2022, 1, 1), TODAY) for _ in range(SHIPMENTS)), 1):
        institute, country = rng.choice(INSTITUTES)
        purpose = weighted(rng, {"research": 5, "restoration": 3, "breeding": 3, "education": 1})
        urgent = sometimes(rng, 0.4)
        shipped = maybe(rng, asked + timedelta(days=rng.randint(2, 20 if urgent else 75)), 0.13)
        yield number, institute, country, purpose, urgent, asked, shipped


def item_rows(rng: Random, accessions: list[Row]) -> Iterator[Row]:
    for shipment in range(1, SHIPMENTS + 1):
        for number in sorted({rng.choice(accessions)[0] for _ in range(rng.randint(1, 4))}):
            packets = rng.choice((1, 1, 2, 3, 5))
            yield shipment, number, packets, maybe(rng, packets * rng.choice((20, 25, 50, 100)), 0.07)
