"""Golds that several systems agree against: the list that `touchstone audit suspects --json` writes, for a person to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...phrases import plural
from . import layout
from .charts import mapping, names, objects
from .layout import Child, Html, View, facts, h, notice, page
from .verdict import small_database


def suspects_page(listed: Mapping[str, Any], view: View) -> Html:
    suspects = objects(listed.get("suspects"))
    title = f"Suspect golds: {len(suspects)} of {listed.get('tasks')} tasks"
    systems = mapping(listed.get("systems"))
    content: list[Child] = [
        h("h1", title),
        h("p", "Systems agree with each other, and not with the gold, on a small database. It does not say which is wrong."),
        facts([(name, str(where)) for name, where in systems.items()]),
    ]
    if view.hide_gold:
        content.append(notice("References are hidden, so the cases are not shown."))
    else:
        content += [_case(case) for case in suspects]
    return page(title, [("Runs", "../index.html"), ("Suspect golds", None)], *content, depth=1, view=view)


def _case(case: Mapping[str, Any]) -> Html:
    rank, task = case.get("place"), str(case.get("task"))
    votes = [
        ("Against the gold", case.get("against")),
        ("With the gold", case.get("beside")),
        ("Neither", case.get("elsewhere")),
    ]
    return h(
        "section",
        h("h2", f"{rank}. Task {task} ", h("span", str(case.get("database") or ""), class_="dim")),
        h("p", str(case.get("question") or ""), class_="lead"),
        facts(
            [
                ("Evidence", str(case.get("evidence") or "") or None),
                *((name, _voters(names(systems))) for name, systems in votes),
                ("What decides", str(case.get("decides") or "") or None),
            ]
        ),
        h(
            "div",
            h("section", h("h3", "The majority's query"), layout.block(str(case.get("majority") or ""))),
            h("section", h("h3", "Gold"), layout.block(str(case.get("gold") or ""))),
            class_="sides",
        ),
        small_database(mapping(case.get("difference")), "Majority"),
        class_="card",
        id=f"task-{task}",
    )


def _voters(systems: Sequence[str]) -> str | None:
    return f"{plural(len(systems), 'system')}: {', '.join(systems)}" if systems else None
