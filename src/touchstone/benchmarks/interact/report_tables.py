"""The report of a BIRD-Interact run or sweep: text for a terminal, CSV, LaTeX, drawings, and tables for the viewer."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from math import floor, log10
from pathlib import Path
from textwrap import fill
from typing import Any, cast

from ...distribution import pip_install
from ...errors import InputError
from ...reports.estimates import Estimate, RunSection, RunTable, ShownFigure, StepChart, StepLine, percent
from ...types import Record
from .report import Curve, InteractReport, report_of

_HEADINGS = ("phase 1", "phase 2", "reward", "first submission")
_USER_WORDS = {
    "questions": "questions",
    "user_labeled": "  about a labelled ambiguity",
    "user_unlabeled": "  about another part of the gold",
    "user_unanswerable": "  refused",
    "user_leaks": "answers with a leak",
    "user_withheld": "answers withheld",
    "user_faults": "faults of its model",
    "failed_by_user": "failures that it caused",
}


def as_text(report: InteractReport) -> str:
    lines = [report.title, f"{_count(report.episodes, 'episode')} of {_count(report.tasks, 'task')}{_apart(report)}", ""]
    lines += ["In percent, with 95% intervals:", *_aligned(list(_category_rows(report))), ""]
    lines += [
        "Each episode on average:",
        *_aligned([[name, str(mean), f"n = {n}"] for name, (mean, n) in _effort_rows(report)]),
    ]
    if report.actions:
        rows = [[name, *map(str, figures)] for name, figures in _action_rows(report)]
        lines += ["", *_aligned([["action", "calls", "coins", "n"], *rows])]
    for curve in report.curves:
        lines += ["", f"With at most so many {curve.unit} (percent, n = {curve.n}):"]
        rows = [[f"{p.at:g}", *(f"{100 * value:.1f}" for value in (p.phase_1, p.passed, p.reward))] for p in _thinned(curve)]
        lines += _aligned([[curve.unit, "phase 1", "both", "reward"], *rows])
    return "\n".join(lines) + "\n"


def as_csv(reports: Sequence[InteractReport]) -> str:
    """One figure a line, for whatever makes the tables of a paper."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("run", "table", "row", "metric", "n", "value", "low", "high"))
    for report in reports:
        for table, row, metric, mean in _figures(report):
            shown = ("",) * 3 if mean.value is None else tuple(f"{x:.6g}" for x in (mean.value, mean.low, mean.high))
            writer.writerow((report.path, table, row, metric, mean.n, *shown))
        for curve in report.curves:
            for point in curve.points:
                for metric, value in (("phase_1", point.phase_1), ("passed", point.passed), ("reward", point.reward)):
                    writer.writerow((report.path, f"by_{curve.unit}", f"{point.at:g}", metric, curve.n, f"{value:.6g}", "", ""))
    return out.getvalue()


