"""Whatever others write ends as passed, failed or limit, or is refused in one line: 0 infrastructure outcomes.

`make test` tries a little over 1,000 inputs, the same ones each time; `make fuzz SECONDS=600` goes on with new ones. A failure
names its entry point and seed: TOUCHSTONE_FUZZ_SEED starts there.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.targets import QUICK, SLOW, Fuzzed
from tests.support.sql_service import SqlService
from tests.support.worlds import World
from touchstone.benchmarks.bird.benchmark import Bird
from touchstone.engines.sqlite.engine import SqliteEngine

SECONDS = float(os.environ.get("TOUCHSTONE_FUZZ_SECONDS", "0"))
FIRST = int(os.environ.get("TOUCHSTONE_FUZZ_SEED", "1"))
INPUTS = {**dict.fromkeys(QUICK, 125), **dict.fromkeys(SLOW, 12), "archives": 60}
GOOD = ("passed: ", "failed: ", "limit: ", "refused: ")


@pytest.fixture
async def fuzzed(world: World, tmp_path: Path) -> AsyncIterator[Fuzzed]:
    engine = SqliteEngine(workers=1)
    with SqlService(lambda _: made.answer) as service:
        made = Fuzzed(Bird(world.load(), world.databases, engine), tmp_path, service)
        yield made
    await engine.close()


@pytest.mark.parametrize("entry", INPUTS)
async def test_every_way_in(fuzzed: Fuzzed, entry: str) -> None:
    found: Counter[str] = Counter()
    until = time.monotonic() + SECONDS / len(INPUTS)
    seed = FIRST
    while seed < FIRST + INPUTS[entry] or time.monotonic() < until:
        try:
            outcomes = await getattr(fuzzed, entry)(Random(seed))
        except Exception as error:
            error.add_note(f"{entry}, seed {seed}")
            raise
        for outcome in outcomes:
            assert outcome.startswith(GOOD), f"{entry}, seed {seed}: {outcome}"
            found[outcome.partition(":")[0]] += 1
        seed += 1
    print(f"{entry}: {seed - FIRST:,} inputs, {dict(found)}")
