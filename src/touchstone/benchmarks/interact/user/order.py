"""A sort direction and a number of decimals, as prose tells them.

A direction is either named ("descending", "A to Z"), or told by an extreme and its place ("the ones that waited longest at the
top", "the cheapest last"), or by two extremes ("from the newest to the oldest").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .figures import in_figures
from .languages import ASCENDING, DESCENDING, foreign_places

_ORDER = re.compile(r"\border\s+by\b", re.IGNORECASE)
_BEST_FIRST = re.compile(r"\b(?:top|rank\w*)\b", re.IGNORECASE)
"""In a request or a question: that the best come first is no secret then."""
_MOVES = (
    r"(?:(?:sort|count|order|rank|list)\w*(?: \w+)?|(?:and|then) (?:go|work|run)\w*|way) {0}(?:wards?)?"
    r"|(?:go|work|run)\w*(?: \w+)? {0}(?:wards?|(?= from))"
)
"""Sorted down, and go down, goes downwards; not "it goes up and down"."""
_NAMED = {
    "descending": re.compile(
        r"\b(?:descend\w*|(?:decreas|fall|declin|dropp|diminish)ing (?:order|sequence)|desc|z ?(?:to|-|→) ?a"
        r"|reverse \w*(?:order|cal)\w*"
        rf"|{_MOVES.format('down')}|top[- ]down|{DESCENDING})\b",
        re.IGNORECASE,
    ),
    "ascending": re.compile(
        r"\b(?:ascend\w*|(?:increas|ris|grow|climb)ing (?:order|sequence)|asc|a ?(?:to|-|→) ?z"
        r"|(?<!reverse )(?:alphabet|chronolog)ical(?:ly)?"
        rf"|{_MOVES.format('up')}|bottom[- ]up|{ASCENDING})\b",
        re.IGNORECASE,
    ),
}
_HIGH = (
    "high|large|big|bigg|great|new|late|long|heav[iy]|strong|tall|deep|expensive|dear|costl[iy]|many|much|most|more|rich"
    "|bus[iy]|bright|hott?|warm|wide|thick|loud|severe|recent|priciest|pricey|maximum|max|top|steep|broad|wealth[iy]"
    "|huge|full|hard|dense|far"
)
_LOW = (
    "low|small|early|earli|few|short|light|weak|shallow|cheap|tin[iy]|little|least|less|fewer|poor|quiet|dim|cold|cool|narrow"
    "|thin|mild|minimum|min|clean|dull|scarce|eas[iy]|near|sparse|modest|lean|empt[iy]|minor"
)
_EITHER = "old|young|b|wor|fast|quick|rapid|slow"
"""The quickest have the least time or the most speed."""
_DEGREE = re.compile(rf"(?:(?P<high>{_HIGH})|(?P<low>{_LOW})|{_EITHER})(?P<compared>e?r|e?st|)|[a-z]{{3,}}(?P<other>est)")
_COMPARED = frozenset(("most", "least", "more", "less", "fewer"))
_NO_DEGREES = frozenset("b wor request interest forest harvest honest suggest invest digest protest contest manifest".split())
_THE_MORE = re.compile(
    r"\bthe (\w+) [^.;!?]*?,? the (?:(higher|further|closer|nearer|earlier|sooner|farther)|lower|later)\b(?! \w+ (?:is|are))"
)
_WORD = re.compile(r"[\w'’]+|[.;!?,→]")
_REACH = 7
_LINKS = frozenset(("to", "→", "before", "then", "over", "above", "ahead"))
_AHEAD = frozenset(("before", "above", "ahead"))
_BEHIND_ADVERBS = frozenset(
    (*".,;!?", "and", "then", "please", "in", "on", "when", "with", "the", "those", "line", "row", "place", "spot")
)
_OTHERS = frozenset(("other", "others", "rest", "remaining"))
_LISTS = frozenset(("list", "table", "ranking", "results", "output", "report", "sheet"))


def told_direction(answer: str, gold: str, allowed: Sequence[str]) -> str | None:
    """The gold's sort direction, where nothing that may be told has it, in SQL or in words."""
    told = _sorted_by(gold) & _directions(answer)
    for text in allowed if told else ():
        told -= _sorted_by(text) | _directions(text) | ({"descending"} if _BEST_FIRST.search(text) else set())
    return f"{max(told)} order" if told else None


