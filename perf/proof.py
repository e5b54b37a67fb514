"""What proof is worth and what it costs, on the BIRD data at hand:

    pairs       every prediction that EX calls right: verdicts, CPU per pair, size of refutations, and the refutations that
                are known to hang on invariants
    rewrites    equivalent rewrites of golds: none may be refuted
    mutants     one-step mutants that the original does not tell from the gold: how many of those that can be told are told.
                What the search misses is tried by two others: the same one ten times as long with another seed, and a blind
                one that knows nothing of the queries (random rows, cells exchanged at random)
    suspects    where the golds that people have read come in the ranking of all prediction files
    suite       size, and cost of scoring beside plain EX

Each case that is done is a line of the journal (`--journal`). `--seconds` ends a run after so much CPU; the next run goes on
where it ended. Cases come in an order that the seed decides, so what is done is a random sample, and the table says of how
many. Lines of another seed, or of other code, are not counted.
"""

from __future__ import annotations

import hashlib
import os
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from measuring import arguments, report

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.blind import blind_databases
from tests.support.rewrites import rewrites

import touchstone.proof
from touchstone.benchmarks.bird.predictions import load_predictions
from touchstone.benchmarks.bird.tasks import BirdTask, load_tasks
from touchstone.proof import Budget, Subject, Suite, Suspect, build_task, load, prove, ranked, strength, suspect
from touchstone.proof.judge import QueryPair, Search
from touchstone.proof.strength import tells
from touchstone.proof.suite import SuiteTask

DATA = Path(os.environ.get("TOUCHSTONE_DATA", "../shared/data"), "bird")
HANGING = set("62 206 232 243 282 773 775 800 801 819 1403".split())
READ = "1392 786 212 1426 245".split()
STEPS = 40_000_000
LONG = Budget(databases=8_000, informative=10**9, minimising=0)
BLIND = 4_000

Record = dict[str, Any]


@cache
def subject(database: str) -> Subject:
    return Subject(DATA / "dev_databases" / database / f"{database}.sqlite")


@cache
def covered(name: str) -> list[BirdTask]:
    return [task for task in load_tasks(DATA / "tasks" / name) if (DATA / "dev_databases" / task.database).exists()]


@cache
def mini_dev() -> dict[str, BirdTask]:
    return {task.key: task for task in covered("mini_dev_sqlite.json")}


@cache
def prediction_files() -> dict[str, dict[str, str]]:
    every = load_tasks(DATA / "tasks" / "mini_dev_sqlite.json")
    return {path.stem: load_predictions(path, every) for path in sorted((DATA / "predictions").glob("*.json"))}


def right(task: BirdTask, sql: str) -> bool:
    source = subject(task.database).source
    expected, got = source.ask(task.gold, steps=STEPS), source.ask(sql, steps=STEPS)
    return expected is not None and got is not None and set(expected) == set(got)


def proof_record(task: BirdTask, sql: str, seed: int) -> Record:
    """Empty if EX does not call it right: too slow in its new form, or a known tie."""
    if not right(task, sql):
        return {}
    started = time.process_time()
    proof = prove(task.gold, sql, subject(task.database), seed=seed)
    spent = time.process_time() - started
    record: Record = {"verdict": proof.verdict, "reason": proof.reason, "cpu": spent, "sql": sql}
    if proof.refutation is not None:
        record |= {"rows": proof.refutation.rows, "decides": proof.refutation.decides}
    return record


# Each part: its cases by name, what is done with one, and what all of them come to.


def pair_cases(seed: int) -> dict[str, Any]:
    return {f"{model} {key}": (model, key) for model in prediction_files() for key in mini_dev()}


def pair_case(case: tuple[str, str], seed: int) -> Record:
    model, key = case
    return proof_record(mini_dev()[key], prediction_files()[model][key], seed)


def pairs(records: Mapping[str, Record], seed: int) -> Record:
    proofs = {name: record for name, record in records.items() if record}
    verdicts = Counter(record["verdict"] for record in proofs.values())
    sizes = [record["rows"] for record in proofs.values() if "rows" in record]
    return {
        "right by EX": len(proofs),
        "verdicts": dict(verdicts),
        "not open, %": percent(len(proofs) - verdicts["open"], len(proofs)),
        "refuted, %": percent(verdicts["refuted"], len(proofs)),
        **cpu(proofs.values()),
        "refutations of at most 10 rows, %": percent(sum(size <= 10 for size in sizes), len(sizes)),
        "refuted among the tasks known to hang on invariants (read them)": [
            f"{name}: {record['decides']}"
            for name, record in proofs.items()
            if "rows" in record and name.split()[-1] in HANGING
        ],
    }


