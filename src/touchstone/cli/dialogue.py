"""An episode on the terminal as it happens: what the agent thinks, does and sees."""

from __future__ import annotations

import sys

import msgspec

from ..types import ModelStep, NoteStep, ServiceStep, Step, ToolCall, ToolStep

_LONGEST = 2_000
_MOST_LINES = 12


def show(step: Step) -> None:
    match step:
        case ModelStep():
            text = step.reply.text.strip()
            if text:
                _say("agent", text)
        case ToolStep():
            _say("action", in_words(step.call))
            _say("observation", step.observation.text)
            _tell_details(step)
        case NoteStep():
            _say("note", step.text)
        case ServiceStep():
            _say("service", f"status {step.status}")


def show_request(asked: str) -> None:
    _say("request", asked)


def in_words(call: ToolCall) -> str:
    """`execute(sql)` with its text over as many lines as it has."""
    try:
        arguments = msgspec.json.decode(call.arguments or "{}", type=dict[str, str])
    except (msgspec.DecodeError, UnicodeError):
        return f"{call.name} {call.arguments}"
    values = list(arguments.values())
    return (
        f"{call.name} {' '.join(values)}".rstrip()
        if len(values) < 2 or "\n" not in "".join(values)
        else f"{call.name} {arguments}"
    )


def _tell_details(step: ToolStep) -> None:
    user = step.observation.details.get("user")
    if user:
        about = f" ({user['about']})" if user.get("about") else ""
        kinds = (("leak", user["leaks"]), ("withheld leak", user["withheld"]), ("fault", user["faults"]))
        odd = "".join(f"; {kind}: {each}" for kind, found in kinds for each in found)
        _say("user", f"chose {user['choice']}{about}{odd}")
    finding = step.observation.details.get("finding")
    if finding:
        _say("judge", finding["reason"])


def _say(who: str, text: str) -> None:
    lines = text[:_LONGEST].splitlines() or [""]
    if len(text) > _LONGEST or len(lines) > _MOST_LINES:
        lines = [*lines[:_MOST_LINES], f"… ({len(text):,} characters; the record has all of it)"]
    first, *others = lines
    print(f"{who:>12} │ {first}", *(f"{'':>12} │ {line}" for line in others), sep="\n", file=sys.stderr, flush=True)
