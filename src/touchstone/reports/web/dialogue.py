"""The dialogue of an episode as it went: the brief, what the agent said and did, what it saw, who answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ...phrases import plural
from ...types import ON_SCREEN
from . import grids, layout
from .charts import listed, mapping, names, number, objects, rows
from .episodes import ShownEpisode
from .film import address, details_of, pictures_of, shown_as
from .layout import Child, Html, h, join
from .markdown import markdown
from .words import readable, seconds

LINES_SHOWN = 30
_SQL_NAMES = frozenset({"sql", "query", "statement"})
_LONGEST = 200_000


def dialogue(episode: ShownEpisode, files: str) -> Html:
    """`files` is where the run's pictures are."""
    if episode.withheld and not episode.steps:
        shown: Child = h("p", "What the oracle did is the reference, which is hidden here.", class_="dim")
    else:
        shown = h(
            "ol", [_step(step, episode.steps, position, files) for position, step in enumerate(episode.steps)], class_="steps"
        )
    toggle = h("button", "As written", type="button", class_="js-only raw-toggle", aria_pressed="false", hidden=True)
    return h("section", h("div", h("h2", "Dialogue"), toggle, class_="titled"), _brief(episode), shown, id="dialogue")


def _brief(episode: ShownEpisode) -> Child:
    if episode.brief is None:
        return None
    instructions = episode.brief.instructions
    details = h("details", h("summary", "Instructions"), h("pre", instructions)) if instructions else None
    return h("div", _who("task"), h("div", _long(episode.brief.request), details, class_="said"), class_="step brief")


def _step(step: Mapping[str, Any], steps: Sequence[Mapping[str, Any]], position: int, files: str) -> Html:
    match step.get("type"):
        case "model":
            content, kind = _model(step, _played(steps, position)), "quiet" * _silent(step)
        case "tool":
            content, kind = _tool(step, files), ""
        case "note":
            content, kind = join(_who("note"), h("div", _long(str(step.get("text") or "")), class_="said")), ""
        case "service":
            content, kind = _service(step), ""
        case other:
            content, kind = join(_who(str(other or "?")), h("div", _json(dict(step)), class_="said")), ""
    return h("li", content, class_=f"step {kind}".strip(), id=f"step-{position + 1}")


def _silent(step: Mapping[str, Any]) -> bool:
    """Calls tools and says nothing: the calls follow."""
    reply = mapping(step.get("reply"))
    return not str(reply.get("text") or "").strip() and bool(listed(reply.get("calls")))


def _played(steps: Sequence[Mapping[str, Any]], position: int) -> list[str]:
    """The ids of the calls that follow as steps of their own."""
    calls: list[str] = []
    for step in steps[position + 1 :]:
        if step.get("type") == "model":
            break
        calls.append(str(mapping(step.get("call")).get("id")))
    return calls


def _model(step: Mapping[str, Any], played: Sequence[str]) -> Html:
    reply = mapping(step.get("reply"))
    words = str(reply.get("text") or "").strip()
    lost = [call for call in objects(reply.get("calls")) if str(call.get("id")) not in played]
    called = [str(call.get("name")) for call in objects(reply.get("calls"))]
    speech: Child = prose(words) if words else h("p", f"calls {', '.join(called)}" if called else "says nothing", class_="dim")
    finish = str(reply.get("finish") or "stop")
    odd = h("p", f"The reply ended with: {finish}", class_="dim") if finish not in ("stop", "tool_calls") else None
    used = mapping(reply.get("usage"))
    tokens = f"{number(used.get('input_tokens')):,.0f} → {number(used.get('output_tokens')):,.0f} tokens"
    return join(_who("agent", step, tokens), h("div", speech, [_call(call) for call in lost], odd, class_="said"))


def _tool(step: Mapping[str, Any], files: str) -> Html:
    call = mapping(step.get("call"))
    observation = mapping(step.get("observation"))
    details = details_of(step)
    user = mapping(details.get("user"))
    charge = mapping(details.get("charge"))
    paid = f"−{number(charge.get('price')):g} → {number(charge.get('after')):g} coins" if charge else ""
    shots = [_shot(shot, files) for shot in pictures_of(details)]
    words = h(
        "div",
        _call(call, named=False),
        h("div", _who("user") if user else None, _answer(observation, bool(user)), class_=_seen(observation, bool(user))),
        _user(user),
        _finding(mapping(details.get("finding"))),
        _other_files(details, files),
        class_="said",
    )
    if shots:
        words = h("div", words, h("div", shots, class_="shots"), class_="said pictured")
    return join(_who(str(call.get("name") or "tool"), step, paid), words)


def _shot(shot: str, files: str) -> Html:
    source = files + address(shot)
    return h("a", h("img", src=source, alt="The screen after this step", loading="lazy"), href=source)


def _other_files(details: Mapping[str, Any], files: str) -> Child:
    named = (("With boxes, as the agent saw it", "marked"), ("The accessibility tree", "accessibility"))
    links = [
        h("a", words, href=files + address(shown_as(path)))
        for words, name in named
        if isinstance(path := details.get(name), str) and path
    ]
    return h("p", [(link, " ") for link in links], class_="dim") if links else None


def _seen(observation: Mapping[str, Any], user: bool) -> str:
    return "seen" + " wrong" * (observation.get("error") is True) + " spoken" * user


