"""The user as a model with instructions, in two stages.

Guarded, which is ours: first the model chooses what a question is about: a labelled wording, a segment of the gold, or
nothing that a user could know. The choice is checked against what there is. Then the model, told the chosen piece only, puts
it into words; it cannot give away what it has not been told. Nothing to choose, or the choice `unanswerable`, gives a fixed
sentence, and no model is asked for it. Faithful: both stages are told everything, as published, and nothing is checked in
between. Vanilla: one stage, which is told everything.

What the model does wrong is retried, then answered with the same sentence, and noted as a fault, so that a weak
simulator shows in a report. What its service does wrong is raised.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

from ....protocols import Model
from ....types import CallPosition, Message, Reply
from .choice import Decision, Mistake, decision, offered_ambiguities, offered_segments, spoken_text
from .leaks import leaks, verbatim_sql
from .prompts import Prompts, UserMode
from .segments import Segment, segments_of
from .view import REFUSAL, Ambiguity, Asked, Situation, UserAnswer

OnLeak = Literal["flag", "retry", "refuse"]
"""What becomes of an answer that gives away more than was asked: it is passed on, asked for once more, or withheld."""
CRITICAL = frozenset(
    f"{kind}_ambiguity" for kind in ("knowledge_linking", "schema_linking", "semantic", "intent", "lexical", "syntactic")
)

LONGEST_ANSWER = 1_000
LONGEST_QUOTE = 2_000
"""Of a wrong reply, when it is shown to the model again."""
_FINISHES = {"refusal": "the model refused", "length": "it is cut off at the model's limit of length; be brief"}

T = TypeVar("T")


class SimulatedUser:
    """A user that a model plays."""

    def __init__(self, model: Model, prompts: Prompts, retries: int = 2, on_leak: OnLeak | None = None) -> None:
        self.name = f"{model.name} ({prompts.name})"
        self._model = model
        self._prompts = prompts
        self._retries = retries
        self._on_leak: OnLeak = on_leak or ("retry" if prompts.mode == "guarded" else "flag")

    def identity(self) -> dict[str, Any]:
        return {
            "model": self._model.name,
            "mode": self._prompts.mode,
            "prompts": self._prompts.name,
            "digest": self._prompts.digest,
            "retries": self._retries,
            "on_leak": self._on_leak,
        }

    async def answer(self, question: str, situation: Situation, position: CallPosition) -> UserAnswer:
        talk = _Talk(self._model, position)
        values = _values(question, situation, self._prompts.mode)
        match self._prompts.mode:
            case "guarded":
                decided = await self._choose(talk, values, situation)
                chosen = decided or Decision("unanswerable")
                if chosen.choice == "unanswerable":
                    faults, calls = tuple(talk.faults), tuple(talk.calls)
                    return UserAnswer(REFUSAL, chosen.choice, faults=faults, calls=calls, decided=decided is not None)
            case "faithful":
                chosen, values["action"] = await self._choose_as_published(talk, values, situation)
            case "vanilla":
                chosen = Decision("unlabeled")
        prompt = self._prompts.answer.fill(**values, chosen=_piece(chosen))
        allowed = (chosen.about or "", chosen.snippet, question, situation.shown)

        def leaked(text: str) -> tuple[str, ...]:
            return (*leaks(text, situation.gold, allowed, situation.dialect), *verbatim_sql(text, question))

        text, given_away, withheld = await self._say(talk, prompt, leaked)
        return UserAnswer(
            text,
            chosen.choice,
            chosen.about,
            leaks=given_away,
            faults=tuple(talk.faults),
            calls=tuple(talk.calls),
            withheld=withheld,
        )

    async def _choose(self, talk: _Talk, values: dict[str, str], situation: Situation) -> Decision | None:
        """None if the model does not decide."""
        ambiguities, parts = offered_ambiguities(situation), offered_segments(situation.gold, situation.dialect)
        if not parts and not ambiguities:
            return Decision("unanswerable")
        hint = f"Write exactly one of {values['actions']}, within <s></s>."
        prompt = self._prompts.choose.fill(**values)
        return await talk.ask(1, prompt, hint, self._retries, lambda text: decision(text, ambiguities, parts))

    async def _choose_as_published(self, talk: _Talk, values: dict[str, str], situation: Situation) -> tuple[Decision, str]:
        """What the model says goes to the second stage, whether it is a decision or not."""
        spoken = await talk.ask(1, self._prompts.choose.fill(**values), "", 0, spoken_text) or "unanswerable()"
        try:
            parts = segments_of(situation.gold, situation.dialect)
            return decision(f"<s>{spoken}</s>", situation.ambiguities, parts), spoken
        except Mistake as mistake:
            talk.faults.append(f"stage 1: {mistake}")
            return Decision("unanswerable"), spoken

    async def _say(
        self, talk: _Talk, prompt: str, leaked: Callable[[str], tuple[str, ...]]
    ) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
        """The answer, what it gives away, and what answers gave away that were not passed on."""
        hint = "Write the answer to the question, in at most three sentences, within <s></s>."
        text = _cut(await talk.ask(2, prompt, hint, min(1, self._retries), _spoken), talk)
        given_away = leaked(text) if text != REFUSAL else ()
        if not given_away or self._on_leak == "flag":
            return text, given_away, ()
        withheld = given_away
        if self._on_leak == "retry":
            text = _cut(
                await talk.again(2, f"This gives away what you were not asked for: {', '.join(given_away)}. {hint}", _spoken),
                talk,
            )
            given_away = leaked(text) if text != REFUSAL else ()
            if not given_away:
                return text, (), withheld
        talk.faults.append(f"stage 2: the answer gave away {', '.join(given_away)} and was withheld")
        return REFUSAL, (), (*withheld, *given_away)


class _Talk:
    """The calls for one question, and what went wrong in them."""

    def __init__(self, model: Model, position: CallPosition) -> None:
        self._model = model
        self._position = position
        self._messages: list[Message] = []
        self.calls: list[Asked] = []
        self.faults: list[str] = []

    async def ask(self, stage: int, prompt: str, hint: str, retries: int, read: Callable[[str], T]) -> T | None:
        """What the model means, or None if that cannot be had from it."""
        self._messages = [Message(role="user", content=prompt)]
        for _ in range(1 + retries):
            reply = await self._reply(stage, self._messages)
            self._messages.append(Message(role="assistant", content=reply.text.strip()[:LONGEST_QUOTE] or "(nothing)"))
            try:
                return _read(reply, read)
            except Mistake as mistake:
                self.faults.append(f"stage {stage}: {mistake}")
                self._messages.append(Message(role="user", content=f"This cannot be used: {mistake}. {hint}"))
        return None

    async def again(self, stage: int, complaint: str, read: Callable[[str], T]) -> T | None:
        """Another reply in the same conversation."""
        self._messages.append(Message(role="user", content=complaint))
        try:
            return _read(await self._reply(stage, self._messages), read)
        except Mistake as mistake:
            self.faults.append(f"stage {stage}: {mistake}")
            return None

    async def _reply(self, stage: int, messages: list[Message]) -> Reply:
        start = time.perf_counter()
        position = CallPosition(self._position.task, self._position.epoch, self._position.call + len(self.calls))
        reply = await self._model.reply(messages, (), position)
        self.calls.append(Asked(stage, reply, time.perf_counter() - start))
        return reply


def _read(reply: Reply, read: Callable[[str], T]) -> T:
    if reply.finish in _FINISHES:
        raise Mistake(_FINISHES[reply.finish])
    return read(reply.text)


def _spoken(text: str) -> str:
    if not (spoken := spoken_text(text)):
        raise Mistake("it says nothing")
    return spoken


def _cut(text: str | None, talk: _Talk) -> str:
    if text is not None and len(text) > LONGEST_ANSWER:
        talk.faults.append(f"stage 2: the answer had {len(text)} characters and was cut")
        text = f"{text[: LONGEST_ANSWER - 1].rsplit(maxsplit=1)[0]}…"
    return text or REFUSAL


def _values(question: str, situation: Situation, mode: UserMode) -> dict[str, str]:
    """What the placeholders of a mode stand for, as far as it is known before anything is chosen."""
    if mode == "guarded":
        ambiguities, parts = offered_ambiguities(situation), offered_segments(situation.gold, situation.dialect)
        actions = _actions(ambiguities, parts)
        return {
            "request": situation.shown,
            "ambiguities": _wordings(ambiguities),
            "segments": _listing(parts),
            "question": question,
            "actions": actions,
        }
    return {
        "request": situation.shown,
        "clear": situation.clear,
        "schema": situation.schema,
        "ambiguities": _as_published(situation.ambiguities),
        "gold": "\n\n".join(situation.gold),
        "segments": _listing(segments_of(situation.gold, situation.dialect)),
        "question": question,
        "actions": 'labeled("term"), unlabeled("segment") or unanswerable()',
    }


def _actions(ambiguities: Sequence[Ambiguity], parts: Sequence[Segment]) -> str:
    """What can be decided, given what there is to choose from."""
    labeled = ["labeled(number)"] if ambiguities else []
    unlabeled = ["unlabeled(number)"] if parts else []
    return " or ".join([*labeled, *unlabeled, "unanswerable()"])


def _wordings(ambiguities: Sequence[Ambiguity]) -> str:
    return "\n".join(f"{at}. {each.term}: {each.sql_snippet}" for at, each in enumerate(ambiguities, 1)) or "(none)"


def _as_published(ambiguities: Sequence[Ambiguity]) -> str:
    """The task's two fields, as JSON; nothing in a follow-up."""
    if not ambiguities:
        return "{}"
    sorts: dict[str, list[dict[str, Any]]] = {"critical_ambiguity": [], "non_critical_ambiguity": [], "knowledge_ambiguity": []}
    for each in ambiguities:
        critical = "critical_ambiguity" if each.type in CRITICAL else "non_critical_ambiguity"
        kind = "knowledge_ambiguity" if each.deleted_knowledge is not None or each.type == "knowledge_ambiguity" else critical
        sorts[kind].append({"term": each.term, "sql_snippet": each.sql_snippet, "is_mask": each.is_mask, "type": each.type})
    knowledge = sorts.pop("knowledge_ambiguity")
    return json.dumps({"user_query_ambiguity": sorts, "knowledge_ambiguity": knowledge}, indent=1, ensure_ascii=False)


def _listing(parts: Sequence[Segment]) -> str:
    return "\n".join(f"{at}. [{part.label}] {part.text}" for at, part in enumerate(parts, 1)) or "(none)"


def _piece(chosen: Decision) -> str:
    if chosen.choice == "labeled":
        return f'By "{chosen.about}" is meant: {chosen.snippet}'
    return chosen.about or ""