def as_latex(reports: Sequence[InteractReport]) -> str:
    """A table for booktabs: a row for each run and category. Whole titles, too long for a column, are comments."""
    several = len(reports) > 1
    head = "Category & $n$ & Phase 1 & Phase 2 & Reward & First"
    lines = [f"% {title}" for title in (report.title for report in reports)]
    lines += [rf"\begin{{tabular}}{{{'l' * several}lrrrrr}}", r"\toprule", f"{'Run & ' * several}{head} \\\\"]
    for label, report in zip(labels([report.title for report in reports]), reports, strict=True):
        lines.append(r"\midrule")
        for number, row in enumerate(report.categories):
            cells = [escaped(row.category), str(row.phase_1.n), *map(_latex, row.means)]
            lines.append(" & ".join([*[escaped(label) * (number == 0)] * several, *cells]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def run_section(counted: Sequence[Record]) -> RunSection | None:
    """For the page of a run: success by category and against what was spent, and what an episode takes."""
    if not any("phase_1" in record.metrics for record in counted):
        return None
    report = report_of(counted)
    rows = [(row.category, row.means) for row in report.categories]
    tables = [RunTable("Each episode on average", ("", "Mean", "n"), list(_effort_rows(report)))]
    if report.actions:
        tables.append(RunTable("Each episode, by action", ("Action", "Calls", "Coins", "n"), list(_action_rows(report))))
    columns = ("Category", "Phase 1", "Phase 2", "Reward", "First submission")
    return RunSection("The interaction", columns, rows, [_chart(curve) for curve in report.curves], tables)


def _chart(curve: Curve) -> StepChart:
    last = curve.points[-1]
    legend = "pale line: phase 1; full line: all phases; dotted line: reward"
    return StepChart(
        caption=f"Percent of episodes that had passed with so many {curve.unit}, n = {curve.n:,} ({legend})",
        title=f"With {last.at:g} {curve.unit}: phase 1 {last.phase_1:.1%}, all phases {last.passed:.1%}",
        at=[point.at for point in curve.points],
        lines=(
            StepLine("phase 1", [point.phase_1 for point in curve.points], "faint"),
            StepLine("all phases", [point.passed for point in curve.points]),
            StepLine("reward", [point.reward for point in curve.points], "dotted"),
        ),
    )


def draw_curves(reports: Sequence[InteractReport], directory: Path) -> list[Path]:
    """Success against coins and turns, one line for each run: `curve-coins.png`, `curve-coins.svg`, …"""
    written: list[Path] = []
    for unit in ("coins", "turns"):
        curves = [(report.title, curve) for report in reports for curve in report.curves if curve.unit == unit]
        if curves:
            figure = new_figure()
            axes = figure.subplots()
            names = [fill(label, 70) for label in labels([title for title, _ in curves])]
            for at, (label, (_, curve)) in enumerate(zip(names, curves, strict=True)):
                _line(axes, curve, "phase_1", f"{label}: phase 1", f"C{at}", ":")
                _line(axes, curve, "passed", f"{label}: both phases", f"C{at}", "-")
            axes.set_xlabel(f"{unit} spent")
            axes.set_ylabel("percent of episodes")
            axes.set_ylim(-3, 103)
            axes.grid(alpha=0.3)
            add_legend(figure)
            written += save(figure, directory, f"curve-{unit}")
    return written


def new_figure() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError(f"the plot needs matplotlib: {pip_install('plot')}") from None
    return cast(Any, Figure)(figsize=(6.4, 4.2), layout="constrained")


def add_legend(figure: Any, handles: Sequence[Any] | None = None) -> None:
    """Below the axes, which keep their size. Matplotlib puts lines with intervals last, unless it is told the handles."""
    legend = figure.legend(handles=handles, loc="outside lower center", fontsize="small")
    lines = sum(text.get_text().count("\n") + 1 for text in legend.get_texts())
    figure.set_figheight(figure.get_figheight() + 0.18 * lines)


def save(figure: Any, directory: Path, name: str) -> list[Path]:
    paths = [directory / f"{name}.{kind}" for kind in ("png", "svg")]
    for path in paths:
        figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)
    return paths


def _line(axes: Any, curve: Curve, what: str, label: str, color: str, style: str) -> None:
    at = [point.at for point in curve.points]
    values = [100 * getattr(point, what) for point in curve.points]
    end = 1.05 * at[-1]  # so that the last step is seen
    axes.step([*at, end], [*values, values[-1]], where="post", label=label, color=color, linestyle=style)


def _apart(report: InteractReport) -> str:
    return f"; {report.left_out} not counted (unscorable or skipped)" if report.left_out else ""


def _category_rows(report: InteractReport) -> Iterator[list[str]]:
    yield ["category", *(heading for name in _HEADINGS for heading in (name, "n"))]
    for row in report.categories:
        yield [row.category, *(cell for mean in row.means for cell in (percent(mean), str(mean.n)))]


def _effort_rows(report: InteractReport) -> Iterator[tuple[str, tuple[ShownFigure, ShownFigure]]]:
    """Each figure with its n."""
    for name, mean in (("cost of the agent", report.cost_agent), ("cost of the user", report.cost_user)):
        digits = max(4, 1 - floor(log10(mean.value))) if mean.value else 4  # two that are not 0
        yield name, (ShownFigure("unknown") if mean.value is None else _shown(mean, digits, before="$"), _n(mean))
    yield "labelled ambiguities resolved", (_share(report.resolved), _n(report.resolved))
    for name, mean in report.user.items():
        if mean.value is not None:
            yield _USER_WORDS[name], (_share(mean) if name == "failed_by_user" else _shown(mean), _n(mean))


def _action_rows(report: InteractReport) -> Iterator[tuple[str, tuple[ShownFigure, ...]]]:
    for row in report.actions:
        yield row.action, (_shown(row.calls), _shown(row.coins), _n(row.calls))


def _shown(mean: Estimate, digits: int = 2, *, times: int = 1, before: str = "", behind: str = "") -> ShownFigure:
    if mean.value is None:
        return ShownFigure("–")
    value, low, high = (f"{times * figure:.{digits}f}" for figure in (mean.value, mean.low, mean.high))
    return ShownFigure(f"{before}{value}{behind}", f"{low} to {high}")


def _share(mean: Estimate) -> ShownFigure:
    return _shown(mean, 1, times=100, behind="%")


def _n(mean: Estimate) -> ShownFigure:
    return ShownFigure(str(mean.n))


def _figures(report: InteractReport) -> Iterator[tuple[str, str, str, Estimate]]:
    for row in report.categories:
        for name in ("phase_1", "phase_2", "reward", "first_submission"):
            yield "category", row.category, name, getattr(row, name)
    yield "effort", "agent", "cost", report.cost_agent
    yield "effort", "user", "cost", report.cost_user
    yield "effort", "user", "ambiguities_resolved", report.resolved
    for name, mean in report.user.items():
        yield "user", "user", name, mean
    for action in report.actions:
        yield "actions", action.action, "calls", action.calls
        if action.coins.n:
            yield "actions", action.action, "coins", action.coins


def _thinned(curve: Curve, most: int = 20) -> list[Any]:
    """A terminal needs no more; the CSV has all."""
    points = curve.points
    if len(points) <= most:
        return list(points)
    return [points[round(at * (len(points) - 1) / (most - 1))] for at in range(most)]


def _aligned(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    cells = (
        [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))] for row in rows
    )
    return ["  " + "  ".join(line).rstrip() for line in cells]


