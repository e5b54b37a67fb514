"""Training from end to end: a policy that is only told rewards gets better."""

from __future__ import annotations

from examples.train_tabular import train


def test_a_tabular_policy_improves_its_reward_on_the_demo_tasks() -> None:
    means = train(rounds=25)
    assert sum(means[:3]) / 3 < 0.35
    assert sum(means[-3:]) / 3 > 0.85
