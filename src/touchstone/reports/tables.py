"""Runs as tables for other tools: every attempt as a row (CSV, Parquet), every run as a row (LaTeX, Markdown).

A row names its run, benchmark, agent and model, so the rows of many runs make one table. What was not judged has no score.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from ..distribution import pip_install
from ..errors import InputError
from ..files import replace_file
from ..terminal import one_line
from ..types import JUDGED, Outcome, Record
from .web.library import Run

Row = dict[str, Any]

_TYPES = {
    **dict.fromkeys(("run", "benchmark", "agent", "model", "task"), "VARCHAR"),
    **dict.fromkeys(("index", "epoch"), "BIGINT"),
    "outcome": "VARCHAR",
    "passed": "BOOLEAN",
    "score": "DOUBLE",
    **dict.fromkeys(("reason", "kind"), "VARCHAR"),
    "started": "TIMESTAMPTZ",
    "seconds": "DOUBLE",
    **dict.fromkeys(("calls", "reused", "input_tokens", "output_tokens"), "BIGINT"),
    "cost": "DOUBLE",
}
"""The columns that every table has, in their order."""
_UNKNOWN = "–"
_LATEX = str.maketrans(
    {mark: f"\\{mark}" for mark in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--"}
)
_MARKDOWN = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_[]|<>#"})


def opened(paths: Sequence[Path]) -> list[Run]:
    """The runs, read whole. Raises InputError if one is not a run, or a line of it is not a record."""
    runs = [Run(path.resolve(), str(path), str(path)).refresh() for path in paths]
    for run, path in zip(runs, paths, strict=True):
        if problem := run.problem or next(iter(run.index.faults), None):
            raise InputError(problem if str(path) in problem else f"{path}: {problem}")
        if not run.index.entries:
            raise InputError(f"{path}: there are no records in this run")
    return runs


def attempts(runs: Sequence[Run]) -> list[Row]:
    """A row per record. Facets and metrics of all runs are columns, empty where a run has none."""
    records = [(run, record) for run in runs for record in ordered(run)]
    facets = sorted({f"facet_{name}" for _, record in records for name in record.facets})
    metrics = sorted({f"metric_{name}" for _, record in records for name in record.metrics})
    empty: Row = dict.fromkeys([*_TYPES, *facets, *metrics])
    return [{**empty, **_attempt(run, record)} for run, record in records]


def ordered(run: Run) -> list[Record]:
    return sorted((entry.record for entry in run.index.entries), key=lambda record: (record.index, record.task, record.epoch))


def _attempt(run: Run, record: Record) -> Row:
    judged = record.outcome in JUDGED
    used = sum(record.usage_by.values(), record.usage)
    return {
        "run": run.label,
        "benchmark": _known(run.benchmark),
        "agent": _known(run.agent),
        "model": _known(run.model),
        "task": record.task,
        "index": record.index,
        "epoch": record.epoch,
        "outcome": record.outcome.value,
        "passed": record.outcome is Outcome.passed if judged else None,
        "score": record.score if judged else None,
        "reason": record.reason,
        "kind": record.evidence.get("kind"),
        "started": record.started,
        "seconds": record.seconds,
        "calls": used.calls,
        "reused": used.reused,
        "input_tokens": used.input_tokens,
        "output_tokens": used.output_tokens,
        "cost": used.cost,
        **{f"facet_{name}": value for name, value in record.facets.items()},
        **{f"metric_{name}": value for name, value in record.metrics.items()},
    }


def _known(name: str) -> str | None:
    return None if name == _UNKNOWN else name


def as_csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue().encode("utf-8", "replace")


def _cell(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def write_parquet(rows: Sequence[Mapping[str, Any]], target: Path) -> None:
    """By DuckDB, typed. Raises InputError without it."""
    try:
        import duckdb
    except ImportError:
        raise InputError(f"Parquet needs DuckDB: {pip_install('duckdb')}") from None
    kinds = {name: _TYPES.get(name, "VARCHAR" if name.startswith("facet_") else "DOUBLE") for name in rows[0]}
    with TemporaryDirectory(prefix="touchstone-") as folder:
        lines, made = Path(folder, "rows.jsonl"), Path(folder, "rows.parquet")
        lines.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
        columns = ", ".join(f"{_quoted(name)}: '{kind}'" for name, kind in kinds.items())
        source = f"read_json({_quoted(str(lines))}, format='newline_delimited', columns={{{columns}}})"
        with duckdb.connect() as connection:
            connection.execute(f"COPY (SELECT * FROM {source}) TO {_quoted(str(made))} (FORMAT parquet)")
        replace_file(target, made.read_bytes())


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


# A row per run, for a paper or a page.


def summary_rows(runs: Sequence[Run]) -> list[list[str]]:
    """Benchmark, agent, model, accuracy with its interval, n, mean score, cost."""
    return [[run.benchmark, run.agent, run.model, *_figures(run)] for run in runs]


HEAD = ("benchmark", "agent", "model", "accuracy", "95% interval", "n", "score", "cost (USD)")


def _figures(run: Run) -> list[str]:
    overall = run.index.aggregate.overall()
    share, cost = overall["overall"], run.index.cost
    if share["accuracy"] is None:
        return [_UNKNOWN, _UNKNOWN, "0", _UNKNOWN, _UNKNOWN]
    low, high = (100 * end for end in share["interval"])
    return [
        f"{100 * share['accuracy']:.1f}",
        f"{low:.1f}–{high:.1f}",
        str(share["total"]),
        f"{overall['score']:.3f}",
        _UNKNOWN if cost is None else f"{cost:.2f}",
    ]


def as_markdown(runs: Sequence[Run]) -> str:
    lines = [f"| {' | '.join(HEAD)} |", "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |"]
    lines += [f"| {' | '.join(_escaped(cell, _MARKDOWN) for cell in row)} |" for row in summary_rows(runs)]
    return "\n".join(lines) + "\n"


def as_latex(runs: Sequence[Run]) -> str:
    """For the package booktabs. Columns that are the same in all runs go into the caption."""
    rows = summary_rows(runs)
    same = {number: rows[0][number] for number in range(3) if len(rows) > 1 and len({row[number] for row in rows}) == 1}
    kept = [number for number in range(len(HEAD)) if number not in same]
    caption = "Accuracy in percent with 95\\% Wilson intervals"
    caption += "".join(f"; {HEAD[number]}: {_escaped(text, _LATEX)}" for number, text in same.items() if text != _UNKNOWN)
    lines = [
        "% \\usepackage{booktabs}",
        "\\begin{table}",
        "\\centering",
        f"\\caption{{{caption}.}}",
        f"\\begin{{tabular}}{{{''.join('l' if number < 3 else 'r' for number in kept)}}}",
        "\\toprule",
        " & ".join(_escaped(HEAD[number], _LATEX) for number in kept) + " \\\\",
        "\\midrule",
        *(" & ".join(_escaped(row[number], _LATEX) for number in kept) + " \\\\" for row in rows),
        "\\bottomrule",
        "\\end{tabular}",
        "\\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _escaped(text: str, marks: Mapping[int, str | int | None]) -> str:
    return one_line(text).translate(marks)


TEXTS: dict[str, Callable[[Sequence[Run]], bytes]] = {
    "csv": lambda runs: as_csv(attempts(runs)),
    "markdown": lambda runs: as_markdown(runs).encode(),
    "latex": lambda runs: as_latex(runs).encode(),
}
"""What is text, and so can go to the standard output."""
