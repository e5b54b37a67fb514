"""What came of a run: its records, what they count up to, and how they look in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from ..runs.aggregate import aggregate
from ..runs.custody import NAME, answer_in
from ..runs.directory import read_config, read_records
from ..runs.run import versions as running_versions
from ..runs.summary import percent, summary_text
from ..types import Outcome, Record

_SHOWN = 200
_COLUMNS = ("task", "outcome", "score", "reason", "seconds")


class Results:
    """Records in the order of the tasks. Iterate over it, look up a task by its key, or make a table of it."""

    def __init__(
        self,
        records: Iterable[Record],
        *,
        title: str = "",
        directory: Path | None = None,
        stopped: str | None = None,
        interrupted: bool = False,
        versions: Mapping[str, str] | None = None,
        gold_reachable: str | None = None,
    ) -> None:
        self.records = sorted(records, key=lambda record: (record.index, record.task, record.epoch))
        self.title = title
        self.directory = directory
        """Where the run is on the disk, if it was asked for."""
        self.stopped = stopped
        """Why the run ended before all was played, if it did."""
        self.interrupted = interrupted
        self.gold_reachable = gold_reachable
        """Whether the agent could have read the gold, in words; None if nobody asked."""
        self.versions = versions or running_versions()
        """Of everything that had a part in the run, database servers included."""

    @cached_property
    def overall(self) -> dict[str, Any]:
        """All that overall.json of a run directory has: shares with intervals for every facet, means, usage."""
        reach = {NAME: self.gold_reachable} if self.gold_reachable else {}
        return {**aggregate(self.records).overall(), **reach}

    @property
    def accuracy(self) -> float | None:
        """Passed over all that were judged or should have been; None if there are none."""
        return self.overall["overall"]["accuracy"]

    @property
    def interval(self) -> tuple[float, float]:
        """The accuracy's, at 95%."""
        return self.overall["overall"]["interval"]

    @property
    def n(self) -> int:
        """How many episodes the accuracy is made of."""
        return self.overall["overall"]["total"]

    @property
    def passed(self) -> int:
        return self.overall["overall"]["passed"]

    @property
    def failures(self) -> list[Record]:
        """All records that are not passed, for a look at their reasons."""
        return [record for record in self.records if record.outcome is not Outcome.passed]

    def table(self) -> list[dict[str, Any]]:
        """A row per record: what pandas.DataFrame and polars.DataFrame take as it is."""
        return [_row(record) for record in self.records]

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    def __getitem__(self, task: str) -> Record:
        """The first attempt at a task."""
        for record in self.records:
            if record.task == task:
                return record
        raise KeyError(task)

    def __str__(self) -> str:
        return summary_text(self.title, self.overall, self.versions)

    def __repr__(self) -> str:
        left_out = self.overall["overall"]["left_out"]
        parts = [f"{self.passed} of {self.n} passed", *([percent(self.overall["overall"]).strip()] if self.n else [])]
        parts += [f"{left_out} not counted"] if left_out else []
        parts += ["interrupted"] if self.interrupted else []
        parts += [f"stopped: {self.stopped}"] if self.stopped else []
        return f"<Results: {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in _COLUMNS)
        rows = "".join(_html_row(row) for row in self.table()[:_SHOWN])
        more = f"<p>… and {len(self) - _SHOWN} more</p>" if len(self) > _SHOWN else ""
        return f"<p>{escape(repr(self))}</p><table><tr>{head}</tr>{rows}</table>{more}"


def read(run: str | Path) -> Results:
    """The results of a run directory, also of one that is still going or was killed."""
    path = Path(run)
    config = read_config(path)
    records = read_records(path) if (path / "runs.jsonl").exists() else ()
    title, versions = str(config.get("title", "")), config.get("versions")
    return Results(records, title=title, directory=path, versions=versions, gold_reachable=answer_in(config).get(NAME))


def _row(record: Record) -> dict[str, Any]:
    return {
        "task": record.task,
        "epoch": record.epoch,
        **record.facets,
        "outcome": record.outcome.value,
        "score": record.score,
        "reason": record.reason,
        **record.metrics,
        "calls": record.usage.calls,
        "input_tokens": record.usage.input_tokens,
        "output_tokens": record.usage.output_tokens,
        "cost": record.usage.cost,
        "seconds": record.seconds,
    }


def _html_row(row: Mapping[str, Any]) -> str:
    return f"<tr>{''.join(f'<td>{escape(str(row[name]))}</td>' for name in _COLUMNS)}</tr>"
