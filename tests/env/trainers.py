"""Played by the trainers' own packages, in an environment of their own: `python trainers.py WHAT ARGUMENT …`."""

from __future__ import annotations

import asyncio
import json
import sys
from types import SimpleNamespace
from typing import Any

GOLD = "SELECT name FROM item WHERE price > 1.0"


def openenv(address: str) -> dict[str, Any]:
    from openenv.core.generic_client import GenericEnvClient
    from openenv.core.mcp_client import MCPToolClient

    async def play() -> dict[str, Any]:
        found: dict[str, Any] = {}
        async with GenericEnvClient(base_url=address) as env:
            begun = await env.reset(task="10")
            found["begun"] = [begun.observation["task"], begun.reward, begun.done]
            seen = await env.step({"tool": "execute_sql", "arguments": {"sql": "SELECT 41 + 1"}})
            found["seen"] = "42" in seen.observation["text"]
            found["state"] = (await env.state())["step_count"]
            end = await env.step({"tool": "submit_sql", "arguments": {"sql": GOLD}})
            found["end"] = [end.reward, end.done]
            try:
                await env.step({"tool": "execute_sql", "arguments": {"sql": "SELECT 1"}})
            except RuntimeError as error:
                found["over"] = "reset first" in str(error)
        async with MCPToolClient(base_url=address) as env:
            found["tools"] = [tool.name for tool in await env.list_tools()]
            await env.reset()
            found["called"] = "1" in await env.call_tool("execute_sql", sql="SELECT 1")
        by_http = MCPToolClient(base_url=address)
        by_http.use_production_mode = True
        found["by_http"] = "2" in await by_http.call_tool("execute_sql", sql="SELECT 2")
        await by_http.close()
        clients = [GenericEnvClient(base_url=address) for _ in range(20)]
        await asyncio.gather(*(client.connect() for client in clients))
        await asyncio.gather(*(client.reset(task="10") for client in clients))
        ends = await asyncio.gather(*(client.step({"answer": f"```sql\n{GOLD}\n```"}) for client in clients))
        found["together"] = sum(end.reward for end in ends)
        await asyncio.gather(*(client.close() for client in clients))
        return found

    found = asyncio.run(play())
    with GenericEnvClient(base_url=address).sync() as env:
        found["sync"] = env.reset(task="11").observation["task"]
    return found


def interact(address: str) -> dict[str, Any]:
    """A request in two phases, with a question to the user."""
    from openenv.core.generic_client import GenericEnvClient

    async def play() -> dict[str, Any]:
        async with GenericEnvClient(base_url=address) as env:
            begun = await env.reset(task="shop_1")
            asked = await env.step({"tool": "ask", "arguments": {"question": "What are active customers?"}})
            active = "SELECT c.name FROM customer c JOIN purchase p ON p.customer = c.id GROUP BY c.id HAVING count(*) >= 2"
            first = await env.step({"tool": "submit", "arguments": {"sql": active}})
            totals = "SELECT c.name, sum(p.amount) FROM customer c JOIN purchase p ON p.customer = c.id GROUP BY c.id"
            second = await env.step({"answer": f"```sql\n{totals}\n```"})
            return {
                "request": "active customers" in begun.observation["text"],
                "told": asked.done,
                "first": [first.reward, first.done],
                "second": [round(second.reward, 6), second.done],
            }

    return asyncio.run(play())


def _benchmark(tasks: str, databases: str) -> Any:
    import touchstone

    return touchstone.bird(tasks, databases)


def gymnasium(tasks: str, databases: str) -> dict[str, Any]:
    from gymnasium.wrappers import TimeLimit

    from touchstone.env.adapters import gymnasium_env

    env = TimeLimit(gymnasium_env(_benchmark(tasks, databases)), 5)
    text, info = env.reset(options={"task": "10"})
    seen = env.step("<sql>SELECT 41 + 1</sql>")
    end = env.step(f"<solution>{GOLD}</solution>")
    again, _ = env.reset(seed=3)
    broken = env.step("I do not know")
    same, _ = env.reset(seed=3)
    env.close()
    return {
        "task": info["task"],
        "text": "dear" in text,
        "seen": "42" in seen[0],
        "end": list(end[1:4]),
        "broken": broken[4]["error"],
        "seeded": again == same,
    }


def skyrl(tasks: str, databases: str) -> dict[str, Any]:
    import skyrl_gym

    from touchstone.env.adapters import skyrl_env

    skyrl_gym.register("touchstone", entry_point=skyrl_env(_benchmark(tasks, databases)))
    env = skyrl_gym.make("touchstone", env_config={}, extras={"reward_spec": {"ground_truth": "10"}})
    asked, info = env.init([])
    seen = env.step("Let me look. <sql>SELECT 41 + 1</sql>")
    end = env.step(f"<solution>{GOLD}</solution>")
    env.close()
    return {
        "task": info["task"],
        "asked": [message["role"] for message in asked],
        "seen": "42" in seen["observations"][0]["content"],
        "end": [end["reward"], end["done"], end["observations"]],
    }


def verifiers(tasks: str, databases: str) -> dict[str, Any]:
    from touchstone.env.adapters import verifiers_taskset

    taskset = verifiers_taskset(_benchmark(tasks, databases))
    loaded = list(taskset)

    class Trace(SimpleNamespace):
        def record_reward(self, name: str, value: float, weight: float) -> None:
            self.rewards[name] = value * weight

    async def score(text: str) -> float:
        trace = Trace(metrics={}, rewards={}, last_reply=text)
        await loaded[0].score(trace)
        return trace.rewards["touchstone"]

    return {
        "keys": [task.key for task in loaded],
        "prompt": "dear" in loaded[0].data.prompt,
        "taken": len(list(taskset.shuffle(seed=1).take(2))),
        "rewards": [asyncio.run(score(text)) for text in (f"```sql\n{GOLD}\n```", "no idea")],
    }


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](*sys.argv[2:])))
