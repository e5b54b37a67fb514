"""The account of an episode in bird-coins: what it started with, every charge, and when the agent must submit or is done.

Three ways to treat an action that costs more than is left:

- strict: it is refused without a charge, except a submission, which takes what is left and is the last. A misread action takes
  at most what is left.
- batch: it is carried out and may leave a debt. Whoever has nothing left must submit; anything else then ends the task,
  uncharged.
- adk: it is refused without a charge, except a submission, which is the last and leaves -1.

In all three a submission that uses up the last coins ends the task, whatever its verdict.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from .rules import Prices

Credit = Literal["strict", "batch", "adk"]


class Charge(Struct, frozen=True):
    action: str
    price: float
    after: float
    """What is left."""


class Ledger:
    """Starts full; `refusal` is asked before an action, `charge` is told after it."""

    def __init__(self, total: float, prices: Prices, credit: Credit) -> None:
        self.total = total
        self.balance = total
        self.charges: list[Charge] = []
        self.must_submit = total <= 0
        self.exhausted = False
        """The task is over."""
        self._prices = prices
        self._credit: Credit = credit

    def refusal(self, action: str) -> str | None:
        """Why the action cannot be had, if it cannot. It then costs nothing."""
        price = self._prices.of(action)
        if action == "submit" or self._credit == "batch" or price <= self.balance:
            return None
        return f"{action} costs {coins(price)}, and you have {self.balance:g} left. You can still submit."

    def is_forbidden(self, action: str) -> bool:
        """Whether it ends the task, without being carried out or charged."""
        return self._credit == "batch" and self.must_submit and action != "submit"

    def charge(self, action: str) -> Charge:
        price = self._prices.of(action)
        after = round(self.balance - price, 6)
        if self._credit == "strict":
            price, after = min(price, self.balance), max(after, 0.0)
        elif self._credit == "adk" and action == "submit" and after <= 0:
            after = -1.0
        self.balance = after
        self.must_submit = after <= 0
        self.exhausted = self.must_submit and action == "submit"
        made = Charge(action, price, after)
        self.charges.append(made)
        return made

    def note(self) -> str:
        """What an agent reads at the end of every observation."""
        left = f"[{self.balance:g} of {self.total:g} bird-coins left]"
        return f"{left} You have nothing left to spend: your next action must be a submission." if self.must_submit else left

    def spent(self) -> dict[str, float]:
        """By action."""
        sums: dict[str, float] = {}
        for charge in self.charges:
            sums[charge.action] = round(sums.get(charge.action, 0.0) + charge.price, 6)
        return sums


def coins(amount: float) -> str:
    return f"{amount:g} bird-coin{'s' * (amount != 1)}"