def _service(step: Mapping[str, Any]) -> Html:
    response = step.get("response")
    answer = _fields(mapping(response)) if isinstance(response, dict) else _long(str(response))
    status = int(number(step.get("status")))
    return join(
        _who("service", step, f"status {status}"),
        h(
            "div",
            _fields(mapping(step.get("request"))),
            h("div", answer, class_="seen" + " wrong" * (status >= 400)),
            class_="said",
        ),
    )


def _who(name: str, step: Mapping[str, Any] | None = None, more: str = "") -> Html:
    spent = seconds(number(step.get("seconds"))) if step is not None else ""
    notes = [h("span", each, class_="dim") for each in (spent, more) if each]
    return h("p", h("b", name[:60]), notes, class_="who")


def _call(call: Mapping[str, Any], named: bool = True) -> Html:
    """A call's arguments: SQL coloured, the rest by name."""
    raw = str(call.get("arguments") or "")
    name = h("p", h("b", str(call.get("name"))), " was called, but not carried out", class_="dim") if named else None
    try:
        arguments = msgspec.json.decode(raw or "{}")
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return join(name, h("p", "The arguments cannot be read:", class_="dim"), _long(raw))
    if not isinstance(arguments, dict):
        return join(name, _json(arguments))
    return join(name, _fields(mapping(arguments)))


def _fields(values: Mapping[str, Any]) -> Html:
    return join([_field(name, value) for name, value in values.items() if value not in (None, "")])


def _field(name: str, value: Any) -> Html:
    if isinstance(value, str):
        if name in _SQL_NAMES:
            return layout.block(value[:_LONGEST])
        if name == "code":
            return h("pre", value[:_LONGEST], class_="code")
        if name in ("question", "answer", "text"):
            return prose(value)
        return h("p", h("span", f"{readable(name)}: ", class_="dim"), value, class_="prose")
    if isinstance(value, int | float):
        return h("p", h("span", f"{readable(name)}: ", class_="dim"), msgspec.json.encode(value).decode())
    return h("div", h("span", f"{readable(name)}: ", class_="dim"), _json(value))


def _observation(observation: Mapping[str, Any]) -> Html:
    words, mark, screen = str(observation.get("text") or "").partition(ON_SCREEN)
    if mark:
        lines = plural(screen.count("\n") + 1, "line")
        return join(_long(words), h("details", h("summary", f"On the screen: {lines}"), h("pre", screen[:_LONGEST])))
    table = mapping(mapping(observation.get("details")).get("table"))
    _, counted, rest = words.rpartition(str(table.get("count") or "\0"))
    if not counted:  # an error, a record of an earlier version, or a line that was too long for a table
        return _long(words)
    shown = grids.shown(names(table.get("columns")), rows(table.get("rows")), counted)
    return join(shown, h("p", rest.strip(), class_="dim prose") if rest.strip() else None)


def _answer(observation: Mapping[str, Any], user: bool) -> Html:
    """People write Markdown, tools do not."""
    return prose(str(observation.get("text") or "")) if user else _observation(observation)


def prose(words: str) -> Html:
    """What somebody said: Markdown rendered, beside the words as they were written, one of which is shown."""
    rendered = markdown(words)
    if rendered is None:
        return h("div", words, class_="prose")
    return join(h("div", rendered, class_="markdown"), h("div", words, class_="prose raw", hidden=True))


def _long(words: str) -> Html:
    """A text as it is; what is long is folded after some lines."""
    cut = words[:_LONGEST]
    more = (
        h("p", f"{len(words) - _LONGEST:,} more characters are in the record.", class_="dim") if len(words) > _LONGEST else None
    )
    lines = cut.splitlines()
    if len(lines) <= LINES_SHOWN + 5 and len(cut) <= 6_000:
        return h("pre", cut)
    head = "\n".join(lines[: LINES_SHOWN // 2])[:2_000]
    label = f"All of it: {plural(len(lines), 'line')}, {len(words):,} characters"
    return join(h("pre", head, "\n…", class_="before"), h("details", h("summary", label), h("pre", cut), more))


def _user(user: Mapping[str, Any]) -> Child:
    """How the simulated user came to its answer."""
    if not user:
        return None
    about = f", about: {user['about']}" if user.get("about") else ""
    odd = [
        *(h("li", f"leak: {leak}", class_="bad") for leak in names(user.get("leaks"))),
        *(h("li", f"withheld leak: {leak}", class_="bad") for leak in names(user.get("withheld"))),
        *(h("li", f"fault: {fault}", class_="bad") for fault in names(user.get("faults"))),
    ]
    calls = [
        h("li", f"stage {number(call.get('stage')):g}, {seconds(number(call.get('seconds')))}: ", _reply(call))
        for call in objects(user.get("calls"))
    ]
    return h(
        "details",
        h("summary", f"The simulated user chose {user.get('choice')}{about}"),
        h("ul", odd) if odd else None,
        h("ol", calls) if calls else None,
        class_="aside",
        open=bool(odd),
    )


def _reply(call: Mapping[str, Any]) -> Html:
    return h("span", str(mapping(call.get("reply")).get("text") or ""), class_="prose")


def _finding(finding: Mapping[str, Any]) -> Child:
    reason = finding.get("reason")
    if not reason:
        return None
    kind = "good" if finding.get("passed") is True else "bad"
    return h("p", h("b", "judge "), str(reason), class_=f"judge {kind}")


def _json(value: Any) -> Html:
    return _long(msgspec.json.format(msgspec.json.encode(value)).decode())
