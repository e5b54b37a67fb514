"""One sentence that says what makes the difference on a refuting database.

A one-step change of either query that makes the two agree is what decides: there, on the larger database that it was cut from,
and on others beside it, since on a few rows two queries soon agree by chance. Where no single step does, the sentence says what
the two read and give.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from sqlglot import exp

from ..phrases import clipped
from ..types import Table
from ..verdicts.explain import explain
from ..verdicts.shown import shown_row
from .arena import Arena, Frozen, Rows, both_results, canonical
from .draft import Content
from .mutants import Mutant, mutants
from .queries import Query, parsed, text

_MOST_MUTANTS = 60
_COMPARISONS: dict[type[exp.Expr], tuple[type[exp.Expr], ...]] = {
    exp.GT: (exp.GT, exp.LT),
    exp.LT: (exp.GT, exp.LT),
    exp.GTE: (exp.GTE, exp.LTE),
    exp.LTE: (exp.GTE, exp.LTE),
    exp.EQ: (exp.EQ, exp.In, exp.Is),
    exp.NEQ: (exp.NEQ,),
}
"""How a comparison may be written in the other query."""
_FEW = 1
"""Databases beside the one that is shown on which a change may fail: ties leave results open there."""


def what_decides(arena: Arena, gold: Query, prediction: Query, shown: Content, beside: Sequence[Content]) -> str:
    candidates = [(side, mutant) for side, query in enumerate((gold, prediction)) for mutant in mutants(query)[:_MOST_MUTANTS]]
    failures: Counter[tuple[int, str]] = Counter()
    for content in (shown, *beside):
        rows = both_results(arena, content, gold.sql, prediction.sql)
        if rows is None:
            continue
        wanted = canonical(rows[1]), canonical(rows[0])
        for side, mutant in candidates:
            if not _gives(arena, mutant, wanted[side]):
                failures[side, mutant.sql] += _FEW + 1 if content is shown else 1
        candidates = [(side, mutant) for side, mutant in candidates if failures[side, mutant.sql] <= _FEW]
    results = both_results(arena, shown, gold.sql, prediction.sql) or ([], [])
    if mutant := _telling((mutant for side, mutant in candidates if side == 0), prediction):
        return _condition(mutant, *results) or f"The prediction gives what the gold gives when {mutant.what}."
    if mutant := _telling((mutant for side, mutant in candidates if side == 1), gold):
        return f"The prediction gives what the gold gives only when, in the prediction, {mutant.what}."
    if _is_reordered(*results):
        return f"The columns come in another order: {_plainly(*results)}"
    return " ".join(filter(None, (_reading(gold, prediction), _plainly(*results))))


def _gives(arena: Arena, mutant: Mutant, wanted: Frozen) -> bool:
    rows = arena.run(mutant.sql)
    return rows is not None and canonical(rows) == wanted


def _telling(candidates: Iterable[Mutant], other: Query) -> Mutant | None:
    """The first that the other query is written like."""
    return next((mutant for mutant in candidates if _is_written_like(mutant, other)), None)


def _is_written_like(mutant: Mutant, other: Query) -> bool:
    """Two queries that agree on a few rows may do so by chance: the change must be seen in the other one's text, too."""
    written = " ".join(other.sql.lower().split())
    if mutant.kind == "ASC or DESC":
        return _orders_alike(mutant, written)
    if mutant.kind == "other join":
        return (" left " in written) == mutant.what.endswith("LEFT JOIN")
    if mutant.kind.startswith("dropped"):  # a condition that the other has, too, in whole or in part, explains nothing
        return not any(literal in written for literal in _literals(mutant))
    new = parsed(f"SELECT {mutant.what.rpartition(' becomes ')[2]}") if " becomes " in mutant.what else None
    if new is None or other.tree is None:
        return True
    columns = {column.name.lower() for column in new.find_all(exp.Column)}
    if not columns <= {node.name.lower() for node in other.tree.find_all(exp.Identifier)}:
        return False
    comparison = new.find(*_COMPARISONS)
    if comparison is None:
        return all(other.tree.find(type(node)) is not None for node in new.find_all(exp.AggFunc, exp.Distinct))
    return any(
        columns & {column.name.lower() for column in node.find_all(exp.Column)}
        for node in other.tree.find_all(*_COMPARISONS[type(comparison)], exp.Between, exp.Not)
    )


def _orders_alike(mutant: Mutant, written: str) -> bool:
    key = mutant.what.removeprefix("the order by ").removesuffix(" is turned round").lower().split()[0].rpartition(".")[2]
    return re.search(rf"order by [^)]*\b{re.escape(key)}", written) is not None


def _literals(mutant: Mutant) -> list[str]:
    tree = parsed(f"SELECT {_clause(mutant)}")
    return [text(literal).lower() for literal in tree.find_all(exp.Literal)] if tree is not None else []


def _clause(mutant: Mutant) -> str:
    """The condition alone."""
    return re.sub(r"^(the condition|WHERE|HAVING) ", "", mutant.what).removesuffix(" is dropped")


def _condition(mutant: Mutant, gold: Rows, prediction: Rows) -> str | None:
    """`position = 'Member'` in words, where the prediction lacks it."""
    if mutant.kind not in ("dropped condition", "dropped WHERE"):
        return None
    clause = _clause(mutant)
    tree = parsed(f"SELECT {clause}")
    condition = tree.selects[0] if isinstance(tree, exp.Select) else None
    keeps = "keeps" if canonical(prediction) > canonical(gold) else "also takes"
    if isinstance(condition, exp.EQ) and isinstance(condition.left, exp.Column) and isinstance(condition.right, exp.Literal):
        return f"The prediction {keeps} rows whose {condition.left.name} is not {text(condition.right)}."
    return f"The prediction {keeps} rows for which {clause} does not hold."


def _reading(gold: Query, prediction: Query) -> str:
    """Tables and literals that only one of them has."""
    both = (("the gold", gold, prediction), ("the prediction", prediction, gold))
    only = [(who, [table.name for name, table in one.tables.items() if name not in other.tables]) for who, one, other in both]
    parts = [f"only {who} reads {' and '.join(names)}" for who, names in only if names]
    if not parts:
        only = [(who, [value for value in _values(one) if value not in _values(other)][:3]) for who, one, other in both]
        parts = [f"only {who} asks for {' and '.join(values)}" for who, values in only if values]
    sentence = ", ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}." if sentence else ""


def _values(query: Query) -> list[str]:
    """Literals of its conditions."""
    conditions = query.tree.find_all(exp.Where, exp.Having, exp.If) if query.tree is not None else ()
    literals = (text(literal) for condition in conditions for literal in condition.find_all(exp.Literal))
    return [clipped(literal, 40) for literal in dict.fromkeys(literals)]


def _is_reordered(gold: Rows, prediction: Rows) -> bool:
    return len(gold) == len(prediction) == 1 and Counter(gold[0]) == Counter(prediction[0])


def _plainly(gold: Rows, prediction: Rows) -> str:
    if len(gold) <= 1 and len(prediction) <= 1:
        shown = [shown_row(rows[0]) if rows else "no rows" for rows in (gold, prediction)]
        return f"The gold gives {shown[0]}, the prediction {shown[1]}."
    return explain(Table((), gold), Table((), prediction)).sentence
