"""Step through episodes as reinforcement-learning loops do. The policy here is a toy: it tries a query, then hands it in."""

import random

import touchstone

QUERIES = ("SELECT count(*) FROM sqlite_master", "SELECT 1", "SELECT name FROM sqlite_master LIMIT 1")


def episode(env: touchstone.Gym, policy: random.Random) -> float:
    _, info = env.reset()
    assert [tool["function"]["name"] for tool in info["tools"]] == ["execute_sql", "submit_sql"]
    query, total, over = policy.choice(QUERIES), 0.0, False
    for tool in ("execute_sql", "submit_sql"):
        _, reward, terminated, truncated, info = env.step((tool, {"sql": query}))
        total += reward
        over = terminated or truncated
    assert over
    print(f"{info['task']}: reward {total:g}, {info['outcome']}: {info['reason']}")
    return total


def main() -> None:
    with touchstone.gym(touchstone.bird(limit=4), max_steps=5) as env:
        rewards = [episode(env, random.Random(number)) for number in range(6)]
    print(f"mean reward {sum(rewards) / len(rewards):.2f}")


if __name__ == "__main__":
    main()
