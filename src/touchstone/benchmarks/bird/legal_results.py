"""Whether a result is one that the gold allows, where ties leave several open: the metric ex-ties.

Which of the rows that tie at the edge of an outer LIMIT are kept is free, and every choice is accepted. Other ties, such as
those of a LIMIT in a subquery, are decided by the columns of the result, upwards and downwards, and both are accepted.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress

from sqlglot import exp

from ...engines.sqlite.worker import Reader
from ...errors import SqlError
from ...proof.queries import parsed, text
from ...types import Row, Table
from ...verdicts.metrics import ex
from ..audit.probe import decided, spots

_RANK = "touchstone_rank"


def is_legal(reader: Reader, sql: str, gold: Table, predicted: Table) -> bool:
    """The gold has been run, and its rows are not the prediction's."""
    places = [spot for spot in spots(sql, "sqlite") if spot.limited]
    if not places:
        return False
    with suppress(SqlError):
        ranked = _ranked(sql)
        if ranked is not None and _allows(reader.run(ranked[0]).rows, ranked[1], set(predicted.rows)):
            return True
    for direction in ("ASC", "DESC"):
        with suppress(SqlError):
            if ex(reader.run(decided(sql, places, len(gold.columns), direction)), predicted):
                return True
    return False


def _allows(rows: list[Row], limit: int, predicted: set[Row]) -> bool:
    """Rows with their rank last, none beyond the limit. All before the last tie are kept, and of the tie as many as fit."""
    last = max((row[-1] for row in rows), default=0)
    kept = {row[:-1] for row in rows if row[-1] != last}
    tied = Counter(row[:-1] for row in rows if row[-1] == last)
    free = min(limit, len(rows)) - (len(rows) - tied.total())
    needed = predicted - kept
    fitting = sum(count for row, count in tied.items() if row in predicted)
    return kept <= predicted and needed <= tied.keys() and len(needed) <= free <= fitting


def _ranked(sql: str) -> tuple[str, int] | None:
    """The query's rows up to its LIMIT with all that tie with the last, each with its rank; and the limit."""
    tree = parsed(sql.strip().rstrip(";"))
    if not isinstance(tree, exp.Select) or tree.args.get("offset") or tree.args.get("distinct"):
        return None
    order, limit = tree.args.get("order"), tree.args.get("limit")
    if order is None or limit is None or not isinstance(limit.expression, exp.Literal) or limit.expression.is_string:
        return None
    keys = [_resolved(key.copy(), tree) for key in order.expressions]
    rank = exp.alias_(exp.Window(this=exp.Anonymous(this="RANK"), order=exp.Order(expressions=keys)), _RANK)
    inner = tree.copy()
    inner.set("order", None)
    inner.set("limit", None)
    inner.set("expressions", [*inner.expressions, rank])
    number = int(limit.expression.this)
    common = inner.args.get("with_") or inner.args.get("with")
    lead = ""
    if common is not None:
        common.pop()
        lead = f"{text(common)} "
    return f"{lead}SELECT * FROM ({text(inner)}) WHERE {_RANK} <= {number}", number


def _resolved(key: exp.Expr, tree: exp.Select) -> exp.Expr:
    """An order key by its position or its alias, which a window does not know, as the expression that it stands for."""
    shown = tree.selects
    by_alias = {column.alias.lower(): column.this for column in shown if isinstance(column, exp.Alias)}
    target = key.this
    if isinstance(target, exp.Literal) and not target.is_string and 0 < int(target.this) <= len(shown):
        column = shown[int(target.this) - 1]
        key.set("this", (column.this if isinstance(column, exp.Alias) else column).copy())
        return key
    for column in list(key.find_all(exp.Column)):
        if not column.table and column.name.lower() in by_alias:
            replacement = exp.Paren(this=by_alias[column.name.lower()].copy())
            column.replace(replacement)
    return key
