"""Reinforcement learning on SQL from end to end, on one CPU in seconds: a policy learns which query answers which question.

The policy is a table: for each question, how likely it is to hand in each of the gold queries of its database, of which one is
its own. It starts out knowing nothing and is taught by rewards alone (REINFORCE, with the mean reward of the batch as
baseline). A language model takes the place of the table in earnest; the environment stays the same.

    python examples/train_tabular.py
"""

from __future__ import annotations

import math
import random

import touchstone
from touchstone.env import RewardOptions, SyncBatchEnv

ROUNDS, EPISODES_PER_TASK, RATE = 25, 4, 2.0


class TabularPolicy:
    """One row of preferences for each task."""

    def __init__(self, queries: dict[str, list[str]], seed: int = 0) -> None:
        self._queries = queries
        self._preferences = {task: [0.0] * len(choices) for task, choices in queries.items()}
        self._random = random.Random(seed)

    def chances(self, task: str) -> list[float]:
        weights = [math.exp(preference) for preference in self._preferences[task]]
        return [weight / sum(weights) for weight in weights]

    def choose(self, task: str) -> int:
        return self._random.choices(range(len(self._queries[task])), self.chances(task))[0]

    def answer(self, task: str, choice: int) -> str:
        return f"```sql\n{self._queries[task][choice]}\n```"

    def learn(self, task: str, choice: int, advantage: float) -> None:
        """A step up the gradient of the chosen query's logarithmic chance."""
        for number, chance in enumerate(self.chances(task)):
            self._preferences[task][number] += RATE * advantage * ((number == choice) - chance)


def train(rounds: int = ROUNDS, seed: int = 0) -> list[float]:
    """The mean reward of each round."""
    benchmark = touchstone.bird("demo")
    tasks = benchmark.chosen()
    by_database: dict[str, list[str]] = {}
    for task in tasks:
        by_database.setdefault(task.database, []).append(task.gold)
    policy = TabularPolicy({task.key: sorted(by_database[task.database]) for task in tasks}, seed)
    means: list[float] = []
    with SyncBatchEnv(benchmark, RewardOptions(reward="pass")) as env:
        for _ in range(rounds):
            played = [task for task in env.tasks for _ in range(EPISODES_PER_TASK)]
            choices = [policy.choose(task) for task in played]
            env.reset(played)
            steps = env.step([policy.answer(task, choice) for task, choice in zip(played, choices, strict=True)])
            rewards = [step.reward for step in steps]
            means.append(sum(rewards) / len(rewards))
            for task, choice, reward in zip(played, choices, rewards, strict=True):
                policy.learn(task, choice, reward - means[-1])
    return means


if __name__ == "__main__":
    for number, mean in enumerate(train(), 1):
        print(f"round {number:2}: mean reward {mean:.2f} {'#' * round(40 * mean)}")
