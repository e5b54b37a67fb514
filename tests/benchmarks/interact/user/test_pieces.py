"""No piece that a guarded user is told is nearly the whole gold, and what is left of the others is offered."""

from __future__ import annotations

from tests.benchmarks.interact.user.situations import mini_interact
from touchstone.benchmarks.interact.user.choice import MOST, offered_ambiguities, offered_segments, share
from touchstone.benchmarks.interact.user.view import Ambiguity, Situation

NESTED = (
    "WITH totals AS (SELECT c.id, sum(p.amount) AS total FROM customer c JOIN purchase p ON p.c = c.id GROUP BY c.id) "
    "SELECT * FROM totals"
)
LISTED = "SELECT a + b AS one, c * d AS two, e - f AS three, coalesce(g, 0) AS four FROM t"


def offered(*gold: str) -> list[str]:
    return [part.text for part in offered_segments(gold, "postgres")]


def test_a_large_piece_is_replaced_by_what_is_in_it() -> None:
    texts = offered(NESTED)
    assert not any(text.startswith("WITH") for text in texts)
    assert "GROUP BY c.id" in texts


def test_a_large_piece_without_others_in_it_is_cut_at_its_commas() -> None:
    assert offered(LISTED) == ["SELECT a + b AS one", "c * d AS two", "e - f AS three", "coalesce(g, 0) AS four", "FROM t"]


def test_what_cannot_be_cut_is_not_offered() -> None:
    assert offered("VACUUM") == []
    assert offered("SELECT count(*) FROM big") == ["FROM big"]


def test_what_is_in_a_function_body_counts() -> None:
    """As one token it would be told whole."""
    body = "SELECT count(*) FROM orders o WHERE o.total > 250 AND o.region = {0}North{0}"
    head = "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS "
    texts = offered(head + f"$$ {body.format(chr(39))} $$")
    assert "WHERE o.total > 250 AND o.region = 'North'" in texts
    assert not any("count(*)" in text and "WHERE" in text for text in texts)
    assert not any("WHERE" in text for text in offered(head + f"'{body.format(chr(39) * 2)}'"))


def test_brackets_around_the_gold_make_no_piece_smaller() -> None:
    assert offered("((SELECT 1))") == []
    assert share("SELECT 1", ["((SELECT 1));"], "postgres") == 1


def test_a_labelled_fragment_of_that_size_is_not_offered() -> None:
    small, large = Ambiguity("a few", "GROUP BY c.id"), Ambiguity("all", NESTED)
    situation = Situation("?", "?", (small, large), (NESTED,))
    assert offered_ambiguities(situation) == (small,)
    assert offered_ambiguities(Situation("?", "?", (small, large))) == (small, large)


def test_the_share_is_kept_on_real_fragments() -> None:
    for situation in mini_interact():
        gold = tuple(each.sql_snippet for each in situation.ambiguities)
        assert all(share(part.text, gold, "sqlite") <= MOST for part in offered_segments(gold, "sqlite"))
