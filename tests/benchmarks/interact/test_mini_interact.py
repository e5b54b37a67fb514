"""All of mini-interact, as published: every task can be played up to its submission, on every database."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.benchmarks.interact.playing import call, seen, sqlite_benchmark
from tests.support.data import shared_data
from touchstone.agents.scripted import ScriptedAgent
from touchstone.runs.episode_runner import play
from touchstone.types import Outcome, Record

ABSENT = {"cybermarket", "exchange_traded_funds", "hulushows"}


async def test_every_task_is_played_until_the_withheld_gold_is_needed() -> None:
    directory = shared_data("mini-interact")
    before = _changed(directory)
    records: list[tuple[Record, float]] = []
    async with sqlite_benchmark(directory) as benchmark:
        for task in benchmark.tasks():
            term = task.critical[0].term if task.critical else task.knowledge[0].term
            look = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
            moves = [("get_schema",), ("get_all_external_knowledge_names",), ("ask", f"What do you mean by {term}?")]
            moves += [("execute", look), ("execute", "CREATE TABLE mine (x)"), ("submit", "SELECT 1")]
            calls = [call(move) for move in moves]
            agent = ScriptedAgent(lambda _, calls=calls: calls)  # type: ignore[misc]
            records.append(((await play(benchmark, agent, task))[0], benchmark.budget(task)))
    outcomes = Counter((record.outcome, record.facets["database"] in ABSENT) for record, _ in records)
    assert outcomes == {(Outcome.unscorable, False): 261, (Outcome.unscorable, True): 39}
    for record, budget in records:
        if record.facets["database"] in ABSENT:
            assert record.evidence["kind"] == "database", record.reason
            continue
        assert record.evidence["kind"] == "gold withheld", record.reason
        schema, _, answer, tables, made, submitted = seen(record)
        assert f"[{budget - 1:g} of {budget:g} bird-coins left]" in schema.text
        assert "CREATE TABLE" in schema.text
        assert answer.details["user"]["choice"] == "labeled"
        assert "rows)" in tables.text or "row)" in tables.text
        assert made.text.startswith("Done.")
        assert "withheld" in submitted.text, submitted.text
    assert _changed(directory) == before


def _changed(directory: Path) -> dict[str, tuple[int, int]]:
    """Sizes and times of all databases: none may be touched, nor get a -wal or -shm file."""
    files = sorted(directory.glob("*/*.sqlite*"))
    return {str(file): (file.stat().st_size, file.stat().st_mtime_ns) for file in files}
