"""Comparing results with golden CSV files, beside a plain pandas loop that follows the rules of the official suite.

golden    each local golden CSV file of Spider2-lite against all golden results of its task, files read included: as it
          is, with its rows shuffled, with its floats 0.005 off, with one cell changed in each column, and against
          another task; both sides have to come to the same verdicts
million   two CSV files of a million rows and five columns, read and compared in a process of its own

CPU seconds, and megabytes at the peak. The data are below TOUCHSTONE_DATA, by default beside the repository.
"""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from measuring import arguments, peak_memory, report

from touchstone.verdicts.spider2 import official, official_any, read_csv, strict_any

DATA = Path(os.environ.get("TOUCHSTONE_DATA") or Path(__file__).parents[2] / "shared" / "data")
GOLD = DATA / "spider2-lite" / "evaluation_suite" / "gold"
ROWS = 1_000_000


class Case(NamedTuple):
    prediction: bytes
    golds: list[bytes]
    single: bool
    """The golden file's name has no letter."""
    conditions: Any
    ignore_order: bool


# --- the plain loop ---


def plain(case: Case) -> bool:
    import pandas

    predicted = pandas.read_csv(BytesIO(case.prediction))
    golds = [pandas.read_csv(BytesIO(gold)) for gold in case.golds]
    try:
        if case.single:
            return plain_compare(predicted, golds[0], case.conditions, case.ignore_order)
        return plain_compare_any(predicted, golds, case.conditions, case.ignore_order)
    except (IndexError, ValueError):
        return False


def plain_compare_any(predicted: Any, golds: list[Any], conditions: Any, ignore_order: bool) -> bool:
    if conditions in (None, [], [[]], [None]):
        conditions = [[] for _ in golds]
    elif len(golds) > 1 and not all(isinstance(part, list) for part in conditions):
        conditions = [conditions for _ in golds]
    return any(plain_compare(predicted, gold, conditions[i], ignore_order) for i, gold in enumerate(golds))


def plain_compare(predicted: Any, gold: Any, conditions: Any, ignore_order: bool) -> bool:
    if conditions:
        gold = gold.iloc[:, conditions if isinstance(conditions, list) else [conditions]]
    wanted, offered = gold.transpose().values.tolist(), predicted.transpose().values.tolist()
    return all(any(plain_match(column, other, ignore_order) for other in offered) for column in wanted)


def plain_match(column: list[Any], other: list[Any], ignore_order: bool) -> bool:
    import pandas

    left, right = [[0 if pandas.isna(value) else value for value in values] for values in (column, other)]
    if ignore_order:
        left, right = sorted(left, key=_printed), sorted(right, key=_printed)
    if len(left) != len(right):
        return False
    for a, b in zip(left, right, strict=True):
        if isinstance(a, (int, float)) and isinstance(b, (int, float)):
            if not math.isclose(float(a), float(b), abs_tol=1e-2):
                return False
        elif a != b:
            return False
    return True


def _printed(value: Any) -> tuple[bool, str, bool]:
    return value is None, str(value), isinstance(value, (int, float))


# --- ours ---


def ours(case: Case) -> bool:
    predicted, golds = read_csv(case.prediction), [read_csv(gold) for gold in case.golds]
    if case.single:
        return official(predicted, golds[0], case.conditions, case.ignore_order).matched
    return official_any(predicted, golds, case.conditions, case.ignore_order).matched


def ours_strict(case: Case) -> bool:
    predicted, golds = read_csv(case.prediction), [read_csv(gold) for gold in case.golds]
    return strict_any(predicted, golds, case.conditions, case.ignore_order).matched


# --- golden files ---


def golden_cases() -> Iterator[Case]:
    for line in (GOLD / "spider2lite_eval.jsonl").read_text().splitlines():
        task = json.loads(line)
        single = GOLD / "exec_result" / f"{task['instance_id']}.csv"
        files = [single] if single.exists() else sorted(GOLD.glob(f"exec_result/{task['instance_id']}_[a-z].csv"))
        golds = [file.read_bytes() for file in files]
        for gold in golds:
            yield Case(gold, golds, single.exists(), task["condition_cols"], task["ignore_order"])


def shuffled(frame: Any) -> Any:
    return frame.sample(frac=1, random_state=1)


def off_by_little(frame: Any) -> Any:
    return frame.apply(lambda column: column + 0.005 if column.dtype == "float64" else column)


