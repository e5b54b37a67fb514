"""Spider2-lite's options, and what can be done with them: play, test a service, score a submission, audit the gold."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, cast

import msgspec
from msgspec.structs import force_setattr

from ...datasets import fetched_file, spider2_demo
from ...datasets.catalogue import Dataset
from ...distribution import refuse_without
from ...engines.today import checked_day
from ...errors import InputError
from ...options import Opt, OptionError
from ...plugins import agent_config, open_engine
from ...protocols import JUDGING, RUN, TASKS, WHO, Hints, Opening, ScoreOptions, Scoring
from ...types import Outcome, Record, ServiceStep, Task
from ..audit import remaining
from ..audit.audited import Audited, AuditOptions
from ..data_check import Found, count_tasks, is_sound
from ..task_file import QuerySelection, named, refuse_missing
from .golden import Compat, Golden
from .submissions import Calls, Submission, load_submission, write_correct_ids
from .tasks import Spider2Task, load_tasks

if TYPE_CHECKING:
    from ...engines.sqlite.engine import SqliteEngine
    from .benchmark import Spider2

CHECKOUT = Path("../Spider2/spider2-lite/evaluation_suite/gold")
"""Where the gold folder is if nothing else is said: a checkout of Spider2 beside the working directory."""
RESULTS = Path("data/spider2/execution_results")
CONVERTED = Path("data/spider2/converted")
MINIMAL = {"question": "{question}", "db_id": "{database}"}
_REQUEST = "What the service is sent"


class Spider2ScoreOptions(ScoreOptions, frozen=True):
    """How a submission is scored."""

    all: Annotated[bool, Opt(group=TASKS)] = False
    """Count questions that have a gold result and no submission as failed."""


class Spider2Config(QuerySelection, frozen=True):
    """Play Spider2-lite: questions on local SQLite databases, judged by gold result files."""

    name: ClassVar[str] = "spider2"
    label: ClassVar[str] = "Spider2-lite"
    run_words: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "": {},
        "run": {"results": RESULTS},
        "api": {
            "agent": "http",
            "api_url": "http://localhost:8000/infer",
            "tasks": CONVERTED / "spider2-lite_new_format.json",
            "report": CONVERTED / "spider2-lite_api_evaluated.json",
            "results": RESULTS,
            "output": Path("results", "api-spider2"),
            "all": False,
            "minimal_request": False,
        },
    }
    run_names: ClassVar[Mapping[str, Mapping[str, str]]] = {"api": {"report": "--output", "output": "--runs"}}
    commands: ClassVar[Mapping[str, str]] = {"convert": "touchstone.benchmarks.spider2.convert:convert"}
    score_options: ClassVar[type[ScoreOptions]] = Spider2ScoreOptions

    tasks: Annotated[Path | None, Opt(names=("--input", "--data", "--questions"), positional=True)] = None
    """The questions: the official spider2-lite.jsonl, the converted file, or a flat one. Alone, a dataset's name: demo, or
    spider2-lite once it is fetched."""
    databases: Annotated[Path | None, Opt(names=("--database_dir",), positional=True)] = None
    """The directory that holds <db>/<db>.sqlite, or <db>.sqlite; by default ./database."""
    gold: Annotated[Path | None, Opt(positional=True)] = None
    """The gold folder, with exec_result/ and spider2lite_eval.jsonl; by default evaluation_suite/gold beside the questions,
    else ../Spider2/spider2-lite/evaluation_suite/gold."""
    all: Annotated[bool, Opt(group=TASKS)] = True
    """Every question with a gold result, not only those with gold SQL."""
    documents: Annotated[Path | None, Opt(group=WHO)] = None
    """The folder of external-knowledge documents (resource/documents), for questions that have one."""
    compat: Annotated[Compat, Opt(group=JUDGING)] = "strict"
    """The comparison that decides: strict (whole rows must match) or official (the official suite's rules). Both are
    recorded."""
    proof: Annotated[bool, Opt(group=JUDGING)] = False
    """For each answer that passes and whose question has gold SQL, look for a small database on which the two differ."""
    today: Annotated[str | None, Opt(group=JUDGING, advanced=True)] = None
    """The date that SQL sees as today, such as 2025-02-19."""
    cache: Annotated[bool, Opt(group=JUDGING, advanced=True)] = True
    """Reuse cached results of earlier runs."""
    results: Annotated[Path | None, Opt(names=("--result_csv_dir",), target=True, group=RUN)] = None
    """Where the result of each query goes, as <instance_id>.csv."""
    report: Annotated[Path | None, Opt(target=True, group=RUN)] = None
    """Write each question with its answer and verdict to this JSON file; the statistics go beside it as
    <report>_statistics.json."""
    submission: Annotated[Path | None, Opt(group=TASKS, advanced=True)] = None
    """A folder of <instance_id>.sql and .csv files: only its questions are played. Its .csv files need no database."""
    minimal_request: Annotated[bool, Opt(group=_REQUEST, advanced=True)] = True
    """Send the service (--agent http) only question and db_id."""
    target_type: Annotated[Literal["natsql", "sql"], Opt(names=("--target_type",), group=_REQUEST, advanced=True)] = "natsql"
    """Sent along."""
    tables_path: Annotated[str, Opt(names=("--tables_path",), group=_REQUEST, advanced=True)] = (
        "./data/spider2/converted/spider2-lite_tables.json"
    )
    """Sent to the service as it is: a path on its side."""
    num_return_sequences: Annotated[int, Opt(names=("--num_return_sequences",), group=_REQUEST, advanced=True)] = 1
    """Sent along."""
    num_beams: Annotated[int, Opt(names=("--num_beams",), group=_REQUEST, advanced=True)] = 4
    """Sent along."""

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_day(self.today)
        paths = dataset_named(self.tasks) if self.databases is None and self.gold is None else None
        if paths is None:
            gold = self.gold or _gold_beside(self.tasks)
            paths = Places(self.tasks or _questions_beside(gold), gold, self.databases or Path("database"))
        for name, path in paths._asdict().items():
            force_setattr(self, name, path)

    async def open(self, opening: Opening) -> Spider2:
        from .benchmark import Spider2

        assert self.gold is not None
        assert self.databases is not None
        if self.tasks is not None and not self.tasks.exists():
            raise OptionError("tasks", self.tasks, "there is no such file, and no dataset of this name")
        golden = Golden(self.gold)
        submitted = load_submission(self.submission) if self.submission else None
        tasks = self.chosen(golden, submitted, opening.say)
        self._refuse_unusable()
        files = submitted.result_files(tasks) if submitted else None
        benchmark = Spider2(self, tasks, golden, await self.engine(opening), files)
        if missing := benchmark.missing:
            opening.say(
                f"{len(missing)} databases are not in {self.databases}: {', '.join(missing)}; their tasks are unscorable"
            )
        unread = sum(task.knowledge is not None for task in tasks) if opening.reader and self.documents is None else 0
        if unread:
            opening.say(f"{unread} of {len(tasks)} questions have a document, which agents can only read with --documents")
        return benchmark

    def hints(self) -> Hints:
        more: dict[str, Any] = {
            "target_type": self.target_type,
            "spider2_mode": True,
            "tables_path": self.tables_path,
            "num_return_sequences": self.num_return_sequences,
            "num_beams": self.num_beams,
        }
        return Hints(service_template=MINIMAL if self.minimal_request else MINIMAL | more)

    def title(self, who: str) -> str:
        return f"{self.label}: {who}, {self.compat} comparison"

    def chosen(self, golden: Golden, submitted: Submission | None, say: Callable[[str], None]) -> list[Spider2Task]:
        """The questions to play. Says how many are left out, and why."""
        total, wanted = self._filtered(golden, say, submitted)
        chosen = wanted
        if submitted is None:
            chosen = [task for task in wanted if (golden.has(task.key) if self.all else task.gold_sql_available)]
        if len(chosen) < len(wanted):
            why = "gold result" if self.all else "gold SQL (--all takes every question that has a gold result)"
            say(f"{len(wanted) - len(chosen)} of {len(wanted)} questions are left out: they have no {why}")
        left = chosen[self.offset :][: self.limit]
        if not left:
            raise InputError(f"{self.tasks}: no question is left of {total}")
        return left

    def _filtered(
        self, golden: Golden, say: Callable[[str], None], submitted: Submission | None = None
    ) -> tuple[int, list[Spider2Task]]:
        """How many questions there are, and those that the options name, whether they have gold or not."""
        if submitted is not None:
            tasks = submitted.tasks(self.tasks, golden, everything=self.all, say=say)
        elif self.tasks is None:
            raise OptionError("tasks", None, "expected the file of questions, or a dataset's name such as demo")
        else:
            tasks = load_tasks(self.tasks, golden.sql)
        tasks = remaining(tasks, self.exclude_audit, benchmark=self.name, say=say)
        return len(tasks), named(tasks, self.database, self.task, self.submission or self.tasks)

    def predictions(self, path: Path, tasks: Sequence[Task], *, allow_missing: bool = False) -> Calls | None:
        """What a folder of .sql and .csv files has for the questions; None for a run, whose calls are played as they are."""
        if (path / "runs.jsonl").is_file():
            return None
        submitted = load_submission(path)
        if submitted.files and self.submission is None:
            raise InputError(f"{path}: results as .csv files are scored with 'touchstone score {self.name}'")
        calls = submitted.calls()
        refuse_missing(path, tasks, calls, allow_missing=allow_missing)
        return calls

    def scoring(self, options: Spider2ScoreOptions) -> Scoring:
        """Of a folder in the official format; its .sql files leave their results as .csv files beside it."""
        assert options.predictions is not None
        folder = options.predictions
        beside = folder.resolve()
        results = self.results or beside.with_name(f"{beside.name}_csv")
        return Scoring(
            benchmark=msgspec.structs.replace(self, submission=folder, results=results, all=options.all),
            agent=agent_config("replay", predictions=folder, allow_missing=True),
            finish=lambda records: print(write_correct_ids(beside, records)),
        )

    def verdict(self, record: Record) -> dict[str, Any]:
        """By both comparisons; null where nothing could be judged."""
        judged = record.outcome in (Outcome.passed, Outcome.failed)
        values = {name: bool(record.metrics.get(name, 0)) if judged else None for name in ("official", "strict")}
        proof = {"proof": record.evidence["proof"]} if "proof" in record.evidence else {}
        return {**values, "outcome": record.outcome, "reason": record.reason, **proof}

    async def audit(self, opening: Opening, options: AuditOptions) -> Audited:
        """Golden results are looked at on every platform, SQL is run on SQLite."""
        from .audit import audit, is_hopeless
        from .benchmark import Spider2

        assert self.gold is not None
        assert self.databases is not None
        golden = Golden(self.gold)
        _, wanted = self._filtered(golden, opening.say)
        tasks = [task for task in wanted if task.platform == "sqlite" or golden.has(task.key)][self.offset :][: self.limit]
        if not tasks:
            raise InputError(f"{self.tasks}: no question is left of {len(wanted)}: none is on SQLite or has a gold result")
        engine = await self.engine(opening)
        playable = [task for task in tasks if not is_hopeless(golden, task)]
        benchmark = Spider2(self, playable, golden, engine)
        with opening.counting("questions looked at") as watch:
            findings = await audit(self, tasks, golden, engine, parallel=options.parallel, watch=watch)
        return Audited(
            title=f"{self.label}: audit of {self.tasks.name if self.tasks else ''}",
            benchmark=benchmark,
            findings=findings,
            tasks=tasks,
            left_out={"on another platform, without a gold result": len(wanted) - len(tasks)},
        )

    @classmethod
    def check_data(cls, dataset: Dataset, file: Path, found: Found, deep: bool) -> None:
        gold, databases = places_of(file)
        golden = Golden(gold)
        tasks = load_tasks(file, golden.sql)
        count_tasks(dataset, len(tasks), found)
        local = [task for task in tasks if task.platform == "sqlite"]
        found.counted("gold results of the local questions", [t.key for t in local if not golden.has(t.key)], len(local))
        documents = file.parent / "resource" / "documents"
        needed = sorted({task.knowledge for task in local if task.knowledge})
        found.counted("documents", [name for name in needed if not (documents / name).is_file()], len(needed))
        names = sorted({task.database for task in local})
        found.counted(f"databases in {databases}", [name for name in names if not is_sound(databases, name, deep)], len(names))
        found.use = dataset.use.format(task_file=file, gold=gold, databases=databases)

    def described(self, record: Record) -> list[str]:
        """What --verbose tells of a question besides its outcome: durations, SQL, shape, columns and the first row."""
        evidence: Mapping[str, Any] = record.evidence
        lines: list[str] = []
        if exchange := next((step for step in record.steps if isinstance(step, ServiceStep)), None):
            lines.append(f"answered with {exchange.status} after {exchange.seconds:.2f} s; {record.seconds:.2f} s in all")
        if "prediction" in evidence:
            lines.append(f"SQL: {' '.join(str(evidence['prediction']).split())}")
        if evidence.get("executed"):
            columns = evidence.get("predicted_columns", [])
            lines.append(f"{evidence.get('predicted_rows')} rows, {len(columns)} columns: {', '.join(columns)}")
            lines += [f"first row: {row}" for row in evidence.get("rows", [])[:1]]
        return lines

    async def engine(self, opening: Opening) -> SqliteEngine:
        folder = str(self.databases)
        if self.proof:
            refuse_without("sqlglot", "--proof", "proof")
        return cast("SqliteEngine", await open_engine("sqlite", opening, place=folder, cache=self.cache, today=self.today))

    def _refuse_unusable(self) -> None:
        """Where nothing can be read or written is said before anything runs."""
        if self.documents is not None and not self.documents.is_dir():
            raise OptionError("documents", self.documents, "there is no such folder")
        if self.report is not None and self.report.is_dir():
            raise OptionError("report", self.report, "this is a directory; expected the name of a file")
        for option, path in (("results", self.results), ("report", self.report)):
            if path is None:
                continue
            folder = path.absolute() if option == "results" else path.absolute().parent
            existing = next(ancestor for ancestor in (folder, *folder.parents) if ancestor.exists())
            if not existing.is_dir() or not os.access(existing, os.W_OK):
                raise OptionError(option, path, f"{existing} is not a directory that can be written to")


class Places(NamedTuple):
    """Where a dataset is."""

    tasks: Path | None
    gold: Path
    databases: Path


def dataset_named(name: Path | None) -> Places | None:
    """A dataset by its name: demo, which no name means too, or one that `touchstone data get` has brought here."""
    if name is None or (str(name) == "demo" and not name.exists()):
        return Places(*spider2_demo())
    file = None if name.is_file() else fetched_file("spider2", str(name))
    return Places(file, *places_of(file)) if file else None


def places_of(tasks: Path) -> tuple[Path, Path]:
    """The gold folder and the databases that belong to a question file, where the published dataset has them."""
    folders = [parent / "spider2-localdb" for parent in (tasks.parent, *tasks.parents[1:3])]
    databases = next((parent for parent in folders if parent.is_dir()), tasks.parent / "localdb")
    return tasks.parent / "evaluation_suite" / "gold", databases


def _gold_beside(tasks: Path | None) -> Path:
    gold = places_of(tasks)[0] if tasks else CHECKOUT
    return gold if gold.is_dir() else CHECKOUT


def _questions_beside(gold: Path) -> Path | None:
    file = gold.resolve().parent.parent / "spider2-lite.jsonl"
    return file if file.is_file() else None
