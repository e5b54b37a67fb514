"""A small shop whose rows keep laws of every kind."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from touchstone.proof import Subject

SCHEMA = """
CREATE TABLE colour (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, city TEXT, state TEXT, joined TEXT, status TEXT);
CREATE TABLE orders (
    number INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer (id), customer_status TEXT,
    day TEXT, net REAL, tax REAL, gross REAL, note TEXT);
CREATE TABLE item (
    order_number INTEGER REFERENCES orders (number), colour_id INTEGER REFERENCES colour (id), count INTEGER,
    PRIMARY KEY (order_number, colour_id));
CREATE TABLE friends (one INTEGER REFERENCES customer (id), other INTEGER REFERENCES customer (id), PRIMARY KEY (one, other));
"""
CITIES = {"Fresno": "CA", "Oakland": "CA", "Reno": "NV", "Elko": "NV", "Salem": "OR", "Bend": "OR"}


def make_shop(path: Path) -> None:
    chance = random.Random(5)
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMA)
    names = "Red Blue Green Black White".split()
    connection.executemany("INSERT INTO colour VALUES (?, ?)", enumerate(names, 1))
    statuses: dict[int, str] = {}
    for number in range(1, 61):
        city = chance.choice(list(CITIES))
        statuses[number] = chance.choice(["active", "active", "closed"])
        joined = f"20{chance.randint(10, 19)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
        name = f"{chance.choice(['Ann', 'Bo', 'Cy', 'Di'])} {chance.choice(['Ray', 'Lee', 'Fox'])}"
        row = (number, name, city, CITIES[city], joined, statuses[number])
        connection.execute("INSERT INTO customer VALUES (?, ?, ?, ?, ?, ?)", row)
    for number in range(1, 201):
        customer = chance.randint(1, 60)
        net, tax = round(chance.uniform(5, 200), 2), round(chance.uniform(1, 20), 2)
        day = f"2021-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
        note = chance.choice([None, None, "gift", "rush"])
        row = (number, customer, statuses[customer], day, net, tax, round(net + tax, 2), note)
        connection.execute("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        for colour in chance.sample(range(1, 6), chance.randint(1, 3)):
            connection.execute("INSERT INTO item VALUES (?, ?, ?)", (number, colour, chance.randint(1, 30)))
    for _ in range(40):
        one, other = chance.sample(range(1, 61), 2)
        connection.executemany("INSERT OR IGNORE INTO friends VALUES (?, ?)", [(one, other), (other, one)])
    connection.commit()
    connection.close()


@pytest.fixture(scope="session")
def shop_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shop") / "shop.sqlite"
    make_shop(path)
    return path


@pytest.fixture(scope="session")
def shop(shop_path: Path) -> Iterator[Subject]:
    subject = Subject(shop_path)
    yield subject
    subject.close()
