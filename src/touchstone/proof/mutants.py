"""One-step mutants of a gold: the slips that a prediction makes.

Mutants that EX cannot tell by its nature are left out: it compares sets, so an outer DISTINCT or an outer order do not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, islice
from typing import Any, cast

from msgspec import Struct
from sqlglot import exp

from .queries import Query, conjuncts, is_join, text

KINDS = (
    "dropped condition",
    "dropped WHERE",
    "dropped HAVING",
    "other comparison",
    "other aggregate",
    "other join",
    "DISTINCT",
    "ASC or DESC",
    "other column",
)

_COMPARISONS: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.GT: exp.GTE,
    exp.GTE: exp.GT,
    exp.LT: exp.LTE,
    exp.LTE: exp.LT,
    exp.EQ: exp.NEQ,
    exp.NEQ: exp.EQ,
}
_AGGREGATES: dict[type[exp.Expr], type[exp.Expr]] = {exp.Max: exp.Min, exp.Min: exp.Max, exp.Avg: exp.Sum, exp.Sum: exp.Avg}


class Mutant(Struct, frozen=True):
    kind: str
    what: str
    """As a clause: "the condition x = 1 is dropped"."""
    sql: str


def mutants(query: Query) -> list[Mutant]:
    """Each one once, in the order of KINDS."""
    if query.tree is None:
        return []
    by_text: dict[str, Mutant] = {}
    original = query.written(query.tree)
    for kind, what, tree in _steps(query):
        sql = query.written(tree)
        if sql != original:
            by_text.setdefault(sql, Mutant(kind, what, sql))
    return sorted(by_text.values(), key=lambda mutant: KINDS.index(mutant.kind))


Changes = Iterator[tuple[str, str, exp.Expr | None]]
"""Kinds, what they do in words, and what a node becomes: None where it was changed in place."""


def _steps(query: Query) -> Iterator[tuple[str, str, exp.Expr]]:
    """Each change of each node, on a fresh copy of the query."""
    tree = query.tree
    assert tree is not None
    changes: dict[type[exp.Expr], Callable[[Any], Changes]] = {
        **dict.fromkeys((exp.And, exp.Or), _sides),
        **dict.fromkeys((exp.Where, exp.Having), _dropped),
        **dict.fromkeys(_COMPARISONS, _compared),
        exp.Between: _bounds,
        **dict.fromkeys(_AGGREGATES, _aggregated),
        exp.Join: _joined,
        exp.Count: _counted,
        exp.Select: _distinct,
        exp.Ordered: _turned,
        exp.Column: partial(_other_column, query),
    }
    for kind, change in changes.items():
        for position in range(len(list(tree.find_all(kind)))):
            for number in count():
                copy = tree.copy()
                node = list(copy.find_all(kind))[position]
                made = next(islice(change(node), number, None), None)
                if made is None:
                    break
                word, what, new = made
                if new is not None:
                    node.replace(new)
                yield word, what, copy


def _sides(node: exp.And | exp.Or) -> Changes:
    left, right = node.left, node.right
    for dropped, kept in ((right, left), (left, right)):
        if not is_join(dropped):
            yield "dropped condition", f"the condition {text(dropped)} is dropped", kept.copy()


def _dropped(node: exp.Where | exp.Having) -> Changes:
    if isinstance(node, exp.Where) and any(is_join(part) for part in node.find_all(exp.EQ)):
        return
    what = text(node)
    node.pop()
    yield f"dropped {node.key.upper()}", f"{what} is dropped", None


def _compared(node: exp.Binary) -> Changes:
    if not is_join(node) and node.find_ancestor(exp.Join) is None:
        new = _COMPARISONS[type(node)](this=node.this.copy(), expression=node.expression.copy())
        yield "other comparison", f"{text(node)} becomes {text(new)}", new


def _bounds(node: exp.Between) -> Changes:
    low = exp.GTE(this=node.this.copy(), expression=node.args["low"].copy())
    high = exp.LTE(this=node.this.copy(), expression=node.args["high"].copy())
    for kept in (low, high):
        yield "dropped condition", f"of {text(node)} only {text(kept)} is left", kept


def _aggregated(node: exp.Func) -> Changes:
    if not node.expressions:  # MAX(a, b) is no aggregate
        new = _AGGREGATES[type(node)](this=node.this.copy())
        yield "other aggregate", f"{text(node)} becomes {text(new)}", new


def _joined(node: exp.Join) -> Changes:
    what = text(node)
    if node.args.get("on") is None or _rejects_nulls(node):
        return
    if not node.args.get("side") and str(node.args.get("kind") or "INNER").upper() == "INNER":
        node.set("kind", None)
        node.set("side", "LEFT")
        yield "other join", f"{what} becomes a LEFT JOIN", None
    elif str(node.args.get("side")).upper() == "LEFT":
        node.set("side", None)
        yield "other join", f"{what} becomes an INNER JOIN", None


def _rejects_nulls(node: exp.Join) -> bool:
    """Whether a later condition asks something of the joined table, so that rows without a partner are lost all the same."""
    select, alias = node.parent, node.this.alias_or_name.lower()
    if not isinstance(select, exp.Select):
        return True
    where, joins = select.args.get("where"), cast("list[exp.Join]", select.args["joins"])
    later = joins[[id(join) for join in joins].index(id(node)) + 1 :]
    conditions = [join.args["on"] for join in later if join.args.get("on") is not None and not join.args.get("side")]
    conditions += [part for part in conjuncts(where.this) if not part.find(exp.Or, exp.Is)] if where is not None else []
    return any(column.table.lower() == alias for part in conditions for column in part.find_all(exp.Column))


def _counted(node: exp.Count) -> Changes:
    what = text(node)
    if isinstance(node.this, exp.Distinct) and len(node.this.expressions) == 1:
        node.set("this", node.this.expressions[0].copy())
    elif isinstance(node.this, exp.Column):
        node.set("this", exp.Distinct(expressions=[node.this.copy()]))
    else:
        return
    yield "DISTINCT", f"{what} becomes {text(node)}", None


def _distinct(node: exp.Select) -> Changes:
    if not node.args.get("limit") and not (
        isinstance(node.parent, exp.CTE)
        or (isinstance(node.parent, exp.Subquery) and isinstance(node.parent.parent, exp.From | exp.Join))
    ):
        return
    if node.args.get("distinct"):
        node.set("distinct", None)
        yield "DISTINCT", "DISTINCT is dropped", None
    elif not any(column.find(exp.AggFunc) for column in node.selects) and _has_use_for_distinct(node):
        node.set("distinct", exp.Distinct())
        yield "DISTINCT", "DISTINCT is added", None


def _has_use_for_distinct(node: exp.Select) -> bool:
    """Of the first row alone nothing is repeated, and rows cannot be ordered by what DISTINCT has put together."""
    order, limit = node.args.get("order"), node.args.get("limit")
    if limit is None:
        return True
    shown = {text(column.this if isinstance(column, exp.Alias) else column) for column in node.selects}
    keys = {text(key.this) for key in order.expressions} if order is not None else set[str]()
    return limit.expression != exp.Literal.number(1) and keys <= shown | {column.alias for column in node.selects}


def _turned(node: exp.Ordered) -> Changes:
    owner = node.find_ancestor(exp.Select, exp.Window, exp.SetOperation)
    if owner is None or (not isinstance(owner, exp.Window) and not owner.args.get("limit")):
        return
    what = text(node)
    node.set("desc", not node.args.get("desc"))
    node.set("nulls_first", not node.args.get("desc"))
    yield "ASC or DESC", f"the order by {what} is turned round", None


def _other_column(query: Query, node: exp.Column) -> Changes:
    """A column of the result, or of an aggregate in it: the next column of its table with the same type."""
    parent = node.parent
    if isinstance(parent, exp.Distinct):
        parent = parent.parent
    shown = isinstance(parent, exp.Select) and node.arg_key == "expressions"
    if not (shown or isinstance(parent, exp.AggFunc)) or isinstance(node.parent, exp.Count):
        return
    owner = query.owner(node)
    table = query.tables.get(owner[0]) if owner is not None else None
    if owner is None or table is None:
        return
    position = table.position(owner[1])
    alike = [name for name, kind in zip(table.columns, table.types, strict=True) if kind == table.types[position]]
    if len(alike) > 1:
        other = alike[(alike.index(table.columns[position]) + 1) % len(alike)]
        new = exp.Column(this=exp.to_identifier(other, quoted=True), table=node.args.get("table"))
        yield "other column", f"{text(node)} becomes {text(new)}", new
