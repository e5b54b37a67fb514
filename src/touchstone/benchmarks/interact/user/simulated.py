"""The user as a model with instructions, in two stages.

First the model chooses what a question is about: a labelled wording, a segment of the gold, or nothing that a user could
know. The choice is checked against what there is. Then the model, told the chosen piece only, puts it into words; it
cannot give away what it has not been told. Nothing to choose, or the choice `unanswerable`, gives a fixed sentence, and
no model is asked for it.

What the model does wrong is retried, then answered with the same sentence, and noted as a fault, so that a weak
simulator shows in a report. What its service does wrong is raised.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

from ....protocols import Model
from ....values import Message, Place, Reply
from .choosing import Decision, Mistake, decision, said
from .leaks import leaks
from .prompts import Prompts
from .segments import Segment, segments_of
from .situation import REFUSAL, Answer, Asked, Situation

LONGEST_ANSWER = 1_000
LONGEST_QUOTE = 2_000
"""Of a wrong reply, when it is shown to the model again."""
_FINISHES = {"refusal": "the model refused", "length": "it is cut off at the model's limit of length; be brief"}

T = TypeVar("T")


class SimulatedUser:
    """A user that a model plays."""

    def __init__(self, model: Model, prompts: Prompts, retries: int = 2) -> None:
        self.name = f"{model.name} ({prompts.name})"
        self._model = model
        self._prompts = prompts
        self._retries = retries

    def identity(self) -> dict[str, Any]:
        return {
            "model": self._model.name,
            "prompts": self._prompts.name,
            "digest": self._prompts.digest,
            "retries": self._retries,
        }

    async def answer(self, question: str, situation: Situation, place: Place) -> Answer:
        talk = _Talk(self._model, place)
        chosen = await self._choose(talk, question, situation)
        if chosen.choice == "unanswerable":
            return Answer(REFUSAL, chosen.choice, faults=tuple(talk.faults), calls=tuple(talk.calls))
        text = await self._say(talk, question, situation, chosen)
        told = (chosen.about or "", chosen.snippet, question, situation.shown)
        found = leaks(text, situation.gold, told, situation.dialect) if text != REFUSAL else ()
        return Answer(text, chosen.choice, chosen.about, found, tuple(talk.faults), tuple(talk.calls))

    async def _choose(self, talk: _Talk, question: str, situation: Situation) -> Decision:
        parts = segments_of(situation.gold, situation.dialect)
        if not parts and not situation.ambiguities:
            return Decision("unanswerable")
        actions = _actions(situation, parts)
        prompt = self._prompts.choose.fill(
            request=situation.shown,
            ambiguities=_wordings(situation),
            segments=_listing(parts),
            question=question,
            actions=actions,
        )
        hint = f"Write exactly one of {actions}, within <s></s>."
        chosen = await talk.ask(1, prompt, hint, self._retries, lambda text: decision(text, situation.ambiguities, parts))
        return chosen or Decision("unanswerable")

    async def _say(self, talk: _Talk, question: str, situation: Situation, chosen: Decision) -> str:
        prompt = self._prompts.answer.fill(request=situation.shown, chosen=_piece(chosen), question=question)
        hint = "Write the answer to the question, in at most three sentences, within <s></s>."
        text = await talk.ask(2, prompt, hint, min(1, self._retries), _spoken)
        if text is not None and len(text) > LONGEST_ANSWER:
            talk.faults.append(f"stage 2: the answer had {len(text)} characters and was cut")
            text = f"{text[: LONGEST_ANSWER - 1].rsplit(maxsplit=1)[0]}…"
        return text or REFUSAL


class _Talk:
    """The calls for one question, and what went wrong in them."""

    def __init__(self, model: Model, place: Place) -> None:
        self._model = model
        self._place = place
        self.calls: list[Asked] = []
        self.faults: list[str] = []

    async def ask(self, stage: int, prompt: str, hint: str, retries: int, read: Callable[[str], T]) -> T | None:
        """What the model means, or None if that cannot be had from it."""
        messages = [Message(role="user", content=prompt)]
        for _ in range(1 + retries):
            reply = await self._reply(stage, messages)
            try:
                return _read(reply, read)
            except Mistake as mistake:
                self.faults.append(f"stage {stage}: {mistake}")
                shown = reply.text.strip()[:LONGEST_QUOTE] or "(nothing)"
                messages.append(Message(role="assistant", content=shown))
                messages.append(Message(role="user", content=f"This cannot be used: {mistake}. {hint}"))
        return None

    async def _reply(self, stage: int, messages: list[Message]) -> Reply:
        start = time.perf_counter()
        place = Place(self._place.task, self._place.epoch, self._place.call + len(self.calls))
        reply = await self._model.reply(messages, (), place)
        self.calls.append(Asked(stage, reply, time.perf_counter() - start))
        return reply


def _read(reply: Reply, read: Callable[[str], T]) -> T:
    if reply.finish in _FINISHES:
        raise Mistake(_FINISHES[reply.finish])
    return read(reply.text)


def _spoken(text: str) -> str:
    if not (spoken := said(text)):
        raise Mistake("it says nothing")
    return spoken


def _actions(situation: Situation, parts: tuple[Segment, ...]) -> str:
    """What can be decided, given what there is to choose from."""
    labeled = ["labeled(number)"] if situation.ambiguities else []
    unlabeled = ["unlabeled(number)"] if parts else []
    return " or ".join([*labeled, *unlabeled, "unanswerable()"])


def _wordings(situation: Situation) -> str:
    listed = (f"{at}. {each.term}: {each.sql_snippet}" for at, each in enumerate(situation.ambiguities, 1))
    return "\n".join(listed) or "(none)"


def _listing(parts: tuple[Segment, ...]) -> str:
    return "\n".join(f"{at}. [{part.label}] {part.text}" for at, part in enumerate(parts, 1)) or "(none)"


def _piece(chosen: Decision) -> str:
    if chosen.choice == "labeled":
        return f'By "{chosen.about}" is meant: {chosen.snippet}'
    return chosen.about or ""