def _latex(mean: Estimate) -> str:
    if mean.value is None:
        return "--"
    return f"{100 * mean.value:.1f} {{\\scriptsize [{100 * mean.low:.1f}, {100 * mean.high:.1f}]}}"


def escaped(text: str) -> str:
    """For LaTeX."""
    words = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$", ">": "$>$"}
    return "".join(words.get(letter) or (f"\\{letter}" if letter in "&%$#_{}" else letter) for letter in text)


def told_apart(titled: Sequence[tuple[str, Path]]) -> list[str]:
    """Titles of runs or sweeps; with the name of its directory where two are the same."""
    titles = [title for title, _ in titled]
    return [f"{title}, {path.resolve().name}" if titles.count(title) > 1 else title for title, path in titled]


def labels(titles: Sequence[str]) -> list[str]:
    """What tells the titles apart, or all that each says behind the benchmark's name; numbered if nothing does."""
    parts = [title.replace(": ", ", ").split(", ") for title in titles]
    shared = set(parts[0]).intersection(*parts[1:]) if len(parts) > 1 else set[str]()
    told = [", ".join(part for part in each if part not in shared) for each in parts] if len(parts) > 1 else [""]
    differing = [label or title.partition(": ")[2] or title for label, title in zip(told, titles, strict=True)]
    return [f"{label} ({at})" if differing.count(label) > 1 else label for at, label in enumerate(differing, 1)]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
