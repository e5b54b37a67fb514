"""One sentence that says what makes the difference on a refuting database.

A one-step change of either query that makes the two agree, there and on the larger database it was cut from, is what decides.
Where no single step does, the sentence says what the two give.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from sqlglot import exp

from ..types import Table
from ..verdicts.explain import explain
from ..verdicts.shown import shown_row
from .arena import Arena, Frozen, Rows, canonical
from .mutants import Mutant, mutants
from .queries import Query, parsed, text

_MOST_MUTANTS = 60


def what_decides(arena: Arena, gold: Query, prediction: Query, contents: Sequence[dict[str, list[list[Any]]]]) -> str:
    """The last of the contents is the one that is shown."""
    results: list[tuple[Frozen, Frozen]] = []
    shown: tuple[Rows, Rows] = ([], [])
    of_gold, of_prediction = mutants(gold)[:_MOST_MUTANTS], mutants(prediction)[:_MOST_MUTANTS]
    for content in contents:
        arena.fill(content)
        shown = arena.run(gold.sql) or [], arena.run(prediction.sql) or []
        results.append((canonical(shown[0]), canonical(shown[1])))
        of_gold = [mutant for mutant in of_gold if _gives(arena, mutant, results[-1][1])]
        of_prediction = [mutant for mutant in of_prediction if _gives(arena, mutant, results[-1][0])]
    if mutant := _telling(of_gold, prediction):
        return _condition(mutant, *shown) or f"The prediction gives what the gold gives when {mutant.what}."
    if mutant := _telling(of_prediction, gold):
        return f"The prediction gives what the gold gives only when, in the prediction, {mutant.what}."
    return _plainly(*shown)


def _gives(arena: Arena, mutant: Mutant, wanted: Frozen) -> bool:
    rows = arena.run(mutant.sql)
    return rows is not None and canonical(rows) == wanted


def _telling(candidates: Iterable[Mutant], other: Query) -> Mutant | None:
    """A dropped condition that the other query has, too, in whole or in part, explains nothing."""
    written = " ".join(other.sql.lower().split())
    for mutant in candidates:
        if mutant.kind == "ASC or DESC" and not _orders_alike(mutant, written):
            continue
        if not mutant.kind.startswith("dropped") or not any(literal in written for literal in _literals(mutant)):
            return mutant
    return None


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


def _plainly(gold: Rows, prediction: Rows) -> str:
    if len(gold) == 1 and len(prediction) == 1:
        return f"The gold gives {shown_row(gold[0])}, the prediction {shown_row(prediction[0])}."
    return explain(Table((), gold), Table((), prediction)).sentence
