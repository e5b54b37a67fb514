"""The verdict of an episode: prediction and gold side by side, and what differs between their results, marked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ...phrases import plural
from . import grids, layout
from .charts import coins, listed, mapping, names, number, objects, rows
from .episodes import ShownEpisode
from .layout import Child, Html, badge, facts, h
from .words import readable

# What two results have not in common, as the evidence of a verdict tells it: rows and columns side by side, marked.
#
# Evidence holds examples, not whole results. Among rows of the same width, each missing row is laid beside the unexpected one
# that is likest to it, and only the cells that differ are marked; without a likeness the whole row is. Where the results have
# other columns, those columns are marked.


_MOST = 50
"""Rows that are looked at."""

Rows = Sequence[Sequence[Any]]


def difference(evidence: Mapping[str, Any]) -> Child:
    missing, extra = rows(evidence.get("missing_rows"))[:_MOST], rows(evidence.get("extra_rows"))[:_MOST]
    gold, predicted = names(evidence.get("gold_columns")), names(evidence.get("predicted_columns"))
    if not (missing or extra or gold or predicted):
        return None
    if not (missing or extra) and evidence.get("missing_count") == evidence.get("extra_count") == 0:
        order = (
            "The rows are the same, but in another order" if evidence.get("kind") == "row_order" else "The rows are as expected"
        )
        return _duplicates(evidence, gold) or h("p", f"{order}: {_rows(evidence, 'gold')}.", class_="dim")
    lacking, odd = _odd_columns(evidence, gold, predicted)
    partners = _partners(missing, extra) if len(gold) == len(predicted) else None
    back = None if partners is None else {other: own for own, other in partners.items()}
    got = grids.table(predicted, extra, _marks(predicted, odd, extra, missing, back, "new"))
    expected = grids.table(gold, missing, _marks(gold, lacking, missing, extra, partners, "gone"))
    return h(
        "div",
        side("Returned, but not expected", _shown(evidence, "extra", "predicted", extra), got if extra or predicted else None),
        side("Expected, but missing", _shown(evidence, "missing", "gold", missing), expected if missing or gold else None),
        class_="sides",
    )


def side(title: str, words: str, content: Child) -> Html:
    return h("section", h("h3", title, h("span", f" {words}", class_="dim") if words else None), content)


def _odd_columns(evidence: Mapping[str, Any], gold: Sequence[str], predicted: Sequence[str]) -> tuple[set[str], set[str]]:
    """Columns of gold that the prediction lacks or has otherwise, and the other way round."""
    apart = set(names(evidence.get("differing_columns")))
    same_width = len(gold) == len(predicted)
    theirs = {name for own, name in zip(gold, predicted, strict=True) if own in apart} if same_width else set[str]()
    return apart | set(names(evidence.get("missing_columns"))), theirs | set(names(evidence.get("extra_columns")))


def _partners(missing: Rows, extra: Rows) -> dict[int, int]:
    """The unexpected row that is likest to each missing one, where they share a cell or there is but one of each."""
    alike = {
        (own, other): sum(a == b for a, b in zip(first, second, strict=False))
        for own, first in enumerate(missing)
        for other, second in enumerate(extra)
    }
    free = set(range(len(extra)))
    pairs: dict[int, int] = {}
    for (own, other), cells in sorted(alike.items(), key=lambda item: -item[1]):
        if own not in pairs and other in free and (cells or len(missing) == len(extra) == 1):
            pairs[own] = other
            free.discard(other)
    return pairs


def _marks(
    columns: Sequence[str], odd: set[str], own: Rows, other: Rows, partners: Mapping[int, int] | None, mark: str
) -> grids.Marks:
    """Without partners rows cannot be laid side by side: then columns alone are marked, if it is known which."""

    def marked(row: int, column: int) -> str | None:
        if column < len(columns) and columns[column] in odd:
            return mark
        if row < 0 or (partners is None and odd):
            return None
        partner = other[partners[row]] if partners and row in partners else ()
        same = column < len(partner) and partner[column] == own[row][column]
        return None if same else mark

    return marked


def _rows(evidence: Mapping[str, Any], whose: str) -> str:
    number = evidence.get(f"{whose}_rows")
    return plural(number, "row") if isinstance(number, int) else "as many rows"


def _shown(evidence: Mapping[str, Any], few: str, whose: str, rows: Rows) -> str:
    apart, whole = evidence.get(f"{few}_count"), evidence.get(f"{whose}_rows")
    if not isinstance(whole, int):
        return ""
    if not isinstance(apart, int):
        return f"of {plural(whole, 'row')}"
    return f"{apart:,} of {plural(whole, 'row')}" + (f", {len(rows)} shown" if apart > len(rows) else "")


def _duplicates(evidence: Mapping[str, Any], columns: Sequence[str]) -> Child:
    """The same rows, but not as often."""
    counts = objects(evidence.get("counts"))[:_MOST]
    if not counts:
        return None
    lines = [[*listed(each.get("row")), each.get("expected"), each.get("got")] for each in counts]
    table = grids.table(
        [*columns, "expected", "appears"],
        lines,
        lambda row, column: "new" if row >= 0 and column >= len(lines[row]) - 2 else None,
    )
    return side("Rows that appear another number of times", "", table)


_TOLD = frozenset(
    """
    prediction gold kind gold_rows predicted_rows gold_columns predicted_columns missing_count extra_count missing_rows
    extra_rows missing_columns extra_columns differing_columns found_columns counts counts_apart submissions budget charges
    rows screenshots partners executed official strict video proof setup
    """.split()
)
"""What has a place of its own on the page. Whatever else the evidence holds is listed as it is."""


def verdict(episode: ShownEpisode) -> Html:
    evidence = episode.evidence
    submissions = objects(evidence.get("submissions"))
    gold = listed(evidence.get("gold"))
    parts: list[Child] = [_submission(each, gold) for each in submissions]
    if not submissions:
        parts += [_sides(_texts(evidence.get("prediction")), _texts(evidence.get("gold"))), difference(evidence)]
    parts += [_proof(mapping(evidence.get("proof"))), _result(evidence), _budget(evidence), _rest(evidence)]
    shown = parts if any(parts) else [h("p", "The record holds no evidence.", class_="dim")]
    return h("section", h("h2", "Verdict"), *shown, id="verdict")


def _sides(prediction: Sequence[str], gold: Sequence[str]) -> Child:
    if not (prediction or gold):
        return None
    left = [layout.block(each) for each in prediction] or h("p", "None.", class_="dim")
    right = [side("Gold", "", [layout.block(each) for each in gold])] if gold else []
    return h("div", side("Prediction", "", left), right, class_="sides")


def _submission(finding: Mapping[str, Any], gold: Sequence[Any]) -> Html:
    phase = int(number(finding.get("phase")))
    judged = mapping(finding.get("verdicts"))
    verdicts = ", ".join(f"{name}: {'right' if right else 'wrong'}" for name, right in judged.items())
    return h(
        "section",
        h("h3", h("b", f"Phase {phase} "), badge("passed" if finding.get("passed") is True else "failed"), " ", verdicts),
        h("p", str(finding.get("reason") or finding.get("feedback") or "")),
        _sides(_texts(finding.get("sql")), _texts(gold[phase - 1]) if 0 < phase <= len(gold) else ()),
        difference(mapping(finding.get("evidence"))),
        class_="submission",
    )


def _result(evidence: Mapping[str, Any]) -> Child:
    """The prediction's own result, where the record has it."""
    result_rows = objects(evidence.get("rows"))
    if not result_rows:
        return None
    columns = list(dict.fromkeys(name for row in result_rows for name in row))
    table = grids.table(columns, [[row.get(name) for name in columns] for row in result_rows])
    whole = evidence.get("predicted_rows")
    return h("details", h("summary", f"The result: {plural(int(number(whole)) or len(result_rows), 'row')}"), table)


