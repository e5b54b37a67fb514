"""What a gold's own text and the values it looks at give away, before any prediction is seen.

null_first         the smallest is asked for, and NULL comes first
text_numbers       numbers kept as text are sorted or compared as text: '9' is larger than '10'
integer_quotient   a quotient of whole numbers loses its fraction, and the result would be another with it
evidence_literal   the evidence gives a value for a column, and the gold asks that column for another

Each is asked of the data where it can be, so that a pattern without consequences is not reported. It needs sqlglot.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any

from sqlglot import exp

from ...errors import SqlError
from ...proof.queries import parsed, text
from ...types import Table
from ..audit.findings import AuditFinding, audit_finding
from .tasks import BirdTask

Run = Callable[[str], Awaitable[Table]]
Types = Mapping[str, Mapping[str, str]]
"""Declared types by table and column, all in lower case."""

_COMPARED = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)
_EVIDENCE = re.compile(r"(?:\b(\w+)\.)?[`\"]?\b(\w+)[`\"]?\s*=\s*(?:'([^']*)'|\"([^\"]*)\"|(-?\d+(?:\.\d+)?)(?![\w.%/*+-]))")
_EVIDENCE_ORDER = re.compile(r"(?:\b\w+\.)?[`\"]?\b(\w+)[`\"]?\s*(?:>=?|<=?)\s*(-?\d+(?:\.\d+)?)(?![\w.%/*+-])")
_WHOLE = (exp.Add, exp.Sub, exp.Mul, exp.Div)


async def patterns(task: BirdTask, types: Types, run: Run) -> list[AuditFinding]:
    tree = parsed(task.gold.strip().rstrip(";"))
    if not isinstance(tree, exp.Select):
        return []
    owners = _Owners(tree, types)
    nulls = [finding for select in tree.find_all(exp.Select) for finding in await _null_first(task, select, run)]
    findings = [*nulls[:1], *await _text_numbers(task, tree, owners, run)]
    findings += await _integer_quotients(task, tree, owners, run)
    return [*findings, *_evidence(task, tree)]


class _Owners:
    """Whose column a name is, as far as aliases tell."""

    def __init__(self, tree: exp.Expr, types: Types) -> None:
        self._types = types
        self._tables = {table.alias_or_name.lower(): table.name.lower() for table in tree.find_all(exp.Table)}

    def table(self, column: exp.Column) -> str | None:
        name, named = column.name.lower(), self._tables.get(column.table.lower())
        if column.table:
            return named if named is not None and name in self._types.get(named, {}) else None
        holding = {table for table in self._tables.values() if name in self._types.get(table, {})}
        return holding.pop() if len(holding) == 1 else None

    def declared(self, column: exp.Column) -> str:
        table = self.table(column)
        return self._types[table][column.name.lower()] if table is not None else ""


async def _null_first(task: BirdTask, tree: exp.Select, run: Run) -> list[AuditFinding]:
    """Of the whole gold or of a subquery that can be asked alone."""
    order, limit = tree.args.get("order"), tree.args.get("limit")
    if order is None or limit is None or order.expressions[0].args.get("desc") or tree.args.get("distinct"):
        return []
    key = order.expressions[0].this
    if isinstance(key, exp.Literal) or (isinstance(key, exp.Column) and key.name.lower() in _aliases(tree)):
        return []
    asked = tree.copy()
    asked.set("expressions", [exp.alias_(exp.Is(this=key.copy(), expression=exp.null()), "is_null")])
    rows = await _asked(run, text(asked))
    if not any(row[0] for row in rows):
        return []
    sentence = f"the gold keeps the first rows by {text(key)}, and NULL comes first in {sum(map(bool, _first(rows)))} of them"
    return [audit_finding(task.key, "null_first", sentence, sql=task.gold)]


async def _text_numbers(task: BirdTask, tree: exp.Select, owners: _Owners, run: Run) -> list[AuditFinding]:
    findings: list[AuditFinding] = []
    for column in dict.fromkeys(_compared_as_they_are(tree)):
        table = owners.table(column)
        if table is None:
            continue
        name, where = f'"{column.name}"', f'"{table}"'
        is_text = f"typeof({name}) = 'text'"
        numeric = f"trim({name}, '0123456789') IN ('', '.', '-', '-.') AND {name} GLOB '*[0-9]*'"
        rows = await _asked(
            run,
            f"SELECT SUM({is_text}), SUM({is_text} AND NOT ({numeric})), "
            f"COUNT(DISTINCT CASE WHEN {is_text} THEN length({name}) END) FROM {where}",
        )
        if rows and rows[0][0] and not rows[0][1] and rows[0][2] > 1:  # of one length, text sorts as numbers do
            what = f"{table}.{column.name} holds numbers as text, and the gold sorts or compares them as text"
            findings.append(audit_finding(task.key, "text_numbers", what, sql=task.gold))
    return findings


def _compared_as_they_are(tree: exp.Select) -> Iterator[exp.Column]:
    for node in tree.find_all(*_COMPARED):
        others = [part for part in node.iter_expressions() if part is not node.this]
        as_text = all(not isinstance(part, exp.Literal) or part.is_string for part in others)
        if isinstance(node.this, exp.Column) and as_text:  # a number is compared by the column's own rules
            yield node.this
    for node in tree.find_all(exp.Ordered, exp.Max, exp.Min):
        if isinstance(node.this, exp.Column) and not node.expressions:
            yield node.this


async def _integer_quotients(task: BirdTask, tree: exp.Select, owners: _Owners, run: Run) -> list[AuditFinding]:
    quotients = [node for node in tree.find_all(exp.Div) if _is_whole(node.left, owners) and _is_whole(node.right, owners)]
    if not quotients:
        return []
    exact = tree.copy()
    wanted = {text(node) for node in quotients}
    for node in list(exact.find_all(exp.Div)):
        if text(node) in wanted:
            node.set("this", exp.Cast(this=node.this.copy(), to=exp.DataType.build("REAL")))
    before, after = await _asked(run, text(tree)), await _asked(run, text(exact))
    if not before or set(before) == set(after):
        return []
    what = f"the gold divides whole numbers, {text(quotients[0])}, and loses the fraction"
    return [audit_finding(task.key, "integer_quotient", what, sql=task.gold)]


def _is_whole(node: exp.Expr, owners: _Owners) -> bool:
    match node:
        case exp.Literal():
            return not node.is_string and node.this.lstrip("-").isdigit()
        case exp.Column():
            return "INT" in owners.declared(node).upper()
        case exp.Count():
            return True
        case exp.Paren() | exp.Sum() | exp.Max() | exp.Min() | exp.Abs() | exp.Neg():
            return _is_whole(node.this, owners) and not node.expressions
        case exp.Case():
            values = [branch.args["true"] for branch in node.args["ifs"]] + [node.args.get("default") or exp.null()]
            return all(isinstance(value, exp.Null) or _is_whole(value, owners) for value in values)
        case exp.If():
            return _is_whole(node.args["true"], owners) and _is_whole(node.args.get("false") or exp.Literal.number(0), owners)
        case _ if isinstance(node, _WHOLE):
            return _is_whole(node.left, owners) and _is_whole(node.right, owners)
        case _:
            return False


def _evidence(task: BirdTask, tree: exp.Select) -> Iterator[AuditFinding]:
    """Only where the gold asks the same column for something else, and nowhere for this."""
    literals = {_plain(literal.this) for literal in tree.find_all(exp.Literal)}
    stated: dict[str, set[str]] = {}
    for match in _EVIDENCE.finditer(task.evidence):
        value = next(group for group in match.groups()[2:] if group is not None)
        stated.setdefault(match[2].lower(), set()).add(value)
    for column, values in stated.items():
        asked = sorted(_asked_for(tree, column))
        if asked and not any(_plain(value) in literals for value in values):
            what = f"the evidence says {column} = {min(values)!r}, and the gold asks for {', '.join(map(repr, asked))}"
            yield audit_finding(task.key, "evidence_literal", what, evidence=task.evidence, sql=task.gold)
    bounds: dict[str, list[re.Match[str]]] = {}
    for match in _EVIDENCE_ORDER.finditer(task.evidence):
        bounds.setdefault(match[1].lower(), []).append(match)
    for column, matches in bounds.items():
        compared = sorted(_compared_with(tree, column))
        # `> 7` may be written `>= 8`, and of several bounds one may be meant: none of the numbers must be anywhere near.
        if compared and all(abs(number - float(match[2])) > 1 for number in _numbers(tree) for match in matches):
            what = f"the evidence says {matches[0][0]}, and the gold compares {matches[0][1]} with "
            what += ", ".join(map(_short, compared))
            yield audit_finding(task.key, "evidence_literal", what, evidence=task.evidence, sql=task.gold)


def _asked_for(tree: exp.Select, column: str) -> Iterator[str]:
    for node in tree.find_all(exp.EQ, exp.In):
        sides = [node.this, *(node.expressions if isinstance(node, exp.In) else [node.args.get("expression")])]
        if any(isinstance(side, exp.Column) and side.name.lower() == column for side in sides):
            yield from (side.this for side in sides if isinstance(side, exp.Literal))


def _compared_with(tree: exp.Select, column: str) -> Iterator[float]:
    for node in tree.find_all(*_COMPARED):
        sides = [node.this, *(node.args.get(name) for name in ("expression", "low", "high"))]
        if any(isinstance(side, exp.Column) and side.name.lower() == column for side in sides):
            yield from (number for side in sides if side is not None for number in _numbers(side))


def _numbers(tree: exp.Expr) -> Iterator[float]:
    for literal in tree.find_all(exp.Literal):
        try:
            yield -float(literal.this) if isinstance(literal.parent, exp.Neg) else float(literal.this)
        except ValueError:
            continue


def _short(number: float) -> str:
    return f"{number:.12g}"


def _plain(value: str) -> str:
    return value.strip().strip("%").casefold()


def _aliases(tree: exp.Select) -> set[str]:
    return {column.alias.lower() for column in tree.selects if isinstance(column, exp.Alias)}


def _first(rows: list[tuple[Any, ...]]) -> list[Any]:
    return [row[0] for row in rows]


async def _asked(run: Run, sql: str) -> list[tuple[Any, ...]]:
    """The rows, or none where the question itself cannot be answered."""
    try:
        return list((await run(sql)).rows)
    except SqlError:
        return []