def rewrite_cases(seed: int) -> dict[str, Any]:
    """Of each task the two rewrites of the kinds that are rarest so far, databases mixed."""
    tasks = [(name, task) for name in ("mini_dev_sqlite.json", "dev.json") for task in covered(name)]
    random.Random(seed).shuffle(tasks)
    kinds: Counter[str] = Counter()
    cases: dict[str, Any] = {}
    for name, task in tasks:
        for kind, sql in sorted(rewrites(task.gold, seed), key=lambda rewrite: kinds[rewrite[0]])[:2]:
            kinds[kind] += 1
            cases[f"{name} {task.key} {kind}"] = (task, sql)
    return cases


def rewrite_case(case: tuple[BirdTask, str], seed: int) -> Record:
    return proof_record(*case, seed)


def rewritten(records: Mapping[str, Record], seed: int) -> Record:
    proofs = {name: record for name, record in records.items() if record}
    kinds: dict[str, Counter[str]] = {}
    for name, record in proofs.items():
        kinds.setdefault(name.split(maxsplit=2)[2], Counter())[record["verdict"]] += 1
    return {
        "rewrites": len(proofs),
        "kinds": {kind: dict(counts) for kind, counts in sorted(kinds.items())},
        "false alarms": [f"{name}: {record['sql']}" for name, record in proofs.items() if "rows" in record],
        **cpu(proofs.values()),
    }


def task_cases(seed: int) -> dict[str, Any]:
    return dict(mini_dev())


def mutant_case(task: BirdTask, seed: int) -> Record:
    base = subject(task.database)
    result = strength(task.gold, base, seed=seed)
    missed = [
        (how, mutant.what)
        for mutant in result.untold
        if (how := "long" if tells(task.gold, mutant.sql, base, LONG, seed + 1) else blind(task.gold, mutant.sql, base, seed))
    ]
    counts = {"mutants": result.mutants, "original": result.told_by_original, "generated": result.told_by_generated}
    return {**counts, "missed": missed, "untold": [mutant.what for mutant in result.untold]}


def blind(gold: str, other: str, base: Subject, seed: int) -> str:
    """Whether a search that does not look at the queries tells them apart."""
    pair = QueryPair(gold, other, base)
    if pair.hopeless():
        return ""
    search = Search(pair, seed)
    try:
        contents = blind_databases(base, pair.base_tables, random.Random(f"{seed} {other}"), BLIND)
        return "blind" if any(search.differs(content) for content in contents) else ""
    finally:
        search.close()


def mutated(records: Mapping[str, Record], seed: int) -> Record:
    every, seen, told = (sum(record[name] for record in records.values()) for name in ("mutants", "original", "generated"))
    missed = [f"{task}: {what} ({how})" for task, record in records.items() for how, what in record["missed"]]
    return {
        "mutants": every,
        "told by the original": seen,
        "told by generated databases": told,
        "told only by a longer or a blind search": missed,
        "told by nothing": every - seen - told - len(missed),
        "told of those that can be, %": percent(told, told + len(missed)),
    }


def suspect_case(task: BirdTask, seed: int) -> Record:
    predictions = {name: file[task.key] for name, file in prediction_files().items()}
    return {"suspect": suspect(task.key, task.gold, predictions, subject(task.database))}


def suspected(records: Mapping[str, Record], seed: int) -> Record:
    cases = msgspec.convert([record["suspect"] for record in records.values() if record["suspect"]], list[Suspect])
    order = [case.task for case in ranked(cases)]
    ranks = {task: order.index(task) + 1 if task in order else None for task in [*READ, "1403"]}
    return {"suspects": len(order), "first ten": order[:10], "ranks of those that were read, and of 1403": ranks}


def suite_case(task: BirdTask, seed: int) -> Record:
    predictions = [file[task.key] for file in prediction_files().values()]
    return {"task": build_task(task.gold, subject(task.database), predictions)}


