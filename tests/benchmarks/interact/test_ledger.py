"""The account in bird-coins: what is charged, what is refused, and when a task is over, under each set of rules."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.data import shared_data
from touchstone.benchmarks.interact.budget import Credit, Ledger
from touchstone.benchmarks.interact.rules import Prices

ACTIONS = ["execute", "get_schema", "get_column_meaning", "ask", "submit", "unreadable"]


def ledger(total: float, credit: Credit = "strict") -> Ledger:
    return Ledger(total, Prices(), credit)


def test_the_budget_is_the_start_plus_two_for_each_ambiguity_plus_patience() -> None:
    assert Prices().budget(3, 6) == 18
    assert Prices().budget(0, 0) == 6
    assert Prices(start_budget=10, per_ambiguity=1).budget(3, 14) == 27


@pytest.mark.parametrize(
    ("action", "price"),
    [
        ("execute", 1),
        ("get_schema", 1),
        ("get_all_column_meanings", 1),
        ("get_all_knowledge_definitions", 1),
        ("get_column_meaning", 0.5),
        ("get_all_external_knowledge_names", 0.5),
        ("get_knowledge_definition", 0.5),
        ("ask", 2),
        ("submit", 3),
        ("unreadable", 0.2),
    ],
)
def test_each_action_has_its_published_price(action: str, price: float) -> None:
    account = ledger(20)
    account.charge(action)
    assert account.balance == 20 - price
    assert account.spent() == {action: price}


def test_small_charges_add_up_without_crumbs() -> None:
    account = ledger(2)
    for _ in range(10):
        account.charge("unreadable")
    assert account.balance == 0
    assert account.must_submit


class TestStrict:
    def test_what_cannot_be_paid_is_refused_and_costs_nothing(self) -> None:
        account = ledger(1.5)
        assert "ask costs 2 bird-coins, and you have 1.5 left" in (account.refusal("ask") or "")
        assert account.balance == 1.5
        assert account.refusal("execute") is None

    def test_a_submission_is_never_refused_and_the_last_coins_buy_the_last_one(self) -> None:
        account = ledger(2.5)
        assert account.refusal("submit") is None
        charge = account.charge("submit")
        assert (charge.price, charge.after, account.exhausted) == (2.5, 0.0, True)

    def test_a_submission_that_leaves_something_does_not_end_the_task(self) -> None:
        account = ledger(3.5)
        account.charge("submit")
        assert (account.balance, account.exhausted, account.must_submit) == (0.5, False, False)

    def test_whoever_has_spent_everything_on_other_things_still_has_one_submission(self) -> None:
        account = ledger(1)
        account.charge("execute")
        assert account.must_submit
        assert not account.exhausted
        assert account.refusal("get_column_meaning")
        assert not account.is_forbidden("unreadable")
        assert account.charge("submit").price == 0
        assert account.exhausted

    def test_a_misread_action_takes_at_most_what_is_left(self) -> None:
        account = ledger(0.1)
        assert account.charge("unreadable").price == 0.1
        assert account.balance == 0


class TestBatch:
    def test_an_action_may_leave_a_debt(self) -> None:
        account = ledger(1, "batch")
        assert account.refusal("ask") is None
        account.charge("ask")
        assert (account.balance, account.must_submit, account.exhausted) == (-1, True, False)

    def test_anything_but_a_submission_then_ends_the_task(self) -> None:
        account = ledger(1, "batch")
        assert not account.is_forbidden("ask")
        account.charge("execute")
        assert all(account.is_forbidden(action) for action in ACTIONS if action != "submit")
        assert not account.is_forbidden("submit")

    def test_a_submission_with_the_last_coins_ends_the_task(self) -> None:
        account = ledger(3, "batch")
        account.charge("submit")
        assert account.exhausted


class TestAdk:
    @pytest.mark.parametrize("left", [1.0, 2.5, 3.0])
    def test_a_submission_that_cannot_be_paid_in_full_is_the_last_and_leaves_minus_one(self, left: float) -> None:
        account = ledger(left, "adk")
        account.charge("submit")
        assert (account.balance, account.exhausted) == (-1, True)

    def test_other_actions_are_refused_without_a_charge(self) -> None:
        account = ledger(0.5, "adk")
        assert account.refusal("execute")
        assert account.refusal("get_column_meaning") is None

    def test_the_recorded_runs_of_the_original_come_to_the_same_balances(self) -> None:
        samples = json.loads((shared_data("adk-samples") / "a_interact_samples.json").read_text())["samples"]
        names = {"execute_sql": "execute", "ask_user": "ask", "submit_sql": "submit"}
        moves = 0
        for sample in samples:
            account = ledger(sample["tool_trajectory"][0]["budget_before"], "adk")
            for move in sample["tool_trajectory"]:
                action = names.get(move["tool"], move["tool"])
                assert account.balance == move["budget_before"]
                assert account.refusal(action) is None
                account.charge(action)
                assert account.balance == move["budget_after"]
                moves += 1
        assert (len(samples), moves) == (10, 145)


@given(st.floats(0, 40).map(lambda x: round(x, 1)), st.lists(st.sampled_from(ACTIONS), max_size=60))
def test_the_strict_account_never_goes_below_zero_and_its_charges_explain_its_balance(total: float, moves: list[str]) -> None:
    account = ledger(total)
    for action in moves:
        if account.exhausted:
            break
        if account.refusal(action) is None:
            account.charge(action)
    assert account.balance >= 0
    assert account.balance == pytest.approx(total - sum(charge.price for charge in account.charges))
    assert sum(account.spent().values()) == pytest.approx(sum(charge.price for charge in account.charges))
    assert account.exhausted == (bool(account.charges) and account.charges[-1].action == "submit" and account.balance == 0)