def one_cell_changed(frame: Any) -> Any:
    changed = frame.astype(object)
    if len(changed):
        changed.iloc[len(changed) // 2] = [f"{value}x" for value in changed.iloc[len(changed) // 2]]
    return changed


def altered(cases: list[Case], change: Callable[[Any], Any]) -> list[Case]:
    import pandas

    frames = [change(pandas.read_csv(BytesIO(case.prediction))) for case in cases]
    return [case._replace(prediction=frame.to_csv(index=False).encode()) for case, frame in zip(cases, frames, strict=True)]


def measure_golden() -> dict[str, dict[str, Any]]:
    cases = list(golden_cases())
    others = [case._replace(prediction=other.prediction) for case, other in zip(cases, cases[7:] + cases[:7], strict=True)]
    sets = {
        "themselves": cases,
        "rows shuffled": altered(cases, shuffled),
        "floats 0.005 off": altered(cases, off_by_little),
        "one cell changed": altered(cases, one_cell_changed),
        "another task's": others,
    }
    plain(cases[0])  # imports and first uses are not measured
    return {name: measure(some) for name, some in sets.items()}


def measure(cases: list[Case]) -> dict[str, Any]:
    verdicts, seconds = zip(*(timed(judge, cases) for judge in (plain, ours, ours_strict)), strict=True)
    differing = [case for case, a, b in zip(cases, verdicts[0], verdicts[1], strict=True) if a != b]
    if differing:
        raise SystemExit(f"{len(differing)} verdicts differ, first for conditions {differing[0].conditions}")
    return {
        "files": len(cases),
        "accepted": sum(verdicts[1]),
        "accepted strictly": sum(verdicts[2]),
        **dict(zip(("pandas", "official", "strict"), seconds, strict=True)),
    }


def timed(judge: Callable[[Case], bool], cases: list[Case]) -> tuple[list[bool], float]:
    started = time.process_time()
    verdicts = [judge(case) for case in cases]
    return verdicts, time.process_time() - started


# --- a million rows ---


def million_rows(noise: float = 0.0) -> list[tuple[str, ...]]:
    some = random.Random(7)
    kinds = ["cash", "card", "transfer", "voucher"]
    return [
        (
            str(number * 7),
            some.choice(kinds),
            f"Customer {some.randrange(ROWS)}",
            f"{some.uniform(0, 10_000):.2f}",
            repr(some.random() * 100 + noise),
        )
        for number in range(ROWS)
    ]


def write(path: Path, rows: list[tuple[str, ...]]) -> Path:
    names = ("order_id", "payment", "customer", "amount", "share", "remark")[: len(rows[0])]
    with path.open("w") as file:
        file.writelines(",".join(row) + "\n" for row in (names, *rows))
    return path


def million_files(directory: Path) -> Iterator[tuple[str, Path, Path]]:
    rows = million_rows()
    gold = write(directory / "gold.csv", rows)
    yield "same order", gold, write(directory / "same.csv", rows)
    random.Random(8).shuffle(rows)
    yield "shuffled", gold, write(directory / "shuffled.csv", rows)
    wider = [(*reversed(row), "x") for row in rows]
    yield "shuffled, columns reversed, one more", gold, write(directory / "reversed.csv", wider)
    del wider
    rows[0], rows[1] = (*rows[0][:2], *rows[1][2:]), (*rows[1][:2], *rows[0][2:])
    yield "shuffled, two rows mixed", gold, write(directory / "mixed.csv", rows)
    rows = million_rows(noise=0.004)
    random.Random(8).shuffle(rows)
    yield "shuffled, floats 0.004 off", gold, write(directory / "off.csv", rows)


def measure_million() -> dict[str, dict[str, dict[str, Any]]]:
    results: dict[str, dict[str, dict[str, Any]]] = {}
    with tempfile.TemporaryDirectory() as directory:
        for name, gold, predicted in million_files(Path(directory)):
            results[name] = {mode: in_own_process(mode, gold, predicted) for mode in ("official", "strict")}
    return results


def in_own_process(mode: str, gold: Path, predicted: Path) -> dict[str, Any]:
    command = [sys.executable, __file__, "--compare", mode, str(gold), str(predicted)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def compare_files(mode: str, gold: str, predicted: str) -> None:
    judge = {"official": official_any, "strict": strict_any}[mode]
    started = time.process_time()
    tables = [read_csv(Path(file).read_bytes()) for file in (gold, predicted)]
    read = time.process_time() - started
    matched = judge(tables[1], tables[:1], [], True).matched
    seconds = time.process_time() - started
    print(json.dumps({"matched": matched, "read": read, "seconds": seconds, "megabytes": peak_memory()}))


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--compare", nargs=3, help="compare two files, and print what it took")
    options = parser.parse_args()
    if options.compare:
        compare_files(*options.compare)
        return
    golden, million = measure_golden(), measure_million()
    rows = [
        [f"golden, {name}", str(r["accepted"]), f"{r['pandas']:.2f}", f"{r['official']:.2f}", f"{r['strict']:.2f}", ""]
        + [f"{r['pandas'] / r['official']:.0f}x"]
        for name, r in golden.items()
    ] + [
        [f"million, {name}", str(int(r["official"]["matched"])), "", f"{r['official']['seconds']:.2f}"]
        + [f"{r['strict']['seconds']:.2f}", f"{max(part['megabytes'] for part in r.values()):.0f}", ""]
        for name, r in million.items()
    ]
    head = ["what", "accepted", "pandas s", "official s", "strict s", "MB", "pandas / official"]
    report("spider2_compare", {"golden": golden, "million": million}, [head, *rows], options.json)


if __name__ == "__main__":
    main()