def suites(records: Mapping[str, Record], seed: int) -> Record:
    suite = Suite({key: msgspec.convert(record["task"], SuiteTask) for key, record in records.items()})
    with tempfile.TemporaryDirectory() as directory:
        path = suite.save(Path(directory))
        size = path.stat().st_size
        suite = load(path)
    asked = [(mini_dev()[key], file[key]) for file in prediction_files().values() for key in records]
    plain = timed(lambda: [plain_ex(task, sql) for task, sql in asked])
    passed = [(task, sql) for task, sql in asked if right(task, sql)]
    with_suite = timed(lambda: [suite.told_apart(task.key, sql) for task, sql in passed])
    return {
        "databases": sum(len(task.databases) for task in suite.tasks.values()),
        "bytes": size,
        "targets": sum(task.targets for task in suite.tasks.values()),
        "told": sum(task.told for task in suite.tasks.values()),
        "plain EX of all prediction files, CPU s": plain,
        "the suite beside it, CPU s": with_suite,
        "cost, times plain EX": (plain + with_suite) / plain,
    }


def plain_ex(task: BirdTask, sql: str) -> None:
    source = subject(task.database).source
    for query in (task.gold, sql):
        source.forget()
        source.ask(query, steps=STEPS)


def timed(work: Callable[[], Any]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def cpu(proofs: Iterable[Record]) -> Record:
    seconds = sorted(record["cpu"] for record in proofs) or [0.0]
    last = seconds[int(0.95 * len(seconds))]
    return {"CPU s per pair, median": statistics.median(seconds), "CPU s per pair, 95%": last}


def percent(some: int, of: int) -> float:
    return 100 * some / max(of, 1)


PARTS: dict[str, tuple[Callable[[int], dict[str, Any]], Callable[[Any, int], Record], Callable[..., Record]]] = {
    "pairs": (pair_cases, pair_case, pairs),
    "rewrites": (rewrite_cases, rewrite_case, rewritten),
    "mutants": (task_cases, mutant_case, mutated),
    "suspects": (task_cases, suspect_case, suspected),
    "suite": (task_cases, suite_case, suites),
}


class Journal:
    """Records by part and case. Those of other code or another seed stay in the file and are not seen."""

    def __init__(self, path: Path, seed: int) -> None:
        self._path = path
        self._mark = [seed, code_digest()]
        self.records: dict[str, dict[str, Record]] = {part: {} for part in PARTS}
        for line in path.read_bytes().splitlines() if path.exists() else ():
            mark, part, case, record = msgspec.json.decode(line)
            if mark == self._mark:
                self.records[part][case] = record

    def add(self, part: str, case: str, record: Record) -> None:
        line = msgspec.json.encode((self._mark, part, case, record))
        self.records[part][case] = msgspec.to_builtins(record)
        with self._path.open("ab") as file:
            file.write(line + b"\n")


def code_digest() -> str:
    """Of proof's own code: what was measured with another generator says nothing of this one."""
    files = sorted(Path(touchstone.proof.__path__[0]).glob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]


def measured(part: str, journal: Journal, seed: int, ends: float) -> Record:
    cases_of, work, summary = PARTS[part]
    cases = cases_of(seed)
    names = sorted(cases)
    random.Random(f"{seed} {part}").shuffle(names)
    for name in names:
        if time.process_time() >= ends:
            break
        if name not in journal.records[part]:
            journal.add(part, name, work(cases[name], seed))
    done = journal.records[part]
    return {"done": f"{len(done)} of {len(cases)}", **(summary(done, seed) if done else {})}


def rows(results: dict[str, Record]) -> Iterator[Sequence[str]]:
    for part, values in results.items():
        for name, value in values.items():
            yield part, name, f"{value:.3f}" if isinstance(value, float) else str(value)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--only", default=",".join(PARTS), help="some of: " + ", ".join(PARTS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="of CPU, after which no further case is begun")
    parser.add_argument("--journal", type=Path, default=Path(__file__).parent / "out" / "proof.jsonl")
    options = parser.parse_args()
    options.journal.parent.mkdir(parents=True, exist_ok=True)
    journal = Journal(options.journal, options.seed)
    results = {part: measured(part, journal, options.seed, options.seconds) for part in options.only.split(",")}
    report("proof", results, [["", "", ""], *rows(results)], options.json)


if __name__ == "__main__":
    main()
