"""The functions that run inside worker processes, by name.

This module is imported on both sides, so it takes along nothing that knows PostgreSQL's protocol before it is called.
"""

from __future__ import annotations

from .messages import (
    Applied,
    Broken,
    Contents,
    Copy,
    Description,
    Done,
    Exploration,
    Facts,
    Fault,
    Gone,
    Ground,
    Hold,
    Judgement,
    Lost,
    NeedsCopy,
    Orders,
    Refused,
    Rows,
    Settling,
    Shown,
    TemplateCheck,
    TemplateRights,
    Unfit,
)

PRELOAD = (
    "touchstone.engines.postgres.exploring",
    "touchstone.engines.postgres.judging",
    "touchstone.engines.postgres.control",
)


def explore(request: Exploration) -> Rows | Shown | Fault | NeedsCopy | Lost | Gone:
    from . import exploring

    return exploring.explore(request)


def judge(request: Judgement) -> Applied | NeedsCopy | Lost | Gone:
    from . import judging

    return judging.judge(request)


def administer(request: Orders) -> Done | Refused | Lost | Gone:
    from . import control

    return control.administer(request)


def lay_ground(request: Ground) -> Done | Broken | Refused | Lost | Gone:
    from . import ground

    return ground.lay(request)


def copy(request: Copy) -> Done | Refused | Lost | Gone:
    from . import ground

    return ground.copy(request)


def settle(request: Settling) -> Done | Refused | Lost | Gone:
    from . import ground

    return ground.settle(request)


def describe(request: Contents) -> Description | Broken | Refused | Lost | Gone:
    from . import ground

    return ground.describe(request)


def rights(request: TemplateCheck) -> list[TemplateRights] | Gone:
    from . import ground

    return ground.rights(request)


def hold(request: Hold) -> Facts | Unfit:
    from . import holding

    return holding.hold(request)


def let_go(request: Hold) -> Done | Gone:
    from . import holding

    return holding.let_go(request)
