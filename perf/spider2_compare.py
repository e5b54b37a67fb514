"""Comparing results with golden CSV files, beside a plain pandas loop that follows the rules of the official suite.

golden    each local golden CSV file of Spider2-lite against all gold results of its task: as it is, with its rows
          shuffled, with its floats 0.005 off, with one cell changed in each column, and against another task. Reading
          is included, of golden files once. Both sides have to come to the same verdicts
million   two CSV files of a million rows and five columns, 56 MB each, in a process of its own: reading and comparing them,
          and in brackets comparing alone. Beside ours: a loop by the same rules over whole columns at once, as far as pandas
          and numpy have it, and the plain loop, which takes about a minute for each; --no-plain leaves that out

CPU seconds, and megabytes at the peak. The data are below TOUCHSTONE_DATA, by default beside the repository.
"""

from __future__ import annotations

import json
import math
import operator
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

from touchstone.benchmarks.spider2.comparison import CsvTable, official, official_any, read_csv, read_golds, strict_any

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


class Side(NamedTuple):
    read: Callable[[bytes], Any]
    judge: Callable[[Any, list[Any], Case], bool]


# --- the plain loop ---


def plain_read(data: bytes) -> Any:
    import pandas

    return pandas.read_csv(BytesIO(data))


def plain_judge(predicted: Any, golds: list[Any], case: Case) -> bool:
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


# --- the same rules over whole columns ---


def vector_judge(predicted: Any, golds: list[Any], case: Case) -> bool:
    """For one gold result of which all columns count, in any order: what somebody who minds the time would write."""
    assert case.ignore_order
    assert not case.conditions
    (gold,) = golds
    if len(gold) != len(predicted):
        return False
    sides = [[_in_print(frame[name]) for name in frame.columns] for frame in (gold, predicted)]
    return all(any(_same_column(column, other) for other in sides[1]) for column in sides[0])


def _in_print(column: Any) -> Any:
    """A column in the order of its values' prints, and whether it holds numbers."""
    values = column.fillna(0)
    order = values.astype(str).to_numpy(str).argsort(kind="stable")
    return values.to_numpy()[order], values.dtype.kind in "iufb"


def _same_column(column: Any, other: Any) -> bool:
    import numpy

    (values, are_numbers), (others, also) = column, other
    if are_numbers and also:
        return bool((numpy.abs(values - others) <= numpy.maximum(1e-2, 1e-9 * numpy.maximum(abs(values), abs(others)))).all())
    return are_numbers == also and bool((values == others).all())


def _printed(value: Any) -> tuple[bool, str, bool]:
    return value is None, str(value), isinstance(value, (int, float))


# --- ours ---


def official_judge(predicted: CsvTable, golds: list[CsvTable], case: Case) -> bool:
    if case.single:
        return official(predicted, golds[0], case.conditions, case.ignore_order).matched
    return official_any(predicted, golds, case.conditions, case.ignore_order).matched


def strict_judge(predicted: CsvTable, golds: list[CsvTable], case: Case) -> bool:
    return strict_any(predicted, golds, case.conditions, case.ignore_order).matched


SIDES = {
    "pandas": Side(plain_read, plain_judge),
    "vectors": Side(plain_read, vector_judge),
    "official": Side(read_csv, official_judge),
    "strict": Side(read_csv, strict_judge),
}


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
    timed(SIDES["pandas"], cases[:1])  # imports and first uses are not measured
    return {name: measure(some) for name, some in sets.items()}


def measure(cases: list[Case]) -> dict[str, Any]:
    found = {name: timed(side, cases) for name, side in SIDES.items() if name != "vectors"}
    verdicts = {name: verdicts for name, (verdicts, _) in found.items()}
    differing = sum(map(operator.ne, verdicts["pandas"], verdicts["official"]))
    if differing:
        raise SystemExit(f"{differing} verdicts differ from those of the plain loop")
    accepted = {"accepted": sum(verdicts["official"]), "accepted strictly": sum(verdicts["strict"])}
    return {"files": len(cases), **accepted, **{name: seconds for name, (_, seconds) in found.items()}}


