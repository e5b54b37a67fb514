"""Equivalent rewrites of a query, to see that none of them is ever refuted: other writing, the same meaning."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import sqlglot
from sqlglot import exp

Rewrite = Callable[[Any, random.Random], bool]
_MIRRORED = {exp.EQ: exp.EQ, exp.NEQ: exp.NEQ, exp.GT: exp.LT, exp.GTE: exp.LTE, exp.LT: exp.GT, exp.LTE: exp.GTE}
_NEGATED = {exp.EQ: exp.NEQ, exp.NEQ: exp.EQ, exp.GT: exp.LTE, exp.GTE: exp.LT, exp.LT: exp.GTE, exp.LTE: exp.GT}


def rewrites(sql: str, seed: int) -> Iterator[tuple[str, str]]:
    """One rewrite of each kind that applies, and a few of several kinds together."""
    for kind, change in KINDS.items():
        chance = random.Random(f"{seed} {kind}")
        if (made := _rewritten(sql, [change], chance)) is not None:
            yield kind, made
    chance = random.Random(seed)
    for _ in range(2):
        kinds = chance.sample(list(KINDS), 4)
        if (made := _rewritten(sql, [KINDS[kind] for kind in kinds], chance)) is not None:
            yield "several", made


def _rewritten(sql: str, changes: list[Rewrite], chance: random.Random) -> str | None:
    holder = exp.Paren(this=sqlglot.parse_one(sql, read="sqlite"))
    applied = [change(holder, chance) for change in changes]
    return holder.this.sql(dialect="sqlite", comments=False) if any(applied) else None


def _some(nodes: Iterator[Any], chance: random.Random) -> list[Any]:
    """At least one of them, if there is any."""
    found = list(nodes)
    chosen = [node for node in found if chance.random() < 0.6]
    return chosen or found[:1]


def operands(holder: exp.Expr, chance: random.Random) -> bool:
    nodes = _some(holder.find_all(*_MIRRORED), chance)
    for node in nodes:
        node.replace(_MIRRORED[type(node)](this=node.expression.copy(), expression=node.this.copy()))
    return bool(nodes)


def sides(holder: exp.Expr, chance: random.Random) -> bool:
    nodes = _some(holder.find_all(exp.And, exp.Or), chance)
    for node in nodes:
        left, right = node.this.copy(), node.expression.copy()
        if isinstance(left, type(node)):
            left = exp.Paren(this=left)
        node.set("this", right)
        node.set("expression", left)
    return bool(nodes)


def aliases(holder: exp.Expr, chance: random.Random) -> bool:
    """Other names for tables that have an alias which is used nowhere else."""
    tables = [table for table in holder.find_all(exp.Table) if table.alias]
    names = [table.alias.lower() for table in tables]
    changed = False
    for number, table in enumerate(tables):
        old = table.alias.lower()
        if names.count(old) > 1 or any(cte.alias.lower() == old for cte in holder.find_all(exp.CTE)):
            continue
        select = table.find_ancestor(exp.Select)
        for column in select.find_all(exp.Column) if select is not None else ():
            if column.table.lower() == old:
                column.set("table", exp.to_identifier(f"renamed_{number}"))
        table.set("alias", exp.TableAlias(this=exp.to_identifier(f"renamed_{number}")))
        changed = True
    return changed


def _names(query: Any) -> list[str] | None:
    """Names for the columns of a query, if they can be given."""
    if not isinstance(query, exp.Select) or any(column.is_star for column in query.selects):
        return None
    return [f"column_{place}" for place in range(len(query.selects))]


def _named(query: Any, names: list[str]) -> Any:
    named = [
        exp.alias_(column.this.copy() if isinstance(column, exp.Alias) else column.copy(), name)
        for column, name in zip(query.selects, names, strict=True)
    ]
    old = {column.alias.lower() for column in query.selects if isinstance(column, exp.Alias)}
    inner = query.copy()
    if any(column.name.lower() in old and not column.table for column in inner.find_all(exp.Column)):
        return None  # an alias is used inside
    inner.set("expressions", named)
    return inner


def subquery(holder: exp.Expr, chance: random.Random) -> bool:
    names = _names(holder.this)
    inner = _named(holder.this, names) if names else None
    if inner is None or holder.this.args.get("with_"):
        return False
    holder.set("this", exp.select(*names).from_(inner.subquery("inner_query")))
    return True


def common_table(holder: exp.Expr, chance: random.Random) -> bool:
    names = _names(holder.this)
    inner = _named(holder.this, names) if names else None
    if inner is None or holder.this.args.get("with_"):
        return False
    holder.set("this", exp.select(*names).from_("common_query").with_("common_query", as_=inner))
    return True


def in_or_equal(holder: exp.Expr, chance: random.Random) -> bool:
    """A list is a chain of equations, and an equation with a literal is a list of one."""
    changed = False
    for node in list(holder.find_all(exp.In)):
        if node.args.get("query") is None and node.expressions and node.args.get("unnest") is None:
            node.replace(
                exp.Paren(this=exp.or_(*(exp.EQ(this=node.this.copy(), expression=e.copy()) for e in node.expressions)))
            )
            changed = True
    if changed:
        return True
    for node in _some(holder.find_all(exp.EQ), chance):
        # SQLite compares with a list of one by the column's affinity alone: only text is the same in both.
        if isinstance(node.right, exp.Literal) and node.right.is_string and isinstance(node.left, exp.Column):
            node.replace(exp.In(this=node.left.copy(), expressions=[node.right.copy()]))
            changed = True
    return changed


def exists(holder: exp.Expr, chance: random.Random) -> bool:
    """IN with a plain subquery, as a condition that has to hold."""
    changed = False
    for node in list(holder.find_all(exp.In)):
        query = node.args.get("query")
        inner = query.this if isinstance(query, exp.Subquery) else query
        if not isinstance(inner, exp.Select) or not isinstance(node.this, exp.Column) or not node.this.table:
            continue
        if any(inner.args.get(clause) for clause in ("group", "having", "limit", "order", "distinct", "with_")):
            continue
        wanted, own = inner.selects[0], {table.alias_or_name.lower() for table in inner.find_all(exp.Table)}
        plain = isinstance(wanted, exp.Column) and wanted.table
        if not plain or node.this.table.lower() in own or not isinstance(node.parent, exp.And | exp.Where):
            continue
        new = inner.copy()
        new.set("expressions", [exp.Literal.number(1)])
        node.replace(exp.Exists(this=new.where(exp.EQ(this=wanted.copy(), expression=node.this.copy()))))
        changed = True
    return changed


def join_or_where(holder: exp.Expr, chance: random.Random) -> bool:
    changed = False
    for select in list(holder.find_all(exp.Select)):
        joins = select.args.get("joins") or []
        if not joins or any(join.args.get("side") or not join.args.get("on") or join.args.get("using") for join in joins):
            continue
        conditions = [exp.Paren(this=join.args["on"].copy()) for join in joins]
        for join in joins:
            join.set("on", None)
            join.set("kind", "CROSS")
        where = select.args.get("where")
        if where is not None:
            conditions.append(exp.Paren(this=where.this.copy()))
        select.set("where", exp.Where(this=exp.and_(*conditions)))
        changed = True
    return changed


def join_order(holder: exp.Expr, chance: random.Random) -> bool:
    changed = False
    for select in list(holder.find_all(exp.Select)):
        joins, start = select.args.get("joins") or [], select.args.get("from_") or select.args.get("from")
        if (
            len(joins) == 1
            and joins[0].args.get("on")
            and not joins[0].args.get("side")
            and not any(c.is_star for c in select.selects)
        ):
            one, other = start.this.copy(), joins[0].this.copy()
            start.set("this", other)
            joins[0].set("this", one)
            changed = True
    return changed


def between(holder: exp.Expr, chance: random.Random) -> bool:
    nodes = list(holder.find_all(exp.Between))
    for node in nodes:
        low = exp.GTE(this=node.this.copy(), expression=node.args["low"].copy())
        high = exp.LTE(this=node.this.copy(), expression=node.args["high"].copy())
        node.replace(exp.Paren(this=exp.and_(low, high)))
    return bool(nodes)


def distinct_or_group(holder: exp.Expr, chance: random.Random) -> bool:
    changed = False
    for select in holder.find_all(exp.Select):
        columns = [column.this if isinstance(column, exp.Alias) else column for column in select.selects]
        if not all(isinstance(column, exp.Column) for column in columns) or select.args.get("group"):
            continue
        if select.args.get("distinct"):
            select.set("distinct", None)
            select.set("group", exp.Group(expressions=[column.copy() for column in columns]))
            changed = True
        elif select.parent is holder and not select.args.get("limit") and not select.args.get("order"):
            select.set("distinct", exp.Distinct())
            changed = True
    return changed


def case_or_iif(holder: exp.Expr, chance: random.Random) -> bool:
    changed = False
    for case in list(holder.find_all(exp.Case)):
        branches = case.args["ifs"]
        if case.this is None and len(branches) == 1:
            other = case.args.get("default") or exp.null()
            made = [branches[0].this.copy(), branches[0].args["true"].copy(), other.copy()]
            case.replace(exp.Anonymous(this="IIF", expressions=made))
            changed = True
    return changed


def negated(holder: exp.Expr, chance: random.Random) -> bool:
    nodes = [node for node in _some(holder.find_all(*_NEGATED), chance) if node.find_ancestor(exp.Join) is None]
    for node in nodes:
        opposite = _NEGATED[type(node)](this=node.this.copy(), expression=node.expression.copy())
        node.replace(exp.Paren(this=exp.Not(this=exp.Paren(this=opposite))))
    return bool(nodes)


def counted(holder: exp.Expr, chance: random.Random) -> bool:
    nodes = [node for node in holder.find_all(exp.Count) if isinstance(node.this, exp.Star)]
    for node in nodes:
        node.set("this", exp.Literal.number(1))
    return bool(nodes)


def always_true(holder: exp.Expr, chance: random.Random) -> bool:
    nodes = list(holder.find_all(exp.Where))
    for node in nodes:
        node.set(
            "this",
            exp.and_(exp.Paren(this=node.this.copy()), exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(1))),
        )
    return bool(nodes)


def union(holder: exp.Expr, chance: random.Random) -> bool:
    """Results are compared as sets, so rows that meet one condition or the other are those of both together."""
    select = holder.this
    if not isinstance(select, exp.Select) or any(select.args.get(c) for c in ("group", "order", "limit", "with_", "having")):
        return False
    where = select.args.get("where")
    inner = where.this.unnest() if where is not None else None
    if not isinstance(inner, exp.Or) or select.find(exp.AggFunc, exp.Window):
        return False
    one, other = select.copy(), select.copy()
    one.set("where", exp.Where(this=inner.left.copy()))
    other.set("where", exp.Where(this=inner.right.copy()))
    holder.set("this", exp.union(one, other))
    return True


def counted_case(holder: exp.Expr, chance: random.Random) -> bool:
    """SUM(CASE WHEN c THEN 1 ELSE 0 END) counts, and so does COUNT(CASE WHEN c THEN 1 END)."""
    changed = False
    for node in list(holder.find_all(exp.Sum)):
        case = node.this
        branches = case.args["ifs"] if isinstance(case, exp.Case) and case.this is None else []
        if len(branches) == 1 and text_of(branches[0].args["true"]) == "1" and text_of(case.args.get("default")) == "0":
            node.replace(exp.Count(this=exp.Case(ifs=[branches[0].copy()])))
            changed = True
    return changed


def counted_sum(holder: exp.Expr, chance: random.Random) -> bool:
    nodes = [node for node in holder.find_all(exp.Count) if isinstance(node.this, exp.Column)]
    for node in nodes:
        given = exp.Not(this=exp.Is(this=node.this.copy(), expression=exp.null()))
        node.replace(exp.Sum(this=exp.Paren(this=given)))
    return bool(nodes)


def cast_or_times(holder: exp.Expr, chance: random.Random) -> bool:
    nodes = [node for node in holder.find_all(exp.Cast) if node.to.sql("sqlite") == "REAL"]
    for node in nodes:
        node.replace(exp.Paren(this=exp.Mul(this=exp.Paren(this=node.this.copy()), expression=exp.Literal.number("1.0"))))
    return bool(nodes)


def year_or_substring(holder: exp.Expr, chance: random.Random) -> bool:
    """Of dates written as ISO has it."""
    changed = False
    for node in list(holder.find_all(exp.TimeToStr, exp.Anonymous)):
        written = node.sql("sqlite").upper()
        if not written.startswith("STRFTIME('%Y',") or written.count(",") != 1:
            continue
        date = node.expressions[1] if isinstance(node, exp.Anonymous) else node.this
        while isinstance(date, exp.TsOrDsToTimestamp):
            date = date.this
        node.replace(exp.Anonymous(this="SUBSTR", expressions=[date.copy(), exp.Literal.number(1), exp.Literal.number(4)]))
        changed = True
    return changed


def filtered_table(holder: exp.Expr, chance: random.Random) -> bool:
    """A condition on one table moves into a subquery in its place."""
    changed = False
    for select in list(holder.find_all(exp.Select)):
        where, start = select.args.get("where"), select.args.get("from_") or select.args.get("from")
        joins = select.args.get("joins") or []
        if where is None or start is None or any(join.args.get("side") for join in joins):
            continue
        tables = [part.this for part in (start, *joins) if isinstance(part.this, exp.Table) and part.this.alias]
        parts = list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]
        for table in tables:
            own = [
                p for p in parts if (columns := list(p.find_all(exp.Column))) and all(c.table == table.alias for c in columns)
            ]
            own = [part for part in own if part.find(exp.Select, exp.AggFunc) is None]
            if not own:
                continue
            kept = [part.copy() for part in parts if part not in own]
            inner = exp.select("*").from_(table.copy()).where(*(part.copy() for part in own))
            table.replace(inner.subquery(table.alias))
            select.set("where", exp.Where(this=exp.and_(*kept)) if kept else None)
            changed = True
            break
    return changed


def outer_join(holder: exp.Expr, chance: random.Random) -> bool:
    """An inner join is an outer one whose partner is there."""
    changed = False
    for select in list(holder.find_all(exp.Select)):
        joins = select.args.get("joins") or []
        on = joins[-1].args.get("on") if joins else None
        if any(join.args.get("side") for join in joins) or not isinstance(on, exp.EQ) or any(c.is_star for c in select.selects):
            continue
        sides = [side for side in (on.left, on.right) if isinstance(side, exp.Column)]
        key = next((side for side in sides if side.table == joins[-1].this.alias), None)
        if key is None or not key.table:
            continue
        joins[-1].set("kind", None)
        joins[-1].set("side", "LEFT")
        present = exp.Not(this=exp.Is(this=key.copy(), expression=exp.null()))
        where = select.args.get("where")
        parts = [exp.Paren(this=where.this.copy())] if where is not None else []
        select.set("where", exp.Where(this=exp.and_(*parts, present)))
        changed = True
    return changed


def text_of(node: Any) -> str:
    return node.sql("sqlite") if node is not None else ""


KINDS: dict[str, Rewrite] = {
    "operands": operands,
    "sides": sides,
    "aliases": aliases,
    "subquery": subquery,
    "common table": common_table,
    "IN or =": in_or_equal,
    "IN or EXISTS": exists,
    "JOIN or WHERE": join_or_where,
    "order of joins": join_order,
    "BETWEEN": between,
    "DISTINCT or GROUP BY": distinct_or_group,
    "CASE or IIF": case_or_iif,
    "negated": negated,
    "COUNT(*)": counted,
    "always true": always_true,
    "OR or UNION": union,
    "SUM or COUNT of CASE": counted_case,
    "COUNT or SUM": counted_sum,
    "CAST or * 1.0": cast_or_times,
    "strftime or substr": year_or_substring,
    "filtered table": filtered_table,
    "LEFT JOIN with a partner": outer_join,
}