def _proof(proof: Mapping[str, Any]) -> Child:
    """What small databases say of a prediction that is right by EX."""
    if not proof:
        return None
    parts: list[Child] = [h("h3", f"Proof: {proof.get('verdict')}"), h("p", str(proof.get("reason") or ""))]
    if difference := mapping(proof.get("difference")):
        words = "The queries differ on this small database; that does not say which is wrong. Marked: rows of only one."
        parts += [h("p", words, class_="dim"), small_database(difference, "Prediction")]
    return h("section", *parts, class_="submission", id="proof")


def small_database(difference: Mapping[str, Any], title: str) -> Html:
    """Its script, and what both queries give there, with the rows marked in which they differ."""
    return h(
        "div",
        layout.block(str(difference.get("script") or "")),
        h(
            "div",
            _returned(title, difference, "prediction", "gold", "new"),
            _returned("Gold", difference, "gold", "prediction", "gone"),
            class_="sides",
        ),
    )


def _returned(title: str, difference: Mapping[str, Any], whose: str, other: str, mark: str) -> Html:
    """A result, with the rows marked that the other does not have. What is cut off cannot be said to lack a row."""
    words = plural(int(number(difference.get(f"{whose}_count"))), "row")
    own, others = rows(difference.get(whose)), rows(difference.get(other))
    known = {repr(list(row)) for row in others} if len(others) == number(difference.get(f"{other}_count")) else None
    apart = {at for at, row in enumerate(own) if known is not None and repr(list(row)) not in known}
    return side(title, words, grids.table(names(difference.get("columns")), own, lambda row, _: mark if row in apart else None))


def _budget(evidence: Mapping[str, Any]) -> Child:
    charges = objects(evidence.get("charges"))
    if not charges or "budget" not in evidence:
        return None
    drawn = coins(number(evidence["budget"]), charges)
    return h("figure", h("figcaption", "Coins left after each action"), drawn, class_="card")


def _rest(evidence: Mapping[str, Any]) -> Child:
    more = [(readable(name), _plain(value)) for name, value in evidence.items() if name not in _TOLD]
    shown = facts([pair for pair in more if pair[1]])
    return h("details", h("summary", "More evidence"), shown) if more else None


def _plain(value: Any) -> Child:
    if value is None or value == [] or value == {}:
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str | int | float):
        return str(value)
    return h("pre", msgspec.json.format(msgspec.json.encode(value)).decode())


def _texts(value: Any) -> list[str]:
    return list(_all_texts(value))


def _all_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in listed(value):  # pyright: ignore[reportUnknownArgumentType]
            yield from _all_texts(each)