def timed(side: Side, cases: list[Case]) -> tuple[list[bool], float]:
    golds: dict[bytes, Any] = {}
    verdicts: list[bool] = []
    started = time.process_time()
    for case in cases:
        golds |= {gold: side.read(gold) for gold in case.golds if gold not in golds}
        verdicts.append(side.judge(side.read(case.prediction), [golds[gold] for gold in case.golds], case))
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


def measure_million(plain: bool) -> dict[str, dict[str, dict[str, Any]]]:
    results: dict[str, dict[str, dict[str, Any]]] = {}
    with tempfile.TemporaryDirectory() as directory:
        for name, gold, predicted in million_files(Path(directory)):
            modes = ("official", "strict", "vectors", "pandas, reading", *(["pandas"] if plain else []))
            results[name] = {mode: in_own_process(mode, gold, predicted) for mode in modes}
            if results[name]["vectors"]["matched"] != results[name]["official"]["matched"]:
                raise SystemExit(f"{name}: the loop over columns comes to another verdict")
    return results


def in_own_process(mode: str, gold: Path, predicted: Path) -> dict[str, Any]:
    command = [sys.executable, __file__, "--compare", mode, str(gold), str(predicted)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def compare_files(mode: str, gold: str, predicted: str) -> None:
    side = SIDES[mode.partition(",")[0]]
    side.read(b"a\n" + b"1\n" * 2**20)  # imports are not measured
    started = time.process_time()
    prediction = Path(predicted).read_bytes()
    if side.read is read_csv:  # as our judge does it
        golds, same = read_golds([Path(gold).read_bytes()], prediction)
    else:
        golds, same = [side.read(Path(gold).read_bytes())], None
    table = same or side.read(prediction)
    read = time.process_time() - started
    case = Case(b"", [], single=False, conditions=[], ignore_order=True)
    matched = None if mode.endswith("reading") else side.judge(table, golds, case)
    seconds = time.process_time() - started
    print(json.dumps({"matched": matched, "read": read, "seconds": seconds, "megabytes": peak_memory()}))


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--compare", nargs=3, help="compare two files, and print what it took")
    parser.add_argument("--no-plain", action="store_true", help="leave the plain loop over a million rows out")
    parser.add_argument("--million", action="store_true", help="leave the golden files out")
    options = parser.parse_args()
    if options.compare:
        compare_files(*options.compare)
        return
    golden, million = {} if options.million else measure_golden(), measure_million(plain=not options.no_plain)
    results = {"golden": golden, "million": million}
    report("spider2_compare", results, [HEAD, *(golden_row(name, found) for name, found in golden.items())], options.json)
    report("spider2_compare", results, [MILLION, *(million_row(name, found) for name, found in million.items())], options.json)


HEAD = ["what", "accepted", "strictly", "pandas s", "official s", "strict s", "pandas / official"]


def golden_row(name: str, found: dict[str, Any]) -> list[str]:
    seconds = [f"{found[side]:.2f}" for side in ("pandas", "official", "strict")]
    accepted = [f"{found[how]} of {found['files']}" for how in ("accepted", "accepted strictly")]
    return [f"golden, {name}", *accepted, *seconds, f"{found['pandas'] / found['official']:.0f}x"]


MILLION = ["a million rows", "official", "strict", "pandas, plain s", "pandas, columns s", "pandas, reading s"]
MILLION += ["official s", "strict s", "columns / official", "reading / official", "MB"]


def million_row(name: str, found: dict[str, dict[str, Any]]) -> list[str]:
    official, strict = found["official"], found["strict"]
    accepted = ["yes" if one["matched"] else "no" for one in (official, strict)]
    others = [f"{found[mode]['seconds']:.2f}" if mode in found else "" for mode in ("pandas", "vectors", "pandas, reading")]
    seconds = [f"{one['seconds']:.2f} ({one['seconds'] - one['read']:.2f})" for one in (official, strict)]
    ratios = [f"{found[mode]['seconds'] / official['seconds']:.1f}x" for mode in ("vectors", "pandas, reading")]
    memory = max(official["megabytes"], strict["megabytes"])
    return [name, *accepted, *others, *seconds, *ratios, f"{memory:.0f}"]


if __name__ == "__main__":
    main()
