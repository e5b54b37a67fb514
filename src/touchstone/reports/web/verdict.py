"""The verdict of an episode: prediction and gold side by side, and what differs between their results, marked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from . import grids, sql
from .charts import coins
from .differences import difference, side
from .episodes import Episode
from .html import Child, Html, h
from .layout import badge, facts
from .shapes import listed, mapping, names, number, objects, rows
from .words import count, readable

_TOLD = frozenset(
    """
    prediction gold kind gold_rows predicted_rows gold_columns predicted_columns missing_count extra_count missing_rows
    extra_rows missing_columns extra_columns differing_columns found_columns counts counts_apart submissions budget charges
    rows screenshots partners executed official strict video proof setup
    """.split()
)
"""What has a place of its own on the page. Whatever else the evidence holds is listed as it is."""


def verdict(episode: Episode) -> Html:
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
    left = [sql.block(each) for each in prediction] or h("p", "None.", class_="dim")
    right = [side("Gold", "", [sql.block(each) for each in gold])] if gold else []
    return h("div", side("Prediction", "", left), right, class_="sides")


def _submission(finding: Mapping[str, Any], gold: Sequence[Any]) -> Html:
    phase = int(number(finding.get("phase")))
    said = mapping(finding.get("verdicts"))
    verdicts = ", ".join(f"{name}: {'right' if right else 'wrong'}" for name, right in said.items())
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
    found = objects(evidence.get("rows"))
    if not found:
        return None
    columns = list(dict.fromkeys(name for row in found for name in row))
    table = grids.table(columns, [[row.get(name) for name in columns] for row in found])
    whole = evidence.get("predicted_rows")
    return h("details", h("summary", f"The result: {count(int(number(whole)) or len(found), 'row')}"), table)


def _proof(proof: Mapping[str, Any]) -> Child:
    """What small databases say of a prediction that is right by EX."""
    if not proof:
        return None
    parts: list[Child] = [h("h3", f"Proof: {proof.get('verdict')}"), h("p", str(proof.get("reason") or ""))]
    if found := mapping(proof.get("difference")):
        parts += [
            h("p", "The queries differ on this small database; it does not say which is wrong.", class_="dim"),
            sql.block(str(found.get("script") or "")),
            h(
                "div",
                _returned("Prediction", found, "prediction", "gold", "new"),
                _returned("Gold", found, "gold", "prediction", "gone"),
                class_="sides",
            ),
        ]
    return h("section", *parts, class_="submission", id="proof")


def _returned(title: str, found: Mapping[str, Any], whose: str, other: str, mark: str) -> Html:
    """A result, with the rows marked that the other does not have. What is cut off cannot be said to lack a row."""
    words = count(int(number(found.get(f"{whose}_count"))), "row")
    own, others = rows(found.get(whose)), rows(found.get(other))
    known = {repr(list(row)) for row in others} if len(others) == number(found.get(f"{other}_count")) else None
    apart = {place for place, row in enumerate(own) if known is not None and repr(list(row)) not in known}
    return side(title, words, grids.table(names(found.get("columns")), own, lambda row, _: mark if row in apart else None))


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