def _sorted_by(sql: str) -> set[str]:
    bodies = (re.split(r"\b(?:limit|offset)\b", body, flags=re.IGNORECASE)[0] for body in _bodies(_ORDER, sql))
    return {"descending" if re.search(r"\bdesc\b", body, re.IGNORECASE) else "ascending" for body in bodies}


def _bodies(opening: re.Pattern[str], sql: str) -> Iterator[str]:
    """What follows each opening, up to the bracket or semicolon that ends it."""
    for match in opening.finditer(sql):
        depth, end = 0, len(sql)
        for sign in re.finditer(r"[();]", sql[match.end() :]):
            depth += {"(": 1, ")": -1}.get(sign[0], 0)
            if depth < 0 or sign[0] == ";":
                end = match.end() + sign.start()
                break
        yield sql[match.end() : end]


def _directions(text: str) -> set[str]:
    return {name for name, pattern in _NAMED.items() if pattern.search(text)} | set(_told_by_extremes(text))


def _told_by_extremes(text: str) -> Iterator[str]:
    words = _WORD.findall(text.lower())
    for word, upwards in _THE_MORE.findall(text.lower()):
        degree = _degree([word], 0)
        if degree and degree[1]:
            yield from _turned(degree[0], not upwards)
    degrees = {at: degree for at in range(len(words)) if (degree := _degree(words, at))}
    for at, (one, compared) in degrees.items():
        for later in degrees.keys() & range(at + 1, at + _REACH + 1):
            other, also_compared = degrees[later]
            ahead = _AHEAD & {*words[at + 1 : later]} and (compared or also_compared)
            reach = _REACH if (compared and also_compared) or ahead else 5 if _from_here(words, at) else 2
            near = later <= at + reach
            linked = near and _LINKS & {*words[at + 1 : later]} and _one_sentence(words, at, later)
            if linked and (one != other or (one == "either" and words[at] != words[later])):
                yield from _turned(one, False)
        for end_at in range(max(0, at - _REACH), at + _REACH + 1):
            end = _end_of_list(words, end_at) if compared else None
            between = degrees.keys() & range(min(at, end_at) + 1, max(at, end_at))
            if end and not between and _one_sentence(words, at, end_at):
                yield from _turned(one, end == "last")


def _degree(words: Sequence[str], at: int) -> tuple[str, bool] | None:
    """High, low or either, and whether it is compared: `longest`, `most expensive`; not `at least`, `most of`."""
    match = _DEGREE.fullmatch(words[at])
    before, behind = words[max(0, at - 2) : at], words[at + 1 : at + 2]
    if (
        not match
        or words[at] in _NO_DEGREES
        or _is_limit(before, words[at])
        or (behind == ["of"] and before[-1:] != ["the"])
        or before[-1:] in (["most"], ["least"])
    ):
        return None
    degree = "high" if match["high"] else "low" if match["low"] else "either"
    return degree, bool(match["compared"] or match["other"]) or words[at] in _COMPARED or _is_sort(words, at)


def _is_sort(words: Sequence[str], at: int) -> bool:
    """Big ones, top performers; not "on top of it"."""
    behind = words[at + 1 : at + 2]
    if words[at] == "top":
        return not {"on", "at", "to", "from", "in"} & {*words[max(0, at - 2) : at]} and behind != [] and behind[0].isalpha()
    return behind in (["ones"], ["values"], ["amounts"])


def _from_here(words: Sequence[str], at: int) -> bool:
    """From a high level to a low one; not from early July to late August."""
    return "from" in words[max(0, at - 2) : at] and words[at] not in ("early", "late")


def _is_limit(before: Sequence[str], word: str) -> bool:
    """At least, at the latest."""
    return before[-1:] == ["at"] or ("at" in before and word in ("latest", "earliest", "most", "least"))


