"""The agentic mode: the agent explores, asks and submits as it likes, and pays for every action."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from ...errors import SqlError
from ...types import Limits, Observation
from .budget import Ledger
from .episode import InteractEpisode
from .rules import Rules
from .tools import AGENTIC

_READS = re.compile(r"(?:\s|--[^\n]*(?:\n|\Z)|/\*.*?\*/)*(?:select|with|explain)\b", re.IGNORECASE | re.DOTALL)
"""What the service-based harness executes: a query, after comments."""


class AgenticEpisode(InteractEpisode):
    """Every action is paid for."""

    def __init__(self, *common: Any, ledger: Ledger, rules: Rules, exploring: Limits) -> None:
        super().__init__(*common)
        self._ledger = ledger
        self._rules = rules
        self._exploring = exploring

    async def call(self, tool: str, arguments: Any) -> Observation:
        self._actions += 1
        self._called[tool] += 1
        if refusal := self._ledger.refusal(tool):
            return Observation(f"{refusal}\n{self._ledger.note()}", error=True, details={"refused": True})
        if self._ledger.is_forbidden(tool):
            return self._ended_in_debt()
        observation = await self._act(tool, arguments)  # a failure of ours raises here, before anything is charged
        if tool == "ask" and self._answers[-1].failed:
            return Observation(f"{observation.text}\n{self._ledger.note()}", details=observation.details)
        return self._charged(tool, observation)

    def unreadable(self, complaint: str) -> Observation:
        self._actions += 1
        self._called["unreadable"] += 1
        if self._ledger.is_forbidden("unreadable"):
            return self._ended_in_debt()
        if not self._rules.pays_for_misreading:
            return Observation(f"{complaint}\n{self._ledger.note()}", error=True)
        return self._charged("unreadable", Observation(complaint, error=True))

    def _ended_in_debt(self) -> Observation:
        self._over = True
        return Observation("You had nothing left and did not submit: the task is over.", error=True)

    def _charged(self, action: str, observation: Observation) -> Observation:
        charge = self._ledger.charge(action)
        if action == "submit" and self._examiner.findings[-1].passed:
            coins = round(sum(self._ledger.spent().values()), 6)
            self._reached[-1] = msgspec.structs.replace(self._reached[-1], coins=coins)
        self._over = self._over or self._ledger.exhausted
        text = observation.text if self.finished else f"{observation.text}\n{self._ledger.note()}"
        if action == "submit" and not self.finished and self._examiner.findings[-1].passed:
            text = f"{observation.text} {self.follow_up()}\n{self._ledger.note()}"
        details = {"charge": msgspec.to_builtins(charge), **observation.details}
        return Observation(text, observation.error, details)

    async def _act(self, tool: str, arguments: Any) -> Observation:
        match tool:
            case "execute":
                return await self._execute(arguments.sql.strip())
            case "ask":
                return await self.ask(arguments.question)
            case "submit":
                return (await self.submit(arguments.sql.strip()))[1]
            case _:
                return self._look_up(tool, arguments)

    async def _execute(self, sql: str) -> Observation:
        if self._rules.only_reads and not _READS.match(sql):
            return Observation("Only SELECT, WITH and EXPLAIN can be executed.", error=True)
        try:
            return await self._examiner.show(sql, self._exploring)
        except SqlError as error:
            return Observation(f"SQL error: {error.message}" if error.kind == "sql" else error.message, error=True)

    def _look_up(self, tool: str, arguments: Any) -> Observation:
        known, hidden = self._catalogue, self._task.hidden
        match tool:
            case "get_schema":
                text = known.schema
            case "get_all_column_meanings":
                text = known.all_column_meanings()
            case "get_column_meaning":
                text = known.column_meaning(arguments.table_name, arguments.column_name)
            case "get_all_external_knowledge_names":
                text = known.names(hidden)
            case "get_knowledge_definition":
                text = known.definition(arguments.knowledge_name, hidden)
            case _:
                text = known.definitions(hidden)
        return Observation("There is no such entry.", error=True) if text is None else Observation(text)

    def _unsubmitted(self) -> str:
        return "the budget ran out before a submission" if self._over else "nothing was submitted"

    def _metrics(self) -> dict[str, float]:
        spent = self._ledger.spent()
        return {
            **super()._metrics(),
            "coins": round(sum(spent.values()), 6),
            **{f"coins_{action}": spent.get(action, 0.0) for action in (*(tool.name for tool in AGENTIC), "unreadable")},
        }

    def _evidence(self) -> dict[str, Any]:
        return {**super()._evidence(), "budget": self._ledger.total, "charges": msgspec.to_builtins(self._ledger.charges)}
