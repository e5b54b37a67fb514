"""One Spider2-lite episode: a question on a local database, perhaps with a document, judged by gold result files."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from ...engines.sqlite.engine import SqliteEngine
from ...errors import SqlError, WorkerFailure
from ...types import Brief, Observation, Outcome, Tool, Verdict
from ...workers.pool import Pool, WorkerLost
from ..sql_episode import TOOLS, PlainEpisode, SqlEpisode
from .golden import Compat, Reference
from .judge import Spider2Judgement, Spider2Question, SubmittedCsv, judge_csv, judge_sql
from .tasks import Spider2Task

if TYPE_CHECKING:
    from .config import Spider2Config


class ReadDocument(Struct, frozen=True):
    pass


READ_DOCUMENT = Tool("read_document", "Read the document that explains terms and methods of this question.", ReadDocument)


class Spider2Episode(SqlEpisode):
    """The world of one question."""

    def __init__(
        self,
        task: Spider2Task,
        brief: Brief,
        engine: SqliteEngine,
        database: Path,
        config: Spider2Config,
        reference: Reference,
        document: str | None,
    ) -> None:
        super().__init__(brief, engine, database, config.exploring)
        self._result = config.results / f"{task.key}.csv" if config.results else None
        if self._result:  # what an earlier run left is not the result of this one
            self._result.unlink(missing_ok=True)
        self.tools: Sequence[Tool] = TOOLS if document is None else (*TOOLS, READ_DOCUMENT)
        self._task = task
        self._config = config
        self._reference = reference
        self._document = document

    async def call(self, tool: str, arguments: Any) -> Observation:
        if tool == READ_DOCUMENT.name:
            return Observation(self._document or "")
        return await super().call(tool, arguments)

    async def verdict(self) -> Verdict:
        if self.submitted is None:
            return Verdict(Outcome.failed, 0.0, "nothing was submitted", {}, {"gold_files": self._gold_files()})
        judgement = await self._judgement(self.submitted)
        if judgement.csv is not None and self._result:
            await asyncio.to_thread(_write, self._result, judgement.csv)
        evidence = {"prediction": self.submitted, "gold_files": self._gold_files()}
        verdict = verdict_of(judgement, self._config.compat, evidence)
        if not self._config.proof or verdict.outcome not in (Outcome.passed, Outcome.failed):
            return verdict
        proof = await self._proof(self.submitted) if verdict.outcome is Outcome.passed else {}
        metrics = {**verdict.metrics, "proven": float(proof.get("verdict") in ("same", "upheld"))}
        more = {"proof": proof} if proof else {}
        return msgspec.structs.replace(verdict, metrics=metrics, evidence={**verdict.evidence, **more})

    async def _proof(self, sql: str) -> dict[str, Any]:
        from ...proof.finding import ProofFinding  # here, since sqlglot is an extra
        from .proof import Spider2Pair, proven

        gold, columns = self._task.gold_sql, self._reference.condition_cols
        if not gold:
            return msgspec.to_builtins(ProofFinding("open", "there is no gold SQL for this question"))
        pair = Spider2Pair(gold, sql, [column for column in columns if isinstance(column, int)])
        try:
            finding = await self._engine.apply(self._database, proven, pair, self._config.judging)
        except (SqlError, WorkerFailure) as error:
            finding = ProofFinding("open", f"the search ended early: {error}")
        return msgspec.to_builtins(finding)

    async def _judgement(self, sql: str) -> Spider2Judgement:
        question = Spider2Question(sql, self._reference, as_csv=self._result is not None)
        try:
            return await self._engine.apply(self._database, judge_sql, question, self._config.judging, statements=1)
        except SqlError as error:
            return Spider2Judgement(kind="error", reason=error.message, fault=error.kind)

    def _gold_files(self) -> list[str]:
        return [Path(file.path).name for file in self._reference.files]


class SubmitFile(Struct, frozen=True):
    pass


SUBMIT_FILE = Tool("submit_file", "Hand in the result that lies ready as a CSV file.", SubmitFile)


class ResultFileEpisode(PlainEpisode):
    """A result that was made elsewhere: there is nothing to explore, only a CSV file to be judged."""

    brief = Brief("", "")
    tools: Sequence[Tool] = (SUBMIT_FILE,)

    def __init__(self, file: Path | None, pool: Pool, reference: Reference, config: Spider2Config) -> None:
        self.finished = False
        self._file = file
        self._pool = pool
        self._reference = reference
        self._config = config

    async def call(self, tool: str, arguments: Any) -> Observation:
        self.finished = True
        return Observation("Submitted.")

    async def verdict(self) -> Verdict:
        if self._file is None:
            return Verdict(Outcome.failed, 0.0, "nothing was submitted")
        submitted = SubmittedCsv(await asyncio.to_thread(self._file.read_bytes), self._reference)
        try:
            judgement = await self._pool.call(judge_csv, submitted)
        except WorkerLost as lost:
            if lost.cause in ("stalled", "killed"):
                raise WorkerFailure(f"the result could not be compared: {lost}") from None
            judgement = Spider2Judgement(kind="error", reason="it is too large to be compared", fault="crash")
        files = [Path(file.path).name for file in self._reference.files]
        return verdict_of(judgement, self._config.compat, {"submission": self._file.name, "gold_files": files})


def verdict_of(judgement: Spider2Judgement, compat: Compat, evidence: dict[str, Any]) -> Verdict:
    """What a judgement means under the comparison that decides."""
    if judgement.gold_is_at_fault:
        evidence |= {"kind": judgement.kind, **judgement.evidence}
        return Verdict(Outcome.unscorable, 0.0, judgement.reason, {}, evidence)
    evidence |= {"kind": judgement.kind, **judgement.evidence, "official": judgement.official, "strict": judgement.strict}
    metrics = {"official": float(judgement.official), "strict": float(judgement.strict)}
    if "surplus_columns" in judgement.evidence:
        metrics["surplus_columns"] = float(judgement.evidence["surplus_columns"])
    if judgement.fault is not None:
        reason = "The SQL is empty." if judgement.fault == "blank" else f"The SQL cannot be run: {judgement.reason}"
        return Verdict(Outcome.failed, 0.0, reason, metrics, evidence)
    score = metrics[compat]
    reason = judgement.reason
    if judgement.official != judgement.strict:
        reason += f" (The official comparison {'accepts' if judgement.official else 'rejects'} it.)"
    return Verdict(Outcome.passed if score else Outcome.failed, score, reason, metrics, evidence)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.new")
    temporary.write_text(text)
    temporary.replace(path)
