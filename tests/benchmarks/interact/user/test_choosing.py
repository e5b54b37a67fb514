"""A decision is what the reply says and what there is; all else is a mistake."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks.interact.user.situations import FIRST, GOLD, GOOD, QUALITY
from touchstone.benchmarks.interact.user.choice import Decision, Mistake, decision, spoken_text
from touchstone.benchmarks.interact.user.segments import segments_of

PARTS = segments_of(GOLD, "postgres")
LIMIT = next(part.text for part in PARTS if part.clause == "LIMIT")


def chosen(text: str) -> Decision:
    return decision(text, FIRST.ambiguities, PARTS)


@pytest.mark.parametrize(
    "reply",
    [
        '<s>labeled("good signals")</s>',
        'labeled("good signals")',
        "<s>labeled(2)</s>",
        "<s>labeled(#2)</s>",
        '<s> labeled( "2" ) </s>',
        "<s>labelled('Good   SIGNALS')</s>",
        "<s>labeled(good sig)</s>",
        '<think>Perhaps <s>unanswerable()</s>? No.</think>\n<s>labeled("good signals")',
        'Some thought without a beginning.</think><s>labeled("good signals")</s> And more.',
        '```\nlabeled("good signals")\n```',
        "<s>labeled(2)</s> again: <s>labeled(2)</s>",
    ],
)
def test_labeled(reply: str) -> None:
    assert chosen(reply) == Decision("labeled", GOOD.term, GOOD.sql_snippet)


@pytest.mark.parametrize(
    "reply", [f"<s>unlabeled({len(PARTS)})</s>", f'unlabeled("{LIMIT}")', 'unlabeled("limit  7")', "unlabeled(LIMIT)"]
)
def test_unlabeled(reply: str) -> None:
    assert chosen(reply) == Decision("unlabeled", LIMIT)


def test_a_segment_with_brackets_and_quotes() -> None:
    where = next(part.text for part in PARTS if part.clause == "WHERE")
    assert chosen(f'<s>unlabeled("{where}")</s>').about == where
    assert chosen('unlabeled("SELECT Station, ROUND(AVG(quality_index), 3) AS avg")').about == PARTS[3].text


def test_unanswerable() -> None:
    assert chosen("<s>Unanswerable( )</s>.") == Decision("unanswerable")


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", "not exactly one"),
        ("<s></s>", "not exactly one"),
        ("I would say labeled(1).", "not exactly one"),
        ("<s>labeled(1) or labeled(2)</s>", "no '1\\) or labeled\\(2' in the list"),
        ("<s>labeled(1)</s><s>labeled(2)</s>", "several"),
        ("<s>answerable()</s>", "not exactly one"),
        ("<s>labeled(3)</s>", "a number from 1 to 2"),
        ("<s>labeled(0)</s>", "a number from 1 to 2"),
        ("<s>labeled()</s>", "no ''"),
        ("<s>labeled(goo)</s>", "no 'goo'"),
        ("<s>labeled(order)</s>", "no 'order'"),
        ('<s>labeled("LIMIT 7")</s>', "no 'LIMIT 7'"),
        ("<s>unlabeled(FROM)</s>", "no 'FROM'"),
        ("<think>labeled(1)", "not exactly one"),
    ],
)
def test_mistakes(reply: str, why: str) -> None:
    with pytest.raises(Mistake, match=why):
        chosen(reply)


def test_only_what_there_is() -> None:
    with pytest.raises(Mistake, match="labeled is not possible"):
        decision("labeled(1)", (), PARTS)
    with pytest.raises(Mistake, match="unlabeled is not possible"):
        decision("unlabeled(1)", (QUALITY,), ())


@given(st.text(max_size=50))
def test_any_reply_is_a_decision_or_a_mistake(text: str) -> None:
    for reply in (text, f"<s>{text}</s>", f"labeled({text})"):
        with contextlib.suppress(Mistake):
            assert chosen(reply).choice in ("labeled", "unlabeled", "unanswerable")


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ("<s>Yes.</s>", "Yes."),
        ("<think>Hm.</think> Yes.", "Yes."),
        ("Hm.</think>Yes.</s>", "Yes."),
        ("<s>Yes", "Yes"),
        ("Sure: <S>a < b</S> Anything else?", "a < b"),
        ("<think>Hm.</think><s> </s>", ""),
        ("<think>never ending", ""),
    ],
)
def test_what_is_said(reply: str, words: str) -> None:
    assert spoken_text(reply) == words