def _end_of_list(words: Sequence[str], at: int) -> str | None:
    """Which end of the list a word is about."""
    if at >= len(words):
        return None
    word, before, behind = words[at], {*words[max(0, at - 3) : at]}, words[at + 1 : at + 4]
    listed = behind[:1] != ["of"] or bool(_LISTS & {*behind})
    if word in ("first", "last", "leading") and not {"was", "were"} & before and (not behind or behind[0] in _BEHIND_ADVERBS):
        return "last" if word == "last" else "first"
    of_list = behind[:1] in (["of"], ["the"]) and bool(_LISTS & {*behind})
    if word in ("top", "front", "head", "lead") and (of_list or (listed and {"at", "on", "to", "in", "up"} & before)):
        return "first"
    if word in (*_AHEAD, "after", "behind", "below") and _OTHERS & {*behind}:
        return "first" if word in _AHEAD else "last"
    if re.fullmatch("(?:down|up)(?:wards?)?", word) and {"from", "with"} & {*words[max(0, at - 6) : at]}:
        return "first"
    if word in ("beginning", "start") and listed and "at" in before:
        return "first"
    if word in ("bottom", "end") and listed and {"at", "to"} & before:
        return "last"
    if re.match("start|begin|lead|open|head", word) and {"with", "by", "from", "at", "on"} & {*behind[:2]}:
        return "first"
    return "last" if re.match("finish|end|clos", word) and {"with", "on"} & {*behind[:2]} else None


def _one_sentence(words: Sequence[str], one: int, other: int) -> bool:
    return not {".", ";", "!", "?"} & {*words[min(one, other) : max(one, other)]}


def _turned(degree: str, reverse: bool) -> Iterator[str]:
    if degree != "low":
        yield "ascending" if reverse else "descending"
    if degree != "high":
        yield "descending" if reverse else "ascending"


_ROUND = re.compile(r"\bround\s*\(", re.IGNORECASE)
_PLACES = re.compile(
    r"(?<!th; )(?<!first )(?<!last )(?<!top )\b(\d)(?: |-|th |st |nd |rd )?(?:\w+ )?"
    r"(?:decimals?|places|digits|figures|decimal (?:place|digit|figure)|dp|d\.p\."
    r"|(?:\w+ )?(?:after|behind|past|beyond|following|(?:to the )?right of) the (?:decimal )?(?:point|dot|comma|sign))(?!\w)"
    r"|\bround\w*(?: \w+)? (?:to|at) (\d)\b(?! (?!place|digit|figure)\w)"
    r"|\b(?:decimals?|places|digits|precision)(?: of|:| to| =| set to)* (\d)\b|\.(\d)f\b|\b0\.(0+|x+)\b"
    r"|\b(?:nearest|closest|to(?: the| a)?|in) (?:\w+ )?(?:0\.(0*1)|1(0+)ths?)\b",
    re.IGNORECASE,
)
_BARE_PLACES = re.compile(
    r"(?:^|[,.:;!?] ?|\b(?:in|to|as|with|the|at|nearest|exact|only|just|show|use|take|are|want|need|like|me) )"
    r"(ten-thousandth|thousandth|hundredth|tenth)s\b",
    re.IGNORECASE,
)
_FRACTIONS = ("tenth", "hundredth", "thousandth", "ten-thousandth")
_COUNTS = (
    (re.compile(r"(?<=[dn]th)s\b", re.IGNORECASE), ""),
    (re.compile(r"\b(?:a )?single\b", re.IGNORECASE), "1"),
    (re.compile(r"\b(?:a )?(?:couple|pair) of\b", re.IGNORECASE), "2"),
    (re.compile(r"\b(?:nearest|to the) (?:cent|penny)\b|\bcent-exact\b", re.IGNORECASE), "2 decimals"),
    (
        re.compile(r"\b(?:whole|round|full) (?:numbers?|units?)\b|\b(?:no|without(?: any)?) (?:decimals?|fractions?)\b"),
        "0 decimals",
    ),
)


def told_places(answer: str, gold: str, allowed: Sequence[str]) -> str | None:
    """The gold's number of decimals, where nothing that may be told has it, in SQL or in words."""
    told = _rounded_to(gold) & _places(answer)
    for text in allowed if told else ():
        told -= _rounded_to(text) | _places(text)
    return f"{min(told)} decimals" if told else None


def _rounded_to(sql: str) -> set[str]:
    return {match[1] for body in _bodies(_ROUND, sql) if (match := re.search(r",\s*(\d+)\s*$", body))}


def _places(text: str) -> set[str]:
    named = {str(1 + _FRACTIONS.index(fraction.lower())) for fraction in _BARE_PLACES.findall(text)}
    named |= foreign_places(text)
    for words, figure in _COUNTS:
        text = words.sub(figure, text)
    for counted, rounded, set_to, formatted, *lengths in _PLACES.findall(in_figures(text)):
        named.add(counted or rounded or set_to or formatted or str(len("".join(lengths))))
    return named
